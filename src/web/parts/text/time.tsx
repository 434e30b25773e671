/** A moment: the clock time, the whole of it on hover. An age counts along. */
import { useNow } from "../../store/hooks.ts";
import { age, clock, day } from "./words.ts";

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${day(at)}, ${clock(at)}`} className="num">
      {clock(at)}
    </time>
  );
}

export function Age({ since }: { since: string }) {
  const now = useNow();
  return (
    <time dateTime={since} title={`since ${clock(since)}`} className="num">
      {age(since, now)}
    </time>
  );
}
