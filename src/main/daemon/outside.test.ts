import { expect, test } from "vitest";
import { planOutside } from "./outside.ts";

test.each([
  [{ listen: "0.0.0.0:8443" }, /add --expose to allow that/],
  [{ listen: "0.0.0.0:8443", expose: true }, /would be sent unencrypted/],
  [{ listen: "0.0.0.0:8443", expose: true, tlsCert: "c" }, /needs both/],
  [{ listen: "0.0.0.0:8443", expose: true, tlsCert: "c", tlsKey: "k" }, /give the Host names/],
  [{ listen: "10.0.0.5:80", expose: true, proxy: "http://x.example" }, /is not an https origin/],
  [{ listen: "nowhere", expose: true }, /expected HOST:PORT/],
  [{ expose: true }, /--expose needs an address/],
])("%j is refused with what is missing", (given, why) => {
  expect(() => planOutside(given)).toThrow(why);
});

test("nothing is opened unless it is asked for; then only under the names that were said", () => {
  expect(planOutside({})).toBeUndefined();
  expect(planOutside({ proxy: "https://a.example" })).toEqual({ hosts: ["a.example"] });
  const tls = { tlsCert: "c", tlsKey: "k" };
  expect(planOutside({ listen: "0.0.0.0:443", expose: true, as: ["Box.example"], ...tls })).toMatchObject({
    hosts: ["box.example:443", "box.example"],
    secure: true,
  });
});
