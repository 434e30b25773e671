/**
 * A workflow file, viewed and edited: checked while one types, with what is wrong at its line and what was probably meant. What is not saved is kept
 * as a draft in this browser. Saving names the version that the draft began from, so nobody's text is written over.
 */
import { useEffect, useMemo, useState } from "react";
import type { CheckedWorkflow } from "../../api/workflow-files.ts";
import { Problem } from "../../schema/problem.ts";
import { Clash } from "../files/clash.tsx";
import { type Draft, draftOf, keepDraft } from "../files/drafts.ts";
import { isMarked, merge } from "../files/merge.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { plural } from "../parts/text/words.ts";
import { after } from "../platform.ts";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { HelpPanel } from "./help-panel.tsx";
import { type FileProblem, fixOf } from "./problems.ts";
import { helpAt } from "./schema-help.ts";
import { YamlEditor } from "./yaml-editor.tsx";

export interface WorkflowText {
  name: string;
  from: "home" | "example" | "new";
  path: string;
  text: string;
  /** Null: there is no file yet. */
  sha256: string | null;
}

interface Given {
  file: WorkflowText;
  checked(found: CheckedWorkflow | undefined, isSaved: boolean): void;
  /** The files are read again. */
  saved(): Promise<void>;
}

const pauseMs = 250;
const keyFor = (name: string): string => `workflow//${name}`;

export function FilePanel({ file, checked, saved }: Given) {
  const client = useClient();
  const { say } = useToasts();
  const key = keyFor(file.name);
  const [draft, setDraft] = useState<Draft | undefined>(() => draftOf(key));
  const [caret, setCaret] = useState(0);
  const [goTo, setGoTo] = useState<{ offset: number }>();
  const [saving, setSaving] = useState(false);
  const [clash, setClash] = useState<{ sha256: string; text: string }>();
  const text = draft?.text ?? file.text;
  const isChanged = text !== file.text || file.from === "new";
  const found = useChecked(text, file.name);
  const problems: readonly FileProblem[] = found?.problems ?? [];
  const help = useMemo(() => helpAt(text, caret), [text, caret]);
  useEffect(() => checked(found, !isChanged), [found, isChanged]);

  const change = (next: string) => {
    const base = draft?.base ?? (file.sha256 === null ? null : { sha256: file.sha256, text: file.text });
    const changed = next === file.text && file.from !== "new" ? undefined : { text: next, base };
    setDraft(changed);
    keepDraft(key, changed);
  };
  const drop = () => {
    setDraft(undefined);
    keepDraft(key, undefined);
  };
  const save = async (replaces = draft?.base?.sha256 ?? file.sha256) => {
    if (saving || !isChanged || isMarked(text)) return;
    setSaving(true);
    try {
      const matching = replaces === null ? {} : { ifMatch: `"${replaces}"` };
      await client.writeWorkflow({ params: { workflow: file.name }, body: { text }, ...matching });
      await saved();
      drop();
      setClash(undefined);
      say({ look: "done", text: `Saved ${file.name}. It applies from the next start on.` });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code !== "conflict") say({ look: "failure", text: error.message });
      else setClash(await client.readWorkflow({ params: { workflow: file.name } }));
    } finally {
      setSaving(false);
    }
  };
  useKey(keyMap.save, () => (clash ? false : void save()));
  const write = (name: string) => {
    const start = text.lastIndexOf("\n", caret - 1) + 1;
    const line = text.slice(start, text.indexOf("\n", caret) < 0 ? text.length : text.indexOf("\n", caret));
    const indent = /^\s*(?:- )?/.exec(line)![0].length;
    // In an empty line it is written there, else in a line of its own below.
    const at = line.trim() ? start + line.length : caret;
    const put = line.trim() ? `\n${" ".repeat(indent)}${name}: ` : `${name}: `;
    change(text.slice(0, at) + put + text.slice(at));
    setGoTo({ offset: at + put.length });
  };
  if (clash)
    return (
      <div className="wf-f pv">
        <Clash
          name={`${file.name}.yaml`}
          gone={false}
          base={draft?.base?.text ?? ""}
          mine={text}
          theirs={clash.text}
          saving={saving}
          takeTheirs={() => {
            drop();
            setClash(undefined);
            void saved();
          }}
          together={() => {
            const both = { text: merge(draft?.base?.text ?? "", text, clash.text).text, base: clash };
            setDraft(both);
            keepDraft(key, both);
            setClash(undefined);
          }}
          keepMine={() => void save(clash.sha256)}
        />
      </div>
    );
  const first = problems[0];
  const unsaveable = !isChanged
    ? "No changes to save"
    : isMarked(text)
      ? "It still contains conflict markers"
      : undefined;
  return (
    <section className="wf-f" aria-label={`File of ${file.name}`}>
      <div className="wf-fh">
        <b>{file.name}.yaml</b>
        <span className="dim ell" title={file.path}>
          {file.from === "example"
            ? "an example; a copy in your home takes its place"
            : file.from === "new"
              ? "a new file"
              : file.path}
        </span>
        <span className="grow" />
        {isChanged && file.from !== "new" ? (
          <Button look="ghost" onClick={drop}>
            Discard
          </Button>
        ) : null}
        <Button
          look="solid"
          disabled={saving || unsaveable !== undefined}
          title={unsaveable ?? (first ? "It can be saved with problems, but not be run" : undefined)}
          onClick={() => void save()}
        >
          {file.from === "example" ? "Save a copy" : "Save"} <KeyCaps of={keyMap.save} />
        </Button>
      </div>
      <div className="wf-fb">
        <YamlEditor
          label={`Text of ${file.name}`}
          text={text}
          problems={problems}
          fixed={false}
          change={change}
          moved={setCaret}
          goTo={goTo}
        />
        <HelpPanel help={help} write={write} />
      </div>
      <div className="wf-check" role="status" aria-label="Check">
        {!found ? (
          <span className="dim">Checking</span>
        ) : problems.length === 0 ? (
          <span className="ok">
            <Icon name="check" size={14} /> No problems{isChanged ? "; not saved yet" : ""}
          </span>
        ) : (
          <ul>
            {problems.map((problem, at) => (
              <ProblemRow key={at} problem={problem} text={text} change={change} go={(offset) => setGoTo({ offset })} />
            ))}
          </ul>
        )}
        {problems.length > 1 ? <span className="sr">{plural(problems.length, "problem")}</span> : null}
      </div>
    </section>
  );
}

