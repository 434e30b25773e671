/** Setup steps in the real sandbox, on a real git repository: the review of the first specification, from its file to its end. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import type { State } from "../../core/state.ts";
import { createEmbedded } from "../../engine/embedded.ts";
import { parseWorkflow } from "../../home/workflow-file.ts";
import { machine } from "../../lib/machine/index.ts";
import { createFilesStore } from "../../store/file-store.ts";
import { tools } from "../../tool/index.ts";
import { createRepositoryFolder, emptyRoom, git, photograph } from "../../workspace/workspaces.test-help.ts";
import { type Asked, createModel, type Play } from "../model.test-help.ts";
import { createRuntime } from "../runtime.ts";

const missing = await machine.processes.sandbox();

async function live(text: string, play: Play = {}) {
  const room = await emptyRoom();
  const [home, folder] = [join(room, "home"), join(room, "user")];
  await createRepositoryFolder(folder);
  await writeFile(join(folder, "a.txt"), "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
  await git(folder, "commit", "-qam", "second");
  const before = await photograph(folder);
  const asked: Asked[] = [];
  const runtime = createRuntime({
    home,
    world: machine,
    store: createFilesStore({ home, files: machine.files }),
    engine: createEmbedded({ clock: machine.clock }),
    limits: defaultLimits,
    tools,
    backend: () => createModel(play, asked, machine.clock),
    snapshotEvery: 1_000,
    notice: () => undefined,
  });
  await runtime.start();
  onTestFinished(() => runtime.stop());
  const { team, goal } = parseWorkflow(text, "w.yaml", "w").start({ params: {} });
  const agent = await runtime.create({ goal, name: "a1", model: "scripted/test", folder, team });
  const state = () => runtime.opened(agent)!.live.state();
  const isOver = ({ agent }: State) => agent?.status === "completed" || agent?.status === "paused";
  for await (const _ of runtime.follow(agent, 0, AbortSignal.timeout(60_000))) if (isOver(state())) break;
  expect(await photograph(folder)).toEqual(before);
  return { asked, state, room };
}

test.skipIf(missing)("the review of the first specification runs as it is written", async () => {
  const review = readFileSync(new URL("../../../test/workflows/review.yaml", import.meta.url), "utf8");
  const { asked, state } = await live(review, {
    reviewer: [{ say: "@coder, the first line must be a number." }, { say: "Good." }],
    coder: [{ say: "@reviewer, it is." }],
  });
  expect(state().agent).toMatchObject({ status: "completed" });
  expect(asked.map(({ participant, model }) => [participant, model])).toEqual([
    ["reviewer", "anthropic/claude-sonnet-4-5"],
    ["coder", "anthropic/claude-sonnet-4-5"],
    ["reviewer", "anthropic/claude-sonnet-4-5"],
  ]);
  const [entry] = asked[0]!.lines.flatMap((line) => (line.role === "inbox" ? line.entries : []));
  expect(entry!.text).toContain("@reviewer please review.");
  expect(entry!.quotes).toContain("-1\n+one\n");
});

test.skipIf(missing)(
  "steps read the folder and write only their own, without a network, and hand on what they made",
  async () => {
    const { state, room } = await live(`
agents: {Ada: looks}
setup:
  - shell: "touch mine.txt; echo x > a.txt; echo kept > $HOME/note; echo warning >&2; pwd"
    as: where
  - shell: |
      cat $HOME/note; echo "\${{ where }}"; ls \${{ where }}
      getent hosts example.com || echo offline; ls /root /home 2>&1 | head -3; ls ${"$"}HOME/../..
    as: rest
  - shell: "ln -s /etc/passwd $HOME/step-4.err"
  - shell: "rm $HOME/step-4.err; ln -s /etc/passwd $HOME/step-4.err; exit 7"
kickoff: "@Ada \${{ rest }}"
`);
    expect(state().agent).toMatchObject({
      status: "paused",
      reason: { code: "setup", message: expect.stringMatching(/^setup step 4 of 4 failed with exit code 7: [^\n]*$/) },
    });
    const [where, rest] = state().preparation!.results.map(({ output }) => output);
    expect(where).toBe(join(room, "user"));
    expect(rest).toMatch(/^kept\n.*user\na\.txt\nb\nrun\.sh\noffline\n/);
    expect(rest).not.toContain("root:");
  },
);
