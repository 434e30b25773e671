/**
 * Taint, against prompt injection: whether somebody in the run has read untrusted text (the web, an MCP server, the user's folder, a given file).
 * Participants talk to each other, so it is the run that is tainted, not one of them; a message passes the taint on to the run of another agent.
 *
 * From then on a call to a host that the human neither named nor allowed follows a policy of its own (loop/features/policy.ts): the address, or
 * what it carries, may be the stranger's idea (exfiltration). Hosts of earlier calls do not count, since the stranger may be there. A URL from a
 * search result may be fetched exactly as it is: that carries nothing away.
 *
 * The next run of the agent is shown what was said in this one, so it begins tainted, and so does every later one. Notes written meanwhile have an origin
 * and pass the taint on to who reads them (guard/memory-marked.ts); those without one (`taint: { memory: allow }`) to every later run.
 */

import type { Taint } from "../../schema/taint.ts";
import { defineBehaviour, type Reduce } from "../noun.ts";
import { leads } from "../run/lead.ts";
import type { State } from "../state.ts";

const most = { sources: 50, known: 2_000, links: 2_000, notes: 2_000 };

export const isTainted = ({ taint }: State): boolean => taint.sources.length > 0;

/** "example.com and 2 others", for people. */
export const sourcesOf = ({ taint: { sources } }: State): string => inShort(sources);

/** Whose words may have led to what this run wants to remember: strangers, and other agents. Empty if nobody's. */
export const foreignSources = ({ taint: { sources, mail } }: State): string =>
  sources.length + mail.length ? inShort([...sources, ...mail]).slice(0, 500) : "";

/** After `this run has read what …`. */
export const sourcesSay = (state: State): string =>
  `${sourcesOf(state)} ${state.taint.sources.length > 1 ? "say" : "says"}`;

function inShort(sources: readonly string[]): string {
  const [first = "nobody", ...more] = sources;
  return more.length ? `${first} and ${more.length} other${more.length > 1 ? "s" : ""}` : first;
}

/** One line: that a run is tainted, by what, and what follows from it. */
export const taintInWords = (sources: readonly string[]): string =>
  `This run has read text from outside: ${inShort(sources)}. Where it goes next is put to you first, unless you named the place or the config says otherwise.`;

const reduceTaint: Reduce = (state, event) => {
  const { taint } = state;
  const set = (change: Partial<Taint>) => {
    state.taint = { ...taint, ...change };
  };
  switch (event.type) {
    case "run.started": {
      const [note] = taint.notes;
      const earlier = taint.sources.map(asEarlier);
      const read = event.data.setup?.some(({ size }) => size > 0) ? ["the setup"] : [];
      state.taint = {
        sources: extended(earlier, [...(note === undefined ? [] : [`the note ${note}`]), ...read], most.sources),
        known: extended([], hostsIn(event.data.goal)),
        links: [],
        notes: taint.notes,
        mail: taint.mail,
        ...(earlier.length ? { inherited: true } : {}),
      };
      return;
    }
    case "message.posted":
      if (event.data.from === "human") set({ known: extended(taint.known, hostsIn(event.data.text)) });
      if (event.data.mail?.origin) {
        const { tainted } = event.data.mail;
        const source = `${event.data.from} (who has read what ${tainted} says)`;
        set({
          mail: extended(state.taint.mail, [event.data.from], most.sources),
          ...(tainted ? { sources: extended(taint.sources, [source], most.sources) } : {}),
        });
      }
      return;
    case "question.answered": {
      const { approves, host, options = [], default: otherwise } = state.questions.get(event.data.question) ?? {};
      // Choosing among offered answers names no host: they are the asker's words.
      const isOffered = options.includes(event.data.answer) || event.data.answer === otherwise;
      const allowed = approves?.target !== undefined && event.data.answer === "allow" && event.data.remember;
      const named = allowed ? [approves!.target!] : approves || host || isOffered ? [] : hostsIn(event.data.answer);
      if (named.length) set({ known: extended(taint.known, named) });
      return;
    }
    case "host.opened":
      return set({ sources: extended(taint.sources, [event.data.host], most.sources) });
    case "tool.ended": {
      const { outside, links = [] } = event.data;
      if (outside === undefined) return;
      set({
        sources: extended(taint.sources, [outside], most.sources),
        links: extended(taint.links, links.map(addressOf), most.links),
      });
      return;
    }
    case "memory.written": {
      const { participant, path, origin } = event.data;
      if (!leads(state, participant)) return;
      const others = taint.notes.filter((one) => one !== path);
      if (isTainted(state) && origin === undefined) set({ notes: [...others, path].slice(-most.notes) });
      else if (others.length < taint.notes.length) set({ notes: others });
    }
  }
};

const asEarlier = (source: string): string => (source.endsWith(inEarlier) ? source : `${source}${inEarlier}`);
const inEarlier = " (in an earlier run)";

/** Normalises a URL. */
export function addressOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}

/** The same list if it contains them all. */
function extended(list: string[], more: readonly string[], bound = most.known): string[] {
  const fresh = more.filter((one, index) => !list.includes(one) && more.indexOf(one) === index);
  return fresh.length ? [...list, ...fresh].slice(0, bound) : list;
}

const address = /\bhttps?:\/\/([^\s/?#"'<>()[\]{}\\]{1,255})/gi;

/** The hosts of full URLs in a text. */
function hostsIn(text: string): string[] {
  return [...text.slice(0, 100_000).matchAll(address)].flatMap(([url]) =>
    URL.canParse(url) ? [new URL(url).host] : [],
  );
}

export const taint = defineBehaviour({
  reduce: [
    {
      phase: "own",
      looksAt: ["run.started", "message.posted", "question.answered", "host.opened", "tool.ended", "memory.written"],
      reduce: reduceTaint,
    },
  ],
});
