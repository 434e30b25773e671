/** Snooze for an hour, or for another time from a list. */
import { Button } from "../parts/controls/button.tsx";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";

const hour = 3_600_000;
const times: [string, number][] = [
  ["15 min", hour / 4],
  ["1 h", hour],
  ["4 h", 4 * hour],
  ["1 day", 24 * hour],
  ["1 week", 168 * hour],
];

export function Snooze({ putOff }: { putOff(ms: number): void }) {
  return (
    <span className="snooze">
      <Button large onClick={() => putOff(hour)}>
        Snooze <KeyCaps of={keyMap.snooze} />
      </Button>
      <select
        className="pick-one"
        aria-label="Snooze for"
        value=""
        onChange={({ target }) => target.value && putOff(Number(target.value))}
      >
        <option value="" disabled>
          1 h
        </option>
        {times.map(([word, ms]) => (
          <option key={ms} value={ms}>
            {word}
          </option>
        ))}
      </select>
    </span>
  );
}
