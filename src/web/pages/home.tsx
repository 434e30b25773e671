/** The start page: the newest agent, or the first-run page if there is none. */
import { Navigate } from "@tanstack/react-router";
import { Loading } from "../parts/status/states.tsx";
import { useLink, useSummaries } from "../store/hooks.ts";

export function Page() {
  const { ready } = useLink();
  const [first] = useSummaries();
  if (first) return <Navigate to="/agents/$agent/talk" params={{ agent: first.id }} replace />;
  return ready ? <Navigate to="/new" replace /> : <Loading />;
}
