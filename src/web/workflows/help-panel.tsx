/** The fields that may be written where the caret is, with what they are for. One that is pressed is written there. */
import { Icon } from "../parts/controls/icon.tsx";
import type { Help } from "./schema-help.ts";

export function HelpPanel({ help, write }: { help: Help; write: ((name: string) => void) | undefined }) {
  if (!help.fields.length) return null;
  return (
    <section className="wf-help" aria-label="Fields here">
      <div className="sec-t">
        <h2>{help.at ? `In ${help.at}` : "In the file"}</h2>
        <span className="num">{help.fields.length} fields</span>
      </div>
      <ul>
        {help.fields.map(({ name, about, kind, required, used }) => (
          <li key={name} className={used ? "used" : ""}>
            <button
              type="button"
              disabled={used || !write}
              title={used ? "It is written there already" : `Write ${name}`}
              onClick={() => write?.(name)}
            >
              <code>{name}</code>
              <span className="dim">{kind}</span>
              {required && !used ? <span className="hold">required</span> : null}
              {used ? <Icon name="check" size={12} /> : null}
            </button>
            {about ? <p>{about}</p> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
