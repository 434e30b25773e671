/**
 * The seams: the only places where chance, time and the outside enter. Product code takes a World and reaches nothing else,
 * so the whole runtime can run in a deterministic simulation. The real one is in lib/machine, the simulated one in sim/.
 */
export interface World {
  clock: Clock;
  random: Random;
  files: Files;
  processes: Processes;
  network: Network;
  threads: Threads;
  /**
   * Says that work on what others wrote begins; the answer says that it is over. For whoever watches that nobody holds up all others
   * (main/daemon/watchdog.ts); nobody may.
   */
  working?: ((work: Work) => () => void) | undefined;
  /** Named fault point. Missing in production, so `await world.point?.("name")` does nothing there. Tests pause or die in it. */
  point?: ((name: string) => Promise<void>) | undefined;
}

export interface Work {
  /** Whose it is, if it is an agent's. */
  agent?: string | undefined;
  /** The tool, the file or the request. */
  what: string;
  bytes?: number | undefined;
}

export interface Clock {
  /** Wall time in milliseconds since 1970; may jump. For what people see and for appointments. */
  now(): number;
  /** Milliseconds that only grow; for durations. */
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
   * Runs a program to its end, in a process group of its own that carries the tag. When the signal aborts, the whole group is ended, first
   * kindly, then by force, and the promise still resolves. Throws only if the program cannot be started.
   */
  run(program: Program): Promise<Exit>;
  /** Starts a program to talk with. The same as `run` otherwise: resolves once it runs, and throws only if it cannot be started. */
  start(program: Program): Promise<Running>;
  /** Ends every process that carries a tag beginning with this, also those of an earlier life of ours. Resolves with their number. */
  sweep(tag: string): Promise<number>;
  /** Null if a sandbox (with a network) can be started here, found out by starting one; else why not, and exactly what would help. */
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
  /** Without it the program may do what we may. With it `run` throws where no sandbox can be started; it never does without silently. */
  sandbox?: Sandbox;
  /** Whatever it started ends with it. In a sandbox that is always so. */
  alone?: boolean;
}

/** A program that was started with pipes. `Program.input` is written first, and its input stays open until `close`. */
export interface Running {
  /** Adds to its standard input. Nothing happens once it has ended. */
  write(text: string): void;
  /** Ends its standard input. */
  close(): void;
  /** Its standard output, in pieces as it writes them. It waits when nobody reads; whoever stops reading closes the pipe. For one reader. */
  output: AsyncIterable<string>;
  /** When it and all that it started have ended. `output` is what it wrote to standard error. */
  exit: Promise<Exit>;
}

/**
 * What a program in a sandbox can reach: the system's programs and libraries to read, a private /tmp, and this. It sees no other process and
 * no other file, and has no network but what a proxy of ours passes on. Paths are absolute and are the same inside. What takes too much
 * memory or starts too many processes is ended as a whole.
 */
export interface Sandbox {
  /** These and `read` are ours, and where the sandbox has rights of its own they are given to it. */
  write: string[];
  /** Missing ones are left out. */
  read: string[];
  /** A folder of the user's, to read; it is left as it is. */
  project?: string;
  /** Programs of the user's outside of the system's folders, by their files: what they are installed with can be read, and is left as it is. */
  programs?: string[];
  /** `example.com` or `*.example.com`, on ports 80 and 443, and only where the name leads to a public address. */
  hosts: string[];
  /** Ports of ours on this machine's loopback that it finds at the same port of its own. */
  ports?: number[];
}

export interface Exit {
  /** Null if a signal ended it. */
  code: number | null;
  output: string;
  /** The signal that ended it. */
  signal?: string;
  /** Why we ended it, other than by the caller's signal. */
  ended?: string;
}

export interface Network {
  /**
   * One question to the web and its whole answer, whatever its status. Redirects are followed. Only public addresses are reached, and those
   * in `allowPrivate`. Throws a NetworkError (lib/network-error.ts) and nothing else; connections are closed then.
   */
  request(request: NetworkRequest): Promise<NetworkAnswer>;
}

export interface NetworkRequest {
  url: string;
  method?: "GET" | "POST" | "DELETE";
  /** Names in lower case. Whatever is not among the harmless ones (lib/target.ts) is not sent on to another origin. */
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** Of the answer, as it comes and unpacked; more is an error. */
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
  /** Unpacked. */
  body: Buffer;
}

export interface Threads {
  /**
   * Imports a module in a thread of its own and calls its default export, which may be async. Input and result are copied. Throws what it
   * threw, and if it took longer than `timeoutMs`, more memory than `memoryMb`, or the signal aborted. Then the thread is gone as well.
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
  /** The whole content, or null if there is no such file. EFTYPE for a pipe and the like: nobody is waited for. */
  read(path: string): Promise<Buffer | null>;
  /** Replaces the content whole: a reader sees the old or the new, never a half. Durable on return unless `durable: false`. */
  write(path: string, content: string | Uint8Array, options?: { durable?: boolean; mode?: number }): Promise<void>;
  /** Renames a file or folder; durable on return. */
  move(from: string, to: string): Promise<void>;
  /** Removes a file or a folder with all in it; no error if it is not there. */
  remove(path: string): Promise<void>;
  /** Creates the folder and those above it (0700); no error if it is there. What it creates is durable on return. */
  makeDir(path: string): Promise<void>;
  /** The names of what is there, from this path up to the folder `top` that it is in, are durable on return: who made them may have been killed before they were. */
  settle(path: string, top: string): Promise<void>;
  /** Names in a folder, sorted; empty if there is no such folder. Of a folder with more than `most` some, for those that participants fill. */
  list(path: string, most?: number): Promise<FileEntry[]>;
  /** Size, kind and modification time without following links, or null. */
  stat(path: string): Promise<FileStat | null>;
  /** Takes the write permission from a file or folder. */
  freeze(path: string): Promise<void>;
  /** An OS lock held until release or the end of the process. Null if another process holds it. The file is never removed. */
  lock(path: string): Promise<{ release(): Promise<void> } | null>;
  /** What lies below a folder, for paths that others choose. */
  within(root: string): Within;
}

/**
 * A folder that no path leads out of: not by `..`, not by a link, not by a folder that is swapped for a link while we walk. The root itself
 * and what is above it are trusted. Only regular files with one name are read and replaced.
 * Paths are relative (lib/steps.ts); "" is the root. Refused with `code`: EINVAL a path that is not allowed, ELOOP a link on the way or at
 * its end, EMLINK a file with a second name, EFTYPE neither file nor folder, EFBIG more than `most` bytes; EISDIR, ENOTDIR as usual.
 */
export interface Within {
  /** The whole content, or null if there is no such file. `most` is 64 MiB unless told. */
  read(path: string, most?: number): Promise<Buffer | null>;
  /** Replaces the content whole and makes the folders on the way; a file that is there keeps its mode. Durable on return unless told. */
  write(path: string, content: string | Uint8Array, options?: { durable?: boolean }): Promise<void>;
  makeDir(path: string): Promise<void>;
  /** Sorted; empty if there is no such folder. Links and the like are listed as "other". Of a folder with more than `most` (12,000 unless told) some. */
  list(path: string, most?: number): Promise<(FileEntry & FileStat)[]>;
  stat(path: string): Promise<FileStat | null>;
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
}

export interface OpenFile {
  size(): Promise<number>;
  /** Writes at the end. May write a part and then throw: the caller truncates. */
  append(bytes: Uint8Array): Promise<void>;
  /** What is appended is on the disk on return (fdatasync). After a throw nothing is known: never retried, see store/log.ts. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Up to `length` bytes from `offset`; shorter only at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}
