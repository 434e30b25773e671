/** The daemon's own status and shutdown over HTTP. */
import type { systemRoutes } from "../../api/system.ts";
import { agentStatus } from "../../core/agent/status.ts";
import { humanInbox } from "../../core/human/human-inbox.ts";
import type { State } from "../../core/state.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { servePage } from "../page.ts";

export const systemHandlers = ({
  ready,
  version,
  runtime,
  clock,
  self,
  page,
  refusal,
  environment,
}: Served): Handlers<typeof systemRoutes> => {
  const where = () =>
    ready() ? { status: "ready" as const } : { status: "starting" as const, starting: runtime.recovery() };
  return {
    health: async ({ query: { challenge } }) => ({
      ...where(),
      version,
      ...(challenge === undefined ? {} : { proof: self.prove(challenge) }),
    }),
    page: async ({ isHere }) => servePage(page, "", isHere),
    pageFile: async ({ params: { path }, isHere }) => servePage(page, path, isHere),
    async status() {
      const today = `day:${new Date(clock.now()).toISOString().slice(0, 10)}`;
      const agents: Record<string, number> = {};
      const faults: { agent: string; message: string }[] = [];
      const sum = { working: 0, needs_you: 0, unread: 0, spent_today: { usd: 0, tokens: 0 } };
      for (const agent of runtime.agents()) {
        const glance = await runtime.read(agent, (state) => glanceOf(state, today)).catch(() => undefined);
        const status = glance?.status ?? (refusal ? "untrusted" : "quarantined");
        agents[status] = (agents[status] ?? 0) + 1;
        if (!glance && refusal) continue;
        if (!glance) {
          faults.push({ agent, message: runtime.fault(agent)?.message ?? "it cannot be opened at the moment" });
          continue;
        }
        sum.working += runtime.opened(agent)?.running().size ?? 0;
        sum.needs_you += glance.needs_you;
        sum.unread += glance.unread;
        sum.spent_today.usd += glance.usd;
        sum.spent_today.tokens += glance.tokens;
      }
      const { pid, home, started_at, memory } = self;
      const memory_mb = Math.round(memory() / 2 ** 20);
      const untrusted = refusal ? { untrusted: refusal.message } : {};
      const { problem = null } = (await environment?.look())?.config ?? {};
      const config = problem === null ? {} : { config_problem: problem };
      return { ...where(), version, pid, home, started_at, agents, faults, ...untrusted, ...config, ...sum, memory_mb };
    },
  };
};

function glanceOf(state: State, today: string) {
  const { items, counts } = humanInbox(state);
  const { usd = 0, tokens = 0 } = state.accounts.get(today)?.spent ?? {};
  const needs_you = items.filter(({ waiting_since }) => waiting_since !== undefined).length;
  return { status: agentStatus(state), needs_you, unread: counts.unread, usd, tokens };
}
