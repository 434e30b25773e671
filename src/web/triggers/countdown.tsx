/** The next time something happens by itself, and how long that is from now. */
import { clock, day, duration } from "../parts/text/words.ts";
import { now } from "../platform.ts";
import { useNow } from "../store/hooks.ts";

export function Countdown({ at }: { at: string }) {
  const left = Date.parse(at) - useNow(1_000);
  return (
    <time dateTime={at} title={`${day(at)}, ${clock(at)}`}>
      {left > 0 ? `${when(at)}, in ${duration(left)}` : "now"}
    </time>
  );
}

/** Today by the clock, else with the day. */
export function when(at: string): string {
  return day(at) === day(new Date(now()).toISOString()) ? clock(at) : `${shortDay.format(Date.parse(at))} ${clock(at)}`;
}

const shortDay = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
