import fc from "fast-check";
import { expect, test } from "vitest";
import { createSecrets } from "./secrets.ts";

const secrets = createSecrets("k".repeat(64));

test("T8 a secret says whose it is, and only under the key that made it", () => {
  const secret = secrets.give("ai-chips", "r1", "alice");
  expect(secrets.verify(secret)).toEqual({ agent: "ai-chips", run: "r1", participant: "alice" });
  expect(createSecrets("j".repeat(64)).verify(secret)).toBeNull();
  expect(secrets.give("ai-chips", "r2", "alice")).not.toBe(secret);
});

test("T8 a secret with any character changed, cut or added is nobody's", () => {
  const secret = secrets.give("ai-chips", "r1", "alice");
  fc.assert(
    fc.property(fc.nat(secret.length - 1), fc.constantFrom("", "A", "B", ".", "%"), (at, by) => {
      const other = secret.slice(0, at) + by + secret.slice(at + 1);
      if (other !== secret) expect(secrets.verify(other)).toBeNull();
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => secrets.verify(text) === null));
  expect(secrets.verify(`${secret}.x`)).toBeNull();
  expect(secrets.verify(`agp_${"x".repeat(1_000_000)}`)).toBeNull();
});
