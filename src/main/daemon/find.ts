/**
 * Finds the daemon of a home: the one that `daemon.json` names, if it proves over its socket that it knows the token. A file of a dead process
 * is recognised whoever has its pid or its port now, and a stranger there is told nothing.
 */
import { randomBytes } from "node:crypto";
import { request } from "../../lib/machine/http.ts";
import { proofOf } from "../../server/auth/proof.ts";
import { type DaemonFile, readDaemonFile } from "./daemon-file.ts";

export interface RunningDaemon extends DaemonFile {
  url: string;
  /** `starting` or `ready`. */
  status: string;
}

const patienceMs = 2_000;
const mostText = 10_000;

/** Null if none answers; it may still be there and be busy, starting or ending (then it holds the home). */
export async function findDaemon(home: string): Promise<RunningDaemon | null> {
  const about = await readDaemonFile(home);
  if (!about) return null;
  const url = `http://${about.host}:${about.port}`;
  const challenge = randomBytes(16).toString("hex");
  try {
    const health = (await get(`${url}/health?challenge=${challenge}`)) as { status?: unknown; proof?: unknown };
    if (health.proof !== proofOf(about.token, challenge)) return null;
    return { ...about, url, status: String(health.status) };
  } catch {
    return null; // nobody there, or somebody else
  }
}

/** JSON, and not much of it. Not by fetch, which takes longer to load than all that a start needs. */
function get(url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { timeout: patienceMs, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
        if (text.length > mostText) asked.destroy();
      });
      response.on("error", reject).on("end", () => {
        try {
          resolve(JSON.parse(text));
        } catch (error) {
          reject(error);
        }
      });
    });
    const late = setTimeout(() => asked.destroy(new Error("it does not answer")), patienceMs);
    asked.on("error", reject).on("close", () => clearTimeout(late));
    asked.end();
  });
}

/** Asks it something with its token; null if it does not answer well. */
export async function askDaemon<T>(
  { url, token }: Pick<RunningDaemon, "url" | "token">,
  path: string,
  method = "GET",
  body?: unknown,
): Promise<T | null> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(10_000);
  const answer = await fetch(url + path, { method, headers, signal, ...given }).catch(() => null);
  return answer?.ok ? ((await answer.json()) as T) : null;
}

/** Whether a process with this pid runs. One that has ended and is only not yet buried does not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const { readFile } = await import("node:fs/promises");
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !/^\d+ \(.*\) [ZX] /s.test(stat);
}
