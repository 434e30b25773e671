/** Which models and programs can be used from this home as things are, with their prices. Nobody is asked but whether an Ollama runs on this machine. */
import type { Offer, OfferedModel } from "../../api/models.ts";
import { BackendError } from "../../backend/backend.ts";
import type { Backends } from "../../backend/backends.ts";
import { catalog, usual } from "../../backend/models.ts";
import type { Config } from "../../schema/config.ts";
import type { Programs } from "../programs/found.ts";
import { demoGoal, demoModel } from "./demo-model.ts";

export interface OfferOptions {
  backends: Backends;
  config: Config;
  programs: Programs;
}

/** A page waits for it. */
const patienceMs = 700;

export async function offer({ backends, config, programs }: OfferOptions): Promise<Offer> {
  const [choice, ollama, found] = await Promise.all([backends.choose(), backends.ollama(), programs.look(patienceMs)]);
  const names = new Set<string>();
  if (config.model) names.add(config.model);
  for (const alias of Object.keys(config.aliases)) names.add(alias);
  for (const { provider, keyFrom } of choice.found) {
    if (!keyFrom) continue;
    if (usual[provider]) names.add(`${provider}/${usual[provider]}`);
    for (const model of catalog(provider)) names.add(`${provider}/${model}`);
  }
  for (const name of Object.keys(config.models)) if (name.includes("/")) names.add(name);
  for (const model of ollama ?? []) names.add(`ollama/${model}`);
  const goal = await demoGoal();
  return {
    model: choice.model ?? null,
    why: choice.why,
    models: [...names].flatMap((name) => described(backends, name, choice.model)),
    budget: config.budget,
    providers: choice.found.map(({ provider, ready, keyFrom, keyVariables }) => ({
      provider,
      ready: provider === "ollama" ? Boolean(ollama?.length) : ready,
      key_from: keyFrom ?? null,
      key_variables: [...keyVariables],
    })),
    ollama: ollama ?? null,
    programs: found,
    demo: goal === undefined ? null : { model: demoModel, goal },
  };
}

/** A name that means nothing is left out; asking for it would say why. */
function described(backends: Backends, name: string, chosen: string | undefined): OfferedModel[] {
  try {
    const { provider, known } = backends.resolve(name);
    const price = known.priced ? { input: known.price.input, output: known.price.output } : null;
    return [{ name, provider, window: known.window, price, usual: name === chosen }];
  } catch (error) {
    if (error instanceof BackendError) return [];
    throw error;
  }
}
