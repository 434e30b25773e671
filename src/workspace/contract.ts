/** What every kind of workspaces must do, on a real disk. */
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Commit, Workspaces } from "./workspaces.ts";

export interface Place {
  workspaces: Workspaces;
  /** The user's. */
  folder: string;
  /** For checkouts; empty. */
  room: string;
  /** Everything of the user's that must not change. */
  look(): Promise<unknown>;
}

export const commit = (message: string, ...parents: string[]): Commit => ({
  message,
  author: "ann",
  at: Date.UTC(2026, 0, 1),
  parents,
});

/** The user's folder has a.txt (ten numbered lines), b/c.txt and run.sh, which is executable. */
export function workspacesContract(name: string, make: () => Promise<Place>): void {
  const at = (folder: string) => ({
    put: (path: string, text: string) => writeFile(join(folder, path), text),
    get: (path: string) => readFile(join(folder, path), "utf8"),
    drop: (path: string) => rm(join(folder, path)),
  });

  async function start() {
    const place = await make();
    const { workspaces, room } = place;
    const before = await place.look();
    const { version: base } = await workspaces.base();
    async function open(node: string, version = base) {
      const folder = join(room, node);
      await workspaces.checkOut(`r1.${node}`, { version, branch: `agiraph/x/${node}` }, folder);
      return {
        folder,
        ...at(folder),
        keep: () => workspaces.keep(`r1.${node}`, folder, commit("saved", version), version),
      };
    }
    const unchanged = async () => expect(await place.look()).toEqual(before);
    return { ...place, base, open, unchanged };
  }

  describe(name, () => {
    test("a checkout has the user's files; what is not changed is the version it came from", async () => {
      const { open, base, unchanged, workspaces } = await start();
      const one = await open("n1");
      expect(await one.get("b/c.txt")).toBe("see\n");
      const kept = await one.keep();
      expect(kept.left_out).toEqual([]);
      expect(await workspaces.compare(base, kept.version)).toEqual([]);
      await unchanged();
    });

    test("what is changed, added and deleted is kept, and kept again as the same version", async () => {
      const { open, base, workspaces, unchanged } = await start();
      const one = await open("n1");
      await one.put("a.txt", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n");
      await one.put("new.txt", "new\n");
      await one.put("_outbox.md", "not a part of it\n");
      await one.drop("b/c.txt");
      const { version } = await one.keep();
      expect((await one.keep()).version).toBe(version);
      const files = await workspaces.compare(base, version);
      expect(files.map(({ path, status, added, removed }) => [path, status, added, removed])).toEqual([
        ["a.txt", "modified", 1, 1],
        ["b/c.txt", "deleted", 0, 1],
        ["new.txt", "added", 1, 0],
      ]);
      await unchanged();
    });

    test("a diff has the lines around each change", async () => {
      const { open, base, workspaces } = await start();
      const one = await open("n1");
      await one.put("a.txt", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n");
      const diff = await workspaces.diff(base, (await one.keep()).version);
      expect(diff).toMatchObject({ base, added: 1, removed: 1 });
      expect(diff.files[0]).toMatchObject({ path: "a.txt", status: "modified", binary: false });
      const [hunk] = diff.files[0]!.hunks;
      expect(hunk).toMatchObject({ old_start: 2, old_lines: 7, new_start: 2, new_lines: 7 });
      expect(hunk!.lines.map(({ kind, text }) => `${kind[0]}${text}`)).toEqual([
        "c2",
        "c3",
        "c4",
        "r5",
        "afive",
        "c6",
        "c7",
        "c8",
      ]);
    });

    test("a version comes back whole, with what may be run", async () => {
      const { open, room, workspaces } = await start();
      const one = await open("n1");
      await one.put("new.txt", "new\n");
      const { version } = await one.keep();
      const folder = join(room, "restored");
      await workspaces.restore(version, folder);
      expect(await at(folder).get("new.txt")).toBe("new\n");
      const again = await open("n2", version);
      expect((await again.keep()).version).toBe(version);
      expect(await workspaces.compare(version, (await again.keep()).version)).toEqual([]);
    });

    test("versions with the same files have the same content, and others another one", async () => {
      const { open, base, workspaces } = await start();
      const [one, two] = [await open("n1"), await open("n2")];
      await one.put("new.txt", "new\n");
      const mine = await workspaces.describe((await one.keep()).version, commit("one", base));
      await two.put("new.txt", "new\n");
      const theirs = await workspaces.describe((await two.keep()).version, commit("two", base));
      expect(await workspaces.contentOf(mine)).toBe(await workspaces.contentOf(theirs));
      expect(await workspaces.contentOf(mine)).not.toBe(await workspaces.contentOf(base));
    });

    test("only the changed files are copied out", async () => {
      const { open, base, room, workspaces } = await start();
      const one = await open("n1");
      await one.put("new.txt", "new\n");
      const { version } = await one.keep();
      const folder = join(room, "copied");
      expect(await workspaces.copyChanged(base, version, folder)).toEqual(["new.txt"]);
      expect(await at(folder).get("new.txt")).toBe("new\n");
    });

    test("changes of different files are merged; neither sees the other before", async () => {
      const { open, base, room, workspaces, unchanged } = await start();
      const [one, two] = [await open("n1"), await open("n2")];
      await one.put("one.txt", "1\n");
      await two.put("two.txt", "2\n");
      const ours = (await one.keep()).version;
      const theirs = (await two.keep()).version;
      const merged = await workspaces.merge({ ours, theirs, base }, commit("both"));
      expect(merged).toEqual({ version: expect.any(String) });
      const folder = join(room, "merged");
      await workspaces.restore((merged as { version: string }).version, folder);
      expect([await at(folder).get("one.txt"), await at(folder).get("two.txt")]).toEqual(["1\n", "2\n"]);
      await unchanged();
    });

    test("changes of the same lines conflict, and both sides stand in the checkout of whoever resolves it", async () => {
      const { open, base, room, workspaces } = await start();
      const [one, two] = [await open("n1"), await open("n2")];
      await one.put("b/c.txt", "ours\n");
      await two.put("b/c.txt", "theirs\n");
      const ours = (await one.keep()).version;
      const theirs = (await two.keep()).version;
      expect(await workspaces.merge({ ours, theirs, base }, commit("both"))).toEqual({ conflicts: ["b/c.txt"] });
      const folder = join(room, "resolving");
      const merging = { theirs, base };
      await workspaces.checkOut("r1.n3", { version: ours, merging, branch: "agiraph/x/n3" }, folder);
      const text = await at(folder).get("b/c.txt");
      expect(text).toMatch(/^<<<<<<< .*\nours\n+=======\ntheirs\n+>>>>>>> /);
      await at(folder).put("b/c.txt", "both\n");
      const resolved = await workspaces.keep("r1.n3", folder, commit("resolved", ours, theirs));
      const merged = await workspaces.merge({ ours, theirs: resolved.version, base: ours }, commit("merged"));
      expect(merged).toEqual({ version: resolved.version });
    });

    test("handed over, the user has the change; local edits that are in the way stop it, and nothing else changes", async () => {
      const { open, base, folder, workspaces, look } = await start();
      const user = at(folder);
      const one = await open("n1");
      await one.put("b/c.txt", "changed\n");
      await one.put("new.txt", "new\n");
      const { version } = await one.keep();
      const wish = { as: "merge" as const, into: "main", base, version, commit: commit("handed over") };
      await user.put("b/c.txt", "my own edit\n");
      const before = await look();
      await expect(workspaces.handOver(wish)).rejects.toMatchObject({ code: "conflict" });
      expect(await look()).toEqual(before);
      await user.put("b/c.txt", "see\n");
      await user.put("other.txt", "mine\n");
      await workspaces.handOver(wish);
      expect([await user.get("b/c.txt"), await user.get("new.txt"), await user.get("other.txt")]).toEqual([
        "changed\n",
        "new\n",
        "mine\n",
      ]);
    });

    test("handed over, new files and folders have the usual modes of the user, and changed files keep theirs", async () => {
      const umask = process.umask(0o022);
      onTestFinished(() => void process.umask(umask));
      const { open, base, folder, workspaces } = await start();
      const one = await open("n1");
      await mkdir(join(one.folder, "new/er"), { recursive: true });
      await one.put("new/er/plain.txt", "new\n");
      await one.put("new/run.sh", "echo\n");
      await chmod(join(one.folder, "new/run.sh"), 0o755);
      await one.put("run.sh", "echo changed\n");
      const { version } = await one.keep();
      await workspaces.handOver({ as: "merge", into: "main", base, version, commit: commit("handed over") });
      const mode = async (path: string) => ((await stat(join(folder, path))).mode & 0o777).toString(8);
      const paths = ["new", "new/er", "new/er/plain.txt", "new/run.sh", "run.sh"];
      expect(await Promise.all(paths.map(mode))).toEqual(["755", "755", "644", "755", "755"]);
    });

    test("a patch is what git apply makes the change of", async () => {
      const { open, base, workspaces } = await start();
      const one = await open("n1");
      await one.put("new.txt", "new");
      const patch = String(await workspaces.patch(base, (await one.keep()).version));
      expect(patch).toContain("diff --git a/new.txt b/new.txt\nnew file mode 100644\n");
      expect(patch).toContain("@@ -0,0 +1");
      expect(patch).toContain("+new\n\\ No newline at end of file\n");
    });
  });
}
