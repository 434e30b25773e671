/** What must hold of turns, calls, programs and compaction. */
import type { Event } from "../../schema/event.ts";
import type { Judge, Open, Rules } from "./judge.test-help.ts";

export function seeTurn(judge: Judge, event: Event, { rule, absorbs }: Rules): void {
  switch (event.type) {
    case "turn.started": {
      const { participant, turn: id, upto, reserved, node } = event.data;
      absorbs(judge.agent, "active");
      absorbs(judge.run, "open");
      rule(!judge.turns.has(participant), "one turn at a time");
      rule(judge.people.get(participant)?.retired === false, "who is retired takes no turn");
      rule(upto >= (judge.read.get(participant) ?? 0) && upto < event.seq, "it consumes what is unread");
      rule(node === judge.holds(participant), "it is for the node it holds");
      if (node) absorbs(judge.nodes.get(node)?.status, "running");
      if (node) rule(judge.nodes.get(node)!.left-- > 0, "it has turns left");
      if (node) judge.nodes.get(node)!.checkpoint = false;
      const turn: Open = {
        id,
        acting: false,
        node,
        reserved,
        day: event.ts.slice(0, 10),
        calls: new Map(),
        uses: new Map(),
      };
      judge.turns.set(participant, turn);
      const full = judge.full.get(participant);
      if (full) full.flush = true;
      judge.pay(participant, turn, reserved, rule);
      break;
    }
    case "turn.answered": {
      const turn = judge.within(event.data, rule);
      rule(!turn.acting, "it is answered once");
      const { usd, tokens } = event.data.cost;
      judge.pay(event.data.participant, turn, { usd: usd - turn.reserved.usd, tokens: tokens - turn.reserved.tokens });
      turn.reserved = { usd: 0, tokens: 0 };
      turn.acting = true;
      turn.calls = new Map(event.data.calls.map(({ id: call }) => [call, "asked"]));
      rule(turn.calls.size === event.data.calls.length, "call ids are distinct");
      break;
    }
    case "turn.resumed":
    case "turn.retried": {
      const turn = judge.within(event.data, rule);
      judge.pay(event.data.participant, turn, event.data.lost, rule);
      // Whoever waited for the results of its own calls is gone.
      if (event.type === "turn.resumed" && !turn.acting)
        for (const call of turn.calls.keys()) turn.calls.set(call, "ended");
      break;
    }
    case "program.reserved": {
      const { participant, call, reserved } = event.data;
      const turn = judge.within(event.data, rule);
      rule(!turn.acting && !turn.uses.has(call), "it is reserved once, while its turn is calling");
      turn.uses.set(call, reserved);
      judge.pay(participant, turn, reserved, rule);
      break;
    }
    case "program.settled": {
      const { participant, call, cost } = event.data;
      const turn = judge.within(event.data, rule);
      rule(!turn.acting && (call === undefined || turn.uses.has(call)), "it is settled once");
      const { usd, tokens } = turn.uses.get(call ?? "") ?? { usd: 0, tokens: 0 };
      turn.uses.delete(call ?? "");
      judge.pay(participant, turn, { usd: cost.usd - usd, tokens: cost.tokens - tokens });
      break;
    }
    case "program.opened":
    case "program.reported":
    case "program.told":
      rule(!judge.within(event.data, rule).acting, "it is under way");
      break;
    case "context.filled": {
      const { participant } = event.data;
      const before = judge.full.get(participant) ?? { flush: judge.turns.has(participant), tries: 0 };
      rule(before.tries < 2, "it is tried twice at most");
      judge.full.set(participant, { ...before, tries: before.tries + 1, why: event.data.why });
      break;
    }
    case "context.shortened": {
      const { participant } = event.data;
      rule(judge.full.get(participant)?.flush === true, "there was a turn to write down what must survive");
      rule(!judge.turns.has(participant), "no turn is under way");
      judge.full.delete(participant);
      break;
    }
    case "tool.called": {
      const turn = judge.within(event.data, rule);
      rule(!turn.acting, "it is not answered yet");
      rule(!turn.calls.has(event.data.call), "its id is new");
      const asked = [...turn.calls].filter(([call, status]) => call.startsWith("own") && status !== "ended");
      rule(event.data.reported || asked.length < 8, "not too many at once");
      turn.calls.set(event.data.call, "started");
      break;
    }
    case "tool.started":
    case "tool.ended": {
      const { calls } = judge.within(event.data, rule);
      const before = calls.get(event.data.call);
      absorbs(before, ...(event.type === "tool.started" ? ["asked"] : ["asked", "started"]));
      calls.set(event.data.call, event.type.slice(5));
      break;
    }
    case "turn.ended": {
      const turn = judge.within(event.data, rule);
      rule(turn.acting, "it was answered");
      for (const [call, status] of turn.calls) rule(status === "ended", `${call} is ${status}`);
      judge.turns.delete(event.data.participant);
      break;
    }
    case "turn.failed": {
      const turn = judge.within(event.data, rule);
      const { usd, tokens } = event.data.lost;
      judge.pay(event.data.participant, turn, { usd: usd - turn.reserved.usd, tokens: tokens - turn.reserved.tokens });
      judge.turns.delete(event.data.participant);
      // A turn that nobody heard was no turn to write anything down.
      const full = judge.full.get(event.data.participant);
      if (full && !turn.acting && ["interrupted", "provider"].includes(event.data.reason.code)) {
        if (full.why === "overflow") judge.full.delete(event.data.participant);
        else full.flush = false;
      }
      break;
    }
  }
}
