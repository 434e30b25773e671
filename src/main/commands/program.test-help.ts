/** The whole command line, for tests that look at it and run nothing. */
import type { Command } from "commander";
import { createProgram } from "./all.ts";

/** `complain` is told what the command line says to words that are wrong. */
export const newProgram = (complain: (message: string) => void = () => undefined): Command =>
  createProgram(
    {
      home: () => "",
      json: () => false,
      alone: () => false,
      where: () => ({ home: "", json: false, alone: false }),
      outlive: () => undefined,
      end: () => undefined,
    },
    complain,
  );
