import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { findTodo, showTodos, withDone, withTodo } from "../toolkit/todo-list.ts";
import { defineTool } from "../toolkit/tool.ts";

const file = "TODO.md";

export const todo = defineTool({
  name: "todo",
  about: "Keep your list of things to do: add one, mark one as done, or see what is open.",
  guidance:
    "For what you must not forget and will not do right now; work for others belongs on the board as nodes. One thing per entry, so that it is clear when it is done. Mark it as done with its number or its text. People read and edit the same list.",
  effect: "outside",
  repeatable: true,
  offer: { words: "things to do, checklist, task list", cues: "to-do, todo list, todo" },
  input: z.object({
    action: z.enum(["add", "done", "list"]),
    text: z.string().max(500).optional().describe("What to do; for done the number or the text"),
  }),
  async run({ action, text = "" }, { memory }) {
    const shown = async (list: string) => {
      const origin = await memory.origin(file);
      if (origin === undefined) return list;
      const from = `your list, written after reading ${origin}`;
      return { text: "", data: { from, text: list, exact: true, outside: origin } };
    };
    if (action === "list") return await shown(showTodos((await memory.read(file)) ?? ""));
    if (!text.trim())
      throw new Problem("invalid", `${action} needs a text: ${action === "add" ? "what to do" : "which"}`);
    let said = "";
    await memory.edit(file, (list) => {
      if (action === "add") {
        const next = withTodo(list, text);
        said = `${next === list ? "That is open already" : "Added"}.\n${showTodos(next)}`;
        return next;
      }
      const one = findTodo(list, text);
      const next = one.done ? list : withDone(list, one.number);
      said = `${one.done ? "Was done already" : "Done"}: ${one.text}\n${showTodos(next)}`;
      return next;
    });
    return await shown(said);
  },
});
