/** The form that puts a question to a vote: options, who votes, by which rule, until when. It says whom it wakes. */
import { type FormEvent, useState } from "react";
import type { State } from "../../core/state.ts";
import type { ProposalRule } from "../../schema/proposal.ts";
import { Button, IconButton } from "../parts/controls/button.tsx";
import { Field } from "../parts/controls/field.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { plural } from "../parts/text/words.ts";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { bindingOf, Follows, isAboutPeople } from "./follows.tsx";

const rules: Record<ProposalRule["rule"], string> = {
  plurality: "Most votes win",
  majority: "More than half of the voters",
  unanimous: "Everyone must agree",
};
const deadlines: Record<string, string> = {
  "": "No deadline",
  600: "In 10 minutes",
  3600: "In an hour",
  86400: "In a day",
  604800: "In a week",
};
const mostOptions = 20;

const reviews: Record<string, string> = {
  "": "Never",
  604800: "In a week",
  2592000: "In a month",
  7776000: "In three months",
  31536000: "In a year",
};

function isCalled({ participants }: State, name: string): boolean {
  const wanted = name.toLowerCase();
  return [...participants.values()].some((one) => one.id === wanted || one.name.toLowerCase() === wanted);
}

interface Given {
  agent: string;
  state: State;
  /** With the id of what was proposed; nothing if it was given up. */
  done(proposal?: string): void;
}

export function Propose({ agent, state, done }: Given) {
  const client = useClient();
  const { attempt } = useToasts();
  const people = [...state.participants.values()].filter((one) => one.kind === "human" || !one.retired);
  const [text, setText] = useState("");
  const [options, setOptions] = useState(["", ""]);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [rule, setRule] = useState<ProposalRule["rule"]>("majority");
  const [quorum, setQuorum] = useState("1");
  const [tie, setTie] = useState<ProposalRule["tie"]>("none");
  const [seconds, setSeconds] = useState("");
  const [review, setReview] = useState("");
  const [bound, setBound] = useState("");
  const [usd, setUsd] = useState("");
  const [sending, setSending] = useState(false);
  const binding = bindingOf(bound, usd);
  const voters = people.map(({ id }) => id).filter((id) => !left.has(id));
  const given = options.map((one) => one.trim()).filter(Boolean);
  const why = whyNot();

  function whyNot(): string | undefined {
    if (state.run?.status !== "open") return "No run is open, so nobody could vote";
    if (!text.trim()) return "Write the question first";
    if (given.length < 2) return "Give at least two options";
    if (new Set(given.map((one) => one.toLowerCase())).size < given.length) return "Two options are the same";
    if (bound && !binding) return "Give the new budget in dollars";
    if (isAboutPeople(binding) && given.some((one) => !isCalled(state, one)))
      return "The options are who may win: names of people here";
    if (!voters.length) return "Somebody must vote";
    if (binding?.effect === "budget" && left.has("human")) return "A budget changes only with your vote";
    if (!(Number(quorum) >= 0 && Number(quorum) <= voters.length))
      return `The quorum is between 0 and ${voters.length}`;
    return undefined;
  }
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (why || sending) return;
    setSending(true);
    const body = {
      ...{ text: text.trim(), options: given, rule, quorum: Number(quorum), tie },
      ...(left.size ? { voters } : {}),
      ...(seconds ? { expires_seconds: Number(seconds) } : {}),
      ...(review ? { review_seconds: Number(review) } : {}),
      ...(binding ? { binding } : {}),
    };
    const made = await attempt(client.createProposal({ params: { agent }, body }));
    setSending(false);
    if (made) done(made.id);
  };
  const woken = voters.filter((id) => id !== "human");
  return (
    <form className="vote-card propose" aria-label="Propose" onSubmit={(event) => void send(event)}>
      <h2>Put a question to a vote</h2>
      <Field label="Question">
        <textarea
          className="form-input"
          rows={3}
          maxLength={20_000}
          // biome-ignore lint/a11y/noAutofocus: who asks for the form writes in it
          autoFocus
          placeholder="How do we compare chips? Say below it why it must be decided."
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
      <fieldset className="propose-o">
        <legend>Options</legend>
        {options.map((option, index) => (
          <div key={index}>
            <input
              className="form-input"
              aria-label={`Option ${index + 1}`}
              maxLength={200}
              value={option}
              onChange={({ target }) => setOptions(options.with(index, target.value))}
            />
            {options.length > 2 ? (
              <IconButton label={`Remove option ${index + 1}`} onClick={() => setOptions(options.toSpliced(index, 1))}>
                <Icon name="x" size={14} />
              </IconButton>
            ) : null}
          </div>
        ))}
        {options.length < mostOptions ? (
          <Button look="ghost" onClick={() => setOptions([...options, ""])}>
            <Icon name="plus" size={14} />
            Another option
          </Button>
        ) : null}
      </fieldset>
      <fieldset className="propose-v">
        <legend>Who votes</legend>
        {people.map(({ id }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={!left.has(id)}
              onChange={({ target }) =>
                setLeft(new Set(target.checked ? [...left].filter((one) => one !== id) : [...left, id]))
              }
            />
            <Avatar who={whoIs(state, id)} />
            {whoIs(state, id).name}
          </label>
        ))}
      </fieldset>
      <div className="propose-r">
        <Field label="Rule">
          <select
            className="form-input"
            value={rule}
            onChange={({ target }) => setRule(target.value as ProposalRule["rule"])}
          >
            {Object.entries(rules).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Votes needed for any result">
          <input
            className="form-input"
            inputMode="numeric"
            value={quorum}
            onChange={({ target }) => setQuorum(target.value.replace(/\D/g, ""))}
          />
        </Field>
        <Field label="Closes">
          <select className="form-input" value={seconds} onChange={({ target }) => setSeconds(target.value)}>
            {Object.entries(deadlines).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        <Follows state={state} value={bound} change={setBound} usd={usd} changeUsd={setUsd} />
        <Field label="Look at it again">
          <select className="form-input" value={review} onChange={({ target }) => setReview(target.value)}>
            {Object.entries(reviews).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        {rule === "plurality" ? (
          <Field label="A tie">
            <select
              className="form-input"
              value={tie}
              onChange={({ target }) => setTie(target.value as ProposalRule["tie"])}
            >
              <option value="none">Has no winner</option>
              <option value="first">Goes to the earlier option</option>
              <option value="creator">Goes to what you voted for</option>
            </select>
          </Field>
        ) : null}
      </div>
      <div className="form-row">
        <span className="dim grow text-12" role="status">
          {why ?? (woken.length ? `Wakes ${plural(woken.length, "voter")}.` : "Nobody else is asked.")}
        </span>
        <Button look="ghost" onClick={() => done()}>
          Cancel
        </Button>
        <Button look="solid" type="submit" disabled={why !== undefined || sending} title={why}>
          Propose
        </Button>
      </div>
    </form>
  );
}
