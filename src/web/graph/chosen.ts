/** The node that the address names: `…/graph#n3-prices`. */
import { useNavigate, useRouterState } from "@tanstack/react-router";

export function useChosen(): [string | undefined, (id: string | undefined) => void] {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const navigate = useNavigate();
  const choose = (id: string | undefined) =>
    void navigate({ to: ".", search: true, hash: id ?? "", replace: true, hashScrollIntoView: false });
  return [/^n\d/.test(hash) ? hash : undefined, choose];
}
