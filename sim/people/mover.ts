/**
 * Takes an agent out as a bundle while it works, and into another home, over crashes of both.
 *
 * An import that was acknowledged is there for good: the log is the one that was exported, a prefix of the original's, and then says that the
 * agent was moved and stands still; its state is the fold of that log, and all that the log names is there byte for byte (move).
 */
import { createHash } from "node:crypto";
import { fold } from "../../src/core/reduce.ts";
import { canonical, emptyState } from "../../src/core/state.ts";
import { createEmbedded } from "../../src/engine/embedded.ts";
import type { Event } from "../../src/schema/event.ts";
import { Problem } from "../../src/schema/problem.ts";
import { createFilesStore } from "../../src/store/file-store.ts";
import "../compression.ts";
import { parseLog } from "../history.ts";
import { createHost, type Host, home } from "../host.ts";
import type { Actor, Company, Evidence } from "./company.ts";

export function createMover(company: Company): Actor {
  const { sim, setup, fleet, witness } = company;
  const dice = company.dice("mover");
  /** Moved agents, and how many of their events were durable before. */
  const moved = new Map<string, number>();
  let other: Host | undefined;
  let restarted = false;

  /** Another home, on another machine. */
  function openOther(): Host {
    const quietly = { ...setup, post: undefined, visits: 0, index: false, restAfterMs: undefined };
    const host = createHost(sim, quietly, witness, {
      disk: sim.addDisk(),
      skew: dice.pick([0, -60_000]),
      store: ({ files, point }) => createFilesStore({ home, files, point }),
      engine: ({ clock }) => createEmbedded({ clock }),
      died: () => undefined,
    });
    host.boot();
    return host;
  }

  async function move(agent: string): Promise<void> {
    if (company.isCalm()) return;
    other ??= openOther();
    const there = other;
    let bundle: Uint8Array<ArrayBuffer>;
    let before = 0;
    try {
      bundle = await company.ask(fleet.owner(agent)?.up(), async (runtime) => {
        before = runtime.opened(agent)?.live.durableSeq() ?? 0;
        return new Uint8Array(await new Response(await runtime.pack(agent)).arrayBuffer());
      });
    } catch (error) {
      witness.tell(agent, `export: ${String(error)}`);
      return;
    }
    witness.count("exported");
    // The machine may lose its power under the import, and after it.
    for (let n = 0; n < setup.crashes; n++)
      sim.time.after(dice.int(2_000), () => {
        there.crash();
        sim.time.after(1 + dice.int(300), there.boot);
      });
    let tried = false;
    await company.until(agent, "import", async () => {
      try {
        await company.ask(there.up(), (runtime) => runtime.unpack(streamOf(bundle)));
      } catch (error) {
        // Somebody has it: an attempt of ours whose answer was lost.
        const isThere = error instanceof Problem && error.code === "name_taken" && tried;
        if (!isThere && error instanceof Problem && !/^(closed|storage_failed)$/.test(error.code))
          witness.violated("move", `${agent}: what was exported is refused: ${error.message}`);
        else if (!isThere) {
          tried ||= there.up() !== undefined || !(error instanceof Problem && error.code === "closed");
          throw error;
        }
      }
    });
    witness.count("imported");
    moved.set(agent, before);
    if (setup.crashes && dice.chance(0.5)) {
      there.crash("power");
      sim.time.after(100, there.boot);
    }
  }

  function checkMoved(agent: string, before: number, { lines }: Evidence, host: Host): void {
    const broken = (what: string) => witness.violated("move", `${agent}: ${what}`);
    const root = `${home}/agents/${agent}`;
    const bytes = host.disk.peek(`${root}/events.jsonl`);
    if (!bytes) {
      broken("it was imported, and its log is gone");
      return;
    }
    const { lines: there, violations } = parseLog(bytes);
    if (violations[0]) broken(`its imported log is damaged: ${violations[0].what}`);
    let shared = 0;
    while (shared < there.length && JSON.stringify(there[shared]) === JSON.stringify(lines[shared])) shared++;
    if (shared < before) broken(`${before} events were durable, and ${shared} of them were moved`);
    for (const { type } of there.slice(shared)) {
      witness.count(`event ${type}`);
      // It stands still until a person has looked: nobody is asked, nothing is done.
      if (/^(turn\.(started|answered)|tool\.)/.test(type)) broken(`the imported log goes on with ${type}`);
    }
    const state = fold(emptyState(), there as unknown as Event[]);
    if (state.agent?.status === "active") broken("it was imported, and does not stand still");
    const live = host.up()?.runtime.opened(agent)?.live;
    if (!live)
      broken(`it was imported, and cannot be opened: ${host.up()?.runtime.fault(agent)?.message ?? "nobody is there"}`);
    else if (live.durableSeq() === live.state().seq && canonical(live.state()) !== canonical(state))
      broken("its state is not the fold of its imported log");
    const check = (path: string, sha256: string) => {
      const content = host.disk.peek(`${root}/${path}`);
      const hash = content && createHash("sha256").update(content).digest("hex");
      if (hash !== sha256) broken(`${path} was imported and ${content ? "has changed" : "is missing"}`);
    };
    for (const { type, run, data } of there.slice(0, shared)) {
      if (type === "resource.created") check(`blobs/${data.resource}`, String(data.resource));
      if (type === "document.written") check(`blobs/${data.sha256}`, String(data.sha256));
      for (const { path, sha256 } of type === "node.completed"
        ? (data.files as { path: string; sha256: string }[])
        : [])
        check(`runs/${run}/nodes/${data.node}/published/${path}`, sha256);
    }
  }

  return {
    meet(agent) {
      // A bundle is made of files, and those lie on the host that wrote them.
      if (setup.moves && fleet.hosts.length === 1) sim.time.after(dice.int(setup.chaosMs), () => void move(agent));
    },
    awaits() {
      if (!other) return undefined;
      if (company.isCalm() && !restarted) {
        // An import whose end is unknown is there after the next start, or not at all.
        restarted = true;
        other.crash("kill");
        other.boot();
      }
      return other.up() ? undefined : "the other home is down";
    },
    judge(agent, evidence) {
      const before = moved.get(agent);
      if (before !== undefined && other) checkMoved(agent, before, evidence, other);
    },
  };
}

/** Not a Blob's: that one is read in a thread, whose time the simulation cannot see. */
const streamOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
