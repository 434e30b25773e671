/** Who thinks for a participant now (schema/driver.ts). */
import { type Driver, driverOf, isProgramDriver } from "../../schema/driver.ts";
import type { Participant, Thinker } from "../../schema/worker.ts";
import { modelOf } from "../lookup.ts";
import type { State } from "../state.ts";

export const driverFor = (state: State, one: Thinker): Driver =>
  driverOf(modelOf(state, one) ?? state.agent?.model ?? "");

/** Its loop is its own: it calls tools by itself, keeps its own conversation, and its turn is as long as it works. */
export const isProgram = (state: State, one: Participant): boolean =>
  one.kind !== "human" && isProgramDriver(driverFor(state, one));

/** A program that we speak with through files in its scratch. */
export const worksByFiles = (state: State, one: Thinker): boolean => driverFor(state, one).by === "command";
