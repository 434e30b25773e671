/** Pictures of Graph and Time: a team that waits, a node, the board and the list, the past in its three views, and five hundred nodes. */
import { ask, upAndReady } from "../../test/daemon.ts";
import { newFolder } from "../../test/program.ts";
import { createCast } from "../../test/web/cast.ts";
import { chips, writeBig } from "../../test/web/teams.ts";
import { inEveryLook } from "./camera.ts";

const of = "/app/agents/landscape";

export async function takeGraph(folder: string): Promise<void> {
  const cast = await createCast(chips, 0);
  const home = newFolder({ "config.yaml": cast.config });
  writeBig(home, 500);
  await upAndReady(home);
  await ask(home, "POST /agents", { goal: cast.goal, name: "landscape", budget: { usd: 6 } });
  await inEveryLook(folder, home, `${of}/graph`, async ({ page, isPhone, shoot, visit }) => {
    const asks = page.locator("[data-node^=n5-]").first();
    await asks.waitFor();
    await shoot("graph");
    await asks.click();
    await shoot("drawer");
    const drawer = page.getByRole("complementary", { name: /^Node/ });
    for (const name of ["Files", "Log", "Cost", "History"]) {
      await drawer.getByRole("tab", { name }).click();
      await shoot(`drawer-${name.toLowerCase()}`);
    }
    await page.keyboard.press("Escape");
    if (!isPhone) {
      for (const name of ["Board", "List"]) {
        await page.getByRole("tab", { name }).click();
        await shoot(name.toLowerCase());
      }
    }
    await visit(`${of}/time`);
    await page.getByRole("slider").waitFor();
    await shoot("time");
    for (const show of ["graph", "talk", "files"]) {
      await visit(`${of}/time?at=60&show=${show}`);
      await shoot(`past-${show}`);
    }
    await page
      .locator(".moment")
      .getByRole("button", { name: /GOAL\.md|_plan\.md|vendors\.md/ })
      .first()
      .click();
    await shoot("past-file");
    await visit("/app/agents/chips/graph");
    await shoot("big");
  });
}
