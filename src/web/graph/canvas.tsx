/**
 * The work graph: cards at their places (layout.ts), lines between (lines.ts), pan and zoom. Only what is in sight is in the document.
 * It draws a state and nothing else, so the past is drawn as the present is.
 */
import {
  Background,
  type Node as FlowNode,
  type NodeProps,
  ReactFlow,
  ReactFlowProvider,
  ViewportPortal,
} from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { defaultLimits } from "../../core/limits.ts";
import type { State } from "../../core/state.ts";
import { why } from "../../core/why.ts";
import { whoIs } from "../parts/avatar.tsx";
import { after } from "../platform.ts";
import { useKey } from "../shell/keys.tsx";
import { Tools } from "./canvas-tools.tsx";
import { Card, StackCard, SuggestionCard } from "./card.tsx";
import { type CardView, cardOf, openSuggestions } from "./cards.ts";
import { Layer } from "./layer.tsx";
import { card, neighbour, type Plan, spotOf, type Way } from "./layout.ts";
import { headsOf, linesOf } from "./lines.ts";
import { planOf } from "./plans.ts";
import { still, useSight } from "./sight.ts";
import { type Stack, stacksOf } from "./stacks.ts";
import "../style/graph.css";

interface Given {
  state: State;
  chosen?: string | undefined;
  choose(id: string): void;
  /** Keeps the newest node in sight. */
  follow?: boolean;
  /** Somebody moved it by hand. */
  moved?(): void;
  /** The state is of then and not of now. */
  moment?: number | undefined;
  /** Without keys and extras: beside something else. */
  small?: boolean;
}

export function Canvas(given: Given) {
  return (
    <ReactFlowProvider>
      <Flow {...given} />
    </ReactFlowProvider>
  );
}

const types = {
  card: ({ data }: NodeProps) => <Card {...(data as unknown as Parameters<typeof Card>[0])} />,
  stack: ({ data }: NodeProps) => <StackCard {...(data as unknown as { stack: Stack })} />,
  suggestion: ({ data }: NodeProps) => (
    <SuggestionCard {...(data as unknown as Parameters<typeof SuggestionCard>[0])} />
  ),
};

function Flow({ state, chosen, choose, follow = false, moved, moment, small }: Given) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<string>();
  useEffect(() => {
    if (chosen !== undefined) setCursor(chosen);
  }, [chosen]);
  const plan = planOf(state);
  const cards = useCards(state);
  const stacks = useMemo(() => stacksOf(plan, cards, opened), [plan, cards, opened]);
  const here = cursor ?? chosen;
  const chain = useMemo(() => chainOf(state, chosen), [state, chosen]);
  const fresh = useFresh(cards);
  const inside = useMemo(
    () => new Map(stacks.flatMap(({ first, members }) => members.map(({ id }) => [id, first] as const))),
    [stacks],
  );
  const suggestions = useMemo(() => openSuggestions(state), [state]);
  const kept = useRef(new Map<string, { print: string; node: FlowNode }>());
  const nodes = useMemo(() => {
    const all: FlowNode[] = [];
    const put = (id: string, type: keyof typeof types, at: string, data: Record<string, unknown>) => {
      const print = JSON.stringify([at, data]);
      const before = kept.current.get(id);
      const spot = spotOf(plan, at)!;
      const node =
        before?.print === print
          ? before.node
          : { id, type, position: spot, ...card, data, draggable: false, selectable: false, focusable: false };
      kept.current.set(id, { print, node });
      all.push(node);
    };
    for (const view of cards) {
      if (inside.has(view.id)) continue;
      const { id } = view;
      const marks = { chosen: id === chosen, here: id === here, chain: chain.includes(id), fresh: fresh.has(id) };
      const ages = moment !== undefined && view.look === "working";
      put(id, "card", id, { view, ...marks, ...(ages ? { moment } : {}) });
    }
    for (const stack of stacks) put(stack.id, "stack", stack.first, { stack });
    for (const view of suggestions) put(view.id, "suggestion", view.id, { view, who: whoIs(state, view.by) });
    return all;
  }, [state, plan, cards, inside, stacks, suggestions, chosen, here, chain, fresh, moment]);
  const lines = useMemo(
    () => linesOf({ state, plan, cards, inside, suggestions, chosen, why: chain }),
    [state, plan, cards, inside, suggestions, chosen, chain],
  );
  const heads = useMemo(() => headsOf(state, plan, cards), [state, plan, cards]);
  const shown = useMemo(() => cards.filter(({ id }) => !inside.has(id)).map(({ id }) => id), [cards, inside]);
  useSight({ plan, chosen: here, newest: follow ? shown.at(-1) : undefined, above: small ? 12 : 64 });

  return (
    <div
      className="canvas"
      role="application"
      aria-label="Work graph: arrow keys go from node to node, Enter opens one"
    >
      {small ? null : <Arrows plan={plan} shown={shown} here={here} setHere={setCursor} choose={choose} />}
      <ReactFlow
        nodes={nodes}
        edges={none}
        nodeTypes={types}
        onlyRenderVisibleElements
        disableKeyboardA11y
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomActivationKeyCode={null}
        panActivationKeyCode={null}
        minZoom={0.15}
        maxZoom={1.5}
        panOnScroll
        proOptions={{ hideAttribution: true }}
        onMoveStart={(event) => event && moved?.()}
        onNodeClick={(_, { id, type }) => {
          if (type === "stack") setOpened(new Set([...opened, id]));
          if (type !== "card") return;
          choose(id);
        }}
      >
        <Background gap={20} size={1} />
        <ViewportPortal>
          <Layer lines={lines} heads={heads} />
        </ViewportPortal>
        {small ? null : <Tools nodes={nodes} />}
      </ReactFlow>
    </div>
  );
}

