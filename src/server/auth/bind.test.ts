import fc from "fast-check";
import { expect, test } from "vitest";
import { assertBind } from "./bind.ts";

test.each(["127.0.0.1", "127.0.0.2", "::1", "localhost"])("T4 %s is this machine and needs nothing", (host) => {
  expect(() => assertBind({ host })).not.toThrow();
});

test.each([
  "0.0.0.0",
  "::",
  "",
  "0",
  "127.1",
  "127.0.0.256",
  "127.0.0.1.example.com",
  "localhost.example.com",
  "192.168.1.2",
  "::ffff:127.0.0.1",
  "example.com",
])("T4 %j alone is refused, and so it is with only one of the two words", (host) => {
  expect(() => assertBind({ host })).toThrow(expect.objectContaining({ code: "invalid" }));
  expect(() => assertBind({ host, exposed: true })).toThrow(/TLS/);
  expect(() => assertBind({ host, tls: true })).toThrow(/--expose/);
  expect(() => assertBind({ host, exposed: true, tls: true })).not.toThrow();
  expect(() => assertBind({ host, exposed: true, proxy: "https://agents.example.com" })).not.toThrow();
});

test("T4 a proxy is an https origin and nothing else", () => {
  for (const proxy of ["http://a.example", "a.example", "https://a.example/path", "", "https://u:p@a.example"])
    expect(() => assertBind({ host: "0.0.0.0", exposed: true, proxy })).toThrow(/origin/);
});

test("T4 no host that is not loopback is let through alone", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain(), fc.string()), (host) => {
      fc.pre(!/^127\./.test(host) && !["::1", "localhost", "[::1]"].includes(host));
      expect(() => assertBind({ host })).toThrow();
    }),
  );
});
