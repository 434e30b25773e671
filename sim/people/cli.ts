/**
 * What surrounds agent CLIs: they reach our tools and our gateway only through the process that started them, and whatever they read, report and
 * lose is remembered here, beside the log.
 *
 * At the end the log must agree: one copy at a time (I11), the conversation resumed that the log knows (conversation), every message read in the one
 * turn that handled it (I2), and everything charged once (charge).
 */
import { type Charged, checkCharges } from "../cli/charges.ts";
import { checkConversations, type Start } from "../cli/conversations.ts";
import type { Bearer } from "../cli/logged.ts";
import type { CliSurroundings } from "../cli/process.ts";
import { checkReading, type Reading } from "../cli/reading.ts";
import { worstCall } from "../cli/turn.ts";
import { choose } from "../model.ts";
import type { Life } from "../time.ts";
import type { Actor, Company } from "./company.ts";

export function createClis(company: Company): Actor {
  const { sim, setup, fleet, witness } = company;
  const starts: Start[] = [];
  const readings: Reading[] = [];
  const charged: Charged[] = [];
  const { cli } = setup;

  const processOf = (life: Life) => fleet.hosts.map((host) => host.up()).find((up) => up?.world.life === life);

  function surround(tag: string, life: Life, model: string): CliSurroundings {
    const bearer = bearerOf(tag);
    const { agent, run, participant, turn } = bearer;
    const start: Start = {
      ...bearer,
      driver: `claude-code/${model}`,
      resume: undefined,
      durable: undefined,
      isLost: false,
    };
    const tell = (what: string) => witness.tell(agent, () => `${turn} of ${run}, its program: ${what}`);
    return {
      faults: cli!.faults,
      gateway: cli!.gateway,
      started(resume, isLost) {
        const mine = `/${agent}/${run}/${participant}.`;
        const other = sim.processes.running().find(({ tag }) => tag.includes(mine) && tag.endsWith("/program"));
        if (other && fleet.hosts.length === 1)
          witness.violated("I11", `${agent}: a second program of ${participant} starts beside the one of ${other.tag}`);
        const durable = processOf(life)?.runtime.opened(agent)?.live.durableSeq();
        Object.assign(start, { resume, durable, isLost });
        starts.push(start);
        witness.count(resume ? "cli resumed" : "cli started");
        tell(`starts, ${resume ? `resuming ${resume}${isLost ? ", which is lost" : ""}` : "with a new conversation"}`);
      },
      read(conversation, text) {
        start.conversation = conversation;
        const seqs = seqsIn(text);
        readings.push({ ...bearer, start, conversation, seqs });
        tell(
          `reads ${seqs.join(", ") || "nothing new"} in ${conversation}: ${text.slice(0, 60).replaceAll("\n", " ")}`,
        );
      },
      reported(conversation, isDone) {
        const { id, usd } = conversation;
        if (!cli!.gateway) charged.push({ ...bearer, conversation: id, usd, isDone });
        tell(`reports ${conversation.usd} for ${conversation.id}`);
      },
      trouble(what) {
        witness.count(`cli ${what}`);
        tell(what);
      },
      async tool(name, input) {
        const result = await company.ask(processOf(life), (runtime) => runtime.ownCall(bearer, { tool: name, input }));
        witness.count("cli call");
        return result;
      },
      async model(usd) {
        const metered = await company.ask(processOf(life), (runtime) =>
          runtime.meter.begin({ agent, run, participant }, { model: "sim/gateway", worst: worstCall }),
        );
        witness.billed(agent, usd);
        charged.push({ ...bearer, usd, isDone: true });
        await sim.time.sleep(1 + sim.random.int(20));
        const usage = { model: "sim/gateway", input: 0, output: 0, cache_read: 0, cache_write: 0, priced: true };
        const up = processOf(life);
        if (up) await company.ask(up, () => metered.end({ usd, tokens: 10 }, usage)).catch(bury);
      },
      choose(dice, folder) {
        const node = folder.includes("/nodes/") ? "n1" : undefined;
        const turns = Number(turn.slice(turn.lastIndexOf(".") + 1)) + 1;
        return choose({ participant, turns, node, model: `sim/${agent}` }, dice, { programs: false, cli: true });
      },
    };
  }

  if (cli) sim.processes.surround(surround);
  return {
    meet: () => undefined,
    judge(agent, { lines, state }) {
      if (!cli) return;
      const violated = (invariant: string, what: string) => witness.violated(invariant, `${agent}: ${what}`);
      const mine = <T extends Bearer>(all: T[]) => all.filter((one) => one.agent === agent);
      checkReading(lines, mine(readings), mine(starts), violated);
      checkCharges(lines, mine(charged), state, violated);
      // A host that was cut off goes on with what it knows.
      if (fleet.hosts.length === 1) checkConversations(lines, mine(starts), violated);
    },
  };
}

function bearerOf(tag: string): Bearer {
  const [, agent, run, turn] = tag.split("/") as [string, string, string, string];
  return { agent, run, turn, participant: turn.slice(0, turn.lastIndexOf(".")) };
}

/** The messages that it is told as new; what it is told as handled is not. */
const seqsIn = (text: string): number[] =>
  [...text.slice(Math.max(0, text.lastIndexOf("\nNew since then:"))).matchAll(/<message id="(\d+)"/g)].map(([, id]) =>
    Number(id),
  );

/** The process died, or the turn is over: nobody hears of it. */
function bury(error: unknown): void {
  if (error instanceof TypeError || error instanceof RangeError) throw error;
}
