/** What of the graph is in sight. */
import { useReactFlow, useStore } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { card, type Plan, spotOf, yOf } from "./layout.ts";

/** Shows all at first; later only brings into sight what somebody chose or what is new, by the shortest way. */
interface Sight {
  plan: Plan;
  chosen: string | undefined;
  newest: string | undefined;
  /** Room for what lies over it. */
  above: number;
}

export function useSight({ plan, chosen, newest, above }: Sight) {
  const { getViewport, setViewport } = useReactFlow();
  const width = useStore((flow) => flow.width);
  const height = useStore((flow) => flow.height);
  const begun = useRef(false);
  const ready = width > 0 && plan.at.size > 0;
  const columns = plan.columns.length;
  useEffect(() => {
    if (!ready || begun.current) return;
    begun.current = true;
    const last = spotOf(plan, [...plan.at.keys()].at(-1)!)!;
    const wide = Math.max(...[...plan.at.keys()].map((id) => spotOf(plan, id)!.x)) + card.width;
    const tall = yOf(Math.max(...plan.columns)) + 52;
    const zoom = Math.max(0.65, Math.min(1, (width - 64) / wide, (height - above - 24) / tall));
    const over = wide * zoom > width - 48;
    const x = over ? Math.min(32, width - 80 - (last.x + card.width) * zoom) : 32;
    void setViewport({ x, y: above, zoom });
  }, [ready, plan, width, height, above, setViewport]);
  const look = (id: string | undefined) => {
    const spot = id === undefined ? undefined : spotOf(plan, id);
    if (!spot || !begun.current) return;
    const { x, y, zoom } = getViewport();
    const edge = 48;
    const shift = (at: number, size: number, space: number) =>
      at < edge ? edge - at : at + size > space - edge ? space - edge - at - size : 0;
    const right = shift(spot.x * zoom + x, card.width * zoom, width);
    const down = shift(spot.y * zoom + y, card.height * zoom, height);
    if (right || down)
      void setViewport({ x: x + right, y: y + down, zoom }, { duration: prefersReducedMotion() ? 0 : 220 });
  };
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => latest.current(chosen), [chosen, width, height]);
  useEffect(() => latest.current(newest), [newest, columns]);
}

/** Nothing is to move that need not. */
export const prefersReducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
