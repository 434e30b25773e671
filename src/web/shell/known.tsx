/**
 * Pages of an agent are shown if there is that agent; what stands there otherwise is pages/no-agent.tsx. An agent that the stream has not told
 * of yet is asked for once, so that a new one is not taken for none, and an archived one, which the list leaves out, is known.
 */
import { useParams } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import type { Summary } from "../../api/agents.ts";
import { Problem } from "../../schema/problem.ts";
import { Loading } from "../parts/status/states.tsx";
import { useFollowed } from "../store/follow.ts";
import { useClient, useLink, useStore } from "../store/hooks.ts";
import { PageHeader } from "./header.tsx";

const NoAgent = lazy(() => import("../pages/no-agent.tsx").then((module) => ({ default: module.NoAgent })));

export function Known({ children }: { children: ReactNode }) {
  const { agent } = useParams({ strict: false });
  return agent === undefined ? children : <OfAgent key={agent} agent={agent} page={children} />;
}

function OfAgent({ agent, page }: { agent: string; page: ReactNode }) {
  const store = useStore();
  const view = useFollowed(store.subscribe, () => store.agent(agent));
  const { ready } = useLink();
  const found = useAsked(agent, ready && !view);
  const lost = view && /^(quarantined|untrusted)$/.test(view.summary.status) ? view.summary : undefined;
  if (!lost && (view || !ready)) return page;
  const shown = lost ?? found;
  // One that lives will be told of in a moment.
  if (!shown || (!(shown instanceof Problem) && !/^(archived|quarantined|untrusted)$/.test(shown.status)))
    return <Waiting agent={agent} />;
  return (
    <Suspense fallback={<Waiting agent={agent} />}>
      <NoAgent agent={agent} found={shown} />
    </Suspense>
  );
}

/** What the daemon knows of it, which the list may leave out. */
function useAsked(agent: string, wanted: boolean): Summary | Problem | undefined {
  const client = useClient();
  const [found, setFound] = useState<Summary | Problem>();
  useEffect(() => {
    if (!wanted) return;
    let over = false;
    const take = (one: Summary | Problem) => !over && setFound(one);
    client
      .getAgent({ params: { agent } })
      .then(take, (error) => take(error instanceof Problem ? error : new Problem("unreachable", String(error))));
    return () => {
      over = true;
    };
  }, [client, agent, wanted]);
  return found;
}

function Waiting({ agent }: { agent: string }) {
  return (
    <>
      <PageHeader title={agent} />
      <Loading rows={6} />
    </>
  );
}
