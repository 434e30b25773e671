/**
 * Planted bugs: small patches of the product's source that the simulation, or a named test, must notice. They test the tests.
 *
 * Always holds: `find` occurs exactly once in `file` (bugs.test.ts), so a patch cannot rot unseen when the source changes.
 * Not here: how a patch gets into the program (plant.ts).
 */
export interface Bug {
  name: string;
  /** From the root of the repository. */
  file: string;
  find: string;
  replace: string;
  /** What goes wrong, and which promise that breaks. */
  about: string;
  /** The kind of world that it takes, where few seeds draw it: fields of the setup, as for `--with`. */
  with?: object;
  /** Where the hunt begins, for a bug that few seeds show: one that found it. */
  from?: number;
}

export const bugs: readonly Bug[] = [
  {
    name: "no-tail-repair",
    file: "src/store/log.ts",
    find: "if (torn.length === 0) {",
    replace:
      "if (torn.length >= 0) return { seq, end: end + torn.length, repaired: null };\n    if (torn.length === 0) {",
    about: "A torn last line is left where it is: the next acknowledged event is glued to it and lost.",
    from: 50,
  },
  {
    name: "half-command-trusted",
    file: "src/store/tail.ts",
    find: "return hasMore(line.bytes, line.bytes.length - 1) ?",
    replace: "return hasMore(line.bytes, 0) ?",
    about:
      "A power loss in the middle of a command leaves its first events; its key is known then, so it is never completed: mail is lost. Found by the simulation.",
    from: 1,
  },
  {
    name: "opened-too-early",
    file: "src/runtime/assembly.ts",
    find: `    tick() {
      resume();`,
    replace: "    tick() {",
    about:
      "An agent that is opened before its process lets anyone work is never made good: its work stays unsaved, what follows from its log is not asked for. Found by the simulation.",
    with: {
      ...{ agents: 2, hosts: 2, crashes: 0, stops: 3, deeds: 4, concurrency: 1, chaosMs: 20_000 },
      ...{ cli: { faults: 0.5, gateway: false, leads: false }, world: { late: 0.3 }, model: { haste: 0, slowMs: 1 } },
    },
    from: 2776737382,
  },
  {
    name: "lost-work-of-ended-nodes",
    file: "src/runtime/workspace/file-reader.ts",
    find: "        await recallAt(tree, path);\n",
    replace: "",
    about:
      "What a power loss took from the folder of a node that has ended, or another host has of it, stays away although it was saved: nobody works there any more who would bring it back. Found by the simulation.",
    with: { hosts: 2, agents: 2, crashes: 8, project: false, moves: false, chaosMs: 20_000, world: { power: 0.8 } },
    from: 1,
  },
  {
    name: "unsynced-lines-trusted",
    file: "src/store/log.ts",
    find: "await handles.use(path, (file) => file.sync());\n      return",
    replace: "return",
    about:
      "Lines of a killed process count as durable before they are: told to people, then lost with the power. Found by the simulation.",
    from: 1,
  },
  {
    name: "ack-before-sync",
    file: "src/store/log.ts",
    find: `await point?.("log.appended");
        await file.sync();`,
    replace: `await point?.("log.appended");
        file.sync().catch(() => undefined);`,
    about: "An append is acknowledged before it is on the disk: a power loss takes acknowledged events.",
    from: 61,
  },
  {
    name: "lost-wake-up",
    file: "src/runtime/participant/loops.ts",
    find: `      if (retries.size > 100) retries.clear();
      start();`,
    replace: "      if (retries.size > 100) retries.clear();",
    about: "Mail that arrives while its reader's loop is ending wakes nobody.",
  },
  {
    name: "effect-again-after-crash",
    file: "src/loop/act.ts",
    find: `call.status === "started" && !tool.repeatable`,
    replace: "false",
    about: "A tool that was started before a crash is started again, although it must not be repeated.",
  },
  {
    name: "double-assignment",
    file: "src/core/board/node.ts",
    find: "!one.retired &&\n      !one.node &&\n",
    replace: "!one.retired &&\n",
    about: "A worker that holds a node is given a second one.",
  },
  {
    name: "no-dedupe",
    file: "src/runtime/live.ts",
    find: "const before = key === undefined ? undefined : earlierResult(state, key, print!);",
    replace: "const before = undefined as ReturnType<typeof repeated>;",
    about: "A command that is sent again with the same key is done again.",
  },
  {
    name: "backwards-ack",
    file: "src/core/message/inbox.ts",
    find: "return upto > one.read && upto <= state.seq ?",
    replace: "return upto <= state.seq ?",
    about: "Acknowledging again, or less, is recorded as news.",
    from: 112,
  },
  {
    name: "dependency-ignored",
    file: "src/core/board/node.ts",
    find: `node.depends_on.every((id) => state.nodes.get(id)?.status === "completed");`,
    replace: "node.depends_on.every((id) => state.nodes.has(id));",
    about: "A node starts before what it depends on is completed.",
  },
  {
    name: "publish-in-place",
    file: "src/runtime/workspace/publish.ts",
    find: ": await copyTree(world, files.within(root), draft, except).catch(refused);",
    replace: `: await (async () => {
        await files.makeDir(target);
        await copyTree(world, files.within(root), target, except).catch(refused);
        return await copyTree(world, files.within(root), draft, except).catch(refused);
      })();`,
    about: "Files are published by writing them one by one where readers look.",
  },
  {
    name: "reservation-skipped",
    file: "src/core/turn/turn.ts",
    find: "assertAffordable(state, accountsOf(one.id, one.node, iso(now)), reserve);",
    replace: "",
    about: "A call is made although no budget has room for it.",
  },
  {
    name: "cut-stream-counts",
    file: "src/loop/call.ts",
    find: `throw new BackendError("transient", "the answer was cut off before its end", undefined, true);`,
    replace: "return { text, calls: distinct(calls), cost: { usd: 0, tokens: 0 } };",
    about: "Tools are run from an answer that was cut off.",
  },
  {
    name: "told-before-durable",
    file: "src/runtime/live.ts",
    find: "await last;",
    replace: "await null;",
    about: "The world is touched, and people are told, before the log is on the disk.",
    // With an agent CLI it is an endless loop: who waits until all is durable is told at once that it is, and asks again.
    with: { poison: "tool.ran", crashes: 3, world: { power: 1 }, cli: null },
    from: 280,
  },
  {
    name: "endless-recovery",
    file: "src/core/turn/turn-failure.ts",
    find: "if (!turn.orderly && turn.resumed >= limits.resumes) {",
    replace: "if (turn.resumed >= 1e9) {",
    about: "A turn that kills the process is tried for ever.",
  },
  {
    name: "double-start",
    file: "src/runtime/participant/loops.ts",
    find: `    for (;;) {
      // Starting one may already have started others, so the state is asked again each time.
      const [id] = startable(live.state(), new Set(running.keys()), limits, retryIsDue);
      if (id === undefined) return;`,
    replace: "    for (const id of startable(live.state(), new Set(running.keys()), limits, retryIsDue)) {",
    about: "A participant gets a second loop while the first one runs. Found by the simulation in our own code.",
  },
  {
    name: "snapshot-shares-state",
    file: "src/core/state.ts",
    find: 'unread: [...one.unread], ...("conversation" in one ? { conversation: [...one.conversation] } : {})',
    replace: "",
    about:
      "A snapshot goes on growing while it is written, and replay doubles what it holds. Found by the simulation in our own code.",
  },
  {
    name: "orphans-left",
    file: "src/runtime/runtime.ts",
    find: "await world.processes.sweep(programTag(given.home));",
    replace: "",
    about: "Programs that a killed process left behind go on for ever.",
    from: 1012,
  },
  {
    name: "fence-not-checked",
    file: "src/store/memory-store.ts",
    find: "if (fence < mine.fence) throw fencedProblem(agent, fence, mine.fence);",
    replace: "",
    about: "The store takes what a process writes that lost its lease: two owners in one log.",
  },
  {
    name: "takeover-forgotten",
    file: "src/runtime/runtime.ts",
    find: "takeOver: async (agent) => void (await get(agent).catch(() => undefined)),",
    replace: "takeOver: async () => undefined,",
    about: "A host that is to take over from a dead one does not: the agent lies there.",
  },
  {
    name: "lease-lost-unnoticed",
    file: "src/runtime/live.ts",
    find: 'lease.lost.addEventListener("abort", leaseLost);',
    replace: "",
    about: "A former owner that has nothing to write never learns that it is one.",
  },
  {
    name: "created-twice-elsewhere",
    file: "src/runtime/presence/creation.ts",
    find: "return key !== undefined && wasMadeFor(command, sending);",
    replace: "return false;",
    about: "Creating with the same key on another host makes a second agent. Found by the simulation in our own code.",
    from: 270,
  },
  {
    name: "sent-before-taken",
    file: "src/runtime/delivery/deliveries.ts",
    find: "const failed = await attempt(name, delivery);",
    replace: `await live.dispatch({ type: "delivery.confirm", delivery: delivery.id });
      const failed = await attempt(name, delivery);`,
    about: "A delivery is recorded as sent before the channel has taken it: a crash in between loses it.",
  },
  {
    name: "delivery-forgotten",
    file: "src/runtime/delivery/deliveries.ts",
    find: "wait(name, Date.parse(next.at) - now);",
    replace: "",
    about: "Nobody is woken for a delivery that failed: what the human was to be told stays where it is.",
  },
  {
    name: "index-left-behind",
    file: "src/runtime/events/index-follower.ts",
    find: "else if (pending.length) plan(delayMs);",
    replace: "",
    about:
      "Events that are written while the index catches up are never taken in. Found by the simulation in our own code.",
    with: { index: true },
    from: 250,
  },
  {
    name: "effect-in-the-next-run",
    file: "src/loop/act.ts",
    find: `const key = callKey(seat.state(), turn.id, call.id);
  if (tool.effect === "outside") await seat.durable();
  await seat.world.point?.("tool.started");
  seat.signal.throwIfAborted();`,
    replace: `if (tool.effect === "outside") await seat.durable();
  await seat.world.point?.("tool.started");
  const key = callKey(seat.state(), turn.id, call.id);`,
    about:
      "A call whose run was stopped while its start was written is run all the same, under the key of the next run. Found by the simulation in our own code.",
    with: {
      ...{ agents: 1, posts: 3, lives: 12, chaosMs: 6_000, cli: null, checks: false },
      ...{ model: { haste: 0 }, world: { buggify: 0.5 } },
    },
    from: 1_160,
  },
  {
    name: "pause-by-the-wall-clock",
    file: "src/runtime/delivery/deliveries.ts",
    find: "timers.set(name, world.clock.after(Math.min(ms, lookAgainMs), start));",
    replace: `const at = world.clock.now() + ms;
    const look = () => (world.clock.now() < at ? void world.clock.after(lookAgainMs, look) : start());
    timers.set(name, world.clock.after(Math.min(ms, lookAgainMs), look));`,
    about:
      "A delivery that failed waits for a time of the wall clock, which may be set back. Found by the simulation in our own code.",
    with: { clockJumps: 2, post: { failures: 0.6, slowMs: 5, untilMs: 20_000 } },
    from: 202,
  },
  {
    name: "sent-by-a-former-owner",
    file: "src/runtime/delivery/deliveries.ts",
    find: "if (live.signal.aborted || !live.state().deliveries.has(delivery.id)) return;",
    replace: "if (!live.state().deliveries.has(delivery.id)) return;",
    about: "A process that lost its agent still tells people. Found by the simulation in our own code.",
    from: 2169,
    with: { hosts: 3, pauses: 4, asks: true, post: { failures: 0, slowMs: 5, untilMs: 20_000 } },
  },
  {
    name: "wake-up-throws",
    file: "src/runtime/runtime.ts",
    find: 'presence.is === "resting" ? await get(agent).catch(() => undefined) : openedOf(presence)',
    replace: 'presence.is === "resting" ? await get(agent) : openedOf(presence)',
    about:
      "A wake-up of an agent that cannot be opened at the moment is a fault. Found by the simulation in our own code.",
    with: { hosts: 3, restAfterMs: 300, deeds: 4, world: { disk: { eio: 0.02 } } },
    from: 1159,
  },
  {
    name: "found-blob-trusted",
    file: "src/store/blobs.ts",
    find: "await files.makeDir(folder);",
    replace: "if (await files.read(path)) return;\n    await files.makeDir(folder);",
    about:
      "A blob that a failed write left behind counts as stored, and is gone with the power. Found by the simulation in our own code.",
    with: { uploads: 4, hosts: 1, crashes: 4, world: { power: 1, disk: { eio: 0.02 } } },
    from: 307,
  },
  {
    name: "session-end-forgotten",
    file: "src/main/daemon/session-file.ts",
    find: "{ durable, mode: 0o600 }",
    replace: "{ durable: false, mode: 0o600 }",
    about: "Whoever was shut out is let in again after a power loss. Found by the simulation in our own code.",
    with: { visits: 8, hosts: 1, crashes: 4, world: { power: 1 } },
    from: 118,
  },
  {
    name: "import-not-durable",
    file: "src/runtime/bundle/unpack.ts",
    find: 'await onDisk("store", name, () => file.sync());',
    replace: "",
    about:
      "An import is acknowledged before its files are on the disk: a power loss takes blobs that its log names. Found by the simulation in our own code.",
    with: { moves: true, uploads: 4, hosts: 1, crashes: 4, world: { power: 1 } },
  },
  {
    name: "given-then-refused",
    file: "src/runtime/workspace/upload.ts",
    find: "if (key === undefined || !live.state().keys.has(key)) assertKeeps",
    replace: "assertKeeps",
    about:
      "What was taken with a key is refused when it is given again after its run is over. Found by the simulation in our own code.",
    with: { uploads: 4, lives: 3, lostAcks: 0.4 },
  },
  {
    name: "begun-while-stopping",
    file: "src/runtime/runtime.ts",
    find: "return given.still === true || !awake || stopped;",
    replace: "return given.still === true || !awake;",
    about:
      "An agent that is opened while the process ends begins to work and tells people, and is then closed. Found by the simulation in our own code.",
    with: { hosts: 2, pauses: 4, crashes: 2, stops: 3, post: { failures: 0, slowMs: 5, untilMs: 20_000 } },
    from: 1037,
  },
  {
    name: "told-mail-forgotten",
    file: "src/core/turn/program.ts",
    find: "sayDuringTurn(one, turn, event.data.upto);",
    replace: "",
    about:
      "A message that reached an agent CLI while it worked counts as handled although the program died before it read it. Found by the simulation in our own code.",
    with: { cli: { faults: 0.3, gateway: false, leads: true }, posts: 4, crashes: 2 },
  },
  {
    name: "second-copy-of-a-cli",
    file: "src/runtime/assembly.ts",
    find: "await withTimeout(world.clock, patience, Promise.allSettled(jobs));\n    await access.close();",
    replace: "await access.close();",
    about:
      "An agent that is opened again after a disk error starts its CLI beside the one that is still ending. Found by the simulation in our own code.",
    with: { cli: { faults: 0.3, gateway: false, leads: true }, hosts: 1, world: { disk: { eio: 0.02 } } },
  },
  {
    name: "conversation-forgotten",
    file: "src/runtime/program/cli.ts",
    find: "let resume = known?.driver === name && isThere ? known : undefined;",
    replace: "let resume = known?.driver === name && isThere && !turn.resumed ? known : undefined;",
    about: "An agent CLI whose turn a crash interrupted begins a new conversation.",
    with: { cli: { faults: 0, gateway: false, leads: true }, crashes: 4 },
  },
  {
    name: "total-charged-again",
    file: "src/runtime/program/cli.ts",
    find: "...(counted ? { counted } : {}),",
    replace: "",
    about: "A CLI that reports totals of its conversation is charged all of it again when it is resumed.",
    with: { cli: { faults: 0, gateway: false, leads: true }, posts: 2 },
  },
  {
    name: "settled-twice",
    file: "src/core/turn/program.ts",
    find: "if (data.call !== undefined && !turn.uses?.some(({ call }) => call === data.call)) return [];",
    replace: "",
    about: "A model call through the gateway that its turn's resumption has charged already is charged again.",
    with: { cli: { faults: 0.3, gateway: true, leads: true }, crashes: 4 },
    from: 1028,
  },
  {
    name: "errored-counts-as-verified",
    file: "src/core/board/check.ts",
    find: 'if (passed.length === checks.length && passed.some(({ check }) => !isReview(check))) return "verified";',
    replace: 'if (passed.some(({ check }) => !isReview(check))) return "verified";',
    about: "A node is verified as soon as one of its checks passed, whatever became of the others.",
    with: { checks: true, cli: null },
    from: 140,
  },
  {
    name: "checked-in-place",
    file: "src/runtime/check/author.ts",
    find: "{ folder, output: mostOutput }",
    replace: '{ folder: join(root, "publishing"), output: mostOutput }',
    about: "A command checks the draft itself instead of a copy: what it changes there is published.",
    with: { checks: true, cli: null },
    from: 431,
  },
  {
    name: "mail-out-of-order",
    file: "src/core/message/outbox.ts",
    find: "if (!next.has(outgoing.to)) next.set(outgoing.to, outgoing);",
    replace: "next.set(outgoing.to, outgoing);",
    about:
      "Of several messages to one agent the last is sent first: the earlier ones are taken for repetitions and lost.",
    with: { mail: true, agents: 2, cli: null },
  },
  {
    name: "mail-confirmed-too-early",
    file: "src/runtime/delivery/outbox.ts",
    find: "const ended = await attempt(outgoing);",
    replace:
      'live.dispatch({ type: "outbox.confirm", outgoing: outgoing.id }).catch(() => undefined);\n      const ended = await attempt(outgoing);',
    about: "A message counts as delivered before the other agent has it: a crash in between loses it.",
    with: { mail: true, agents: 2, crashes: 4, cli: null },
    from: 60,
  },
  {
    name: "document-in-the-next-run",
    file: "src/runtime/workspace/file-writer.ts",
    find: "if (live.state().run?.id !== run)",
    replace: "if (false)",
    about:
      "A document that somebody writes while the next run starts becomes one of that run, and the file lies with the last. Found by the simulation.",
    with: { lives: 3, writes: 6, world: { disk: { slowSync: 0.2 } } },
    from: 2_400,
  },
  {
    name: "looks-at-once",
    file: "src/runtime/workspace/edits.ts",
    find: "const look = (path: string): Promise<void> => queues.inOrder(path, () => compare(path));",
    replace: "const look = (path: string): Promise<void> => compare(path);",
    about:
      "Two looks at a document's file at the same time take what the other one wrote for an edit by hand: an agent's lines are gone. Seen in a test.",
    with: { teamwork: true, cli: null, model: { haste: 0 } },
    from: 1_730,
  },
  {
    name: "archived-still-owes",
    file: "src/core/human/delivery.ts",
    find: 'if (state.agent?.status === "archived") return;',
    replace: "",
    about:
      "What ends because its agent is archived is still to be told to people, and can never be recorded as told. Found by the simulation.",
    with: { planned: true, lives: 3, post: { failures: 0, slowMs: 200, untilMs: 20_000 } },
  },
  {
    name: "own-call-outlives-its-turn",
    file: "src/runtime/program/tool-calls.ts",
    find: "void endWithTurn(context, one.turn.id, over);",
    replace: "",
    about: "A tool that an agent CLI called and no longer waits for runs on after its turn. Found by the simulation.",
    with: { planned: true, cli: { faults: 0, gateway: false, leads: true }, chaosMs: 12_000 },
  },
  {
    name: "late-work-unsaved",
    file: "src/runtime/checkout/keep.ts",
    find: "if (id !== undefined && !isOver() && isLate(program)) keepLateWork(id);",
    replace: "",
    about: "What a program still writes after its turn was ended is in no version. Found by the simulation.",
    with: { lives: 3, programs: true, cli: { faults: 0, gateway: false, leads: true } },
  },
  {
    name: "checkout-loses-files",
    file: "src/runtime/checkout/recall.ts",
    find: ": checkedOut(id);",
    replace: ": undefined;",
    about:
      "A power loss takes files of a checkout of which nothing was saved yet; they count as removed, and are removed from the user's folder. Found by the simulation.",
    with: { project: true, hosts: 1, crashes: 4, cli: null, world: { power: 1 } },
  },
  {
    name: "merge-forgets-ours",
    file: "src/workspace/folder/folder.ts",
    find: "if (sides.ours === sides.base) return",
    replace: "if (sides.ours) return",
    about: "A merge replaces the integration branch by what is merged: what was merged before is lost.",
    with: { project: true, hosts: 1, cli: null, chaosMs: 20_000, model: { haste: 0 } },
  },
  {
    name: "document-base-ignored",
    file: "src/core/file/document.ts",
    find: "if (expected_version !== undefined && expected_version !== version) {",
    replace: "if (expected_version !== undefined && expected_version > version) {",
    about: "A document is written over a version that its writer has not read: what others wrote meanwhile is lost.",
    with: { teamwork: true, cli: null, model: { haste: 0 } },
    from: 73,
  },
  {
    name: "expiry-invents-a-winner",
    file: "src/core/team/proposal.ts",
    find: "data: { proposal: id, verdict: verdict(proposal), expired: true }",
    replace:
      'data: { proposal: id, verdict: verdict({ ...proposal, rule: { rule: "plurality", quorum: 0, tie: "first" } }), expired: true }',
    about: "A proposal that expires is won by whoever leads, whatever its rule and quorum.",
    with: { teamwork: true, cli: null, model: { haste: 0 }, chaosMs: 20_000 },
  },
  {
    name: "idle-forgets-votes",
    file: "src/core/run/idle-end.ts",
    find: " || [...proposals.values()].some(isOpen)",
    replace: "",
    about: "A run that nobody leads ends while a vote is open.",
    with: { teamwork: true, guests: 1, agents: 2, cli: null, model: { haste: 0 } },
    from: 54,
  },
  {
    name: "release-without-a-result",
    file: "src/core/team/binding.ts",
    find: 'verdict.result === "won" && verdict.option === options[0];',
    replace: 'verdict.result !== "won" || verdict.option === options[0];',
    about: "A vote that has no result lets a run be finished that was to wait for it.",
    with: { teamwork: true, cli: null, model: { haste: 0.2 }, chaosMs: 20_000 },
  },
  {
    name: "guest-handled-unread",
    file: "src/core/team/membership.ts",
    find: "(one.read >= entry && rests(one))",
    replace: "rests(one)",
    about: "A guest reports as handled what it has not read yet: its team ends without it.",
    with: { teamwork: true, guests: 2, agents: 3, cli: null },
  },
  {
    name: "guest-news-lost",
    file: "src/core/message/inbox.ts",
    find: "if (isGuest(one)) forward(",
    replace: "if (isGuest(one) && one.unread.length < 2) forward(",
    about: "What a team tells a guest while that has not handled the last message never leaves the team.",
    with: { teamwork: true, guests: 1, agents: 2, cli: null, model: { haste: 0 } },
  },
];
