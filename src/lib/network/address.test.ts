import fc from "fast-check";
import { expect, test } from "vitest";
import { isPublic } from "./address.ts";
import { NetworkError } from "./network-error.ts";
import { parseTarget } from "./target.ts";

test.each(
  `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.0.1 169.254.169.254 172.16.0.1
  172.31.255.255 192.0.0.8 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255
  198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::8.8.8.8 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:a9fe:a9fe ::ffff:0:127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::8.8.8.8
  64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 3fff::1 4000::1 5f00::1 fc00::1
  fd00:ec2::254 fe80::1 fe80::1%eth0 2606:4700::1111%eth0 fec0::1 ff02::1 ffff::1
  0x7f.1 127.1 2130706433 017700000001 localhost ① 1.2.3 1.2.3.4.5 1.2.3.4/8`
    .split(/\s+/)
    .concat("", " 8.8.8.8"),
)("%j is not public", (address) => {
  expect(isPublic(address)).toBe(false);
});

test.each(
  "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 223.255.255.255 2606:4700:4700::1111 2a00:1450:4001::200e 2620:fe::fe".split(
    " ",
  ),
)("%s is public", (address) => {
  expect(isPublic(address)).toBe(true);
});

test("no text at all makes an IPv4 address inside an IPv6 one public", () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom("::", "::ffff:", "64:ff9b::", "::ffff:0:"), (v4, before) => {
      expect(isPublic(before + v4)).toBe(false);
    }),
  );
});

test("whatever spelling of a private address a URL has, its host is seen as that address", () => {
  const spellings = (bytes: number[]): string[] => {
    const [a, b, c, d] = bytes as [number, number, number, number];
    const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
    const wide = [...bytes.join(".")].map((sign) =>
      sign === "." ? "。" : String.fromCodePoint(sign.charCodeAt(0) + 0xfee0),
    );
    return [
      bytes.join("."),
      `${bytes.join(".")}.`,
      String(whole),
      `0x${whole.toString(16)}`,
      `0${whole.toString(8)}`,
      bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
      bytes.map((byte) => `0${byte.toString(8)}`).join("."),
      `${a}.${((b << 16) | (c << 8) | d) >>> 0}`,
      wide.join(""),
    ];
  };
  const byte = fc.integer({ min: 0, max: 255 });
  const priv = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  );
  fc.assert(
    fc.property(priv, fc.nat(8), (bytes, which) => {
      const { host, literal } = parseTarget(`http://${spellings(bytes)[which]}/`);
      expect(literal).toBe(true);
      expect(host).toBe(bytes.join("."));
      expect(isPublic(host)).toBe(false);
    }),
  );
});

const why = (url: string, allow: string[] = []) => {
  try {
    return parseTarget(url, allow).url.href;
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    return `${error.code}: ${error.message}`;
  }
};

test("only whole http and https addresses without credentials, on the ports of the web, are targets", () => {
  expect(why("https://example.com/a?b=c#d")).toBe("https://example.com/a?b=c");
  expect(why("https://example.com./")).toBe("https://example.com/");
  expect(why("http://example.com:8080/")).toBe("http://example.com:8080/");
  expect(why("example.com")).toBe(
    "invalid: example.com is not a URL; give a full one such as https://example.com/page",
  );
  for (const other of [
    "file:///etc/passwd",
    "ftp://example.com",
    "data:text/html,x",
    "javascript:1",
    "gopher://x",
    "ws://x",
  ])
    expect(why(other)).toMatch(/^invalid: .* only http/);
  expect(why("https://me:secret@example.com/x?key=secret")).toBe(
    "forbidden: the URL of https://example.com/x?… contains a user name or password; remove it",
  );
  for (const port of [22, 25, 81, 5099, 5432, 6379, 9200, 11211])
    expect(why(`http://example.com:${port}/`)).toContain(`forbidden: http://example.com:${port}/ is on port ${port};`);
  for (const host of ["localhost", "LOCALHOST.", "a.localhost", "a.b.localhost.."])
    expect(why(`http://${host}/`)).toContain("forbidden");
});

test("what the config allows is exactly this host on this port", () => {
  expect(why("http://box:5000/", ["box:5000"])).toBe("http://box:5000/");
  expect(why("http://LOCALHOST:3000/", ["localhost:3000"])).toBe("http://localhost:3000/");
  expect(parseTarget("http://[::1]:8080/", ["[::1]:8080"]).allowed).toBe(true);
  expect(parseTarget("https://127.0.0.1/", ["127.0.0.1:443"]).allowed).toBe(true);
  expect(parseTarget("http://127.1/", ["127.0.0.1:80"]).allowed).toBe(true);
  for (const near of ["box", "box:5001", "ox:5000", "box.com:5000", "*:5000", ":5000", "box:5000/"])
    expect(why("http://box:5000/", [near])).toContain("forbidden");
  expect(parseTarget("http://127.0.0.1/", ["127.0.0.1"]).allowed).toBe(false);
});

test("an error repeats no secret of the URL", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("http://u:SECRET@h/", "nope:SECRET@x?SECRET", "http://h:1/?k=SECRET", "//u:SECRET@h?SECRET"),
      (url) => {
        expect(why(url)).not.toMatch(/SECRET[^@x]|\?SECRET/);
      },
    ),
  );
});
