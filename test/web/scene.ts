/** A home with agents that want everything a human can be asked for, and with files of every kind: what the pages are looked at with. */
import { join } from "node:path";
import { ask, serveHere } from "../daemon.ts";
import { createLab, newFolder, put } from "../program.ts";

/** Texts that would do harm if anybody took them for more than texts. */
export const hostile = [
  `<script>alert("script")</script>`,
  `<img src=x onerror=alert("img")>`,
  `[click](javascript:alert("link"))`,
  `<svg onload=alert("svg")><circle r=1></svg>`,
  `![p](https://evil.example/x.png)`,
  `<iframe src="javascript:alert(1)"></iframe>`,
  `"><a href="javascript:alert(1)">x</a>`,
  `<style>@import url(https://evil.example/a.css);</style>`,
  `<a href="https://evil.example" ping="https://evil.example/p">y</a>`,
].join("\n\n");

/** As a name of a file: what a disk allows of it. */
export const hostileName = `<img src=x onerror=alert(1)> "'&%41.md`;

export interface Scene {
  home: string;
  lab: Awaited<ReturnType<typeof createLab>>;
  at(agent: string): string;
  /** Until the agent waits for the human. */
  asked(agent: string, count?: number): Promise<void>;
}

/** Served here unless `up` says otherwise. */
export async function openScene(up: (home: string) => Promise<unknown> = serveHere): Promise<Scene> {
  const lab = await createLab();
  const policy = "policy:\n  - do: ask\n    tool: write_file\n    why: it writes\n";
  const home = newFolder({ "config.yaml": lab.config(policy) });
  await up(home);
  return {
    home,
    lab,
    at: (agent) => join(home, "agents", agent),
    async asked(agent, count = 1) {
      for (let tries = 0; tries < 400; tries++) {
        const { body } = await ask(home, `GET /agents/${agent}/questions?status=open`);
        const { body: approvals } = await ask(home, `GET /agents/${agent}/approvals?status=open`);
        if (new Set([...body.items, ...approvals.items].map(({ id }) => id)).size >= count) return;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`${agent} asks nothing`);
    },
  };
}

export async function withQuestion(scene: Scene, name: string, question: string, options?: string[]): Promise<void> {
  scene.lab.play({
    tool: "ask_human",
    input: { question, ...(options ? { options, default: options[0], deadline_seconds: 900 } : {}) },
  });
  await ask(scene.home, "POST /agents", { goal: `${question.split("\n")[0]} (goal)`, name, budget: { usd: 6 } });
  await scene.asked(name);
}

export async function withApproval(scene: Scene, name: string, input: object): Promise<void> {
  scene.lab.play({ tool: "write_file", input });
  await ask(scene.home, "POST /agents", { goal: "Write it down", name });
  await scene.asked(name);
}

/** Into the workspace of the first run. */
export function putFiles(scene: Scene, agent: string, files: Record<string, string>): void {
  put(join(scene.at(agent), "runs", "r1"), files);
}
