/** What a tool was called with: its fields one after the other, long texts as texts and not as one line with backslashes. */
export function Given({ input }: { input: unknown }) {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return <pre>{worded(input)}</pre>;
  const fields = Object.entries(input);
  if (fields.length === 0) return <pre className="dim">nothing</pre>;
  if (fields.length === 1 && typeof fields[0]![1] === "string") return <pre>{fields[0]![1]}</pre>;
  return (
    <dl className="kv">
      {fields.map(([name, value]) => (
        <div key={name} className="contents">
          <dt>{name}</dt>
          <dd>
            <pre>{worded(value)}</pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const worded = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
