/** A small repository of the user, and a team that changes it: one node is merged, one is not, and whoever wrote the first answers a comment. */
import { execFileSync } from "node:child_process";
import type { ScriptInput } from "../../src/backend/scripted.ts";
import { newFolder } from "../program.ts";

const before = `/** What a thing costs. */
export async function fetchPrice(sku) {
  const response = await fetch(url(sku));
  if (!response.ok) throw new Error("price failed");
  const body = await response.json();
  return body.price;
}
`;
export const after = `/** What a thing costs. */
export async function fetchPrice(sku) {
  const response = await retry(() => fetch(url(sku)), { tries: 5 });
  if (!response.ok) throw new PriceError(sku, response.status);
  const body = await response.json();
  return body.price;
}
`;

export const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=You", "-c", "user.email=you@example.com", ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
  });

export function newRepository(): string {
  const folder = newFolder({ "src/prices.js": before, "README.md": "# Prices\n" });
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "first");
  return folder;
}

const node = (name: string, worker: string) => ({
  tool: "create_work_node",
  input: { name, task: `${name}, and say what you did.`, worker },
});
const change = (path: string, content: string, summary: string) => [
  { calls: [{ tool: "write_file", input: { path, content } }] },
  { calls: [{ tool: "publish", input: { summary } }] },
];

export const retry: ScriptInput = {
  goal: "Make price fetches survive a bad minute",
  participants: {
    coordinator: [
      { calls: ["Rui", "Ada"].map((name) => ({ tool: "spawn_worker", input: { name, role: "writes code" } })) },
      { calls: [node("Retry price fetches", "Rui"), node("Describe retries", "Ada"), { tool: "wait_for_nodes" }] },
      { calls: [{ tool: "merge", input: { node: "n1" } }] },
      { calls: [{ tool: "ask_human", input: { question: "Is this what you want?", options: ["Yes", "No"] } }] },
    ],
    rui: [
      ...change("src/prices.js", after, "Fetches are tried five times"),
      { calls: [{ tool: "send_message", input: { to: "human", content: "src/prices.js:3: It is 4 now." } }] },
    ],
    ada: change("README.md", "# Prices\n\nA fetch is tried again.\n", "Retries are described"),
  },
};
