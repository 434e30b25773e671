/**
 * The seams: the only places where randomness, time and the outside enter (dependency injection). Product code takes a World and reaches nothing
 * else, so the whole runtime can run in a deterministic simulation. The real one is in lib/machine, the simulated one in sim/.
 */
export interface World {
  clock: Clock;
  random: Random;
  files: Files;
  processes: Processes;
  network: Network;
  threads: Threads;
  /** Announces work on untrusted input; the returned function ends it. For the watchdog that notices a blocked event loop (main/daemon/watchdog.ts). */
  working?: ((work: Work) => () => void) | undefined;
  /** Named failpoint. Missing in production, so `await world.point?.("name")` does nothing there. Tests pause or crash in it. */
  point?: ((name: string) => Promise<void>) | undefined;
}

export interface Work {
  /** The agent it belongs to, if any. */
  agent?: string | undefined;
  /** The tool, the file or the request. */
  what: string;
  bytes?: number | undefined;
}

export interface Clock {
  /** Wall time in milliseconds since 1970; may jump. For what people see and for appointments. */
  now(): number;
  /** Monotonic milliseconds; for durations. */
  mono(): number;
  /** Calls back once, not before `ms` have passed. Returns a function that cancels. Does not keep the process alive. */
  after(ms: number, call: () => void): () => void;
}

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** `length` random bytes as hex, for secrets and nonces; never for ids that people read. */
  hex(length: number): string;
}

export interface Processes {
  /**
   * Runs a program to its end, in a process group of its own that carries the tag. When the signal aborts, the whole group is terminated, then
   * killed, and the promise still resolves. Throws only if the program cannot be started.
   */
  run(program: Program): Promise<Exit>;
  /** Starts an interactive program. The same as `run` otherwise: resolves once it runs, and throws only if it cannot be started. */
  start(program: Program): Promise<Running>;
  /** Kills every process with this tag prefix, also those of an earlier process of ours. Resolves with their number. */
  sweep(tag: string): Promise<number>;
  /** Null if a sandbox (with a network) can be started here, tested by starting one; else why not, and exactly what would help. */
  sandbox(network?: boolean): Promise<string | null>;
}

export interface Program {
  command: [file: string, ...args: string[]];
  /** Who it belongs to: agent/run/turn/call. */
  tag: string;
  folder: string;
  /** The whole environment of the child; nothing of ours is passed on. */
  env: Record<string, string>;
  input?: string;
  signal: AbortSignal;
  /** Characters of output that are kept; the middle is left out. */
  output: number;
  /** Without it the program has our permissions. With it `run` throws where no sandbox can be started; it never runs unsandboxed silently. */
  sandbox?: Sandbox;
  /** Its child processes end with it. In a sandbox that is always so. */
  alone?: boolean;
}

/** A program that was started with pipes. `Program.input` is written first, and its input stays open until `close`. */
export interface Running {
  /** Writes to its standard input. No effect once it has ended. */
  write(text: string): void;
  /** Ends its standard input. */
  close(): void;
  /** Its standard output, in chunks. With backpressure: it blocks when nobody reads; a reader that stops closes the pipe. For one reader. */
  output: AsyncIterable<string>;
  /** Resolves when it and its child processes have ended. `output` is its standard error. */
  exit: Promise<Exit>;
}

/**
 * What a program in a sandbox can reach: the system's programs and libraries to read, a private /tmp, and this. It sees no other process and no
 * other file, and has no network but our proxy. Paths are absolute and the same inside. A sandbox that takes too much memory or starts too many
 * processes is killed as a whole.
 */
export interface Sandbox {
  /** These and `read` are ours, and where the sandbox has a user of its own they are chowned to it. */
  write: string[];
  /** Missing ones are left out. */
  read: string[];
  /** Folders of the user's, to read; they are left as they are. */
  projects?: readonly string[];
  /** Programs of the user outside of the system's folders, by their files: what they are installed with can be read, and stays unchanged. */
  programs?: string[];
  /** `example.com` or `*.example.com`, on ports 80 and 443, and only if the name resolves to a public address. */
  hosts: string[];
  /**
   * Asked about every other host, before its name is resolved: null if it may be reached, else why not. May take long; the signal aborts when the
   * connection is gone. With it there is a network even if `hosts` is empty, unless none can be opened here.
   */
  admit?(host: string, signal: AbortSignal): Promise<string | null>;
  /** Told of a host that may be reached and does not answer, and why: a program often says no more than that its proxy failed. */
  unreached?(host: string, why: string): void;
  /** Ports of ours on this machine's loopback, forwarded to the same port inside. */
  ports?: number[];
}

export interface Exit {
  /** Null if a signal ended it. */
  code: number | null;
  output: string;
  /** The signal that ended it. */
  signal?: string;
  /** Why it was ended, by us or by the kernel, other than by the caller's signal. */
  ended?: string;
}

export interface Network {
  /**
   * One HTTP request and its whole response, whatever its status. Redirects are followed. Only public addresses are reached, and those in
   * `allowPrivate`. Throws a NetworkError (lib/network/network-error.ts) and nothing else; connections are closed then.
   */
  request(request: NetworkRequest): Promise<NetworkAnswer>;
}

