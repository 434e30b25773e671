/** Talk. */
import { Empty } from "../parts/states.tsx";
import { AgentHeader } from "../shell/header.tsx";

export function Page() {
  return (
    <>
      <AgentHeader />
      <Empty title="Talk" icon="talk">
        <p>This page is not built yet.</p>
      </Empty>
    </>
  );
}
