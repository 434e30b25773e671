/**
 * The lifecycle of one MCP server: started on first use, restarted on the next use after it ended, with exponential backoff if it keeps ending.
 * Each listing of its tools is compared with what the user accepted (pins.ts); the first listing ever is accepted, for the user has just configured
 * the server. Not here: how its tools are shown (mcp.ts), its answers (answer.ts).
 */
import type { McpAnswer, McpConnect, McpConnection, McpListed, McpPlace } from "../../lib/mcp.ts";
import { NetworkError } from "../../lib/network/network-error.ts";
import type { Clock } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import { oneLine } from "../data.ts";
import { type McpPins, printOf } from "./pins.ts";

const startMs = 20_000;
/** The first restart is immediate; then the backoff starts with this and doubles. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

export interface McpServerOptions {
  name: string;
  /** Throws the Problem if something is missing that the config refers to. */
  place(): McpPlace;
  connect: McpConnect;
  pins: McpPins;
  clock: Clock;
  callMs: number;
}

export type McpServer = ReturnType<typeof createMcpServer>;

interface Life {
  ready: Promise<McpConnection>;
}

export function createMcpServer({ name, place, connect, pins, clock, callMs }: McpServerOptions) {
  let life: Life | undefined;
  let closing = false;
  let failures = 0;
  let notBefore = 0;
  let listed: readonly McpListed[] = [];
  /** Listed, but not as it was accepted. */
  let waiting: readonly McpListed[] = [];

  async function connected(ms = startMs): Promise<McpConnection> {
    if (closing) throw new Problem("closed", `the MCP server ${name} is closed`);
    const pause = notBefore - clock.mono();
    if (!life && pause > 0)
      throw new Problem(
        "unreachable",
        `the MCP server ${name} keeps crashing; it will be restarted in ${Math.ceil(pause / 1000)} s`,
      );
    life ??= begin(ms);
    return await life.ready;
  }

  function begin(ms: number): Life {
    const mine: Life = { ready: start(() => end(mine), ms) };
    mine.ready.catch(() => end(mine));
    return mine;
  }

  async function start(closed: () => void, ms: number): Promise<McpConnection> {
    let one: McpConnection | undefined;
    const changed = () => void (one && look(one).catch(() => undefined)); // if it cannot list, its next call says so
    one = await connect(place(), { closed, changed }, ms);
    try {
      await look(one);
    } catch (error) {
      await one.close();
      throw error;
    }
    return one;
  }

  function end(which: Life): void {
    if (life !== which) return;
    life = undefined;
    notBefore = clock.mono() + (failures ? Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs) : 0);
    failures++;
  }

  async function look(one: McpConnection): Promise<void> {
    listed = await one.list();
    if (!pins.of(name)) await pins.accept(name, listed);
    compare();
  }

  function compare(): void {
    const known = pins.of(name);
    waiting = listed.filter((tool) => known?.get(tool.name)?.hash !== printOf(tool));
  }

  function inWords(error: unknown): unknown {
    if (error instanceof RangeError)
      return new Problem("invalid", `the MCP server ${name}: its tool list is nested too deeply`);
    if (!(error instanceof NetworkError)) return error;
    return new Problem(error.code, `the MCP server ${name}: ${oneLine(error.message)}`, undefined, { cause: error });
  }

  return {
    name,
    /** Starts it if needed, and compares its tools. */
    async look(ms?: number): Promise<void> {
      try {
        await look(await connected(ms));
      } catch (error) {
        throw inWords(error);
      }
    },
    listed: (): readonly McpListed[] => listed,
    /** Tools that wait for acceptance, as far as is known without starting it. */
    waiting: (): { tool: string; what: "new" | "changed" }[] =>
      waiting.map((tool) => ({ tool: tool.name, what: pins.of(name)?.has(tool.name) ? "changed" : "new" })),
    async accept(tool?: string): Promise<void> {
      const chosen = waiting.filter((one) => tool === undefined || one.name === tool);
      if (tool !== undefined && chosen.length === 0)
        throw new Problem("not_found", `the MCP server ${name} has no tool ${tool} that waits to be accepted`);
      await pins.accept(name, chosen);
      compare();
    },
    async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<McpAnswer> {
      try {
        const one = await unless(signal, connected());
        if (waiting.some((other) => other.name === tool))
          throw new Problem(
            "not_offered",
            `${tool} of the MCP server ${name} has changed; the user has to review and accept it`,
          );
        if (!listed.some((other) => other.name === tool))
          throw new Problem("not_found", `the MCP server ${name} no longer has a tool ${tool}`);
        const answer = await one.call(tool, input, { signal, timeoutMs: callMs }).catch(async (error) => {
          if (error instanceof NetworkError && error.code === "unreachable") await one.close(); // a new one next time
          throw error;
        });
        failures = 0;
        return answer;
      } catch (error) {
        throw inWords(error);
      }
    },
    async close(): Promise<void> {
      closing = true;
      const one = await life?.ready.catch(() => undefined);
      await one?.close();
    },
  };
}

/** For work that cannot be aborted: stops waiting for it. */
function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new NetworkError("closed", "the call was stopped"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
