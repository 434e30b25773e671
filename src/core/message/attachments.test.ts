import fc from "fast-check";
import { expect, test } from "vitest";
import { upcasters } from "../../schema/event.ts";
import type { Attachment } from "../../schema/resource.ts";
import { refusal, start } from "../core.test-help.ts";
import { attachmentsOf, wholeText } from "./attachments.ts";

const id = "ab".repeat(32);
const sheet: Attachment = { id, title: "prices (2026).csv", type: "text/csv", size: 12 };
const keep = { type: "resource.create", resource: id, title: sheet.title, size: 12, preview: "" } as const;

test("an attachment is a field of its message; whoever is given text is told of it in a line", () => {
  const world = start();
  world.tell({ ...keep, media_type: "text/csv" }, "human");
  const [posted] = world.tell({ type: "message.post", text: "Look at this", attachments: [id, id] });
  expect(posted).toMatchObject({ data: { text: "Look at this", attachments: [sheet] } });
  expect(world.state.channel.at(-1)).toMatchObject({ text: "Look at this", attachments: [sheet] });
  expect(world.thinker("coordinator").unread.at(-1)?.text).toBe(
    `Look at this\n[attached: prices (2026).csv (text/csv, 12 bytes); the whole is resource ${id}, also readable as _resources/prices-2026-abababab.csv]`,
  );
});

test("a file alone is a message too, and nothing at all is none", () => {
  const world = start();
  world.tell(keep, "human");
  world.tell({ type: "message.post", text: "", attachments: [id] });
  expect(world.thinker("coordinator").unread.at(-1)?.text).toMatch(/^\[attached: prices/);
  expect(world.refused({ type: "message.post", text: "" })).toMatch(/^invalid: message\.post: text/);
});

test("a file that is sent to somebody who asked is the answer", () => {
  const world = start();
  world.tell(keep, "human");
  world.tell({ type: "message.post", text: "go" });
  world.tell({ type: "question.ask", by: "coordinator", text: "Which prices?" }, "coordinator");
  const of = world.answer("coordinator", ["wait"]);
  const ended = { call: "c1", outcome: "ok", result: "", wait: { for: "question", question: "q1" } } as const;
  world.tell({ type: "tool.end", ...of, ...ended }, "coordinator");
  world.tell({ type: "turn.end", ...of }, "coordinator");
  world.tell({ type: "message.post", text: "These", attachments: [id] });
  expect(world.state.questions.get("q1")).toMatchObject({ status: "answered" });
  expect(world.all("question.answered")[0]?.data.answer).toMatch(/^These\n\[attached: prices/);
});

test("text without attachments stays as it is; any title is one line of it", () => {
  expect(wholeText({ text: " as it is \n" })).toBe(" as it is \n");
  expect(wholeText({ text: "two\nlines  \n", attachments: [sheet] })).toMatch(/^two\nlines\n\[attached/);
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), (title) => {
      expect(wholeText({ text: "x", attachments: [{ ...sheet, title }] }).split("\n")).toHaveLength(2);
    }),
  );
});

test("a message of version 1, whose text ends in what goes with it, is read as one of version 2", () => {
  const [upcast] = upcasters["message.posted"]!;
  const posted = { message: "m1", from: "human", to: ["coordinator"], priority: "normal" };
  const title = fc
    .string({ unit: "binary", minLength: 1, maxLength: 200 })
    .map((text) => text.replace(/[\s\p{Cc}]+/gu, " ").trim());
  const attachment = fc
    .record({ title: title.filter(Boolean), size: fc.nat(1e9) })
    .map((some) => ({ ...sheet, ...some }));
  fc.assert(
    fc.property(
      fc.constantFrom("", "Look", "two\n\nlines"),
      fc.array(attachment, { maxLength: 3 }),
      (text, attachments) => {
        const old = { ...posted, text: wholeText({ text, attachments }) };
        expect(upcast!(old)).toEqual(attachments.length ? { ...posted, text, attachments } : old);
      },
    ),
  );
  const said = { ...posted, text: wholeText({ text: "x", attachments: [sheet] }) };
  expect(upcast!({ ...said, from: "alice" })).toMatchObject({ text: said.text }); // words of a model are words
  expect(upcast!({ ...posted, text: 7 })).toEqual({ ...posted, text: 7 });
  expect(upcast!({ ...posted, text: "no [attached: x]\n" })).toEqual({ ...posted, text: "no [attached: x]\n" });
});

test("a refusal names the last ten resources, by the beginning of their ids", () => {
  const { tell, state } = start();
  expect(refusal(() => attachmentsOf(state, [id]))).toMatch(/^not_found.*resources: none/);
  const ids = Array.from({ length: 12 }, (_, n) => n.toString(16).repeat(64));
  for (const [n, resource] of ids.entries())
    tell({ type: "resource.create", resource, title: `${n}.csv`, size: 1, preview: "" }, "human");
  const named = ids.slice(2).map((each, n) => `${each.slice(0, 12)} (${n + 2}.csv)`);
  expect(refusal(() => attachmentsOf(state, ["f".repeat(64)]))).toBe(
    `not_found: there is no resource ${"f".repeat(64)} in this run; resources: ${named.join(", ")}`,
  );
});
