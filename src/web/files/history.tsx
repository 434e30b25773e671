/** The history of a file: its versions in the log, and a diff between any two of them. */
import { useCallback, useEffect, useState } from "react";
import type { State } from "../../core/state.ts";
import { Problem } from "../../schema/problem.ts";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { clock, day } from "../parts/text/words.ts";
import { useClient } from "../store/hooks.ts";
import { useFileChanges } from "./changes.ts";
import { Diff } from "./diff-view.tsx";
import { Lines } from "./lines.tsx";
import { endingOf } from "./preview.tsx";
import type { File, Source, Version } from "./source.ts";

interface Given {
  source: Source;
  path: string;
  state?: State | undefined;
  /** As it lies on the disk. */
  file: File | undefined;
  /** What was seen of it earlier in this window. */
  earlier?: File | undefined;
}

/** A text that can be compared: of the log (its seq), of the disk, or seen earlier. */
type Which = number | "now" | "seen";

export function History({ source, path, state, file, earlier }: Given) {
  const [versions, more, problem] = useVersions(source, path);
  const [picked, setPicked] = useState<Which>();
  const [against, setAgainst] = useState<Which | "nothing">();
  const kept = versions?.filter((one) => one.kept) ?? [];
  const newest = kept[0];
  // What lies on the disk and is no version (yet) is one more.
  const apart = file && newest?.sha256 !== file.sha256;
  const choices: Which[] = [
    ...(apart ? ["now" as const] : []),
    ...kept.map(({ seq }) => seq),
    ...(earlier ? ["seen" as const] : []),
  ];
  const to = picked ?? choices[0];
  const before = choices[choices.indexOf(to as Which) + 1];
  const from = against ?? before ?? "nothing";
  const after = useText(source, to, file, earlier);
  const was = useText(source, from === "nothing" ? undefined : from, file, earlier);
  if (problem) return <Failed what="The versions cannot be read" problem={problem} />;
  if (!versions) return <Loading rows={6} />;
  if (to === undefined)
    return (
      <Empty title="No versions" icon="history">
        <p>The log keeps versions of documents, and of what people wrote by hand.</p>
      </Empty>
    );
  const name = (which: Which): string => {
    if (which === "now") return "On the disk now";
    if (which === "seen") return "As you last saw it";
    const one = versions.find(({ seq }) => seq === which)!;
    return `${one.version === undefined ? `Event ${one.seq}` : `Version ${one.version}`}, ${clock(one.at)}`;
  };
  return (
    <div className="hs">
      <ol className="hs-l" aria-label="Versions">
        {apart ? (
          <Row on={to === "now"} title="On the disk now" sub="no version of the log" choose={() => pick("now")} />
        ) : null}
        {versions.map((one) => (
          <Row
            key={one.seq}
            on={to === one.seq}
            who={one.by}
            state={state}
            title={whoIs(state, one.by).name}
            sub={subOf(one)}
            at={one.at}
            choose={one.kept ? () => pick(one.seq) : undefined}
          />
        ))}
        {earlier ? (
          <Row on={to === "seen"} title="As you last saw it" sub="in this window" choose={() => pick("seen")} />
        ) : null}
        {more ? <li className="hint">There are older versions</li> : null}
      </ol>
      <div className="hs-d">
        <div className="hs-h">
          <b>{name(to)}</b>
          <label>
            compared with
            <select
              className="pick-one"
              value={String(from)}
              onChange={({ target: { value } }) =>
                setAgainst(/^\d+$/.test(value) ? Number(value) : (value as Which | "nothing"))
              }
            >
              {choices
                .filter((one) => one !== to)
                .map((one) => (
                  <option key={one} value={String(one)}>
                    {name(one)}
                  </option>
                ))}
              <option value="nothing">nothing: the text itself</option>
            </select>
          </label>
        </div>
        {after?.cut || was?.cut ? <p className="hint">These files are long; only the beginning is compared.</p> : null}
        {after === undefined || (from !== "nothing" && was === undefined) ? (
          <Loading rows={6} />
        ) : after.text === null || was?.text === null ? (
          <p className="hint">Not a text file.</p>
        ) : from === "nothing" ? (
          <Lines text={after.text} language={endingOf(path)} />
        ) : (
          <Diff before={was!.text!} after={after.text} />
        )}
      </div>
    </div>
  );

  function pick(which: Which): void {
    setPicked(which);
    setAgainst(undefined);
  }
}

const subOf = ({ version, seq, removed, kept }: Version): string =>
  [version === undefined ? `event ${seq}` : `version ${version}`, removed ? "taken away" : kept ? "" : "text not kept"]
    .filter(Boolean)
    .join(", ");

interface RowGiven {
  on: boolean;
  title: string;
  sub: string;
  who?: string;
  state?: State | undefined;
  at?: string;
  choose: (() => void) | undefined;
}

function Row({ on, title, sub, who, state, at, choose }: RowGiven) {
  return (
    <li>
      <button type="button" className={on ? "on" : ""} aria-pressed={on} disabled={!choose} onClick={choose}>
        {who === undefined ? <span /> : <Avatar who={whoIs(state, who)} size={20} />}
        <span>
          {title}
          <small>{sub}</small>
        </span>
        {at === undefined ? null : (
          <time dateTime={at} title={day(at)}>
            {clock(at)}
          </time>
        )}
      </button>
    </li>
  );
}

function useVersions(source: Source, path: string): [Version[] | undefined, boolean, Problem | undefined] {
  const [got, setGot] = useState<{ items: Version[]; more: boolean }>();
  const [problem, setProblem] = useState<Problem>();
  const again = useCallback(() => {
    source.versions(path).then(
      (said) => {
        setGot(said);
        setProblem(undefined);
      },
      (error: unknown) => setProblem(error instanceof Problem ? error : new Problem("unreachable", String(error))),
    );
  }, [source, path]);
  useEffect(again, [again]);
  useFileChanges(source.agent, again);
  return [got?.items, got?.more ?? false, problem];
}

interface Said {
  text: string | null;
  cut: boolean;
}

function useText(
  source: Source,
  which: Which | undefined,
  file: File | undefined,
  seen: File | undefined,
): Said | undefined {
  const client = useClient();
  const [got, setGot] = useState<{ seq: number; said: Said }>();
  const seq = typeof which === "number" ? which : undefined;
  useEffect(() => {
    if (seq === undefined) return;
    const ending = new AbortController();
    client.readVersion({ params: { agent: source.agent, seq }, signal: ending.signal }).then(
      ({ text, truncated }) => setGot({ seq, said: { text, cut: truncated } }),
      () => !ending.signal.aborted && setGot({ seq, said: { text: null, cut: false } }),
    );
    return () => ending.abort();
  }, [client, source.agent, seq]);
  const here = which === "now" ? file : which === "seen" ? seen : undefined;
  if (here) return { text: here.text, cut: here.truncated };
  return got?.seq === seq ? got?.said : undefined;
}
