import { expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const redactor = createRedactor(["sk-secret-one", "sk-secret-one-longer", "short"]);

test("known secrets are taken out, the longest first, and innocent words stay", () => {
  expect(redactor.text("a sk-secret-one, b sk-secret-one-longer, c short")).toBe("a [secret], b [secret], c short");
});

test("a secret that ends as it begins is given out in no piece", () => {
  const next = createRedactor(["key-AAAA-key-"]).pieces();
  expect(next("a key-AAAA-key-") + next("b", true)).toBe("a [secret]b");
});

test("in pieces of any size nothing of a secret is given out, and nothing else is lost", () => {
  const said = "say sk-secret-one-longer and sk-sec, then sk-secret-onX: sk-secret-one";
  for (let size = 1; size < said.length; size++) {
    const next = redactor.pieces();
    let out = "";
    for (let at = 0; at < said.length; at += size) out += next(said.slice(at, at + size));
    out += next("", true);
    expect(out).not.toContain("sk-secret-one");
    expect(out).toBe("say [secret] and sk-sec, then sk-secret-onX: [secret]");
  }
});
