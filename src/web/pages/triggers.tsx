/** What wakes an agent by itself: what is set and when it fires next, what was missed, and a form for another. */
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Event } from "../../schema/event.ts";
import type { Trigger } from "../../schema/trigger.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { clock, day, plural } from "../parts/text/words.ts";
import { now } from "../platform.ts";
import { AgentHeader } from "../shell/header.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useAgentView, useClient, useEvents } from "../store/hooks.ts";
import { Countdown, when } from "../triggers/countdown.tsx";
import { Cycle } from "../triggers/cycle.tsx";
import { TriggerForm } from "../triggers/form.tsx";
import { kinds, thenOf, whenOf } from "../triggers/words.ts";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const { events } = useEvents(agent);
  const state = view?.state;
  const triggers = [...(state?.triggers.values() ?? [])];
  const active = triggers.filter(({ status }) => status === "active");
  const ended = triggers.filter(({ status }) => status !== "active").toReversed();
  const pasts = useMemo(() => pastsOf(events), [events]);
  return (
    <>
      <AgentHeader />
      {view?.problem ? (
        <Failed what={`${agent} cannot be opened`} problem={view.problem} />
      ) : !state ? (
        <Loading rows={6} />
      ) : (
        <div className="page">
          <div className="two-c">
            <div>
              <More
                agent={agent}
                pasts={pasts}
                title="Needs your approval"
                about="It was imported with the agent and does not fire until you arm it."
                of={ended.filter(({ status }) => status === "disarmed")}
              />
              <div className="sec-t">
                <h2>Set</h2>
                <span className="num">{active.length + (state.cycle ? 1 : 0)}</span>
              </div>
              <div className="card">
                <Cycle state={state} />
                {active.map((trigger) => (
                  <Row key={trigger.id} agent={agent} trigger={trigger} past={pasts.get(trigger.id)} />
                ))}
                {active.length || state.cycle ? null : (
                  <Empty title="No triggers" icon="bolt">
                    <p>The agent works when you write to it. A trigger wakes it at a given time or on an event.</p>
                  </Empty>
                )}
              </div>
              <More
                agent={agent}
                pasts={pasts}
                title="Ended"
                of={ended.filter(({ status }) => status !== "disarmed")}
              />
            </div>
            <TriggerForm agent={agent} state={state} />
          </div>
        </div>
      )}
    </>
  );
}

interface MoreProps {
  agent: string;
  title: string;
  about?: string;
  of: readonly Trigger[];
  pasts: ReadonlyMap<string, Past>;
}

function More({ agent, title, about, of, pasts }: MoreProps) {
  if (of.length === 0) return null;
  return (
    <>
      <div className="sec-t">
        <h2>{title}</h2>
        <span className="num">{of.length}</span>
      </div>
      {about ? <p className="dim small">{about}</p> : null}
      <div className="card">
        {of.slice(0, 20).map((trigger) => (
          <Row key={trigger.id} agent={agent} trigger={trigger} past={pasts.get(trigger.id)} />
        ))}
      </div>
    </>
  );
}

interface Past {
  missed: number;
  /** When it fired last, as far as the events that are here tell. */
  fired?: string;
  last?: string;
  failed?: string;
}

/** What its events tell of fires, and of those that did not happen. */
function pastsOf(events: readonly Event[]): Map<string, Past> {
  const found = new Map<string, Past>();
  for (const event of events) {
    if (event.type !== "trigger.missed" && event.type !== "trigger.failed" && event.type !== "trigger.fired") continue;
    const { trigger } = event.data;
    const before = found.get(trigger) ?? { missed: 0 };
    if (event.type === "trigger.fired") found.set(trigger, { ...before, fired: event.ts });
    else if (event.type === "trigger.missed")
      found.set(trigger, { ...before, missed: before.missed + event.data.count, last: event.data.last });
    else found.set(trigger, { ...before, failed: event.data.reason.message });
  }
  return found;
}

function Row({ agent, trigger, past }: { agent: string; trigger: Trigger; past: Past | undefined }) {
  const client = useClient();
  const { attempt, say } = useToasts();
  const { id, schedule, action, fires, saved, by, status, missed } = trigger;
  const set = async () => {
    const { type, ...config } = schedule;
    const body = { type, config, action, missed } as Parameters<typeof client.createTrigger>[0]["body"];
    if (await attempt(client.createTrigger({ params: { agent }, body })))
      say({ look: "done", text: "Trigger set again." });
  };
  const arm = async () => {
    if (await attempt(client.armTrigger({ params: { agent, id }, body: {} })))
      say({ look: "done", text: "Trigger armed." });
  };
  const pause = async () => {
    if (await attempt(client.pauseTrigger({ params: { agent, id }, body: {} })))
      say({ look: "done", text: "Trigger paused.", action: { word: "Undo", act: () => void arm() } });
  };
  const fire = async () => {
    if (await attempt(client.fireTrigger({ params: { agent, id }, body: {} })))
      say({ look: "done", text: "Trigger fired." });
  };
  const cancel = async () => {
    if (!(await attempt(client.cancelTrigger({ params: { agent, id } })))) return;
    say({ look: "done", text: "Trigger cancelled.", action: { word: "Undo", act: () => void set() } });
  };
  /** A time that is over cannot come again. */
  const again = schedule.type !== "at_time" || Date.parse(schedule.at) > now();
  return (
    <div className="tg">
      <span className={`ny-kind ${status === "active" ? "waiting" : "neutral"}`}>
        <Icon name={kinds[schedule.type].icon} />
      </span>
      <b>{whenOf(schedule)}</b>
      <span className="r num">{status === "active" ? <Next trigger={trigger} /> : status}</span>
      <p>{thenOf(action)}</p>
      <p className="dim">
        {fires ? `Fired ${plural(fires, "time")}` : "Has not fired yet"}
        {past?.fired ? `, last ${when(past.fired)}` : ""}
        {saved ? `, skipped ${plural(saved, "time")} with nothing new` : ""}, set by {by === "human" ? "you" : by}
        {past?.missed ? (
          <span className="warn">
            {` · ${plural(past.missed, "time")} missed`}
            {past.last ? `, last ${day(past.last)} ${clock(past.last)}` : ""}
          </span>
        ) : null}
        {past?.failed ? <span className="wrong">{` · ${past.failed}`}</span> : null}
      </p>
      {status === "active" ? (
        <span className="tg-b">
          <Button onClick={() => void fire()} aria-label={`Fire now: ${whenOf(schedule)}`}>
            Fire now
          </Button>
          <Button onClick={() => void pause()} aria-label={`Pause: ${whenOf(schedule)}`}>
            Pause
          </Button>
          <Button onClick={() => void cancel()} aria-label={`Cancel: ${whenOf(schedule)}`}>
            Cancel
          </Button>
        </span>
      ) : status === "disarmed" ? (
        <Button onClick={() => void arm()} aria-label={`Arm: ${whenOf(schedule)}`}>
          {trigger.paused_by === undefined ? "Arm" : "Resume"}
        </Button>
      ) : again ? (
        <Button onClick={() => void set()} aria-label={`Set again: ${whenOf(schedule)}`}>
          Set again
        </Button>
      ) : null}
    </div>
  );
}

function Next({ trigger }: { trigger: Extract<Trigger, { status: "active" }> }) {
  if (!trigger.next_at) return trigger.schedule.type === "on_event" ? "when it happens" : "when it is quiet";
  return <Countdown at={trigger.next_at} />;
}
