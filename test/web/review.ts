/** A team that nobody leads, as a log: Rae reviews, Cody codes, Vera tests. Nobody is at work; what is open waits for the human. */
import { leaderless } from "../../src/core/leaderless.test-help.ts";
import { writeLog } from "./logs.ts";

const ballots = {
  rae: { option: "Five attempts", reason: "After five the server has blocked us in every test." },
  cody: { option: "Five attempts", reason: "It is what the vendor's own client does." },
  vera: { option: "Until an hour is over", reason: "A night job should survive a restart of the server." },
};

/** `at`: when it began; what it waits for has no deadline before then. */
export function writeReview(home: string, at: number, name = "review"): void {
  const world = leaderless(
    {
      workers: [
        { name: "Rae", role: "Reviews changes and says what would break" },
        { name: "Cody", role: "Writes the code" },
        { name: "Vera", role: "Tests what others wrote" },
      ],
      kickoff:
        "The loop in `retry.ts` never ends when the server answers 429.\n\n@Rae please say what must hold, then @Cody mends it.",
      on_idle: "stay",
    },
    "Mend the retry loop and agree on how we retry",
    at,
  );
  const later = () => {
    world.now += 90_000;
  };
  const say = (who: string, text: string) => {
    later();
    world.say(who, text);
  };
  /** A turn of tool calls only, after which who took it rests. */
  const act = (who: string, ...commands: Parameters<typeof world.tell>[0][]) => {
    later();
    const of = world.answer(who, ["vote"]);
    for (const command of commands) world.tell(command, who);
    world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "done", final: true }, who);
    world.tell({ type: "turn.end", ...of }, who);
  };
  const vote = (proposal: string, voter: string, ballot: { option: string; reason?: string }) =>
    ({ type: "proposal.vote", proposal, voter, ...ballot }) as const;

  say("rae", "@Cody it must stop after a while, and wait as long as the server asks for.");
  const owner = { text: "Who owns the retry policy?", options: ["Rae", "Cody"], voters: ["rae", "cody", "vera"] };
  act(
    "cody",
    { type: "proposal.create", ...owner, rule: "majority" },
    vote("p1", "cody", { option: "Rae", reason: "She has to defend it in every review." }),
  );
  act("vera", vote("p1", "vera", { option: "Rae" }));
  say("cody", "@Vera `Retry-After` is read. Please test it against the fake server.");
  say("vera", "@Cody passes with 429 and 503. With a date in `Retry-After` it waits for ever.");
  say("cody", "Dates are read now, too.");
  const long = {
    text: "How long do we retry?\n\nThe loop must end, and each of us expects another end. The docs need one rule.",
    options: ["Five attempts", "Until an hour is over", "As the caller says"],
  };
  act(
    "rae",
    { type: "proposal.create", ...long, rule: "majority", quorum: 3, expires_seconds: 86_400 },
    vote("p2", "rae", ballots.rae),
  );
  act("cody", vote("p2", "cody", ballots.cody));
  act("vera", vote("p2", "vera", ballots.vera));
  writeLog(home, name, world);
}
