/**
 * What the human has sent and the daemon has not taken yet. Kept over a reload; sent as soon as the daemon is there, in the order in which it
 * was written, each with a key of its own, so nothing is said twice however often it is tried. What the daemon refuses stays with the reason,
 * until it is tried again or taken back.
 */
import type { Client } from "../../client/index.ts";
import { Problem } from "../../schema/problem.ts";
import type { Attachment } from "../../schema/resource.ts";
import { after, now, unique } from "../platform.ts";
import type { Store } from "../store/store.ts";

export interface Unsent {
  id: string;
  agent: string;
  /** In whose thread it was written. */
  of: string;
  text: string;
  to?: string;
  attached: readonly Attachment[];
  at: string;
  status: "waiting" | "sending" | "failed";
  /** Why it failed. */
  why?: string;
}

export interface Outbox {
  subscribe(changed: () => void): () => void;
  /** In the order in which it was written; a new array when anything changed. */
  all(): readonly Unsent[];
  add(what: Pick<Unsent, "agent" | "of" | "text" | "to" | "attached">): void;
  again(id: string): void;
  /** It is not sent any more. */
  drop(id: string): void;
}

interface Keeping {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

const place = "agiraph.unsent";
const againMs = 3_000;

export function createOutbox(
  { send }: Pick<Client, "send">,
  { link, subscribe }: Pick<Store, "link" | "subscribe">,
  storage: Keeping,
): Outbox {
  let all: readonly Unsent[] = kept(storage);
  let busy = false;
  const listeners = new Set<() => void>();

  function set(next: readonly Unsent[]): void {
    all = next;
    storage.setItem(place, JSON.stringify(all));
    for (const listener of listeners) listener();
  }
  const change = (id: string, { why: _, ...one }: Unsent, to: Partial<Unsent>) =>
    set(all.map((other) => (other.id === id ? { ...one, ...to } : other)));

  async function flush(): Promise<void> {
    if (busy || link().status !== "live") return;
    busy = true;
    for (let one = next(); one; one = next()) {
      const { id, agent, text, to, attached } = one;
      change(id, one, { status: "sending" });
      try {
        const resources = attached.map((file) => file.id);
        const body = {
          ...(text ? { message: text } : {}),
          ...(to ? { to } : {}),
          ...(resources.length ? { resources } : {}),
        };
        await send({ params: { agent }, body, key: id });
        set(all.filter((other) => other.id !== id));
      } catch (error) {
        const lost = !(error instanceof Problem) || error.code === "unreachable";
        change(id, one, lost ? { status: "waiting" } : { status: "failed", why: error.message });
        if (!lost) continue;
        after(againMs, () => void flush());
        break;
      }
    }
    busy = false;
  }
  const next = () => all.find(({ status }) => status === "waiting");

  let before = link().status;
  subscribe(() => {
    const { status } = link();
    if (status === before) return;
    before = status;
    void flush();
  });
  void flush();

  return {
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    all: () => all,
    add(what) {
      set([...all, { ...what, id: unique(), at: new Date(now()).toISOString(), status: "waiting" }]);
      void flush();
    },
    again(id) {
      const one = all.find((other) => other.id === id);
      if (one) change(id, one, { status: "waiting" });
      void flush();
    },
    drop: (id) => set(all.filter((one) => one.id !== id)),
  };
}

/** What was left by the page before; one that was under way is tried again with its key. */
function kept(storage: Keeping): Unsent[] {
  try {
    const found = JSON.parse(storage.getItem(place) ?? "[]") as Unsent[];
    return Array.isArray(found)
      ? found.map((one) => (one.status === "failed" ? one : { ...one, status: "waiting" }))
      : [];
  } catch {
    return [];
  }
}
