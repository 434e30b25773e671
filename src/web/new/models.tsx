/** The available models, by provider, each with its price, and the agent programs of this machine. */
import type { Offer, OfferedModel, OfferedProgram } from "../../api/models.ts";

export function Models({ offer: { models, model, programs } }: { offer: Offer }) {
  const providers = [...new Set(models.map(({ provider }) => provider))];
  return (
    <>
      {model && !models.some(({ name }) => name === model) ? <option value={model}>{model}</option> : null}
      {model || programs.some(({ state }) => state === "ready") ? null : <option value="">No model found</option>}
      {providers.map((provider) => (
        <optgroup key={provider} label={provider}>
          {models.flatMap((one) =>
            one.provider === provider ? (
              <option key={one.name} value={one.name}>
                {shortModel(one.name)} · {priceOf(one)}
              </option>
            ) : (
              []
            ),
          )}
        </optgroup>
      ))}
      <Programs programs={programs.filter(({ state }) => state !== "missing")} />
    </>
  );
}

/** One that is installed and cannot be used is shown with the reason, so that nobody looks for it. */
function Programs({ programs }: { programs: readonly OfferedProgram[] }) {
  if (!programs.length) return null;
  return (
    <optgroup label="Agent programs on this machine">
      {programs.flatMap((program) =>
        program.models.length ? (
          program.models.map((name) => (
            <option key={name} value={name}>
              {programTitle(program, name)} · {loginOf(program)}
            </option>
          ))
        ) : (
          <option key={program.name} disabled>
            {program.title} · {obstacles[program.state] ?? "cannot be used"}
          </option>
        ),
      )}
    </optgroup>
  );
}

const obstacles: Partial<Record<OfferedProgram["state"], string>> = {
  checking: "version not known yet",
  broken: "does not start",
  login: "not logged in",
};

const loginOf = ({ login, tested }: OfferedProgram): string => {
  const words = login === "login" ? "your login" : login === "unknown" ? "its own login" : "your key";
  return tested ? words : `${words}, version not tested`;
};

const programTitle = ({ title, name }: OfferedProgram, model: string): string =>
  model === name ? title : `${title} (${model.slice(name.length + 1)})`;

/** The program of a model such as `claude-code` or `claude-code/opus`. */
export const programOf = (model: string, offer: Offer | undefined): OfferedProgram | undefined =>
  offer?.programs.find(({ models }) => models.includes(model));

/** A model or program by its short name. */
export function modelTitle(model: string, offer: Offer | undefined): string {
  const program = programOf(model, offer);
  return program ? programTitle(program, model) : shortModel(model);
}

const shortModel = (name: string): string => name.slice(name.indexOf("/") + 1);

/** Per million tokens, in and out. */
export function priceOf({ price, provider }: OfferedModel): string {
  if (provider === "ollama") return "no cost";
  return price ? `$${price.input} in, $${price.output} out per million` : "price unknown";
}
