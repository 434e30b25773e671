/** Pictures of the first page and of a new agent: with a workflow chosen, and what is found on the machine. */
import { upAndReady } from "../../test/daemon.ts";
import { createLab, newFolder } from "../../test/program.ts";
import { brief } from "../../test/web/teams.ts";
import { inEveryLook } from "./camera.ts";

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
