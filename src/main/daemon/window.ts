/**
 * A window for the human: a code from the daemon, good once and for a minute, in the fragment of an address that is printed and, where
 * somebody sits, opened. The address is not given to the browser as an argument, which everyone on the machine could read, but by a file
 * that only its owner can.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { askDaemon, type RunningDaemon } from "./find.ts";

/** Without a code the page can be opened, and nothing in it. */
export async function showWindow(
  home: string,
  { url, token }: Pick<RunningDaemon, "url" | "token">,
  json = false,
): Promise<void> {
  const made = await askDaemon<{ code: string }>({ url, token }, "/session/code", "POST");
  const address = `${url}/app${made ? `#code=${made.code}` : ""}`;
  process.stdout.write(json ? `${JSON.stringify({ address })}\n` : `\n  open ${address}\n`);
  if (json) return;
  if (made && somebodySits()) openBrowser(home, address);
}

function somebodySits(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY, CI, SSH_CONNECTION } = process.env;
  if (!process.stdout.isTTY || CI || SSH_CONNECTION) return false;
  return process.platform !== "linux" || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

function openBrowser(home: string, address: string): void {
  const path = join(home, "open.html");
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}"><title>Agiraph</title>\n`;
  const target = pathToFileURL(path).href;
  const [program, ...args]: [string, ...string[]] =
    process.platform === "darwin"
      ? ["open", target]
      : process.platform === "win32"
        ? ["explorer", target]
        : ["xdg-open", target];
  try {
    writeFileSync(path, page, { mode: 0o600 });
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.on("error", () => undefined); // the address stands on the screen
    child.unref();
  } catch {
    // the same
  }
}
