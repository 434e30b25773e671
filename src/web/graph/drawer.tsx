/**
 * Details of one node, beside the graph; a waiting node opens on the reason. Data that the state does not have is fetched again when the node
 * changes.
 */
import { useEffect, useState } from "react";
import { messagesAbout } from "../../api/board-view.ts";
import { modelOf } from "../../core/lookup.ts";
import type { State } from "../../core/state.ts";
import { Problem } from "../../schema/problem.ts";
import { Button, IconButton } from "../parts/controls/button.tsx";
import { Drawer } from "../parts/controls/drawer.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Tabs } from "../parts/controls/tabs.tsx";
import { Avatar } from "../parts/status/avatar.tsx";
import { EvidenceMark } from "../parts/status/evidence.tsx";
import { Failed, Loading } from "../parts/status/states.tsx";
import { StatusWord } from "../parts/status/status.tsx";
import { Middle } from "../parts/text/middle.tsx";
import { Time } from "../parts/text/time.tsx";
import { keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { cardOf } from "./cards.ts";
import { Cost } from "./drawer-cost.tsx";
import { Files } from "./drawer-files.tsx";
import { History, Log, Messages } from "./drawer-log.tsx";
import { Overview } from "./drawer-overview.tsx";

type Client = ReturnType<typeof useClient>;
export type Whole = Awaited<ReturnType<Client["getNode"]>>;

export interface DrawerSubject {
  agent: string;
  state: State;
  node: NonNullable<ReturnType<State["nodes"]["get"]>>;
  /** Nothing in the past. */
  whole: Whole | undefined;
  past?: boolean;
  choose(id: string): void;
}

const tabs = ["Overview", "Files", "Messages", "Log", "Cost", "History"] as const;
type Tab = (typeof tabs)[number];
const bodies = { Overview, Files, Messages, Log, Cost, History };

interface Given {
  agent: string;
  state: State;
  id: string;
  /** The state is of the past. */
  past?: boolean;
  choose(id: string): void;
  close(): void;
}

export function NodeDrawer({ agent, state, id, past = false, choose, close }: Given) {
  const [tab, setTab] = useState<Tab>("Overview");
  const { say } = useToasts();
  const node = state.nodes.get(id);
  const { whole, problem } = useWhole(agent, node && !past ? node : undefined);
  useKey(keyMap.otherNode, (_, name) => {
    const next = nextNode(state, id, /[j\]]/.test(name) ? 1 : -1);
    if (next === undefined) return false;
    choose(next);
  });
  const view = node && cardOf(state, node);
  const one = view?.who ? state.participants.get(view.who.id) : undefined;
  const model = one && one.kind !== "human" ? (modelOf(state, one) ?? state.agent?.model) : undefined;
  const Body = bodies[tab];
  const counts: Partial<Record<Tab, number | undefined>> = {
    Files: node && "files" in node ? node.files.length : undefined,
    Messages: node && messagesAbout(state, node).length,
    Log: whole?.turns.length,
  };
  const head = (
    <>
      {view ? <StatusWord look={view.look} word={view.word} /> : null}
      {view?.evidence ? <EvidenceMark evidence={view.evidence} failed={view.failed} /> : null}
      <Middle className="mono dim" text={id} />
      <span className="grow" />
      <IconButton label="Copy a link to this node" onClick={() => void copyLink(say)}>
        <Icon name="link" size={14} />
      </IconButton>
    </>
  );
  return (
    <Drawer className="of-node" label={`Node ${id}`} head={head} close={close}>
      <div className="node-head">
        <h2>{node?.name ?? "No such node"}</h2>
        {view ? (
          <div className="node-meta">
            {view.who ? <Avatar who={view.who} size={20} /> : null}
            <span>{view.who?.name ?? "Not assigned yet"}</span>
            {model ? <span className="dim ell">{model}</span> : null}
            <span className="dim">·</span>
            <span className="dim">
              {view.started_at ? "started" : "planned"} <Time at={view.started_at ?? view.created_at} />
            </span>
          </div>
        ) : null}
      </div>
      {node ? (
        <Tabs
          className="tabs"
          label="About the node"
          tabs={tabs.map((id) => ({ id, name: id, count: counts[id] }))}
          chosen={tab}
          choose={setTab}
        />
      ) : null}
      <div className="node-body" role="tabpanel" aria-label={tab}>
        {node ? (
          <>
            <Body agent={agent} state={state} node={node} whole={whole} past={past} choose={choose} />
            {problem ? <Failed what="Some details could not be loaded" problem={problem} /> : null}
            {!whole && !problem && !past ? <Loading rows={3} /> : null}
          </>
        ) : (
          <>
            <p className="dim">
              {id} is not on the board {past ? "at this moment" : `of ${state.run?.id ?? "this agent"}`}. Nodes of
              earlier runs are in the files of their run.
            </p>
            <Button onClick={close}>Close</Button>
          </>
        )}
      </div>
    </Drawer>
  );
}

/** In the order of creation; nothing after the last. */
export function nextNode({ nodes }: Pick<State, "nodes">, id: string, by: number): string | undefined {
  const ids = [...nodes.keys()];
  const at = ids.indexOf(id);
  return at < 0 ? undefined : ids[at + by];
}

async function copyLink(say: ReturnType<typeof useToasts>["say"]): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    say({ look: "done", text: "Link copied" });
  } catch {
    say({ look: "failure", text: "The browser blocked copying; copy the link from the address bar" });
  }
}

/** What the state does not have: its files, its turns in short. Asked for again when the node went on. */
function useWhole(agent: string, node: DrawerSubject["node"] | undefined): { whole?: Whole; problem?: Problem } {
  const client = useClient();
  const [got, setGot] = useState<{ id: string; whole?: Whole; problem?: Problem }>();
  const id = node?.id;
  const mark = node && `${node.status} ${node.turns} ${node.checkpoint ?? ""}`;
  useEffect(() => {
    if (id === undefined) return;
    const ending = new AbortController();
    client.getNode({ params: { agent, node: id }, signal: ending.signal }).then(
      (whole) => setGot({ id, whole }),
      (problem) => {
        if (!ending.signal.aborted)
          setGot((before) => ({ ...(before?.id === id ? before : {}), id, problem: problemOf(problem) }));
      },
    );
    return () => ending.abort();
  }, [client, agent, id, mark]);
  if (got === undefined || got.id !== id) return {};
  return got;
}

const problemOf = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem("invalid", "The response could not be read");
