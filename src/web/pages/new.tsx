/** New agent. */
import { Empty } from "../parts/states.tsx";
import { PageHeader } from "../shell/header.tsx";

export function Page() {
  return (
    <>
      <PageHeader title="New agent" />
      <Empty title="New agent" icon="plus">
        <p>This page is not built yet.</p>
      </Empty>
    </>
  );
}
