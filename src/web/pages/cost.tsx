/** Cost of one agent. */
import { Empty } from "../parts/states.tsx";
import { AgentHeader } from "../shell/header.tsx";

export function Page() {
  return (
    <>
      <AgentHeader />
      <Empty title="Cost" icon="cost">
        <p>This page is not built yet.</p>
      </Empty>
    </>
  );
}
