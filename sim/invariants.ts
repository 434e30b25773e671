/**
 * What always holds, by the name under which a violation is reported. The only list: docs/reference/invariants.md is made of it and of the places
 * in the code that check each (campaign/table.ts), and a name that is not here, or is checked nowhere, fails the docs check.
 */
export interface Invariant {
  says: string;
  /** Tests that hold it, where the simulation cannot: it has no secrets, no browser, no sockets. */
  tests?: readonly string[];
}

export const invariants: Readonly<Record<string, Invariant>> = {
  I1: { says: "Every acknowledged command is in the log, once, where it was acknowledged." },
  I2: { says: "Every piece of mail is consumed by exactly one turn; what was read never becomes unread." },
  I3: { says: "Nobody who could run is left lying, at no moment." },
  I4: {
    says: "Every turn that started ends, and everything that is not over has somebody who moves it: in calm all comes to rest.",
  },
  I5: { says: "The state in memory is the fold of the log." },
  I6: { says: "The log is an extension of what any client saw." },
  I7: { says: "The log is dense: every seq once, in order, with a right checksum." },
  I8: {
    says: "Every tool call has exactly one result before the next call of the model; every request is well formed.",
  },
  I9: { says: "What is spent and reserved is within the budget." },
  I10: { says: "An effect that may not be repeated is done at most once." },
  I11: { says: "A node has one worker, a participant one turn, an agent one owner; who lost a lease writes nothing." },
  I12: { says: "What is published is whole and never changes." },
  I13: { says: "A node starts after everything it depends on is completed." },
  I14: { says: "What has ended stays as it ended." },
  I15: { says: "A trigger fires once for each occasion." },
  I16: { says: "A stream gives every event from where its reader is, in order, without a gap." },
  I17: {
    says: "No file outside its scope is touched; an agent does not change what controls it.",
    tests: ["src/tool/files.test.ts", "src/lib/machine/within.test.ts", "test/files.test.ts", "test/obedient.test.ts"],
  },
  I18: {
    says: "No secret is in a log, a memory, a published file or what leaves the machine.",
    tests: ["src/guard/secrets.test.ts", "test/obedient.test.ts", "src/server/auth/secrets.test.ts"],
  },
  I19: {
    says: "What came from outside stays marked as data, and nothing it says is done without approval where the policy asks for one.",
    tests: ["src/toolkit/data.test.ts", "test/obedient.test.ts"],
  },
  I20: { says: "No program runs on after what it was started for is over." },
  I21: {
    says: "Recovery ends: a turn is resumed so many times and no more, and no part of the runtime meets a fault of its own.",
  },
  I22: { says: "The index says what the log says." },
  I23: {
    says: "What waits for a reader is bounded, however slow the reader is.",
    tests: ["src/server/stream/stalled.test.ts"],
  },
  I24: {
    says: "A crash during recovery leads to the same state. Seeds with a poison die again and again while they recover.",
    tests: ["test/crash/crash.test.ts"],
  },
  I25: { says: "Old logs fold to the state they had.", tests: ["src/core/state.test.ts"] },
  cut: { says: "Nothing is done on an answer that was cut off." },
  determinism: { says: "The same world takes the same course." },
  died: { says: "A world does not take its process with it." },
  door: {
    says: "No request over HTTP meets a fault of the server, and every answer has the shape its route declares.",
  },
  edit: { says: "What people write into their files stays, is in the log, and replaces only what they have read." },
  fault: { says: "No owner of an agent throws." },
  hang: { says: "A world ends." },
  move: {
    says: "An agent that was imported is there for good: its log is what was exported, it stands still, and all that the log names is there.",
  },
  names: { says: "No two participants of a run have the same name." },
  post: { says: "What concerned the human was sent outside, what the log says was sent was, and nothing else." },
  quiet: { says: "Where nothing goes wrong, nothing is mended." },
  session: { says: "A code opens one window; a window that was left stays shut." },
  stop: { says: "An orderly end of a process does not fail." },
  threw: { says: "A world is played to its end." },
};
