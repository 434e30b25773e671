/**
 * Work on a large repository, against git itself in the same repository: a checkout until a worker can use it, against `git worktree add`; and
 * 20 changed files until they are a commit on their branch, found by looking at the whole checkout, against `git add -A` and `git commit`.
 * And the memory of a process that does all of it, from opening to handing over, against the same with a repository of a hundredth of the size.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bench, Figure } from "./figure.ts";
import { inTurns, median, ratioOf, timed } from "./rounds.ts";
import { openUser } from "./workspace-user.ts";

const files = 100_000;
const changed = 20;
const perFolder = 100;

export const workspace: Bench = {
  name: "workspace",
  about:
    "A checkout of a repository of 100,000 files, and a commit of 20 changed files, against git itself; all in turns.",
  async run(place) {
    const count = Math.ceil(files * place.size);
    const user = place.folder("repository");
    const room = place.folder("room");
    fill(user, count);
    const workspaces = await openUser(user, room);
    const { version } = await workspaces.base();
    let n = 0;
    const [ours, theirs] = [join(room, "n1"), join(room, "theirs")];
    const checkOut = (name: string, folder: string) =>
      workspaces.checkOut(name, { version, branch: `agiraph/bench/${name}` }, folder);
    const starts = await inTurns(3, {
      ours: async () => {
        const folder = join(room, `start-${++n}`);
        const ms = await timed(() => checkOut(`r1.s${n}`, folder));
        rmSync(folder, { recursive: true });
        return ms;
      },
      git: async () => {
        const folder = join(room, `start-${++n}`);
        const ms = await timed(async () => git(user, "worktree", "add", "-q", "-b", `b${n}`, folder));
        git(user, "worktree", "remove", "--force", folder);
        return ms;
      },
    });
    await checkOut("r1.n1", ours);
    git(user, "worktree", "add", "-q", "-b", "theirs", theirs);
    const about = { message: "Change", author: "bench", at: 0, parents: [version] };
    // The first look refreshes what is known of each file, in both.
    await workspaces.keep("r1.n1", ours, about);
    git(theirs, "status");
    const commits = await inTurns(7, {
      ours: async () => {
        change(ours, ++n);
        return await timed(async () => {
          const kept = await workspaces.keep("r1.n1", ours, about);
          const made = await workspaces.describe(kept.version, about);
          await workspaces.compare(version, made);
          await workspaces.setBranch("agiraph/bench/n1", made);
        });
      },
      git: async () => {
        change(theirs, ++n);
        return await timed(async () => {
          git(theirs, "add", "-A");
          git(theirs, "commit", "-qm", "Change");
        });
      },
    });
    const figure = (name: string, of: number[], against: number[], most: number, note: string): Figure => {
      const { value: ratio, scatter } = ratioOf(of, against);
      const goal = `ratio ≤ ${most}`;
      return {
        name,
        value: median(of),
        unit: "ms",
        baseline: median(against),
        ratio,
        goal,
        ok: ratio <= most,
        note: `${note} ${scatter}`,
      };
    };
    const small = place.folder("small");
    fill(small, Math.ceil(count / 100));
    const [most, least] = [user, small].map((folder) => peakOf(folder, place.folder("process")));
    return [
      figure("workspace.checkout", starts.ours, starts.git, 1.5, `${count} files, against git worktree add.`),
      figure(
        "workspace.publish",
        commits.ours,
        commits.git,
        3,
        `${changed} of ${count} files, against git add -A and git commit.`,
      ),
      {
        name: "workspace.memory",
        value: most!,
        unit: "MB",
        baseline: least!,
        ratio: most! / least!,
        goal: "< 16 MB more",
        ok: most! - least! < 16,
        note: `The most that a process had which opened, checked out, saved, published, merged and handed over ${count} files, against one with ${Math.ceil(count / 100)}; 20 changed files each.`,
      },
    ];
  },
};

function fill(folder: string, count: number): void {
  git(folder, "init", "-q", "-b", "main");
  const parts = ["commit refs/heads/main\ncommitter b <b@example.com> 0 +0000\ndata 5\nfirst\n"];
  for (let n = 0; n < count; n++) {
    const text = `export const value${n} = ${n};\n`.repeat(8);
    parts.push(`M 100644 inline ${pathOf(n)}\ndata ${text.length}\n${text}\n`);
  }
  execFileSync("git", ["-C", folder, "fast-import", "--quiet"], { input: parts.join("") });
  git(folder, "reset", "-q", "--hard");
}

/** In MB. */
function peakOf(user: string, room: string): number {
  const process_ = fileURLToPath(new URL("workspace-process.ts", import.meta.url));
  const paths = Array.from({ length: changed }, (_, n) => pathOf(n));
  return Number(
    execFileSync(process.execPath, [process_, JSON.stringify({ user, room, paths })], { encoding: "utf8" }),
  );
}

const pathOf = (n: number): string => `src/f${Math.floor(n / perFolder)}/file${n}.ts`;

function change(folder: string, round: number): void {
  for (let n = 0; n < changed; n++) {
    const path = join(folder, pathOf(n * perFolder));
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, `export const changed = ${round};\n`);
  }
}

function git(folder: string, ...args: string[]): string {
  const who = ["-c", "user.name=b", "-c", "user.email=b@example.com", "-c", "safe.directory=*"];
  return execFileSync("git", ["-C", folder, ...who, ...args], { encoding: "utf8", maxBuffer: 2 ** 28 });
}
