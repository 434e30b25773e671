/** Controls over the graph: the legend, zoom, and the minimap. */
import { type Node as FlowNode, MiniMap, useReactFlow } from "@xyflow/react";
import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import type { CardView } from "./cards.ts";

const legend = [
  ["depends", "M0 6h20", ""],
  ["spawned", "M3 0v4q0 5 5 5h8", ""],
  ["suggested", "M0 6h20", "suggested"],
  ["why it waits", "M0 6h20", "why"],
] as const;

export function Tools() {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <>
      <div className="legend" aria-hidden="true">
        {legend.map(([name, d, kind]) => (
          <span key={name}>
            <svg width="22" height="12" aria-hidden="true">
              <path d={d} className={`e ${kind}`} />
            </svg>
            {name}
          </span>
        ))}
      </div>
      <div className="zoom">
        <IconButton label="Zoom in" onClick={() => void zoomIn()}>
          <Icon name="plus" size={14} />
        </IconButton>
        <IconButton label="Zoom out" onClick={() => void zoomOut()}>
          <Icon name="minus" size={14} />
        </IconButton>
        <IconButton label="Show all" onClick={() => void fitView({ padding: 0.08, maxZoom: 1 })}>
          <Icon name="fit" size={14} />
        </IconButton>
      </div>
      <MiniMap
        className="mini"
        pannable
        zoomable
        nodeColor={colourOf}
        nodeBorderRadius={12}
        ariaLabel="Overview of the whole graph"
        style={{ width: 150, height: 88 }}
      />
    </>
  );
}

const colours: Partial<Record<string, string>> = {
  done: "var(--done)",
  working: "var(--working)",
  waiting: "var(--waiting)",
  failed: "var(--failed)",
};

const colourOf = ({ type, data }: FlowNode): string =>
  type === "fold"
    ? "transparent"
    : type === "stack"
      ? "var(--done)"
      : (colours[(data.view as Partial<CardView>).look ?? ""] ?? "var(--line-2)");
