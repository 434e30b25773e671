/** Needs you. */
import { Empty } from "../parts/states.tsx";
import { PageHeader } from "../shell/header.tsx";

export function Page() {
  return (
    <>
      <PageHeader title="Needs you" />
      <Empty title="Needs you" icon="inbox">
        <p>This page is not built yet.</p>
      </Empty>
    </>
  );
}