interface RowGiven {
  problem: FileProblem;
  text: string;
  change(text: string): void;
  go(offset: number): void;
}

function ProblemRow({ problem, text, change, go }: RowGiven) {
  const fix = fixOf(problem, text);
  const { line, column, message } = problem;
  const offset =
    line === null
      ? 0
      : text
          .split("\n")
          .slice(0, line - 1)
          .join("\n").length +
        (line > 1 ? 1 : 0) +
        (column ?? 1) -
        1;
  return (
    <li>
      <Icon name="x" size={14} />
      <button type="button" className="lnk" onClick={() => go(offset)}>
        {line === null ? "The file" : `Line ${line}`}
      </button>
      <span>{message}</span>
      {fix ? <Button onClick={() => change(fix.text)}>Change to {fix.word}</Button> : null}
    </li>
  );
}

/** As the daemon sees the text, a moment after the last letter. What was found before stays until then. */
function useChecked(text: string, name: string): CheckedWorkflow | undefined {
  const client = useClient();
  const [found, setFound] = useState<CheckedWorkflow>();
  useEffect(() => {
    const ending = new AbortController();
    const cancel = after(found ? pauseMs : 0, () => {
      client.checkWorkflow({ body: { text, name }, signal: ending.signal }).then(setFound, (error: unknown) => {
        if (!ending.signal.aborted)
          setFound({
            workflow: null,
            problems: [{ line: null, column: null, message: error instanceof Error ? error.message : String(error) }],
          });
      });
    });
    return () => {
      cancel();
      ending.abort();
    };
  }, [client, text, name]);
  return found;
}
