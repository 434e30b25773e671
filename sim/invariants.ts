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
  I2: { says: "Every inbox entry is handled by exactly one turn, and never becomes unread again." },
  I3: { says: "A participant that can run is always started." },
  I4: {
    says: "Every started turn ends, and everything unfinished has someone who must act: in calm everything comes to rest.",
  },
  I5: { says: "The state in memory is the fold of the log." },
  I6: { says: "The log extends what any client has seen." },
  I7: {
    says: "The log is dense: every seq once, in order, with a correct checksum; and of a command it has all events or none.",
  },
  I8: {
    says: "Every tool call has exactly one result before the next model call; every request is well formed.",
  },
  I9: { says: "Spending plus reservations stay within the budget." },
  I10: { says: "A tool call that is not repeatable runs at most once." },
  I11: {
    says: "A node has one worker, a participant one turn, an agent one owner; a process without a valid lease cannot write.",
  },
  I12: { says: "Published files are complete and never change." },
  I13: { says: "A node starts after everything it depends on is completed." },
  I14: { says: "A finished node, run or question never changes its outcome." },
  I15: { says: "A trigger fires once per occasion." },
  I16: { says: "A stream delivers every event after its reader's cursor, in order, without a gap." },
  I17: {
    says: "A participant touches no file outside its scope; an agent cannot change what controls it.",
    tests: ["src/tool/files.test.ts", "src/lib/machine/within.test.ts", "test/files.test.ts", "test/obedient.test.ts"],
  },
  I18: {
    says: "Secrets are never in a log, a memory, a published file or outgoing data.",
    tests: ["src/guard/secrets.test.ts", "test/obedient.test.ts", "src/server/auth/secrets.test.ts"],
  },
  I19: {
    says: "Text from outside stays marked as data, and causes no action without the approval that the policy requires.",
    tests: ["src/toolkit/data.test.ts", "test/obedient.test.ts"],
  },
  I20: { says: "No program outlives the turn it was started for." },
  I21: {
    says: "Recovery terminates: a turn is resumed a limited number of times, and the runtime itself never faults.",
  },
  I22: { says: "The search index agrees with the log." },
  I23: {
    says: "The queue of a stream's reader is bounded, however slow the reader is.",
    tests: ["src/server/stream/stalled.test.ts"],
  },
  I24: {
    says: "A crash during recovery leads to the same state. Seeds with poison die repeatedly during recovery.",
    tests: ["test/crash/crash.test.ts"],
  },
  I25: { says: "Old logs fold to the state they had.", tests: ["src/core/state.test.ts"] },
  setup: {
    says: "The steps of a setup end once each, in order, before the run starts, and nobody works meanwhile.",
  },
  host: {
    says: "A command reaches a host only if the config or an answer of the human allows it, and *this time* for one command.",
  },
  charge: { says: "What an agent CLI uses is charged once: as its provider counts it, or as the CLI itself says." },
  conversation: { says: "An agent CLI resumes the conversation that the log has for it, unless that is lost." },
  cut: { says: "A truncated answer has no effects." },
  determinism: { says: "The same world takes the same course." },
  died: { says: "A world does not crash its process." },
  door: {
    says: "No HTTP request causes an internal error, and every response has the shape that its route declares.",
  },
  evidence: {
    says: "Nobody is shown *verified* for content on which a check did not pass, and a check that has its result on a content is not done again.",
  },
  edit: {
    says: "What people write into their files is kept, is in the log, and replaces only a version they have read.",
  },
  document: {
    says: "Every accepted change of a document is the next version of the one that its writer had read; what was appended follows the whole text before.",
  },
  vote: {
    says: "A proposal's result is what its rule gives for the votes at that event, expired or not; a binding one takes effect once, for its winner, before anybody acts; an open one keeps a run that nobody leads from ending.",
  },
  fault: { says: "No owner of an agent throws." },
  guest: {
    says: "A lasting agent that takes part in teams has one loop, its own; a team counts something as handled by it only after it has read that and said so, forwards and once.",
  },
  hang: { says: "A world ends." },
  mail: {
    says: "A message to another agent is received exactly once, in the order of its sender, or the sender is told why not; nobody receives what nobody sent, and a chain of messages among agents is bounded.",
  },
  move: {
    says: "An imported agent is complete and durable: its log is the exported one, it is paused, and everything the log refers to exists.",
  },
  names: { says: "No two participants of a run have the same name." },
  post: {
    says: "Every notification for the human was sent, the log agrees with what was sent, and nothing else was sent.",
  },
  quiet: { says: "In a world without faults nothing is repaired." },
  project: { says: "The user's folder is changed by hand-overs alone, with what was merged." },
  merged: { says: "A merge has every change of its sides, and nothing else." },
  saved: {
    says: "A version of a workspace that the log names is complete, after any crash; at rest the last one is what lies in the folder.",
  },
  session: { says: "A login code opens one session; an ended session stays ended." },
  stop: { says: "A clean shutdown does not fail." },
  threw: { says: "A world is played to its end." },
};
