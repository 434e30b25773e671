/** The models and programs that the daemon offers. Asked again while it does not know the version of a program yet: printing one may take seconds. */
import { useEffect, useState } from "react";
import type { Offer } from "../../api/models.ts";
import { Problem } from "../../schema/problem.ts";
import { after } from "../platform.ts";
import { useClient } from "./hooks.ts";

const againMs = 2_000;

export function useOffer(): { offer?: Offer; problem?: Problem; again(): void } {
  const client = useClient();
  const [found, setFound] = useState<{ offer?: Offer; problem?: Problem }>({});
  const [time, setTime] = useState(0);
  useEffect(() => {
    let over = false;
    client.listModels().then(
      (offer) => !over && setFound({ offer }),
      (error: unknown) =>
        !over && setFound({ problem: error instanceof Problem ? error : new Problem("unreachable", String(error)) }),
    );
    return () => {
      over = true;
    };
  }, [client, time]);
  const { offer } = found;
  useEffect(
    () =>
      offer?.programs.some(({ state }) => state === "checking") ? after(againMs, () => setTime(time + 1)) : undefined,
    [offer, time],
  );
  return { ...found, again: () => setTime(time + 1) };
}
