/** Settings. */
import { Empty } from "../parts/states.tsx";
import { PageHeader } from "../shell/header.tsx";

export function Page() {
  return (
    <>
      <PageHeader title="Settings" />
      <Empty title="Settings" icon="gear">
        <p>This page is not built yet.</p>
      </Empty>
    </>
  );
}
