import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isPublic } from "../network/address.ts";
import { createProbe, type Facts, remedy } from "./remedy.ts";

const facts = (given: Partial<Facts> & { settings?: Record<string, string> }): Facts => ({
  platform: "linux",
  said: "bwrap: No permissions to create new namespace",
  setting: (name) => given.settings?.[name],
  container: false,
  root: false,
  ...given,
});

test("the remedy names the package, the setting or the option that is missing", () => {
  expect(remedy(facts({ platform: "darwin" }))).toContain("no sandbox for darwin");
  expect(remedy(facts({ said: null }))).toContain("apt-get install bubblewrap socat");
  const apparmor = { "kernel.apparmor_restrict_unprivileged_userns": "1", "kernel.unprivileged_userns_clone": "1" };
  expect(remedy(facts({ settings: apparmor }))).toBe(
    "bubblewrap cannot start a sandbox here (bwrap: No permissions to create new namespace); allow user namespaces: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  );
  const both = { "kernel.unprivileged_userns_clone": "0", "user.max_user_namespaces": "0" };
  expect(remedy(facts({ settings: both }))).toMatch(/userns_clone=1 && sudo sysctl -w user.max_user_namespaces=15000$/);
  expect(remedy(facts({ container: true }))).toContain("--security-opt seccomp=unconfined");
  expect(remedy(facts({}))).toContain("the system forbids user namespaces");
  expect(remedy(facts({}))).not.toContain("root");
  expect(remedy(facts({ root: true }))).toContain("or run Agiraph as a user that is not root");
  expect(remedy(facts({ root: true, container: true }))).toContain("not root (--user 1000:1000)");
});

test.runIf(process.platform === "linux")(
  "a program that starts and fails is no sandbox, and what it said is told",
  async () => {
    expect(await createProbe(["/bin/false"])()).toContain("bubblewrap cannot start a sandbox here");
    expect(await createProbe(["/no/bwrap"])()).toContain("bubblewrap is not installed");
  },
);

test("what was remedied is noticed without a restart", async () => {
  const candidates = ["/no/bwrap"];
  const probe = createProbe(candidates);
  expect(typeof (await probe())).toBe("string");
  const works = await createProbe()();
  if (typeof works === "string") return;
  candidates.push(works.file);
  expect(await probe()).toEqual(works);
});

test("only a sandbox with a network needs socat", async () => {
  const probe = createProbe(undefined, ["/no/socat"]);
  if (typeof (await probe()) === "string") return;
  expect(await probe(true)).toContain("apt-get install socat");
  expect(typeof (await probe(false))).toBe("object");
});

test("an older bubblewrap is used for what it can do", async () => {
  const works = await createProbe()();
  if (typeof works === "string") return;
  const folder = await mkdtemp(join(tmpdir(), "agiraph-bwrap-"));
  await chmod(folder, 0o755); // as root it is started by nobody
  const file = join(folder, "bwrap");
  const old = (option: string) =>
    writeFile(
      file,
      `#!/bin/sh\ncase " $* " in *" ${option} "*) echo "bwrap: Unknown option ${option}" >&2; exit 1;; esac\nexec ${works.file} "$@"\n`,
      { mode: 0o755 },
    );
  await old("--disable-userns");
  expect(await createProbe([file])()).toEqual({ file, disableUserns: false, size: true });
  await old("--size");
  expect(await createProbe([file])()).toEqual({ file, disableUserns: false, size: false });
  await rm(folder, { recursive: true });
});

test.each(["1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::1"])("%s is public", (address) => {
  expect(isPublic(address)).toBe(true);
});

const local = [
  "127.0.0.1",
  "10.1.2.3",
  "172.31.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "255.255.255.255",
];
const wrapped = [
  "::1",
  "::",
  "fe80::1",
  "fd00::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "2001:0:1::",
  "x",
  "1.2.3",
  "",
];
test.each([...local, ...wrapped])("%j is not public", (address) => {
  expect(isPublic(address)).toBe(false);
});
