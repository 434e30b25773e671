/** The form of a new agent: goal, model, budget, duration, team and folder. */
import { type Ref, useState } from "react";
import type { Offer } from "../../api/models.ts";
import type { WorkflowLine } from "../../api/workflows.ts";
import type { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { ParamsForm, type Typed } from "../workflows/params-form.tsx";
import { Choice, Opener } from "./choice.tsx";
import { type Draft, useDraft } from "./draft.ts";
import { FolderField, shortFolder } from "./folder.tsx";
import { Models, modelTitle, priceOf, programOf } from "./models.tsx";
import { More } from "./more.tsx";
import { planOf, rhythms } from "./says.ts";
import type { Wish } from "./wish.ts";
import { WorkflowOptions, WorkflowPreview, WorkflowProblems } from "./workflow.tsx";

/** What one may begin with; each sets what goes with it. */
const examples: { word: string; draft: Partial<Draft>; open?: "folder" }[] = [
  {
    word: "Read a repository and explain it",
    draft: { goal: "Read the repository in project/ and explain how it works, for somebody who joins tomorrow." },
    open: "folder",
  },
  {
    word: "Watch the news every morning",
    draft: { goal: "Read Hacker News and tell me in five lines what matters for …", mode: "infinite", every: 86_400 },
  },
  {
    word: "Compare three vendors",
    draft: { goal: "Compare three vendors of … by price, limits and who uses them, and recommend one." },
  },
];

interface Given {
  offer: Offer | undefined;
  workflows: readonly WorkflowLine[];
  /** What kept it from beginning; nothing if it has begun. */
  begin(wish: Wish): Promise<Problem | undefined>;
  /** Where a team is chosen. */
  team: Ref<HTMLSelectElement>;
}

export function Goal({ offer, workflows, begin, team }: Given) {
  const { draft, change, used } = useDraft();
  const [sending, setSending] = useState(false);
  const [open, setOpen] = useState<"folder" | "more">();
  const [problem, setProblem] = useState<Problem>();
  const [typed, setTyped] = useState<Typed>({});
  const workflow = workflows.find(({ name, problem: wrong }) => name === draft.workflow && wrong === null);
  const { why, says, model, wish } = planOf(draft, offer, workflow, typed);
  const { goal, usd, mode, every, folder } = draft;
  const edit = (next: Partial<Draft>) => {
    setProblem(undefined);
    change(next);
  };
  const toggle = (one: "folder" | "more") => setOpen(open === one ? undefined : one);
  const ofFolder = problem && isOfFolder(problem) ? problem.message : undefined;

  const start = async () => {
    if (why || sending) return;
    setSending(true);
    setProblem(undefined);
    const kept = await begin(wish);
    if (!kept) return used();
    setProblem(kept);
    if (isOfFolder(kept)) setOpen("folder");
    setSending(false);
  };

  function choose(name: string): void {
    const next = workflows.find((one) => one.name === name);
    const untouched = !goal.trim() || goal === workflow?.goal;
    setTyped({});
    edit({
      workflow: name,
      ...(untouched ? { goal: next?.goal ?? "" } : {}),
      ...(next?.budget.usd === undefined ? {} : { usd: String(next.budget.usd) }),
    });
  }

  const known = offer?.models.find(({ name }) => name === model);
  const program = programOf(model, offer);
  return (
    <>
      <div className="composer goal">
        <textarea
          className="text"
          // biome-ignore lint/a11y/noAutofocus: it is what the page is for
          autoFocus
          aria-label="Goal"
          placeholder="Map the AI chip landscape for 2026: who leads, what an hour costs, where supply is tight. Eight pages our board can read."
          rows={Math.min(10, Math.max(3, goal.split("\n").length + 1))}
          value={goal}
          onChange={(event) => edit({ goal: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void start();
          }}
        />
        <div className="bar wrap">
          <Choice
            icon="sparkle"
            label="Model"
            value={model}
            shown={model ? modelTitle(model, offer) : offer ? "No model" : "Looking for models"}
            title={known ? `${model} · ${priceOf(known)}` : program ? `${program.title} ${program.about}` : model}
            choose={(next) => edit({ model: next })}
          >
            {offer ? <Models offer={offer} /> : <option value="">Looking for models</option>}
          </Choice>
          <label className="chip choice" title="Total budget; empty for the default in config.yaml, none for no limit">
            <Icon name="wallet" size={14} />
            Up to $
            <input
              aria-label="Budget in US dollars"
              inputMode="decimal"
              size={3}
              value={usd}
              placeholder={offer?.budget.usd === undefined ? "any" : String(offer.budget.usd)}
              onChange={(event) => edit({ usd: event.target.value.replace(",", ".") })}
            />
          </label>
          <Choice
            icon="users"
            label="Team"
            value={workflow?.name ?? ""}
            shown={workflow?.name ?? "Team if useful"}
            title="The agent decides whether it needs a team; or choose a workflow"
            choose={choose}
            at={team}
          >
            <WorkflowOptions items={workflows} />
          </Choice>
          <Opener
            icon="files"
            shown={shortFolder(folder)}
            open={open === "folder"}
            controls="new-folder"
            toggle={() => toggle("folder")}
            title={
              folder.trim()
                ? `The agent works on ${folder}`
                : "The agent works in a new folder of its own, or on a repository of yours"
            }
          />
          <Choice
            icon="history"
            label="Mode"
            value={mode}
            shown={mode === "finite" ? "Until done" : "Keep going"}
            title="Whether it stops when the goal is reached or keeps waking up"
            choose={(next) => edit({ mode: next as Draft["mode"] })}
          >
            <option value="finite">Until it is done</option>
            <option value="infinite">Keep going</option>
          </Choice>
          {mode === "infinite" ? (
            <Choice
              icon="clock"
              label="How often it wakes"
              value={String(every)}
              shown={rhythms[every] ?? `every ${every} s`}
              choose={(next) => edit({ every: Number(next) })}
            >
              {Object.entries(rhythms).map(([seconds, word]) => (
                <option key={seconds} value={seconds}>
                  {word}
                </option>
              ))}
            </Choice>
          ) : null}
          <Opener
            icon="gear"
            shown=""
            label="Further settings"
            open={open === "more"}
            controls="new-more"
            toggle={() => toggle("more")}
            title="Name, tools, context window, soul"
          />
          <span className="grow" />
          <Button
            look="solid"
            className="start"
            onClick={() => void start()}
            disabled={why !== undefined || sending}
            title={why ?? says}
          >
            Start<kbd>↵</kbd>
          </Button>
        </div>
        {open === "folder" ? (
          <FolderField
            folder={folder}
            choose={(next) => edit({ folder: next })}
            refused={ofFolder}
            close={() => setOpen(undefined)}
          />
        ) : null}
        {open === "more" ? <More draft={draft} change={edit} /> : null}
        {workflow?.params.length ? (
          <section className="sheet wf-ask" aria-label={`Parameters of ${workflow.name}`}>
            <ParamsForm params={workflow.params} typed={typed} change={setTyped} />
          </section>
        ) : null}
        {workflow ? <WorkflowPreview workflow={workflow} /> : null}
      </div>
      {problem && !ofFolder ? (
        <p className="says bad" role="alert">
          {problem.message}
        </p>
      ) : null}
      {goal ? (
        <p className="says" data-testid="says">
          {why ?? says}
        </p>
      ) : (
        <div className="examples">
          {examples.map((one) => (
            <button
              type="button"
              key={one.word}
              className="chip"
              onClick={() => {
                edit(one.draft);
                if (one.open) setOpen(one.open);
              }}
            >
              {one.word}
            </button>
          ))}
        </div>
      )}
      <WorkflowProblems items={workflows} />
    </>
  );
}

/** Whether the daemon refused the project folder, rather than something else of what was sent. */
const isOfFolder = ({ details }: Problem): boolean =>
  ((details?.issues ?? []) as { field?: string }[]).some(({ field }) => field === "folder");
