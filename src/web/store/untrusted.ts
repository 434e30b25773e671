/** What the daemon says about its home that people should know on every page: that it is not trusted, that its config cannot be read. */
import { useEffect, useState } from "react";
import { useClient, useLink } from "./hooks.ts";

export interface HomeNotice {
  untrusted?: string | undefined;
  config_problem?: string | undefined;
}

/** Asked when the daemon is there or comes back, and when the person returns to this window: by then they may have edited something. */
export function useHomeNotice(): HomeNotice {
  const client = useClient();
  const { ready } = useLink();
  const [notice, setNotice] = useState<HomeNotice>({});
  useEffect(() => {
    let over = false;
    const look = () =>
      void client.status().then(
        ({ untrusted, config_problem }) => !over && setNotice({ untrusted, config_problem }),
        () => undefined, // the line about the link says that it is not there
      );
    if (ready) {
      look();
      window.addEventListener("focus", look);
    }
    return () => {
      over = true;
      window.removeEventListener("focus", look);
    };
  }, [client, ready]);
  return notice;
}

export const useUntrusted = (): string | undefined => useHomeNotice().untrusted;
