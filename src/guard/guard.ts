/**
 * The context of one participant: reads its sources from files, keeps them stable from call to call, and builds the request.
 *
 * Always holds: a request extends the previous one, so that provider caches hit, until a file, the team or the node changed or the conversation was
 * compacted. What the participant itself writes into its memory does not change its prompt (it knows it); what people edit does, at its next turn.
 * Not here: when to compact (loop/features/compaction.ts) and how (core/turn/context.ts).
 */
import type { Request } from "../backend/backend.ts";
import type { State } from "../core/state.ts";
import type { Bill, ShownContext } from "../schema/context.ts";
import type { Thinker } from "../schema/worker.ts";
import type { Tool } from "../toolkit/tool.ts";
import { assemble, type Frame, frame, type Sources } from "./context.ts";
import { createListing, type Listing } from "./listing.ts";
import type { Part } from "./parts.ts";
import { usualBudget } from "./select.ts";

/** Where the guard reads. A missing file is an empty text. */
export interface Shelf {
  soul(): Promise<string>;
  goal(): Promise<string>;
  spec(node: string): Promise<string>;
  /** What others published for the node: as much as fits, and how to read the rest. */
  refs(node: string): Promise<string>;
  /** The results of a stage, for its reviewer. */
  outputs(stage: string): Promise<string>;
  memory(): Promise<string>;
  skills(): Promise<string>;
  /** Why the agent's project folder may not be read; empty if it may. */
  withheld: string;
  /** The participant's own files, one a line. */
  files(): Promise<string>;
  /** What else there is that its task may need; read with the rest, so that it stays the same for as long. */
  parts?(): Promise<readonly Part[]>;
}

export interface Shown {
  request: Request;
  readonly bill: Bill;
  /** What is in it and what was left out: the same object for as long as it is the same. */
  context: ShownContext;
}

export interface Guard {
  /** Files may have changed: read them again before the next request. */
  stale(): void;
  /** Reads what is needed and not loaded yet; returns at once if nothing is. */
  load(): Promise<void>;
  isLoaded(): boolean;
  request(now: number): Shown;
  /** Tools that come into the prompt with the next turn, each with the reason. */
  offered(): Readonly<Record<string, string>>;
  /** What the log does not know yet of what is shown; nothing if it knows. */
  news(): ShownContext | undefined;
  /** The log knows this. */
  noted(context: ShownContext): void;
}

export interface GuardOptions {
  shelf: Shelf;
  state(): State;
  me(): Thinker | undefined;
  /** All that it may call. */
  tools(): readonly Tool[];
  /** Tokens for the parts that the task needs. */
  budget?(): number;
}

const nothing: Sources = { soul: "", goal: "", memory: "", skills: "", spec: "", refs: "", files: "", withheld: "" };

export function createGuard({ shelf, state, me, tools, budget = () => usualBudget }: GuardOptions): Guard {
  let sources: Sources | undefined;
  /** What the sources were read for. */
  let of = "";
  let known: ShownContext | undefined;
  let kept: { sources: Sources | undefined; tools: readonly Tool[]; team: string; frame: Frame } | undefined;
  const listTools = createListing();
  let made: { seq: number; granted: readonly Tool[]; sources: Sources | undefined; listing: Listing } | undefined;

  /** The same list as long as the same is listed. */
  function listing(one: Thinker): Listing {
    const { seq } = state();
    const granted = tools();
    if (made?.seq === seq && made.granted === granted && made.sources === sources) return made.listing;
    const now = listTools(state(), one, granted, Boolean(sources?.memory.trim()));
    const before = made?.listing.tools;
    const isSame = before?.length === now.tools.length && now.tools.every((tool, at) => tool === before[at]);
    made = { seq, granted, sources, listing: isSame && made ? { ...now, tools: made.listing.tools } : now };
    return made.listing;
  }

  /** The stage that the coordinator reviews now. */
  const looking = (): string =>
    me()?.kind === "coordinator"
      ? ([...state().stages.values()].findLast(({ status }) => status === "reconvening")?.id ?? "")
      : "";

  const wanted = (): string => {
    const one = me();
    const again = one?.node ? (state().nodes.get(one.node)?.retries ?? 0) : 0;
    return `${state().run?.id} ${one?.node} ${again} ${one?.shortened?.times ?? 0} ${looking()}`;
  };

  return {
    stale() {
      sources = undefined;
    },
    isLoaded: () => sources !== undefined && of === wanted(),
    async load() {
      const want = wanted();
      if (sources && of === want) return;
      const one = me();
      const [soul, goal, memory, skills, spec, refs, files, parts] = await Promise.all([
        shelf.soul(),
        shelf.goal(),
        shelf.memory(),
        shelf.skills(),
        one?.node ? shelf.spec(one.node) : "",
        one?.node ? shelf.refs(one.node) : looking() ? shelf.outputs(looking()) : "",
        one?.shortened ? shelf.files() : "",
        shelf.parts?.() ?? [],
      ]);
      sources = { soul, goal, memory, skills, spec, refs, files, withheld: shelf.withheld, parts };
      of = want;
    },
    request(now) {
      const one = me();
      if (!one) throw new Error("there is no participant to build a context for");
      const team = [...state().participants.values()].map((other) => "retired" in other && other.retired).join();
      const listed = listing(one);
      if (kept?.sources !== sources || kept?.tools !== listed.tools || kept?.team !== team)
        kept = {
          ...{ sources, tools: listed.tools, team },
          frame: frame(state(), one, listed, sources ?? nothing, budget()),
        };
      return assemble(kept.frame, { state: state(), one, now });
    },
    offered() {
      const one = me();
      return one ? listing(one).offered : {};
    },
    news: () => (kept && kept.frame.context !== known ? kept.frame.context : undefined),
    noted(context) {
      known = context;
    },
  };
}
