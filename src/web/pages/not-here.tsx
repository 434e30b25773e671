/** An address that leads nowhere. */
import { Link } from "@tanstack/react-router";
import { Empty } from "../parts/states.tsx";
import { PageHeader } from "../shell/header.tsx";

export function NotHere() {
  return (
    <>
      <PageHeader title="Not here" />
      <Empty title="There is nothing at this address" icon="search">
        <p>
          <Link to="/needs-you" className="lnk">
            What needs you
          </Link>
        </p>
      </Empty>
    </>
  );
}
