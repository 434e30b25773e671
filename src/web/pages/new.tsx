/** A new agent: what should get done, with which model and how much money. Also the first page of all: what was found here, and the demo. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Offer } from "../../api/models.ts";
import type { Problem } from "../../schema/problem.ts";
import { Demo } from "../new/demo.tsx";
import { Found } from "../new/found.tsx";
import { Goal } from "../new/goal.tsx";
import type { Wish } from "../new/wish.ts";
import { Failed } from "../parts/states.tsx";
import { PageHeader } from "../shell/header.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient, useSummaries } from "../store/hooks.ts";

export function Page() {
  const client = useClient();
  const navigate = useNavigate();
  const { attempt } = useToasts();
  const first = useSummaries().length === 0;
  const [offer, setOffer] = useState<Offer>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    client.listModels().then(setOffer, setProblem);
  }, [client]);

  async function begin(wish: Wish): Promise<boolean> {
    const made = await attempt(client.createAgent({ body: wish }));
    if (!made) return false;
    void navigate({ to: "/agents/$agent/talk", params: { agent: made.id } });
    return true;
  }

  return (
    <>
      <PageHeader title={first ? "Welcome" : "New agent"} />
      <div className="page new">
        <div className="hero">
          <h2>What should get done?</h2>
          <p>Write it as you would to a colleague. The agent decides if it needs a team.</p>
        </div>
        <Goal offer={offer} begin={begin} />
        {problem ? <Failed what="Nobody knows which models there are" problem={problem} /> : null}
        {offer && (first || !offer.model) ? <Found offer={offer} /> : null}
        {offer?.demo && (first || !offer.model) ? <Demo demo={offer.demo} begin={begin} /> : null}
      </div>
    </>
  );
}
