/** Pictures of threads: of a team at work and when it is done, of a question, of attached files, and of an address that leads nowhere. */
import { ask, upAndReady } from "../../test/daemon.ts";
import { createLab, newFolder } from "../../test/program.ts";
import { createCast } from "../../test/web/cast.ts";
import { shed } from "../../test/web/teams.ts";
import { inEveryLook } from "./camera.ts";

export async function takeTalk(folder: string): Promise<void> {
  const lab = await createLab();
  const home = newFolder({ "config.yaml": lab.config() });
  await upAndReady(home);
  lab.play({
    say: "I found two ways. Before I go on I need to know what you prefer.",
    tool: "ask_human",
    input: {
      question:
        "Should the report cover chips sold only in China?\n\nAscend and Cambricon matter for volume, but your board cannot buy them.",
      options: ["Leave them out", "One page, public sources", "A full section"],
      default: "One page, public sources",
    },
  });
  await ask(home, "POST /agents", {
    goal: "Map the AI chip landscape for 2026: who leads in training and in inference, what an hour costs, where supply is tight.",
    name: "chips",
    budget: { usd: 6 },
  });
  await inEveryLook(folder, home, "/app/agents/chips/talk", async ({ page, shoot, visit }) => {
    await page.getByRole("region", { name: "Question from Coordinator" }).waitFor();
    await shoot("question");
    const sheet = { name: "prices.csv", mimeType: "text/csv", buffer: Buffer.from("chip,price\nH100,25000\n") };
    await page.getByLabel("Files to attach").setInputFiles([sheet]);
    await page.getByRole("list", { name: "Attached files" }).getByText("22 B").waitFor();
    await shoot("attached");
    await page.getByRole("button", { name: "Remove prices.csv" }).click();
    await visit("/app/agents/nope/talk");
    await shoot("nowhere");
  });
  await takeTeam(folder);
}

async function takeTeam(folder: string): Promise<void> {
  const cast = await createCast(shed, 0.2);
  const home = newFolder({ "config.yaml": cast.config });
  await upAndReady(home);
  await ask(home, "POST /agents", { goal: cast.goal, name: "shed" });
  await inEveryLook(folder, home, "/app/agents/shed/talk", async ({ page, shoot, visit }) => {
    await page.getByRole("region", { name: "Question from Bob" }).waitFor();
    await shoot("talk");
    await visit("/app/agents/shed/talk?with=alice");
    await shoot("worker");
    await visit("/app/agents/shed/talk?with=channel");
    await shoot("channel");
  });
  await ask(home, "POST /agents/shed/respond", { response: "Green" });
  await inEveryLook(folder, home, "/app/agents/shed/talk", async ({ page, shoot }) => {
    await page.getByRole("region", { name: "The answer" }).waitFor();
    await shoot("done");
  });
}
