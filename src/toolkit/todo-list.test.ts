import fc from "fast-check";
import { expect, test } from "vitest";
import { findTodo, showTodos, todosIn, withDone, withTodo } from "./todo-list.ts";

test("hand-made lists keep their lines, marks and order", () => {
  const list = "My things\n=========\n\n* [ ] first  \r\n  + [X] second\nsome words\n- [ ] third\n\nthe end";
  expect(todosIn(list)).toEqual([
    { number: 1, text: "first", done: false },
    { number: 2, text: "second", done: true },
    { number: 3, text: "third", done: false },
  ]);
  expect(withDone(list, 1)).toBe(list.replace("* [ ] first", "* [x] first"));
  expect(withTodo(list, "fourth")).toBe(`${list.replace("third", "third\n- [ ] fourth")}\n`);
});

test("a thing is found by number, by text, and by a part that only one open thing has", () => {
  const list = "- [ ] call Ann\n- [ ] call Bob\n- [x] call Cid\n- [ ] 7\n";
  expect(findTodo(list, "2").text).toBe("call Bob");
  expect(findTodo(list, "#3.").text).toBe("call Cid");
  expect(findTodo(list, "CALL ann").number).toBe(1);
  expect(findTodo(list, "bob").number).toBe(2);
  expect(() => findTodo(list, "call")).toThrow('2 open things match "call"; say the number');
  expect(() => findTodo(list, "9")).toThrow('nothing on your list is "9"');
});

test("what is added is on the list, once, last and open; what was there stays", () => {
  const line = fc.oneof(fc.constantFrom("- [ ] a", "- [x] b", "# Head", "", "text", "  * [ ] c"), fc.string());
  fc.assert(
    fc.property(fc.array(line), fc.string({ minLength: 1 }), (lines, text) => {
      fc.pre(text.trim() !== "");
      const list = lines.join("\n");
      const said = text.replace(/\s+/g, " ").trim();
      const next = withTodo(list, text);
      expect(withTodo(next, text)).toBe(next);
      const before = todosIn(list);
      expect(todosIn(next).slice(0, before.length)).toEqual(before);
      expect(todosIn(next).some((one) => !one.done && one.text.toLowerCase() === said.toLowerCase())).toBe(true);
      const kept = next.split("\n");
      for (const one of list
        .replace(/\n*$/, "")
        .split("\n")
        .filter((one) => one.trim()))
        expect(kept).toContain(one);
      expect(showTodos(next)).toContain(". ");
    }),
  );
});