export interface NetworkRequest {
  url: string;
  method?: "GET" | "POST" | "DELETE";
  /** Names in lower case. Others than the harmless ones (lib/network/target.ts) are not sent to another origin. */
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** Of the response, compressed and decompressed; more is an error. */
  maxBytes: number;
  /** For everything together, redirects included. */
  timeoutMs: number;
  /** `host:port` that may be reached although it is private or its port is unusual. */
  allowPrivate?: readonly string[];
}

export interface NetworkAnswer {
  /** Where the answer came from, after redirects. */
  url: string;
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Decompressed. */
  body: Buffer;
}

export interface Threads {
  /**
   * Imports a module in a worker thread and calls its default export, which may be async. Input and result are copied. Throws what it threw, and if
   * it took longer than `timeoutMs`, more memory than `memoryMb`, or the signal aborted. The thread is terminated then.
   */
  run(work: ThreadWork): Promise<unknown>;
}

export interface ThreadWork {
  module: URL;
  input: unknown;
  signal: AbortSignal;
  timeoutMs: number;
  memoryMb: number;
}

/** Paths are absolute. Errors are Node's, with `code` (ENOENT, ENOSPC, EIO, EROFS …). */
export interface Files {
  /** Opens for reading and appending; creates the file (0600) but not its folder. */
  open(path: string): Promise<OpenFile>;
  /** The whole content, or null if there is no such file. EFTYPE for a pipe and the like: it never blocks. */
  read(path: string): Promise<Buffer | null>;
  /** Atomically replaces the content: a reader sees the old or the new, never a torn write. Durable on return unless `durable: false`. */
  write(path: string, content: string | Uint8Array, options?: { durable?: boolean; mode?: number }): Promise<void>;
  /** Renames a file or folder; durable on return unless `durable: false`. */
  move(from: string, to: string, options?: { durable?: boolean }): Promise<void>;
  /** Removes a file or a folder with all in it; no error if it is not there. */
  remove(path: string): Promise<void>;
  /** Creates the folder and those above it (0700); no error if it is there. What it creates is durable on return. */
  makeDir(path: string): Promise<void>;
  /** Makes the names from this path up to the folder `top` durable: the process that created them may have been killed before they were. */
  settle(path: string, top: string): Promise<void>;
  /** Names in a folder, sorted; empty if there is no such folder. Of a folder with more than `most` some, for those that participants fill. */
  list(path: string, most?: number): Promise<FileEntry[]>;
  /** Size, kind and modification time without following links, or null. */
  stat(path: string): Promise<FileStat | null>;
  /** Takes the write permission from a file or folder. */
  freeze(path: string): Promise<void>;
  /** An OS lock held until release or the end of the process. Null if another process holds it. The file is never removed. */
  lock(path: string): Promise<{ release(): Promise<void> } | null>;
  /** The content of a folder, for paths that others choose. */
  within(root: string): Within;
}

/**
 * A folder that no path leads out of (path traversal): not by `..`, not by a link, not by a folder that is swapped for a link while we walk. The
 * root itself and what is above it are trusted. Only regular files with one name are read and replaced.
 * Paths are relative (lib/files/steps.ts); "" is the root. Refused with `code`: EINVAL a path that is not allowed, ELOOP a link on the way or at its end,
 * EMLINK a hard-linked file, EFTYPE neither file nor folder, EFBIG more than `most` bytes; EISDIR, ENOTDIR as usual.
 */
export interface Within {
  /** The whole content, or null if there is no such file. `most` is 64 MiB by default. */
  read(path: string, most?: number): Promise<Buffer | null>;
  /**
   * Atomically replaces the content and creates the folders on the way; an existing file keeps its mode unless `executable` is given. What is
   * created is for its owner alone, unless it is `shared`: then it has the usual modes of this user (umask). Durable on return by default.
   */
  write(
    path: string,
    content: string | Uint8Array,
    options?: { durable?: boolean; executable?: boolean; shared?: boolean },
  ): Promise<void>;
  makeDir(path: string): Promise<void>;
  /** Sorted; empty if there is no such folder. Links and the like are listed as "other". Of a folder with more than `most` (default 12,000) some. */
  list(path: string, most?: number): Promise<(FileEntry & FileStat)[]>;
  stat(path: string): Promise<FileStat | null>;
  /** Where a link points, as it says; null if there is no link. */
  readLink(path: string): Promise<string | null>;
  /** Removes a file, a link itself, or a folder with all in it; no error if it is not there. */
  remove(path: string): Promise<void>;
}

export interface FileEntry {
  name: string;
  kind: "file" | "folder" | "other";
}

export interface FileStat {
  kind: "file" | "folder" | "other";
  size: number;
  changed: number;
  /** Of a file that may be run as a program. */
  executable?: true;
  /** The file itself, whatever its name: one that took its place has another. */
  inode?: number;
  /** When anything of it was changed last, its times included (ctime); no program can set it back. */
  ctime?: number;
}

export interface OpenFile {
  size(): Promise<number>;
  /** Writes at the end. May write a part and then throw: the caller truncates. */
  append(bytes: Uint8Array): Promise<void>;
  /** Makes appended bytes durable (fdatasync). After a throw nothing is known: never retried, see store/log.ts. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Up to `length` bytes from `offset`; shorter only at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}
