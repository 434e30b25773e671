/** What a tool was called with, exactly: its fields one after the other, long texts as texts and not as one line with backslashes. */
import { visibleLine } from "../../../lib/text/visible.ts";
import { Exact } from "./exact.tsx";

export function CallInput({ input }: { input: unknown }) {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return <Exact text={worded(input)} />;
  const fields = Object.entries(input);
  if (fields.length === 0) return <pre className="dim">nothing</pre>;
  return (
    <dl className="kv">
      {fields.map(([name, value]) => (
        <div key={name} className="contents">
          <dt>{visibleLine(name)}</dt>
          <dd>
            <Exact text={worded(value)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const worded = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
