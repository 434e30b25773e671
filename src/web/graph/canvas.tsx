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
import type { State } from "../../core/state.ts";
import { whoIs } from "../parts/status/avatar.tsx";
import { after } from "../platform.ts";
import { keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { Tools } from "./canvas-tools.tsx";
import { Card, FoldButton, StackCard, SuggestionCard } from "./card.tsx";
import { type CardView, cardOf, openSuggestions } from "./cards.ts";
import { chainOf } from "./chain.ts";
import { type Filter, filters, fits, noFilter } from "./filter.ts";
import { useFolds } from "./folds.ts";
import { Layer } from "./layer.tsx";
import { card, neighbour, type Plan, type Spot, spotOf, type Way, xOf } from "./layout.ts";
import { headsOf, linesOf } from "./lines.ts";
import { planOf } from "./plans.ts";
import { prefersReducedMotion, useSight } from "./sight.ts";
import type { Stack } from "./stacks.ts";
import "../style/graph.css";

interface Given {
  state: State;
  chosen?: string | undefined;
  choose(id: string): void;
  /** What does not fit is dimmed. */
  filter?: Filter;
  /** Somebody decides about a suggestion; nobody can if missing. */
  decide?(suggestion: string, decision: "add" | "dismiss"): void;
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
  stack: ({ data }: NodeProps) => <StackCard {...(data as unknown as Parameters<typeof StackCard>[0])} />,
  fold: ({ data }: NodeProps) => <FoldButton {...(data as unknown as { stack: Stack })} />,
  suggestion: ({ data }: NodeProps) => (
    <SuggestionCard {...(data as unknown as Parameters<typeof SuggestionCard>[0])} />
  ),
};

function Flow({ state, chosen, choose, filter = noFilter, decide, follow = false, moved, moment, small }: Given) {
  const [cursor, setCursor] = useState<string>();
  const [hovered, setHovered] = useState<string>();
  useEffect(() => {
    if (chosen !== undefined) setCursor(chosen);
  }, [chosen]);
  const plan = planOf(state);
  const cards = useCards(state);
  const { stacks, folded, turn } = useFolds({ state, plan, cards, chosen, small });
  const here = cursor ?? chosen;
  const lit = hovered ?? chosen;
  const chain = useMemo(() => chainOf(state, lit), [state, lit]);
  const fresh = useFresh(cards);
  const inside = useMemo(
    () => new Map(folded.flatMap(({ first, members }) => members.map(({ id }) => [id, first] as const))),
    [folded],
  );
  const suggestions = useMemo(() => openSuggestions(state), [state]);
  const latest = useRef(decide);
  latest.current = decide;
  const asked = useMemo(() => (id: string, decision: "add" | "dismiss") => latest.current?.(id, decision), []);
  const decides = decide !== undefined;
  const kept = useRef(new Map<string, { print: string; node: FlowNode }>());
  const nodes = useMemo(() => {
    const all: FlowNode[] = [];
    const off = filters(filter) === 0 ? () => false : (view: CardView) => !fits(filter, view);
    const put = (id: string, type: keyof typeof types, spot: Spot, data: Record<string, unknown>) => {
      const print = JSON.stringify([spot, data]);
      const before = kept.current.get(id);
      const { x, y, width, height } = spot;
      const shape = { position: { x, y }, width, height };
      const node =
        before?.print === print
          ? before.node
          : { id, type, ...shape, data, draggable: false, selectable: false, focusable: false };
      kept.current.set(id, { print, node });
      all.push(node);
    };
    for (const view of cards) {
      if (inside.has(view.id)) continue;
      const { id } = view;
      const marks = { chosen: id === chosen, here: id === here, chain: chain.nodes.has(id), fresh: fresh.has(id) };
      const ages = moment !== undefined && view.look === "working";
      const tiny = plan.at.get(id)?.small ?? false;
      put(id, "card", spotOf(plan, id)!, { view, ...marks, tiny, off: off(view), ...(ages ? { moment } : {}) });
    }
    for (const stack of stacks)
      if (inside.has(stack.first))
        put(stack.id, "stack", spotOf(plan, stack.first)!, { stack, off: stack.members.every(off) });
      else if (!small)
        put(
          `fold-${stack.id}`,
          "fold",
          { x: xOf(plan, stack.column) + card.width - 26, y: 7, width: 26, height: 26 },
          { stack },
        );
    for (const view of suggestions)
      put(view.id, "suggestion", spotOf(plan, view.id)!, {
        view,
        who: whoIs(state, view.by),
        ...(decides ? { decide: asked } : {}),
      });
    return all;
  }, [
    state,
    plan,
    cards,
    inside,
    stacks,
    suggestions,
    chosen,
    here,
    chain,
    fresh,
    moment,
    filter,
    small,
    decides,
    asked,
  ]);
  const lines = useMemo(
    () => linesOf({ state, plan, cards, inside, suggestions, chosen, why: chain.links }),
    [state, plan, cards, inside, suggestions, chosen, chain],
  );
  const heads = useMemo(() => headsOf(state, plan, cards), [state, plan, cards]);
  const shown = useMemo(
    () => cards.filter(({ id }) => !inside.has(id) || inside.get(id) === id).map(({ id }) => id),
    [cards, inside],
  );
  useSight({ plan, chosen: here, newest: follow ? shown.at(-1) : undefined, above: small ? 12 : 64 });
  /** Only what waits has a chain: nothing is drawn anew for the rest. */
  const hover = (id: string) => {
    const held = /^(pending|waiting)$/.test(state.nodes.get(id)?.status ?? "");
    setHovered(held ? id : undefined);
  };

  return (
    <div
      className={`canvas ${filters(filter) ? "filtered" : ""}`}
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
        onNodeMouseEnter={(_, { id }) => hover(id)}
        onNodeMouseLeave={() => setHovered(undefined)}
        onNodeClick={(_, { id, type, data }) => {
          if (type === "stack" || type === "fold") turn((data.stack as Stack).id);
          if (type === "card") choose(id);
        }}
      >
        <Background gap={20} size={1} />
        <ViewportPortal>
          <Layer lines={lines} heads={heads} />
        </ViewportPortal>
        {small ? null : <Tools />}
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

/** Those that came while one looked, for as long as that is worth showing. */
function useFresh(cards: readonly CardView[]): ReadonlySet<string> {
  const known = useRef<ReadonlySet<string>>(undefined);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(noneFresh);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(cards.map(({ id }) => id));
    const added = before ? [...known.current].filter((id) => !before.has(id)) : [];
    if (!added.length) return;
    setFresh((now) => new Set([...now, ...added]));
    after(2_000, () => setFresh((now) => new Set([...now].filter((id) => !added.includes(id)))));
  }, [cards]);
  return fresh;
}
const noneFresh: ReadonlySet<string> = new Set();

interface Moves {
  plan: Plan;
  shown: readonly string[];
  here: string | undefined;
  setHere(id: string): void;
  choose(id: string): void;
}

function Arrows({ plan, shown, here, setHere, choose }: Moves) {
  const go = (way: Way) => {
    const next = here && plan.at.has(here) ? neighbour(plan, shown, here, way) : shown[0];
    if (next === undefined) return;
    setHere(next);
    // When it is drawn: it may have been out of sight.
    after(prefersReducedMotion() ? 40 : 280, () => focusOn(next));
  };
  useKey(keyMap.walk, (_, name) => go(name.replace("arrow", "") as Way));
  useKey(keyMap.openNode, ({ target }) => {
    const other = target instanceof HTMLElement && target.closest("button, a") && !target.dataset.node;
    if (here === undefined || other) return false;
    choose(here);
  });
  return null;
}

function focusOn(id: string): void {
  const name = CSS.escape(id);
  document.querySelector<HTMLElement>(`.canvas :is([data-node="${name}"], [data-first="${name}"])`)?.focus();
}
