/** The available models, by provider, each with its price. */
import type { Offer, OfferedModel } from "../../api/models.ts";

export function Models({ offer: { models, model } }: { offer: Offer }) {
  const providers = [...new Set(models.map(({ provider }) => provider))];
  return (
    <>
      {model && !models.some(({ name }) => name === model) ? <option value={model}>{model}</option> : null}
      {model ? null : <option value="">No model found</option>}
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
    </>
  );
}

export const shortModel = (name: string): string => name.slice(name.indexOf("/") + 1);

/** Per million tokens, in and out. */
export function priceOf({ price, provider }: OfferedModel): string {
  if (provider === "ollama") return "no cost";
  return price ? `$${price.input} in, $${price.output} out per million` : "price unknown";
}
