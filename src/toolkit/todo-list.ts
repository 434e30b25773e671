/**
 * A to-do list as Markdown: `- [ ] open`, `- [x] done`. Other lines, and people's formatting, stay as they are. An item's number is its position
 * among all items, done or not, so it stays the same until someone edits the file.
 */
import { Problem } from "../schema/problem.ts";

export interface Todo {
  number: number;
  text: string;
  done: boolean;
}

const item = /^(\s*[-*+]\s+\[)([ xX])(\]\s+)(.*)$/s;

export function todosIn(list: string): Todo[] {
  return list
    .split("\n")
    .flatMap((line) => {
      const [, , mark, , text] = item.exec(line) ?? [];
      return mark === undefined ? [] : [{ text: text!.trim(), done: mark !== " " }];
    })
    .map((one, at) => ({ number: at + 1, ...one }));
}

/** The same list if the item is already open on it. */
export function withTodo(list: string, text: string): string {
  const said = text.replace(/\s+/g, " ").trim();
  if (todosIn(list).some((one) => !one.done && same(one.text, said))) return list;
  const lines = (list.trim() ? list : "# To do\n\n").split("\n");
  while (lines.at(-1) === "") lines.pop();
  const last = lines.findLastIndex((line) => item.test(line));
  if (last === -1) lines.push("");
  lines.splice(last === -1 ? lines.length : last + 1, 0, `- [ ] ${said}`);
  return `${lines.join("\n")}\n`;
}

/** Finds an item by its number, its text, or a part of the text that only one open item has. */
export function findTodo(list: string, which: string): Todo {
  const all = todosIn(list);
  const said = which.trim();
  const number = /^#?(\d{1,5})[.)]?$/.exec(said)?.[1];
  const exact = all.filter((one) => (number ? one.number === Number(number) : same(one.text, said)));
  const found = exact.find((one) => !one.done) ?? exact[0];
  if (found) return found;
  const part = all.filter((one) => !number && !one.done && one.text.toLowerCase().includes(said.toLowerCase()));
  if (part.length === 1) return part[0]!;
  const state = part.length ? `${part.length} open things match` : "nothing on your list is";
  throw new Problem("not_found", `${state} ${JSON.stringify(which)}; say the number:\n${showTodos(list)}`);
}

export function withDone(list: string, number: number): string {
  let at = 0;
  return list
    .split("\n")
    .map((line) => (item.test(line) && ++at === number ? line.replace(item, "$1x$3$4") : line))
    .join("\n");
}

export function showTodos(list: string): string {
  const all = todosIn(list);
  const open = all.filter((one) => !one.done);
  const done = all.length - open.length;
  const tail = done ? `\n(${done} done)` : "";
  return open.length
    ? `${open.map((one) => `${one.number}. ${one.text}`).join("\n")}${tail}`
    : `Nothing is open.${tail}`;
}

const same = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();
