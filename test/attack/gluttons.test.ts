/** Commands that take more than they may, of memory, processes and descriptors. */
import { existsSync, readdirSync } from "node:fs";
import { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import { createProcesses } from "../../src/lib/machine/processes.ts";
import type { Exit } from "../../src/lib/world.ts";
import { newHome, removeHome } from "../desk.ts";
import { attack } from "./attack.ts";

const bounds = { processes: 100, bytes: 200 * 2 ** 20 };
let scratch = "";
let count = 0;
beforeAll(() => {
  scratch = newHome();
});
afterAll(() => removeHome(scratch));

async function ran(
  command: string,
  options: Parameters<typeof createProcesses>[0] = {},
  hosts: string[] = [],
): Promise<Exit> {
  return await createProcesses({ bounds, ...options }).run({
    command: ["bash", "-c", command],
    tag: `attack-${process.pid}/glutton-${++count}`,
    folder: scratch,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: scratch },
    signal: AbortSignal.timeout(30_000),
    output: 10_000,
    sandbox: { write: [scratch], read: [], hosts },
    alone: true,
  });
}

const python = (lines: string): string => `python3 -c '
import mmap, os, sys, time, ctypes
${lines}
time.sleep(20)'`;

/** What is taken, and why it is ended; one that takes little by what it looks to take is left alone. */
// biome-ignore format: one glutton, one line
const gluttons: [what: string, command: string, ended: RegExp | undefined][] = [
  ["memory of its own", python("a = bytearray(400 << 20)"), /200 MiB/],
  ["B22 memory that could be shared", python("a = mmap.mmap(-1, 400 << 20)\nfor i in range(400): a[i << 20:(i + 1) << 20] = b\"x\" * (1 << 20)"), /200 MiB/],
  ["B22 memory shared by a file that is memory", python("f = os.open(\"/dev/shm/x\", os.O_RDWR | os.O_CREAT)\nos.ftruncate(f, 400 << 20)\na = mmap.mmap(f, 400 << 20)\nfor i in range(400): a[i << 20:(i + 1) << 20] = b\"x\" * (1 << 20)"), /200 MiB/],
  ["B22 memory shared by a memfd", python("f = os.memfd_create(\"x\")\nos.ftruncate(f, 400 << 20)\na = mmap.mmap(f, 400 << 20)\nfor i in range(400): a[i << 20:(i + 1) << 20] = b\"x\" * (1 << 20)"), /200 MiB/],
  ["B22 shared memory of one that hides", python("ctypes.CDLL(None).prctl(4, 0)\na = mmap.mmap(-1, 400 << 20)\nfor i in range(400): a[i << 20:(i + 1) << 20] = b\"x\" * (1 << 20)"), /200 MiB/],
  ["memory in many small pieces", "for i in $(seq 20); do python3 -c 'import time; a = bytearray(20 << 20); time.sleep(20)' & done; wait", /200 MiB/],
  ["processes", ":(){ :|:& };:; sleep 20", /more than 100 processes/],
  ["memory that is handed on from one short life to the next", "python3 -c '\nimport os, time\na = bytearray(400 << 20)\nend = time.time() + 20\nwhile time.time() < end:\n  if os.fork(): os._exit(0)' & sleep 20", /200 MiB/],
  ["no more than many do who share it", "python3 -c '\nimport mmap, os, time\na = mmap.mmap(-1, 20 << 20)\na[:] = b\"x\" * (20 << 20)\nfor i in range(20):\n  if os.fork() == 0:\n    sum(a[::4096]); time.sleep(1); os._exit(0)\nfor i in range(20): os.wait()\nprint(\"shared well\")'", undefined],
];

const missing = (await machine.processes.sandbox()) ?? (existsSync("/usr/bin/python3") ? null : "there is no python3");
if (missing) console.warn(`the gluttons are left out: ${missing}`);

describe.skipIf(missing)("in the sandbox", () => {
  for (const [what, command, why] of gluttons)
    attack("sandbox", `who takes ${what} is ${why ? "ended" : "left alone"}`, async () => {
      const exit = await ran(command);
      if (why) expect(exit.ended).toMatch(why);
      else expect(exit).toMatchObject({ code: 0, output: "shared well\n" });
    });

  /** A server that never answers, and how many are connected to it. */
  function createSilence() {
    let open = 0;
    let most = 0;
    const dial = () => {
      most = Math.max(most, ++open);
      return new Socket().once("close", () => open--);
    };
    return { outside: { resolve: async () => ["93.184.216.34"], dial, connectMs: 30_000 }, most: () => most };
  }
  const socat = existsSync("/usr/bin/socat");
  const descriptors = (): number => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);

  const floods: [what: string, command: string][] = [
    [
      "B20 connections to the proxy",
      's = [socket.socket(socket.AF_UNIX) for i in range(900)]\nfor one in s: one.connect("/run/agiraph/proxy")',
    ],
    [
      "B20 requests on one connection",
      's = socket.socket(socket.AF_UNIX)\ns.connect("/run/agiraph/proxy")\ns.sendall(b"GET http://allowed.test/ HTTP/1.1\\r\\nHost: allowed.test\\r\\n\\r\\n" * 900)',
    ],
    [
      "B20 tunnels",
      'def tunnel():\n  s = socket.socket(socket.AF_UNIX)\n  s.connect("/run/agiraph/proxy")\n  s.sendall(b"CONNECT allowed.test:443 HTTP/1.1\\r\\n\\r\\n")\n  return s\ns = [tunnel() for i in range(900)]',
    ],
  ];
  for (const [what, command] of socat ? floods : [])
    attack("sandbox", `${what} do not use up descriptors`, async ({ held }) => {
      const { outside, most } = createSilence();
      const before = descriptors();
      let used = 0;
      const timer = setInterval(() => {
        used = Math.max(used, descriptors() - before);
      }, 10);
      const exit = await ran(
        `python3 -c '\nimport socket, time\ntry:\n  ${command.replaceAll("\n", "\n  ")}\nexcept OSError: pass\ntime.sleep(1)\nprint("flooded")'`,
        { outside },
        ["allowed.test"],
      );
      clearInterval(timer);
      expect(exit).toEqual({ code: 0, output: "flooded\n" });
      expect(used).toBeLessThan(150);
      expect(most()).toBeLessThanOrEqual(64);
      held(900);
    });
});
