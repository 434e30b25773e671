/** Pictures of the first page and of a new agent: with a workflow chosen, and what is found on the machine. */
import { upAndReady } from "../../test/daemon.ts";
import { createLab, newFolder } from "../../test/program.ts";
import { inEveryLook } from "./camera.ts";

const brief = `about: A question, someone who looks and someone who writes.
goal: Write a page on chips
budget: { usd: 3 }
workers:
  Ada: Looks things up. With sources.
  Ben: Writes short and plain
stages: [{ name: Look }, { name: Write }]
nodes:
  - { id: facts, title: What is known, spec: Find it, worker: Ada, stage: Look }
  - { id: page, title: Write the page, spec: Write it, worker: Ben, stage: Write, depends_on: [facts] }
`;

export async function takeFirst(folder: string): Promise<void> {
  const lab = await createLab();
  const home = newFolder({ "config.yaml": lab.config(), "workflows/brief.yaml": brief });
  await upAndReady(home);
  await inEveryLook(folder, home, "/app", async ({ page, shoot }) => {
    await page.getByText("Found on this machine").waitFor();
    await shoot("first-run");
    await page.getByRole("button", { name: "How to add Anthropic" }).click();
    await shoot("first-how");
    await page.getByLabel("Team").selectOption("brief");
    await page.getByRole("button", { name: "New folder" }).click();
    await page.getByRole("button", { name: "Further settings" }).click();
    await shoot("new-workflow");
  });
}
