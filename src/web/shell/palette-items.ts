/** Items of the palette: pages, agents, people and nodes of the agents whose state is loaded, and commands. */
import { type useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { headlineOf } from "../../api/board-view.ts";
import { agentPages, hasPage, homePages } from "../page-list.ts";
import { type Who, whoIs } from "../parts/status/avatar.tsx";
import { agentLook, type Look, nodeLook, personLook } from "../parts/status/status.tsx";
import { shortGoal } from "../parts/text/words.ts";
import { useStates, useSummaries } from "../store/hooks.ts";
import { toggleTheme } from "../store/theme.ts";
import { openHelp } from "./help.tsx";
import { type Key, keyMap } from "./key-map.tsx";
import { openStop } from "./stop.tsx";

export interface Item {
  id: string;
  kind: "person" | "node" | "command" | "page" | "agent" | "file" | "message" | "memory";
  name: string;
  about: string;
  icon?: string;
  who?: Who;
  look?: Look;
  /** At the end of the line: how it stands. */
  note?: string;
  key?: Key;
  /** Of the agent that is looked at. */
  near?: boolean;
  go(navigate: ReturnType<typeof useNavigate>): unknown;
}

const { needsYou, newAgent, settings, workflows } = homePages;

export function usePaletteItems(): Item[] {
  const { agent: current } = useParams({ strict: false });
  const summaries = useSummaries();
  const states = useStates();
  return useMemo(() => {
    const items: Item[] = [
      {
        ...{ id: "needs", kind: "page", name: needsYou.name, about: "what waits for you" },
        ...{ icon: needsYou.icon, key: needsYou.key },
        go: (navigate) => navigate({ to: needsYou.path }),
      },
      {
        ...{ id: "workflows", kind: "page", name: workflows.name, about: "teams in files", icon: workflows.icon },
        go: (navigate) => navigate({ to: workflows.path }),
      },
    ];
    const open = new Map(states);
    for (const { id: agent } of summaries)
      for (const page of agentPages) {
        const { view, name, icon, key } = page;
        if (!hasPage(page, open.get(agent)?.agent) || (agent !== current && view === "talk")) continue;
        items.push({
          ...{ id: `view-${agent}-${view}`, kind: "page", name, about: agent, icon, near: agent === current },
          ...(key && agent === current ? { key } : {}),
          go: (navigate) => navigate({ to: `/agents/$agent/${view}`, params: { agent } }),
        });
      }
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
    command("new", newAgent.name, newAgent.icon, (navigate) => navigate({ to: newAgent.path }), { key: newAgent.key }),
    ...(agent
      ? [
          command("stop", `Stop ${agent}`, "stop", openStop, {
            about: "after showing what it would end",
            key: keyMap.stop,
          }),
          command("trigger", `Set a trigger for ${agent}`, "bolt", (navigate) =>
            navigate({ to: "/agents/$agent/triggers", params: { agent } }),
          ),
          command("budget", `Change the budget of ${agent}`, "wallet", (navigate) =>
            navigate({ to: "/agents/$agent/cost", params: { agent } }),
          ),
        ]
      : []),
    command("theme", "Switch between dark and light", "moon", toggleTheme),
    command("settings", "Settings and doctor", settings.icon, (navigate) => navigate({ to: settings.path })),
    command("keys", "All keys", "keys", openHelp, { key: keyMap.help }),
  ];
}
