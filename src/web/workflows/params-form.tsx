/** The values that a workflow asks for: a field for each, by its type. */
import type { WorkflowLine } from "../../api/workflows.ts";
import { Field } from "../parts/controls/field.tsx";

export type Param = WorkflowLine["params"][number];
/** As they are typed; a value that is missing is the default. */
export type Typed = Readonly<Record<string, string>>;

interface Given {
  params: readonly Param[];
  typed: Typed;
  change(typed: Typed): void;
}

export function ParamsForm({ params, typed, change }: Given) {
  const set = (name: string, value: string) => change({ ...typed, [name]: value });
  return (
    <div className="wf-params">
      {params.map((param) => {
        const { name, type, about, required } = param;
        const given = typed[name] ?? textOf(param.default);
        const wrong = flawOf(param, given);
        return (
          <Field key={name} label={required ? name : `${name} (optional)`}>
            {type === "choice" || type === "boolean" ? (
              <select className="form-input" value={given} onChange={({ target }) => set(name, target.value)}>
                {param.default === undefined ? <option value="">{required ? "Choose one" : "Not given"}</option> : null}
                {(type === "boolean" ? ["true", "false"] : (param.choices ?? [])).map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </select>
            ) : (
              <input
                className="form-input"
                inputMode={type === "number" ? "decimal" : "text"}
                value={given}
                aria-invalid={typed[name] !== undefined && wrong !== undefined}
                onChange={({ target }) => set(name, target.value)}
              />
            )}
            {about ? <small>{about}</small> : null}
          </Field>
        );
      })}
    </div>
  );
}

const textOf = (value: Param["default"]): string => (value === undefined ? "" : String(value));

function flawOf({ name, type, required }: Param, given: string): string | undefined {
  if (!given.trim()) return required ? `Fill in ${name}` : undefined;
  return type === "number" && !Number.isFinite(Number(given)) ? `${name} is a number` : undefined;
}

/** Why it cannot be started with these. */
export function whyNot(params: readonly Param[], typed: Typed): string | undefined {
  for (const param of params) {
    const flaw = flawOf(param, typed[param.name] ?? textOf(param.default));
    if (flaw) return flaw;
  }
  return undefined;
}

/** As the daemon takes them; those left at their default are left out. */
export function valuesOf(params: readonly Param[], typed: Typed): Record<string, string | number | boolean> {
  return Object.fromEntries(
    params.flatMap(({ name, type, default: usual }) => {
      const given = typed[name];
      if (given === undefined || given === textOf(usual) || !given.trim()) return [];
      return [[name, type === "number" ? Number(given) : type === "boolean" ? given === "true" : given]];
    }),
  );
}
