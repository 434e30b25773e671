/** The checks of a node and what they said, of the content that was looked at last: what was checked, by whom, when, with the output on request. */
import { checkTitle } from "../../core/board/check.ts";
import type { State } from "../../core/state.ts";
import { visible, visibleLine } from "../../lib/text/visible.ts";
import type { CheckResult } from "../../schema/evidence.ts";
import { whoIs } from "../parts/status/avatar.tsx";
import { type Look, StatusDot } from "../parts/status/status.tsx";
import { Age, Time } from "../parts/text/time.tsx";
import { duration, plural } from "../parts/text/words.ts";
import type { DrawerSubject } from "./drawer.tsx";

const looks: Record<CheckResult["outcome"], { look: Look; word: string }> = {
  passed: { look: "done", word: "Passed" },
  failed: { look: "failed", word: "Failed" },
  errored: { look: "retired", word: "Could not be done" },
};

export function Checks({ state, node }: Pick<DrawerSubject, "state" | "node">) {
  const { checks = [], results = [], rejections = 0 } = node;
  if (!checks.length) return null;
  const passed = results.filter(({ outcome }) => outcome === "passed").length;
  const review = state.reviews.get(node.id);
  return (
    <>
      <h4>
        Checks<span className="r num">{results.length ? `${passed} of ${checks.length} passed` : "at publish"}</span>
      </h4>
      {rejections ? (
        <p className={`small ${"ended_at" in node ? "dim" : "failed"}`}>
          {"ended_at" in node
            ? `Sent back ${plural(rejections, "time")} before it ended.`
            : `Sent back ${plural(rejections, "time")}: its worker mends what failed.`}
        </p>
      ) : null}
      <ol className="checks">
        {checks.map((check, at) => {
          const result = results.find((one) => one.check === at + 1);
          const asked = review?.check === at + 1 && !result;
          const { look, word } = result
            ? looks[result.outcome]
            : asked
              ? { look: "working" as const, word: "review" in check ? "Is being read" : "Is being done" }
              : { look: "pending" as const, word: "Not done yet" };
          return (
            <li key={at}>
              <StatusDot look={look} word={word} size={14} />
              <div>
                <b className="mono">{visibleLine(checkTitle(check))}</b>
                <span className={result?.outcome === "failed" ? "failed" : "dim"}>
                  {word}
                  {result ? (
                    <>
                      , by {byWhom(state, result.by)}, <Time at={result.at} />, {duration(result.seconds * 1000)}
                    </>
                  ) : asked ? (
                    <>
                      {" "}
                      by {byWhom(state, review.by)}, <Age since={review.at} />
                    </>
                  ) : null}
                </span>
                {result ? <Output result={result} /> : null}
              </div>
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Open where it failed: that is what somebody looks for. */
function Output({ result: { output, findings = [], outcome } }: { result: CheckResult }) {
  return (
    <>
      {findings.length ? (
        <ul className="findings">
          {findings.map(({ file, text }, at) => (
            <li key={at}>
              {file ? <span className="mono">{visibleLine(file)}: </span> : null}
              {visible(text)}
            </li>
          ))}
        </ul>
      ) : null}
      {output.trim() ? (
        <details open={outcome === "failed" && !findings.length}>
          <summary>Output</summary>
          <pre>{visible(output)}</pre>
        </details>
      ) : null}
    </>
  );
}

/** A worker by its name; the runtime is us; else it is a model. */
function byWhom(state: State, by: string): string {
  if (by === "runtime") return "Agiraph";
  return state.participants.has(by) ? whoIs(state, by).name : by;
}
