/** What the palette finds: pages, agents, people and nodes of the agents whose state is here, and commands. */
import { type useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { headlineOf } from "../../api/board-view.ts";
import { type Who, whoIs } from "../parts/avatar.tsx";
import { agentLook, type Look, nodeLook, personLook } from "../parts/status.tsx";
import { toggleTheme } from "../parts/theme.ts";
import { shortGoal } from "../parts/words.ts";
import { useStates, useSummaries } from "../store/hooks.ts";
import { openHelp } from "./help.tsx";
import { openStop } from "./stop.tsx";

export interface Item {
  id: string;
  kind: "person" | "node" | "command" | "page" | "agent" | "file" | "message" | "memory";
  name: string;
  about: string;
  icon?: string;
  who?: Who;
  look?: Look;
  /** At the end of the line: how it stands, or its key. */
  note?: string;
  keys?: string;
  /** Of the agent that is looked at. */
  near?: boolean;
  go(navigate: ReturnType<typeof useNavigate>): unknown;
}

const views = [
  ["talk", "Talk", "talk", "T"],
  ["graph", "Graph", "graph", "G"],
  ["time", "Timeline", "time", "L"],
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
    const items: Item[] = [
      {
        ...{ id: "needs", kind: "page", name: "Needs you", about: "what waits for you", icon: "inbox", keys: "N" },
        go: (navigate) => navigate({ to: "/needs-you" }),
      },
    ];
    for (const { id: agent } of summaries)
      for (const [view, name, icon, keys] of views)
        if (agent === current || view !== "talk")
          items.push({
            ...{ id: `view-${agent}-${view}`, kind: "page", name, about: agent, icon, near: agent === current },
            ...(keys && agent === current ? { keys } : {}),
            go: (navigate) => navigate({ to: `/agents/$agent/${view}`, params: { agent } }),
          });
    for (const { id, goal, status } of summaries) {
      const { look, word } = agentLook(status);
      items.push({
        ...{ id: `agent-${id}`, kind: "agent", name: id, about: shortGoal(goal), look, note: word },
        go: (navigate) => navigate({ to: "/agents/$agent/talk", params: { agent: id } }),
      });
    }
    for (const [agent, state] of states) {
      const near = agent === current;
      for (const one of state.participants.values()) {
        if (one.kind === "human") continue;
        const who = whoIs(state, one.id);
        const search = one.kind === "coordinator" ? {} : { with: one.id };
        items.push({
          ...{ id: `person-${agent}-${one.id}`, kind: "person", name: who.name, who, near },
          about: `${agent}${one.node ? `, ${one.node}` : ""}`,
          note: personLook(state, one).word,
          go: (navigate) => navigate({ to: "/agents/$agent/talk", params: { agent }, search }),
        });
      }
      for (const node of state.nodes.values()) {
        const { look, word } = nodeLook(node.status);
        const worker = "worker" in node && node.worker ? `${whoIs(state, node.worker).name}, ` : "";
        items.push({
          ...{ id: `node-${agent}-${node.id}`, kind: "node", name: node.id, about: headlineOf(node), look, near },
          note: worker ? worker + word.toLowerCase() : word,
          go: (navigate) => navigate({ to: "/agents/$agent/graph", params: { agent }, hash: node.id }),
        });
      }
    }
    return [...pagesOfCurrentFirst(items), ...commands(current)];
  }, [current, summaries, states]);
}

const pagesOfCurrentFirst = (items: Item[]): Item[] => [
  ...items.filter(({ near }) => near),
  ...items.filter(({ near }) => !near),
];

function commands(agent: string | undefined): Item[] {
  const command = (id: string, name: string, icon: string, go: Item["go"], more: Partial<Item> = {}): Item => ({
    ...{ id, kind: "command", name, about: "", icon, go },
    ...more,
  });
  return [
    command("new", "New agent", "plus", (navigate) => navigate({ to: "/new" }), { keys: "C" }),
    ...(agent
      ? [
          command("stop", `Stop ${agent}`, "stop", openStop, { about: "after saying what it will do", keys: "⌘ ." }),
          command("trigger", `Set a trigger of ${agent}`, "bolt", (navigate) =>
            navigate({ to: "/agents/$agent/triggers", params: { agent } }),
          ),
          command("budget", `Change the budget of ${agent}`, "wallet", (navigate) =>
            navigate({ to: "/agents/$agent/cost", params: { agent } }),
          ),
        ]
      : []),
    command("theme", "Switch between dark and light", "moon", toggleTheme),
    command("settings", "Settings and doctor", "gear", (navigate) => navigate({ to: "/settings" })),
    command("keys", "All keys", "keys", openHelp, { keys: "?" }),
  ];
}
