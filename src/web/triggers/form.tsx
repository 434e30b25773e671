/** The form that sets a trigger: its kind, its time, its action, and what happens to missed times. */
import { type FormEvent, useState } from "react";
import { lead } from "../../core/run/lead.ts";
import type { State } from "../../core/state.ts";
import type { Schedule } from "../../schema/schedule.ts";
import type { Action } from "../../schema/trigger.ts";
import { Button } from "../parts/controls/button.tsx";
import { Field } from "../parts/controls/field.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { type Draft, emptyDraft, scheduleOf, When } from "./when.tsx";
import { kinds } from "./words.ts";

const missed = {
  once: "Fire once for all of them",
  skip: "Skip them",
  all: "Fire for each of them",
} as const;

export function TriggerForm({ agent, state }: { agent: string; state: State }) {
  const client = useClient();
  const { attempt, say } = useToasts();
  const [type, setType] = useState<Schedule["type"]>("scheduled");
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [act, setAct] = useState<Action["type"]>("wake_agent");
  const [text, setText] = useState("");
  const [to, setTo] = useState(() => lead(state)?.id ?? "human");
  const [node, setNode] = useState("");
  const [late, setLate] = useState<keyof typeof missed>("once");
  const [sending, setSending] = useState(false);
  const schedule = scheduleOf(type, draft);
  const action = actionOf(act, { text, to, node });
  const wrong = typeof schedule === "string" ? schedule : typeof action === "string" ? action : undefined;
  const set = async (event: FormEvent) => {
    event.preventDefault();
    if (typeof schedule === "string" || typeof action === "string" || sending) return;
    setSending(true);
    const { type: kind, ...config } = schedule;
    const body = { type: kind, config, action, missed: late } as Parameters<typeof client.createTrigger>[0]["body"];
    if (await attempt(client.createTrigger({ params: { agent }, body }))) {
      say({ look: "done", text: "Trigger set." });
      setText("");
    }
    setSending(false);
  };
  return (
    <form className="card form pad" onSubmit={(event) => void set(event)} aria-label="Set a trigger">
      <h2 className="form-title">Set a trigger</h2>
      <fieldset className="kinds">
        <legend>When</legend>
        {Object.entries(kinds).map(([kind, { name, about }]) => (
          <label key={kind}>
            <input
              type="radio"
              name="kind"
              value={kind}
              checked={kind === type}
              onChange={() => setType(kind as Schedule["type"])}
            />
            <span>
              <b>{name}</b>
              <small>{about}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <When type={type} draft={draft} change={setDraft} />
      <Field label="Then">
        <select className="form-input" value={act} onChange={({ target }) => setAct(target.value as Action["type"])}>
          <option value="wake_agent">Wake the agent with a text</option>
          <option value="send_message">Send a message to somebody</option>
          <option value="run_node">Rerun a node</option>
        </select>
      </Field>
      {act === "send_message" ? (
        <Field label="To">
          <select className="form-input" value={to} onChange={({ target }) => setTo(target.value)}>
            {[...state.participants.values()].flatMap(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      ) : null}
      {act === "run_node" ? (
        <Field label="Node">
          <select className="form-input" value={node} onChange={({ target }) => setNode(target.value)}>
            <option value="">Choose one</option>
            {[...state.nodes.values()].map(({ id }) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </Field>
      ) : (
        <Field label="Text">
          <textarea
            className="form-input"
            value={text}
            maxLength={20_000}
            placeholder="Read the news and tell me what matters"
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
      )}
      <Field label="If the daemon was not running">
        <select
          className="form-input"
          value={late}
          onChange={({ target }) => setLate(target.value as keyof typeof missed)}
        >
          {Object.entries(missed).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      <div className="form-row">
        <span className="dim grow text-12" role="status">
          {wrong ?? ""}
        </span>
        <Button look="solid" type="submit" disabled={wrong !== undefined || sending} title={wrong}>
          Set
        </Button>
      </div>
    </form>
  );
}

/** A text says what is missing. */
function actionOf(
  type: Action["type"],
  { text, to, node }: { text: string; to: string; node: string },
): Action | string {
  if (type === "run_node") return node ? { type, node } : "Choose the node";
  if (!text.trim()) return "Enter the text";
  return type === "wake_agent" ? { type, text: text.trim() } : { type, to, text: text.trim() };
}
