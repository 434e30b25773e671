/** The examples of examples/scenarios as a person uses them: the command to type, and what to put into config.yaml. */
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";

const folder = new URL("../../examples/scenarios/", import.meta.url);

export interface Example {
  file: string;
  title: string;
  goal: string;
  /** Name of the agent. */
  name: string;
  /** What comes after `agiraph`. */
  args: string[];
  config: Record<string, unknown>;
}

export const exampleFiles = (): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d\d-.*\.md$/.test(name))
    .sort();

export function example(number: number): Example {
  const start = `${String(number).padStart(2, "0")}-`;
  const file = exampleFiles().find((name) => name.startsWith(start));
  if (!file) throw new Error(`examples/scenarios has no ${start}*.md`);
  const text = readFileSync(new URL(file, folder), "utf8");
  const [command = ""] = /^agiraph run (?:[^\\\n]|\\\n)*/m.exec(fenced(text, "sh")) ?? [];
  const [, ...args] = shellWords(command);
  const config = (parse(fenced(text, "yaml")) ?? {}) as Record<string, unknown>;
  const name = args[args.indexOf("--name") + 1] ?? "";
  return { file, title: /^# (.*)$/m.exec(text)?.[1] ?? "", goal: args[1] ?? "", name, args, config };
}

const fenced = (text: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "m").exec(text)?.[1] ?? "";

/** Words, "quoted words" and a backslash at the end of a line: all that the examples use of a shell. */
function shellWords(command: string): string[] {
  const line = command.replaceAll("\\\n", " ");
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}
