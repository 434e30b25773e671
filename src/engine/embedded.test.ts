import { engineContract } from "./contract.ts";
import { createEmbedded } from "./embedded.ts";
import { createManualClock } from "./engine.test-help.ts";

engineContract("embedded", () => {
  const clock = createManualClock();
  const faults: { agent: string; error: unknown }[] = [];
  const fault = (agent: string, error: unknown) => void faults.push({ agent, error });
  const engine = createEmbedded({ clock, fault });
  return { engine, clock, pass: clock.pass, slack: 100, faults };
});
