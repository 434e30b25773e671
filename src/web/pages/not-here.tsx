/** Page not found. */
import { Link } from "@tanstack/react-router";
import { Empty } from "../parts/status/states.tsx";
import { PageHeader } from "../shell/header.tsx";

export function NotHere() {
  return (
    <>
      <PageHeader title="Not here" />
      <Empty title="Page not found" icon="search">
        <p>
          <Link to="/needs-you" className="lnk">
            What needs you
          </Link>
        </p>
      </Empty>
    </>
  );
}
