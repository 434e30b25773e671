/** One scenario as two tests: played through, and killed at the moments that matter; both must end with the same. */
import { expect, test } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import { type Match, onStage, type Setting, type Stage } from "./stage.ts";

export interface Played {
  number: number;
  title: string;
  setting: Setting;
  /** It runs programs in the sandbox, and is left out where there is none. */
  sandbox?: boolean;
  /** How it goes when nobody kills it; the program's command unless told. */
  act?(stage: Stage): Promise<void>;
  /** Asserts what the seed asks for. */
  check(stage: Stage): Promise<void> | void;
  /** When it is killed, and what else is so in that life. */
  killed: {
    title: string;
    moments(stage: Stage): Match[];
    act?(stage: Stage): Promise<void>;
    check?(stage: Stage): void;
  };
  /** What must be the same; the outcome of the first run unless told. */
  same?(stage: Stage): unknown;
}

/** It ended well and had nothing to complain about. */
export async function runThrough(stage: Stage, moments: Match[] = []): Promise<void> {
  const { code, err, out } = await stage.live(moments);
  expect([code, err], out).toEqual([0, ""]);
}

/** `KILLS=9 npx vitest run test/scenarios` kills every scenario at so many moments more, spread over its log, one life each. */
const kills = Number(process.env.KILLS ?? 0);

const noSandbox = await machine.processes.sandbox();

export function play({
  number,
  title,
  setting,
  sandbox,
  act,
  check,
  killed,
  same = (stage) => stage.outcome(),
}: Played): void {
  const one = test.skipIf(sandbox && noSandbox).concurrent;
  const whole = Promise.withResolvers<unknown>();
  let length = 0;
  whole.promise.catch(() => undefined);
  one(title, () =>
    onStage(number, setting, async (stage) => {
      try {
        await (act ? act(stage) : runThrough(stage));
        length = stage.events().length;
        whole.resolve(same(stage));
      } catch (error) {
        whole.reject(error);
        throw error;
      }
      await check(stage);
    }),
  );
  one(killed.title, () =>
    onStage(number, setting, async (stage) => {
      await (killed.act ? killed.act(stage) : runThrough(stage, killed.moments(stage)));
      expect(same(stage)).toEqual(await whole.promise);
      killed.check?.(stage);
    }),
  );
  for (let n = 1; n <= kills && !killed.act; n++)
    test(`${title} (killed after ${n}/${kills + 1} of its events)`, () =>
      onStage(number, setting, async (stage) => {
        const wanted = await whole.promise;
        const at = Math.ceil((length * n) / (kills + 1));
        await runThrough(stage, [({ seq }) => seq >= at]);
        expect(same(stage)).toEqual(wanted);
      }));
}
