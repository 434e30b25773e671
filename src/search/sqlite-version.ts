/** Which SQLite versions are safe: older ones can corrupt a database in WAL mode (fixed in 3.51.3), and 3.52.0 was withdrawn. Node bundles it. */
export function isSafeSqlite(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1e6 + minor * 1e3 + patch >= 3_051_003 && !version.startsWith("3.52.0");
}

/** The first of each Node release line that has one. */
export const safeNodes = "22.22.3, 24.15, 25.9 or newer";
