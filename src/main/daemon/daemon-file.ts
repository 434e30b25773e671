/**
 * `daemon.json` of a home (0600): where its daemon is and the token it wants. It is a hint, never a proof: the process may be dead, its pid
 * and its port another's. Who believes it first lets the daemon prove that it knows the token (find.ts).
 */
import { join } from "node:path";
import { files } from "../../lib/machine/files.ts";

export interface DaemonFile {
  pid: number;
  started_at: string;
  host: string;
  port: number;
  token: string;
  version: string;
  /** It serves a home that nobody has trusted: it shows what is there and lets nothing begin. */
  untrusted?: true;
}

const pathOf = (home: string): string => join(home, "daemon.json");

export async function writeDaemonFile(home: string, about: DaemonFile): Promise<void> {
  // Not durable: after a crash of the machine there is no daemon.
  await files.write(pathOf(home), `${JSON.stringify(about)}\n`, { durable: false, mode: 0o600 });
}

/** Null if there is none, or none that makes sense. */
export async function readDaemonFile(home: string): Promise<DaemonFile | null> {
  try {
    const about = JSON.parse(String(await files.read(pathOf(home)))) as DaemonFile;
    const { pid, port, host, token, version, started_at } = about;
    const fine = [pid, port].every((n) => Number.isSafeInteger(n) && n > 0) && port < 65_536 && host === "127.0.0.1";
    return fine && [token, version, started_at].every((text) => typeof text === "string" && text !== "") ? about : null;
  } catch {
    return null; // missing or damaged: nobody can be found by it
  }
}

export const removeDaemonFile = (home: string): Promise<void> => files.remove(pathOf(home));
