/** The daemon, its models, and the findings of the doctor with the fix for each. */

import { Fragment } from "react";
import type { Finding } from "../../api/doctor.ts";
import type { OfferedProgram } from "../../api/models.ts";
import { shellLine } from "../../lib/command-line.ts";
import { money } from "../../lib/text/amounts.ts";
import { Button } from "../parts/controls/button.tsx";
import { type Look, StatusDot } from "../parts/status/status.tsx";
import { WithCommands } from "../parts/text/with-commands.tsx";
import { duration, plural } from "../parts/text/words.ts";
import { useLink, useNow } from "../store/hooks.ts";
import { useOffer } from "../store/offer.ts";
import { Section, Trouble, useAnswer } from "./section.tsx";

export function Daemon() {
  const { answer, problem, again } = useAnswer((client) => client.status());
  const { status: link } = useLink();
  const now = useNow();
  const agents = Object.entries(answer?.agents ?? {})
    .map(([status, count]) => `${count} ${status.replaceAll("_", " ")}`)
    .join(", ");
  return (
    <Section title="The daemon" note={link === "live" ? "connected" : link}>
      {problem ? <Trouble problem={problem} again={again} /> : null}
      {answer ? (
        <>
          <dl className="kv pad">
            <dt>Version</dt>
            <dd>{answer.version}</dd>
            <dt>Address</dt>
            <dd className="mono">{location.origin}</dd>
            <dt>Up</dt>
            <dd>{duration(now - Date.parse(answer.started_at))}</dd>
            <dt>Process</dt>
            <dd>
              {answer.pid}, {answer.memory_mb} MB
            </dd>
            <dt>Home</dt>
            <dd className="mono">{answer.home}</dd>
            <dt>Agents</dt>
            <dd>{agents || "none yet"}</dd>
            <dt>Today</dt>
            <dd>{money(answer.spent_today.usd)} spent</dd>
            {answer.faults.map(({ agent, message }) => [
              <dt key={`${agent} dt`} className="wrong">
                {agent}
              </dt>,
              <dd key={agent} className="wrong">
                <WithCommands text={message} />
              </dd>,
            ])}
          </dl>
          <p className="settings-note">
            Edits to config.yaml apply without a restart, except for channels, triggers and embeddings. To pass a new
            key to the daemon, run <code className="mono">{shellLine("up -d")}</code> in the terminal where you exported
            it. To restart: <code className="mono">{shellLine("down")}</code>, then{" "}
            <code className="mono">{shellLine("up -d")}</code>. Nothing is lost: agents continue where they are
            {answer.working ? `, also the ${plural(answer.working, "one")} at work now` : ""}, and this window
            reconnects.
          </p>
        </>
      ) : problem ? null : (
        <p className="pad dim">Asking…</p>
      )}
    </Section>
  );
}

const mostModels = 80;

const programLooks: Record<OfferedProgram["state"], { look: Look; word: string }> = {
  ready: { look: "done", word: "Ready" },
  checking: { look: "pending", word: "Checking" },
  missing: { look: "pending", word: "Not installed" },
  broken: { look: "failed", word: "Broken" },
  login: { look: "pending", word: "Not logged in" },
  blocked: { look: "failed", word: "Cannot be used" },
};

export function Models() {
  const { offer: answer, problem, again } = useOffer();
  const ready = answer?.providers.filter((one) => one.ready).length ?? 0;
  return (
    <Section title="Models and keys" note={answer ? `${plural(ready, "provider")} ready` : ""}>
      {problem ? <Trouble problem={problem} again={again} /> : null}
      {answer ? (
        <>
          <div className="fd">
            <StatusDot look={answer.model ? "done" : "failed"} word={answer.model ? "Found" : "None"} />
            <b>Default model</b>
            <span className="mono">{answer.model ?? "none"}</span>
            <p>{answer.why}</p>
          </div>
          {answer.providers
            .filter(({ provider }) => provider !== "ollama")
            .map(({ provider, ready: there, key_from, key_variables }) => (
              <div key={provider} className="fd">
                <StatusDot look={there ? "done" : "pending"} word={there ? "Ready" : "Without a key"} />
                <b>{provider}</b>
                <span>{key_from ? `key from ${key_from}` : there ? "needs no key" : "no key"}</span>
                {there || key_variables.length === 0 ? null : (
                  <p>
                    Set{" "}
                    {key_variables.map((name, index) => (
                      <Fragment key={name}>
                        {index ? " or " : ""}
                        <span className="mono">{name}</span>
                      </Fragment>
                    ))}{" "}
                    in a terminal, then <code className="mono">{shellLine("up -d")}</code> there hands it over
                  </p>
                )}
              </div>
            ))}
          <div className="fd">
            <StatusDot look={answer.ollama ? "done" : "pending"} word={answer.ollama ? "Found" : "Not found"} />
            <b>Ollama</b>
            <span>
              {answer.ollama ? answer.ollama.join(", ") || "running, no model installed" : "does not run here"}
            </span>
          </div>
          {answer.programs.map(({ name, title, state, about, remedy }) => (
            <div key={name} className="fd">
              <StatusDot {...programLooks[state]} />
              <b>{title}</b>
              <span>{about}</span>
              {remedy ? <p>{state === "blocked" ? <WithCommands text={remedy} /> : `To use it, ${remedy}`}</p> : null}
            </div>
          ))}
          {answer.models.length ? (
            <details className="more pad">
              <summary>
                {plural(answer.models.length, "model")} can be asked, with {answer.models.length > 1 ? "their" : "its"}{" "}
                prices
              </summary>
              <ul className="prices">
                {answer.models.slice(0, mostModels).map(({ name, price }) => (
                  <li key={name}>
                    <span className="mono ell">{name}</span>
                    <span className="num">
                      {price ? `$${price.input} in, $${price.output} out per million` : "no price known"}
                    </span>
                  </li>
                ))}
              </ul>
            </details>
          ) : null}
        </>
      ) : problem ? null : (
        <p className="pad dim">Asking…</p>
      )}
    </Section>
  );
}

const looks: Record<Finding["state"], { look: Look; word: string }> = {
  fine: { look: "done", word: "Fine" },
  note: { look: "pending", word: "To know" },
  wrong: { look: "failed", word: "Wrong" },
};
const order: Finding["state"][] = ["wrong", "note", "fine"];

export function Doctor() {
  const { answer, problem, again } = useAnswer((client) => client.doctor());
  const wrong = answer?.findings.filter(({ state }) => state === "wrong").length ?? 0;
  const note = answer ? (wrong ? `${wrong} to fix` : "everything needed is there") : "";
  const findings = answer?.findings.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return (
    <Section title="What was found" note={note}>
      {problem ? <Trouble problem={problem} again={again} /> : null}
      {findings?.map(({ what, state, found, remedy }) => (
        <div key={what} className="fd">
          <StatusDot {...looks[state]} />
          <b>{what}</b>
          <span>
            <WithCommands text={found} />
          </span>
          {remedy ? (
            <p>
              {state === "wrong" ? "To fix it: " : ""}
              <WithCommands text={remedy} />
            </p>
          ) : null}
        </div>
      ))}
      {answer ? (
        <div className="settings-row">
          <p>
            Keys are named, never shown. A model is not asked here;{" "}
            <code className="mono">{shellLine("doctor --call")}</code> asks one.
          </p>
          <Button onClick={again}>Look again</Button>
        </div>
      ) : problem ? null : (
        <p className="pad dim">Checking this machine…</p>
      )}
    </Section>
  );
}
