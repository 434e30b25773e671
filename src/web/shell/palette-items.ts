/** What the palette finds: commands, pages, people and nodes of the agents whose state is here. */
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { headlineOf } from "../../api/board-view.ts";
import { whoIs } from "../parts/avatar.tsx";
import { toggleTheme } from "../parts/theme.ts";
import { shortGoal } from "../parts/words.ts";
import { useStates, useSummaries } from "../store/hooks.ts";
import type { Item } from "./palette.tsx";

const views = [
  ["talk", "Talk", "talk"],
  ["graph", "Graph", "graph"],
  ["time", "Timeline", "time"],
  ["files", "Files", "files"],
  ["memory", "Memory", "memory"],
  ["triggers", "Triggers", "bolt"],
  ["cost", "Cost", "cost"],
] as const;

export function usePaletteItems(): Item[] {
  const { agent: current } = useParams({ strict: false });
  const summaries = useSummaries();
  const states = useStates();
  return useMemo(() => {
    const items: Item[] = [];
    const add = (item: Item) => items.push(item);
    if (current)
      for (const [view, name, icon] of views)
        add({
          id: `view-${view}`,
          kind: "page",
          name,
          about: current,
          icon,
          go: (navigate) => navigate({ to: `/agents/$agent/${view}`, params: { agent: current } }),
        });
    add({
      id: "needs",
      kind: "page",
      name: "Needs you",
      about: "what waits for you",
      icon: "inbox",
      go: (navigate) => navigate({ to: "/needs-you" }),
    });
    for (const { id, goal } of summaries)
      add({
        id: `agent-${id}`,
        kind: "page",
        name: id,
        about: shortGoal(goal),
        icon: "layers",
        go: (navigate) => navigate({ to: "/agents/$agent/talk", params: { agent: id } }),
      });
    for (const [agent, state] of states) {
      for (const one of state.participants.values()) {
        if (one.kind === "human") continue;
        const who = whoIs(state, one.id);
        const search = one.kind === "coordinator" ? {} : { with: one.id };
        add({
          id: `person-${agent}-${one.id}`,
          kind: "person",
          name: who.name,
          about: `${agent}${one.node ? `, works on ${one.node}` : ""}`,
          who,
          go: (navigate) => navigate({ to: "/agents/$agent/talk", params: { agent }, search }),
        });
      }
      for (const node of state.nodes.values())
        add({
          id: `node-${agent}-${node.id}`,
          kind: "node",
          name: node.id,
          about: headlineOf(node),
          icon: "graph",
          go: (navigate) => navigate({ to: "/agents/$agent/graph", params: { agent }, hash: node.id }),
        });
    }
    const command = (id: string, name: string, icon: string, go: Item["go"]) =>
      add({ id, kind: "command", name, about: "", icon, go });
    command("new", "New agent", "plus", (navigate) => navigate({ to: "/new" }));
    command("theme", "Switch between dark and light", "moon", toggleTheme);
    command("settings", "Settings", "gear", (navigate) => navigate({ to: "/settings" }));
    return items;
  }, [current, summaries, states]);
}
