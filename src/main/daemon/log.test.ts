import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { lastLines } from "../actions/logs.ts";
import { createLog, logPath, secretsIn } from "./log.ts";

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

function open(options: { secrets?: string[]; most?: number } = {}) {
  const home = mkdtempSync(join(tmpdir(), "agiraph-log-"));
  homes.push(home);
  const echoed: string[] = [];
  const log = createLog({ home, now: () => 0, secrets: [], echo: (line) => echoed.push(line), ...options });
  return { home, log, echoed, text: () => readFileSync(logPath(home), "utf8") };
}

test("no line holds a known secret or anything that looks like one, in the file or on the screen", () => {
  const env = {
    MY_API_KEY: "correct horse battery",
    HOME: "/root",
    SSH_AUTH_SOCK: "/tmp/socket-of-ssh",
    SHORT_KEY: "abc",
  };
  const { log, text, echoed } = open({ secrets: secretsIn(env) });
  log.hide("the-token-of-today");
  log.line("asked with correct horse battery and the-token-of-today");
  log.line(`{"key":"sk-ant-${"a1B2".repeat(8)}"} at /tmp/socket-of-ssh, abc`);
  for (const all of [text(), echoed.join("\n")]) {
    expect(all).not.toMatch(/horse|token-of-today|a1B2a1B2/);
    expect(all).toContain("[secret removed]");
    expect(all).toContain("/tmp/socket-of-ssh, abc");
  }
});

test("whatever is logged is one entry: it cannot look like another, and steers no terminal", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (words) => {
      const { log, text } = open();
      log.line(`said: ${words}\n1970-01-01T00:00:00.000Z ready in 1 ms\u001b[2J`);
      const lines = text().split("\n").slice(0, -1);
      expect(lines.filter((line) => !line.startsWith("    "))).toHaveLength(1);
      expect(lines.join("")).not.toMatch(/\p{Cc}/u);
    }),
    { numRuns: 50 },
  );
});

test("it is put aside when it is large, so both files are bounded, and only its user reads it", () => {
  const { log, home } = open({ most: 1000 });
  for (let n = 0; n < 100; n++) log.line(`line ${n}`);
  for (const path of [logPath(home), `${logPath(home)}.1`]) {
    expect(statSync(path).size).toBeLessThan(1100);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  expect(lastLines(home, 2)).toEqual(["1970-01-01T00:00:00.000Z line 98", "1970-01-01T00:00:00.000Z line 99"]);
});
