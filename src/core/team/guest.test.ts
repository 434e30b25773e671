import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { leaderless } from "../leaderless.test-help.ts";

const born = "2025-12-01T00:00:00.000Z";

/** A team in which the lasting agent alice takes part. */
function withAlice() {
  const world = leaderless({
    workers: [
      { name: "Alice", role: "reviews", ref: "alice" },
      { name: "Cody", role: "codes" },
    ],
    kickoff: "@Alice, look at it.",
  });
  let sent = 0;
  const guest = () => world.state.participants.get("alice")!;
  return Object.assign(world, {
    guest,
    first: guest().unread[0]!.seq,
    /** What alice reports, as a new message of her outbox unless it is sent again. */
    report(handled: number, seq = ++sent) {
      const given = { type: "message.receive", from: "alice", born, seq, text: "", hops: 1, notice: true, handled };
      return world.tell(given as CommandInput, "agent:alice");
    },
  });
}

describe("what a guest reports as handled", () => {
  test("never goes backwards, and counts once", () => {
    const { report, guest, tell, first } = withAlice();
    tell({ type: "message.post", from: "cody", to: "alice", text: "And this." }, "cody");
    const last = guest().unread.at(-1)!.seq;
    expect(report(last).map(({ type }) => type)).toEqual(["inbox.acked"]);
    expect(report(first)).toEqual([]);
    expect(report(last)).toEqual([]);
    expect(guest()).toMatchObject({ read: last, unread: [] });
  });

  test("is not lost under what came after it: the rest stays unread, and the team is not idle", () => {
    const { report, guest, tell, first, rest, state } = withAlice();
    tell({ type: "message.post", from: "cody", to: "alice", text: "And this." }, "cody");
    report(first);
    expect(guest().unread).toMatchObject([{ text: "And this." }]);
    rest();
    expect(state.run?.status).toBe("open");
  });

  test("is nothing that the team has not sent yet", () => {
    const { report, guest, state } = withAlice();
    expect(report(state.seq + 1)).toEqual([]);
    expect(guest().unread).toHaveLength(1);
  });
});

test("a guest's refusal handles what was refused, and the team ends without it", () => {
  const { state, tell, guest, rest, first } = withAlice();
  const reason = { code: "not_found", message: "there is no agent alice", next_mover: "human" };
  tell({ type: "outbox.refuse", outgoing: `${first}/alice`, reason }, "system");
  expect(guest().unread).toEqual([]);
  rest();
  expect(state.run?.status).toBe("completed");
});
