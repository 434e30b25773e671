/** Pictures of workflows: a file with its team and parameters, one with problems, and on a phone the list. */
import { ask, upAndReady } from "../../test/daemon.ts";
import { createLab, newFolder } from "../../test/program.ts";
import { brief, review } from "../../test/web/teams.ts";
import { inEveryLook } from "./camera.ts";

export async function takeWorkflows(folder: string): Promise<void> {
  const lab = await createLab();
  const files = { "workflows/brief.yaml": brief, "workflows/review.yaml": review };
  const home = newFolder({ "config.yaml": lab.config(), ...files });
  await upAndReady(home);
  lab.play({ say: "Nothing to mend." });
  await ask(home, "POST /agents", { workflow: "review", name: "loop-review", params: { place: "src/lib" } });
  await inEveryLook(folder, home, "/app/workflows?of=review", async ({ page, isPhone, shoot, visit }) => {
    const text = page.getByRole("textbox", { name: "Text of review" });
    await page.getByText("No problems").waitFor();
    await text.click({ position: { x: 80, y: 60 } });
    await shoot("workflow");
    await text.fill(review.replace("kickoff:", "kickof:"));
    await page.getByRole("button", { name: "Change to kickoff" }).waitFor();
    await shoot("workflow-problem");
    await page.getByRole("button", { name: "Discard" }).click();
    await visit("/app/workflows");
    if (isPhone) await shoot("workflow-list");
    await visit("/app/new");
    await page.getByLabel("Team").selectOption("review");
    await shoot("new-params");
  });
}