const none: never[] = [];

/** The same object for a card that says the same. */
function useCards(state: State): readonly CardView[] {
  const before = useRef(new Map<string, { print: string; view: CardView }>());
  return useMemo(() => {
    const after = new Map<string, { print: string; view: CardView }>();
    for (const node of state.nodes.values()) {
      const view = cardOf(state, node);
      const print = JSON.stringify(view);
      const known = before.current.get(node.id);
      after.set(node.id, known?.print === print ? known : { print, view });
    }
    before.current = after;
    return [...after.values()].map(({ view }) => view);
  }, [state]);
}

/** Nodes from the chosen one down to why it waits; only if it does. */
function chainOf(state: State, chosen: string | undefined): string[] {
  const node = chosen === undefined ? undefined : state.nodes.get(chosen);
  if (!node || !/^(pending|waiting)$/.test(node.status)) return [];
  const nodes = why(state, node.id, { limits: defaultLimits }).flatMap(({ what }) => {
    const one = state.participants.get(what);
    const id = one && one.kind !== "human" ? one.node : what;
    return id !== undefined && state.nodes.has(id) ? [id] : [];
  });
  return [...new Set(nodes)];
}

/** Those that came while one looked. */
function useFresh(cards: readonly CardView[]): ReadonlySet<string> {
  const first = useRef<ReadonlySet<string>>(undefined);
  first.current ??= new Set(cards.map(({ id }) => id));
  const known = first.current;
  return useMemo(() => new Set(cards.map(({ id }) => id).filter((id) => !known.has(id))), [cards, known]);
}

interface Moves {
  plan: Plan;
  shown: readonly string[];
  here: string | undefined;
  setHere(id: string): void;
  choose(id: string): void;
}

function Arrows({ plan, shown, here, setHere, choose }: Moves) {
  const go = (way: Way) => () => {
    const next = here && plan.at.has(here) ? neighbour(plan, shown, here, way) : shown[0];
    if (next === undefined) return;
    setHere(next);
    // When it is drawn: it may have been out of sight.
    after(still() ? 40 : 280, () => document.querySelector<HTMLElement>(`[data-node="${CSS.escape(next)}"]`)?.focus());
  };
  useKey("ArrowLeft", "Node to the left", go("left"));
  useKey("ArrowRight", "Node to the right", go("right"));
  useKey("ArrowUp", "Node above", go("up"));
  useKey("ArrowDown", "Node below", go("down"));
  useKey("Enter", "Open the node", ({ target }) => {
    const other = target instanceof HTMLElement && target.closest("button, a") && !target.dataset.node;
    if (here === undefined || other) return false;
    choose(here);
  });
  return null;
}
