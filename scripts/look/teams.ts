/** Pictures of a team that nobody leads: its channel with a vote, one of its people, Graph and Time, what it decides, its documents, and the vote in Needs you. */
import { ask, upAndReady } from "../../test/daemon.ts";
import { createLab, newFolder } from "../../test/program.ts";
import { writeReview } from "../../test/web/review.ts";
import { inEveryLook } from "./camera.ts";

const of = "/app/agents/review";

export async function takeTeams(folder: string): Promise<void> {
  const lab = await createLab();
  const home = newFolder({ "config.yaml": lab.config() });
  writeReview(home, Date.now() - 3_600_000);
  await upAndReady(home);
  const written = {
    "retries.md": "# Retries\n\nFive attempts.\n",
    "glossary.md": "# Words\n",
    "limits.csv": "code,seconds\n429,60\n",
  };
  for (const [name, text] of Object.entries(written))
    await ask(home, `PUT /agents/review/workspace/documents/${name}`, { text });
  const at = "/agents/review/workspace/documents/retries.md";
  const { body } = await ask(home, `GET ${at}`);
  const text = `${written["retries.md"]}\nFive attempts, then an error:\n\n| code | waits |\n|---|---|\n| 429 | as asked |\n| 503 | 2, 4, 8 s |\n`;
  await ask(home, `PUT ${at}`, { text }, { "if-match": `"${body.sha256}"` });
  await ask(home, "PATCH /agents/review/documents/retries.md", { owner: "rae" });
  await inEveryLook(folder, home, `${of}/talk`, async ({ page, isPhone, shoot, visit }) => {
    await page.getByRole("region", { name: "Your vote" }).waitFor();
    await shoot("nobody-leads");
    await page.getByRole("textbox", { name: "Message the channel" }).fill("And with a date in the past?");
    await shoot("nobody-leads-draft");
    await page.getByRole("textbox", { name: "Message the channel" }).fill("");
    await visit(`${of}/talk?with=rae`);
    await shoot("nobody-leads-one");
    await visit(`${of}/graph`);
    await shoot("nobody-leads-graph");
    await visit(`${of}/time`);
    await page.getByRole("slider").waitFor();
    await shoot("nobody-leads-time");
    await visit(`${of}/decisions`);
    if (isPhone) {
      await page.getByText("Who owns the retry policy?").waitFor();
      await shoot("decisions-list");
    }
    await visit(`${of}/decisions?of=r1/p2`);
    await page.getByRole("region", { name: "Your vote" }).getByRole("button", { name: "Five attempts" }).click();
    await shoot("decisions");
    await page.getByRole("region", { name: "Your vote" }).getByRole("button", { name: "Vote" }).click();
    await shoot("decisions-held");
    await page.getByRole("article").getByRole("button", { name: "Undo" }).click();
    await visit(`${of}/decisions?of=r1/p1`);
    await page.getByRole("article").waitFor();
    await shoot("decisions-settled");
    if (isPhone) await page.getByRole("button", { name: "All decisions" }).click();
    await page.getByRole("button", { name: "Propose" }).first().click();
    await page.getByLabel("What follows").selectOption("budget");
    await page.getByLabel("New budget in dollars").fill("8");
    await shoot("decisions-propose");
    await visit(`${of}/documents?name=retries.md`);
    await page.getByText("Five attempts, then an error").waitFor();
    await shoot("documents");
    await page.getByRole("button", { name: "Changes" }).click();
    await shoot("documents-changes");
    await visit(`${of}/documents`);
    if (isPhone) await shoot("documents-list");
    await visit("/app/needs-you");
    await page.getByRole("region", { name: "Your vote" }).waitFor();
    await shoot("needs-vote");
  });
}
