import { expect, test } from "vitest";
import { type Machine, type Program, setUp } from "./setup.ts";

const needed: Program[] = [
  { program: "bwrap", debian: "bubblewrap", for: "the sandbox tests" },
  { program: "rg", debian: "ripgrep", for: "the search tests" },
];

interface Given {
  there: string[];
  mayInstall: boolean;
  /** The exit code of apt-get. */
  apt?: number;
  /** A package that apt-get does not find; then it installs nothing of what it was asked for. */
  unknown?: string;
}

/** A machine with these programs; apt-get brings what it is asked for unless it fails. */
function machine({ there, mayInstall, apt = 0, unknown }: Given) {
  const programs = new Set(there);
  const ran: string[] = [];
  const said: string[] = [];
  const given: Machine = {
    has: (program) => programs.has(program),
    mayInstall,
    run(command, args) {
      ran.push([command, ...args].join(" "));
      if (unknown && args.includes(unknown)) return 100;
      if (apt === 0 && args[0] === "install")
        for (const { program, debian } of needed) if (args.includes(debian)) programs.add(program);
      return apt;
    },
    say: (line) => said.push(line),
  };
  return { ran, said, given };
}

test("nothing happens when everything is there", () => {
  const { ran, said, given } = machine({ there: ["bwrap", "rg"], mayInstall: true });
  expect(setUp(needed, given)).toBe(true);
  expect([ran, said]).toEqual([[], []]);
});

test("what is missing is installed where that is allowed, and the second time nothing is", () => {
  const { ran, given } = machine({ there: ["rg"], mayInstall: true });
  expect(setUp(needed, given)).toBe(true);
  expect(ran).toEqual(["apt-get update -q", "apt-get install -y --no-install-recommends -q bubblewrap"]);
  expect(setUp(needed, given)).toBe(true);
  expect(ran).toHaveLength(2);
});

test("where nothing may be installed it says what is missing and which command brings it", () => {
  const { ran, said, given } = machine({ there: [], mayInstall: false });
  expect(setUp(needed, given)).toBe(false);
  expect(ran).toEqual([]);
  expect(said).toEqual([
    "setup: bwrap is missing; the sandbox tests need it",
    "setup: rg is missing; the search tests need it",
    "setup: on Debian and Ubuntu: sudo apt-get install bubblewrap ripgrep",
  ]);
});

test("an installation that fails is said, not hidden", () => {
  const { ran, said, given } = machine({ there: ["bwrap"], mayInstall: true, apt: 100 });
  expect(setUp(needed, given)).toBe(false);
  expect(ran).toEqual(["apt-get update -q"]);
  expect(said.at(-1)).toBe("setup: on Debian and Ubuntu: sudo apt-get install ripgrep");
});

test("what tests can do without is said and stops nothing", () => {
  const { said, given } = machine({ there: ["bwrap"], mayInstall: false });
  expect(setUp([needed[0]!, { ...needed[1]!, optional: true }], given)).toBe(true);
  expect(said).toEqual([
    "setup: rg is missing; the search tests are left out",
    "setup: on Debian and Ubuntu: sudo apt-get install ripgrep",
  ]);
});

test("each package is installed by itself: one that cannot be had keeps no other away", () => {
  const { ran, said, given } = machine({ there: [], mayInstall: true, unknown: "ripgrep" });
  expect(setUp([{ ...needed[1]!, instead: "grep" }, needed[0]!], given)).toBe(true);
  expect(ran.slice(1)).toEqual(
    ["ripgrep", "bubblewrap"].map((name) => `apt-get install -y --no-install-recommends -q ${name}`),
  );
  expect(said.slice(1)).toEqual([
    "setup: rg is missing; the search tests use grep, which is slower",
    "setup: on Debian and Ubuntu: sudo apt-get install ripgrep",
  ]);
});
