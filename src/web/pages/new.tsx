/**
 * A new agent: what should get done, with which model and how much money, by which team, with what to read. Also the first page of all: what was
 * found here, how to add more, and the demo.
 */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { WorkflowLine } from "../../api/workflows.ts";
import { Problem } from "../../schema/problem.ts";
import { Demo } from "../new/demo.tsx";
import { FirstFooter, FirstHeader } from "../new/first.tsx";
import { Found } from "../new/found.tsx";
import { Goal } from "../new/goal.tsx";
import type { Wish } from "../new/wish.ts";
import { Failed } from "../parts/status/states.tsx";
import { PageHeader } from "../shell/header.tsx";
import { useClient, useLink, useSummaries } from "../store/hooks.ts";
import { useOffer } from "../store/offer.ts";

export function Page() {
  const client = useClient();
  const navigate = useNavigate();
  const { ready } = useLink();
  const none = useSummaries().length === 0;
  const first = ready && none;
  const { offer, problem: unknown } = useOffer();
  const [workflows, setWorkflows] = useState<readonly WorkflowLine[]>([]);
  const [home, setHome] = useState<string>();
  const [failure, setProblem] = useState<Problem>();
  const problem = unknown ?? failure;
  const team = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    client.listWorkflows().then(({ items }) => setWorkflows(items), setProblem);
  }, [client]);
  useEffect(() => {
    if (first) client.status().then((status) => setHome(status.home), setProblem);
  }, [client, first]);

  async function begin(wish: Wish): Promise<Problem | undefined> {
    try {
      const { id: agent } = await client.createAgent({ body: wish });
      const to = wish.workflow ? "/agents/$agent/graph" : "/agents/$agent/talk";
      void navigate({ to, params: { agent } });
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  function fromWorkflow(): void {
    team.current?.focus();
    // Where the browser can, the list is opened too.
    try {
      team.current?.showPicker();
    } catch {
      return;
    }
  }

  const lacks = first || offer?.model === null;
  const demo = offer?.demo && lacks ? <Demo demo={offer.demo} begin={begin} /> : null;
  return (
    <>
      {first ? <FirstHeader /> : <PageHeader title="New agent" />}
      <div className={`page new ${first ? "first" : ""}`}>
        <div className="hero">
          <h2>What should get done?</h2>
          <p>Write it as you would to a colleague. The agent decides whether it needs a team.</p>
        </div>
        <Goal offer={offer} workflows={workflows} begin={begin} team={team} />
        {problem ? <Failed what="Could not load models from the daemon" problem={problem} /> : null}
        {/* Without a model the demo is all one can do here. */}
        {offer?.model ? null : demo}
        {offer && lacks ? <Found offer={offer} /> : null}
        {offer?.model ? demo : null}
        {first ? <FirstFooter home={home} workflow={workflows.length ? fromWorkflow : undefined} /> : null}
      </div>
    </>
  );
}
