/** Attachments of a draft: uploading, uploaded, or refused with the reason. */

import { bytes } from "../../lib/text/amounts.ts";
import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { iconOf } from "../parts/files/file-icon.ts";
import { StatusDot } from "../parts/status/status.tsx";
import type { FilesGiven, Part } from "./files-given.ts";

export function FileChips({ given: { parts, again, remove } }: { given: FilesGiven }) {
  if (parts.length === 0) return null;
  return (
    <ul className="fchips" aria-label="Attached files">
      {parts.map((part) => (
        <li key={part.key} className={`fchip ${part.why ? "bad" : ""}`} title={part.why ?? part.title}>
          <Sign part={part} />
          <span className="ell">{part.title}</span>
          <span className="dim" role={part.why ? "alert" : undefined}>
            {part.why ?? (part.there ? bytes(part.size) : "uploading")}
          </span>
          {part.why && part.file ? (
            <IconButton label={`Try ${part.title} again`} onClick={() => again(part.key)}>
              <Icon name="history" size={14} />
            </IconButton>
          ) : null}
          <IconButton label={`Remove ${part.title}`} onClick={() => remove(part.key)}>
            <Icon name="x" size={12} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function Sign({ part }: { part: Part }) {
  if (part.why) return <Icon name="alert" size={14} />;
  if (!part.there) return <StatusDot look="working" word="Uploading" />;
  return <Icon name={iconOf(part.title)} size={14} />;
}
