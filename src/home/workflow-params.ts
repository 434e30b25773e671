/** The parameters of a workflow: what may be given, and the values that hold. */
import { closest } from "../lib/text/closest.ts";
import { Problem } from "../schema/problem.ts";
import type { ParamValue } from "../schema/workflow.ts";
import type { Workflow, WorkflowParam } from "../schema/workflow-file.ts";
import { unescapeMarks } from "./expressions.ts";

export interface Param extends Omit<WorkflowParam, "type" | "required"> {
  name: string;
  type: NonNullable<WorkflowParam["type"]>;
  required: boolean;
}

/** A parameter may be just its default. */
export function paramsOf({ params = {} }: Pick<Workflow, "params">): Param[] {
  return Object.entries(params).map(([name, given]) => {
    const whole = typeof given === "object" ? given : { default: given };
    const type = whole.type ?? (whole.choices ? "choice" : typeOf(whole.default));
    const value = typeof whole.default === "string" ? { default: unescapeMarks(whole.default) } : {};
    return { ...whole, ...value, name, type, required: whole.required ?? false };
  });
}

const typeOf = (value: ParamValue | undefined) =>
  typeof value === "number" || typeof value === "boolean" ? (typeof value as "number" | "boolean") : "string";

/** What is wrong with how it is declared. */
export function paramFlaw(param: Param, all: readonly Param[]): { field?: string; what: string } | undefined {
  const { name, type, choices, required, default: value, short } = param;
  if ((type === "choice") !== (choices !== undefined))
    return choices
      ? { field: "type", what: "choices are for a choice" }
      : { field: "type", what: "a choice needs choices" };
  if (value !== undefined && required) return { field: "required", what: "what has a default need not be given" };
  if (value !== undefined && typedValue(param, value) === undefined) return { field: "default", what: mustBe(param) };
  if (value === undefined && !required && (type === "number" || type === "choice"))
    return { what: `a ${type} needs a default, or required: true` };
  const other = short && all.find((one) => one !== param && one.short === short);
  if (other) return { field: "short", what: `-${short} is the short flag of ${other.name}` };
  return name.length === 1 && all.some((one) => one.short === name)
    ? { what: `--${name} would be confused with the short flag -${name}` }
    : undefined;
}

/** The values that hold. Throws `invalid` for what is unknown, missing or of another type, and says which there are. */
export function valuesOf(
  params: readonly Param[],
  given: Readonly<Record<string, unknown>>,
): Record<string, ParamValue> {
  const names = params.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const meant = closest(name, names);
    const known = meant ? `did you mean ${meant}?` : `parameters: ${names.join(", ") || "none"}`;
    throw new Problem("invalid", `params: there is no parameter ${name}; ${known}`);
  }
  return Object.fromEntries(
    params.map((param) => {
      const { name, about, required } = param;
      const wanted = Object.hasOwn(given, name) ? given[name] : param.default;
      if (wanted === undefined && required)
        throw new Problem("invalid", `params: ${name} is required${about ? `: ${about}` : ""}; give it with --${name}`);
      const value = wanted === undefined ? (param.type === "boolean" ? false : "") : typedValue(param, wanted);
      if (value === undefined) throw new Problem("invalid", `params: ${name} ${mustBe(param)}`);
      return [name, value];
    }),
  );
}

/** A value to check the file with before any is given. */
export const sampleOf = ({ default: value, type, choices, name }: Param): ParamValue =>
  value ?? { string: name, number: 1, boolean: false, choice: choices?.[0] ?? "" }[type];

/** Undefined if it is not one. Everything is a text on the command line. */
function typedValue({ type, choices }: Param, given: unknown): ParamValue | undefined {
  if (type === "boolean") {
    if (typeof given === "boolean") return given;
    return /^(true|yes|1)$/i.test(String(given)) ? true : /^(false|no|0)$/i.test(String(given)) ? false : undefined;
  }
  if (type === "number") {
    const number = typeof given === "string" && given.trim() ? Number(given) : given;
    return typeof number === "number" && Number.isFinite(number) ? number : undefined;
  }
  if (typeof given !== "string" && typeof given !== "number" && typeof given !== "boolean") return undefined;
  const text = String(given);
  return type === "choice" && !choices?.includes(text) ? undefined : text;
}

const mustBe = ({ type, choices = [] }: Param): string =>
  type === "choice" ? `must be one of ${choices.join(", ")}` : `must be a ${type}`;
