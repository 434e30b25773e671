/** Pictures of hosts that commands want to reach: in Needs you and in Talk, one of them a registry. */
import { ask, serveHere } from "../../test/daemon.ts";
import { newFolder } from "../../test/program.ts";
import { createCast } from "../../test/web/cast.ts";
import { reachers } from "../../test/web/teams.ts";
import { inEveryLook } from "./camera.ts";

export async function takeHosts(folder: string): Promise<void> {
  const cast = await createCast(reachers);
  const home = newFolder({ "config.yaml": cast.config });
  await serveHere(home);
  await ask(home, "POST /agents", { goal: cast.goal, name: "prices" });
  await inEveryLook(folder, home, "/app/needs-you", async ({ page, shoot, visit }) => {
    await page.getByRole("heading", { name: "May a command reach" }).waitFor();
    await shoot("host-needs-you");
    await visit("/app/agents/prices/talk?with=ada");
    await page.getByRole("region", { name: "Approval for Ada" }).waitFor();
    await shoot("host-talk");
    await visit("/app/agents/prices/talk?with=dan");
    await page.getByRole("region", { name: "Approval for Dan" }).waitFor();
    await shoot("host-registry");
  });
}
