/** Models and agent programs from the command line: what an agent can think with here, and what is missing for the rest. */
import type { Offer } from "../../api/models.ts";
import { showCommands } from "../../lib/command-line.ts";
import { table } from "../terminal/table.ts";
import { clean, wrap } from "../terminal/text.ts";
import { type Shell, show } from "./shell.ts";

/** How often it is asked for versions that are not known yet; each time takes a moment. */
const mostLooks = 10;

export async function listModels(shell: Shell): Promise<void> {
  let offer = await shell.client.listModels();
  for (let n = 1; n < mostLooks && offer.programs.some(({ state }) => state === "checking"); n++)
    offer = await shell.client.listModels();
  show(shell, offer, () => modelLines(offer, shell));
}

export function modelLines(offer: Offer, { terminal }: Pick<Shell, "terminal">): string[] {
  const { colors } = terminal;
  const models = offer.models.map(({ name, window, price, usual }) => [
    clean(name),
    price ? `$${price.input}` : "",
    price ? `$${price.output}` : "",
    `${Math.round(window / 1000)}k`,
    usual ? "default" : price ? "" : "price unknown",
  ]);
  const columns = [
    { title: "model", wide: true },
    { title: "in", right: true },
    { title: "out", right: true },
    { title: "window", right: true },
    { title: "" },
  ];
  const [head, ...lines] = table(columns, models, terminal.width());
  const names = offer.programs.map(({ name, state }) => (state === "ready" ? name : `(${name})`));
  const column = Math.max(...names.map((name) => name.length), "agent program".length) + 2;
  const programLines = offer.programs.flatMap(({ name, title, about, remedy }, at) =>
    wrap(
      clean(showCommands(`${title === name ? "" : `${title} `}${about}${remedy ? `; ${remedy}` : ""}`)),
      terminal.width() - column,
    ).map((line, nth) => (nth ? "" : names[at]!).padEnd(column) + line),
  );
  return [
    ...(models.length ? [colors.dim(head!), ...lines] : wrap(`No models: ${clean(offer.why)}.`, terminal.width())),
    ...(models.length ? [colors.dim("Prices are in US dollars per million tokens.")] : []),
    ...(programLines.length ? ["", colors.dim("agent program"), ...programLines] : []),
  ];
}
