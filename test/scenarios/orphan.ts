/** Loaded before the program: it ends when whoever started it is gone, so that a test run that was killed leaves nothing behind. */
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.exit(9), 500).unref();
