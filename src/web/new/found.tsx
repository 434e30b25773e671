/** Providers and agent programs found on this machine, and how to add the missing ones. Keys are never shown, only their source. */
import { useState } from "react";
import type { Offer } from "../../api/models.ts";
import { Button, IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { StatusDot } from "../parts/status/status.tsx";
import { after } from "../platform.ts";
import { type ModelSource, modelSources } from "./model-sources.ts";

export function Found({ offer }: { offer: Offer }) {
  return (
    <section className="found" aria-label="Found on this machine">
      <h3>
        Found on this machine <span className="dim">{offer.model ? "Nothing was sent anywhere" : offer.why}</span>
      </h3>
      <ul className="card">
        {modelSources(offer).map((thing) => (
          <One key={thing.id} thing={thing} />
        ))}
      </ul>
    </section>
  );
}

function One({ thing: { id, name, icon, there, about, ask = "How to add", how, next } }: { thing: ModelSource }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <span className={`found-i ${there ? "" : "off"}`}>
        <Icon name={icon} />
      </span>
      <div className="grow">
        <b className={there ? "" : "off"}>{name}</b>
        <p title={about}>{about}</p>
      </div>
      {there ? (
        <StatusDot look="done" size={16} word="Ready" />
      ) : how ? (
        <Button
          aria-expanded={open}
          aria-controls={open ? `add-${id}` : undefined}
          aria-label={`${ask} ${ask === "How to add" ? name : `to ${name}`}`}
          onClick={() => setOpen(!open)}
        >
          {ask}
        </Button>
      ) : null}
      {open ? (
        <div className="found-how" id={`add-${id}`}>
          <div className="steps">
            <pre className="mono">{how}</pre>
            <Copy text={how} />
          </div>
          <p>{next}</p>
        </div>
      ) : null}
    </li>
  );
}

function Copy({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  return (
    <IconButton
      label={done ? "Copied" : "Copy"}
      onClick={() => {
        void navigator.clipboard?.writeText(text).then(() => {
          setDone(true);
          after(1_500, () => setDone(false));
        });
      }}
    >
      <Icon name={done ? "check" : "copy"} size={14} />
    </IconButton>
  );
}
