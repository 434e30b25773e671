/** Pictures of the changes to a repository: a node's diff with a comment, all merged work, what a decision would do, and the node's drawer. */
import { ask, upAndReady } from "../../test/daemon.ts";
import { newFolder } from "../../test/program.ts";
import { createCast } from "../../test/web/cast.ts";
import { newRepository, retry } from "../../test/web/repositories.ts";
import { inEveryLook } from "./camera.ts";

export async function takeChanges(folder: string): Promise<void> {
  const cast = await createCast(retry);
  const home = newFolder({ "config.yaml": cast.config });
  await upAndReady(home);
  await ask(home, "POST /agents", { goal: cast.goal, name: "shop", folder: newRepository() });
  await inEveryLook(folder, home, "/app/agents/shop/changes?node=merged", async ({ page, shoot, visit }) => {
    await page.locator(".dv-row.k-line").first().waitFor();
    await shoot("changes");
    await page.getByRole("button", { name: "Merge into main…" }).click();
    await shoot("changes-merge");
    await page.keyboard.press("Escape");
    await visit("/app/agents/shop/changes?node=n1-retry-price-fetches");
    await page.getByRole("button", { name: "Comment on line 3" }).last().click();
    await page.getByLabel("Comment on this line").fill("Why 5? The vendor locks us out after 4 in a minute.");
    await shoot("changes-comment");
    await visit("/app/agents/shop/graph#n2-describe-retries");
    await page.getByRole("link", { name: "See the diff" }).waitFor();
    await shoot("changes-drawer");
  });
}
