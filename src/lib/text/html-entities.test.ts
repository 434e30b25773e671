import { expect, test } from "vitest";
import { decodeEntities } from "./html-entities.ts";

test("names and numbers become characters, once", () => {
  expect(decodeEntities("a &amp;lt; b &LT; &#65;&#x42; &hellip;&nbsp;&mdash;")).toBe("a &lt; b < AB … —");
});

test("an unknown name stays, and a number that is not a character is removed", () => {
  expect(decodeEntities("R&D; &bogus; &#0;&#x110000;&#xd800;")).toBe("R&D; &bogus; \ufffd");
});
