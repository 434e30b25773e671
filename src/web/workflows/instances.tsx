/** The agents that were started with a workflow: how each stands, what it cost, what came of it. */
import { Link } from "@tanstack/react-router";
import type { Summary } from "../../api/agents.ts";
import { money } from "../../lib/text/amounts.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { agentLook, StatusWord } from "../parts/status/status.tsx";
import { plainWords } from "../parts/text/plain-words.ts";
import { clock, day, plural, shortGoal } from "../parts/text/words.ts";

export function Instances({ name, all }: { name: string; all: readonly Summary[] }) {
  const mine = all.filter(({ workflow }) => workflow === name);
  const done = mine.filter(({ status }) => status === "completed").length;
  return (
    <section className="wf-i" aria-label={`Instances of ${name}`}>
      <div className="sec-t">
        <h2>Instances</h2>
        <span className="num">{mine.length ? `${plural(mine.length, "agent")}, ${done} done` : ""}</span>
      </div>
      {mine.length ? (
        <div className="wf-it">
          <table>
            <thead>
              <tr>
                <th>Status</th>
                <th>Agent</th>
                <th className="hide-phone">Started</th>
                <th className="n">Cost</th>
                <th className="hide-phone">Result</th>
              </tr>
            </thead>
            <tbody>
              {mine.map((one) => {
                const { look, word } = agentLook(one.status);
                return (
                  <tr key={one.id}>
                    <td>
                      <StatusWord look={look} word={word} />
                    </td>
                    <td>
                      <Link className="lnk" to="/agents/$agent/talk" params={{ agent: one.id }} title={one.goal}>
                        {one.id}
                      </Link>
                    </td>
                    <td className="hide-phone num">
                      {day(one.created_at)}, {clock(one.created_at)}
                    </td>
                    <td className="n num">{money(one.cost.usd)}</td>
                    <td className="hide-phone ell">{resultOf(one)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      ) : (
        <p className="dim">It has not been run yet.</p>
      )}
    </section>
  );
}

function resultOf({ result, reason, status, open_questions }: Summary): string {
  if (result !== undefined) return visibleLine(shortGoal(plainWords(result), 120));
  if (reason) return visibleLine(reason.message);
  return status === "waiting_for_human"
    ? `Waits for you${open_questions ? `: ${plural(open_questions, "question")}` : ""}`
    : "";
}
