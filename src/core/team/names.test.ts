import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Slug } from "../../schema/ids.ts";
import { refusal, start } from "../core.test-help.ts";
import { requireParticipant, slug } from "./names.ts";

const spawn = (name: string) => ({ type: "worker.spawn", name }) as const;

describe("a slug", () => {
  test.each([
    ["NVIDIA: research!", "nvidia-research"],
    ["  a  b  ", "a-b"],
    ["Zoë Müller", "zoe-muller"],
    ["ﬁnal ①", "final-1"],
    ["日本", "x"],
    ["", "x"],
    ["--__proto__--", "proto"],
    ["../../etc/passwd", "etc-passwd"],
  ])("of %j is %j", (text, expected) => {
    expect(slug(text)).toBe(expected);
  });

  test("is cut without a hyphen at its end", () => {
    expect(slug("abc def", 4)).toBe("abc");
    expect(slug("x".repeat(99))).toHaveLength(40);
  });

  test("is always a slug, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        expect(Slug.safeParse(slug(text)).success).toBe(true);
      }),
    );
  });
});

describe("a name", () => {
  test.each([
    ["Нuman", "reserved"],
    ["Ηuman", "reserved"],
    ["Ｈuman", "reserved"],
    ["𝐇𝐮𝐦𝐚𝐧", "reserved"],
    ["Hurnan", "reserved"],
    ["H-u-m-a-n", "reserved"],
    ["Hu\u3164man", "reserved"],
    ["ѕуѕтем", "reserved"],
    ["Systern", "reserved"],
    ["Cооrdinator", "reserved"],
    ["C00rdinat0r", "reserved"],
    ["Аlice", "mixes letters"],
    ["Alісе", "mixes letters"],
    ["A1ice", "collides with Alice"],
    ["Αlic3ς", "mixes letters"],
  ])("that looks like another is refused: %j", (name, says) => {
    expect(start().refused(spawn(name))).toContain(says);
  });

  test.each(["Анна", "Νίκος", "Human Resources", "Systems", "José", "日本", "Иван Petrov", "Bo"])(
    "of any one alphabet is free: %j",
    (name) => {
      const { tell, state } = start();
      tell(spawn(name));
      expect([...state.participants.values()].at(-1)?.name).toBe(name);
    },
  );

  test.each(["alice", "ALICE", "Alice", "Ａlice", "alicE"])("that is taken is refused as %j", (name) => {
    expect(start().refused(spawn(name))).toBe(
      `name_taken: ${name} collides with Alice (names are compared by appearance, ignoring case); choose another`,
    );
  });

  test.each([
    ["STRASSE", "straße"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ΟΔΟΣ", "οδος"],
    ["Zoë", "ZOË"],
    ["ﬁn", "FIN"],
    ["Å", "Å"],
    ["ǅ", "ǆ"],
    ["K", "k"],
    ["ẞ", "ß"],
  ])("%j is the same as %j", (one, other) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      const { tell, refused, state } = start();
      tell(spawn(first));
      expect(refused(spawn(second))).toMatch(/^name_taken: /);
      expect(requireParticipant(state, second).name).toBe(first);
    }
  });

  test.each(["system", "All", "EVERYONE", "Coordinator", "human", "Human.", "HUMAN"])("%j is reserved", (name) => {
    expect(start().refused(spawn(name))).toBe(`name_taken: ${name} is a reserved name, or looks like one`);
  });

  test.each(["", " alice", "alice ", "@alice", "a/b", "..", "a\u0000", "a\nb", "*", "a".repeat(41), "__proto__"])(
    "%j is none",
    (name) => {
      expect(start().refused(spawn(name))).toMatch(/^invalid: worker.spawn: name: 1 to 40 letters/);
    },
  );

  test("that the id cannot tell from another gets an id of its own", () => {
    const { tell, state } = start();
    for (const name of ["Анна", "Борис", "日本", "Zoe", "Zoë"]) tell(spawn(name));
    expect([...state.participants.values()].slice(4).map(({ id, name }) => `${id} ${name}`)).toEqual([
      "x Анна",
      "x-2 Борис",
      "x-3 日本",
      "zoe Zoe",
      "zoe-2 Zoë",
    ]);
    for (const one of state.participants.values()) {
      expect(requireParticipant(state, one.id)).toBe(one);
      expect(requireParticipant(state, one.name)).toBe(one);
    }
  });

  test("that is another's id is taken", () => {
    const { tell, refused } = start();
    tell(spawn("Анна"));
    expect(refused(spawn("X"))).toMatch(/^name_taken: X collides with Анна/);
  });

  test("of a retired worker stays taken", () => {
    const { tell, refused } = start();
    tell({ type: "worker.retire", worker: "bob" });
    expect(refused(spawn("BOB"))).toMatch(/^name_taken: BOB collides with Bob/);
  });

  test("leads to exactly one participant, whatever names there are", () => {
    const letters = fc.constantFrom(..."aAbBßẞsSσςΣiıİIfﬁé日я1.-_ ");
    const name = fc.oneof(
      fc.string({ unit: letters, minLength: 1, maxLength: 4 }),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 20 }), (names) => {
        const { tell, state } = start({ workers_per_run: 100 });
        for (const given of names) attempt(() => tell(spawn(given)));
        const everyone = [...state.participants.values()];
        for (const one of everyone) {
          for (const spelling of [one.id, one.name, one.name.toUpperCase(), one.name.toLowerCase(), `@${one.name}`])
            expect(requireParticipant(state, spelling)).toBe(one);
          expect(Slug.safeParse(one.id).success).toBe(true);
        }
        expect(new Set(everyone.map((one) => one.id)).size).toBe(everyone.length);
      }),
    );
  });
});

test("who is not there is named, with who is", () => {
  const { state } = start();
  expect(refusal(() => requireParticipant(state, "__proto__"))).toBe(
    'not_found: there is no participant "__proto__"; participants: Human, Coordinator, Alice, Bob',
  );
});

function attempt(run: () => unknown): void {
  try {
    run();
  } catch {
    // A name that is refused is not there.
  }
}
