import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectProportional } from "../lib/growth.test-help.ts";
import { findSecrets, scrub } from "./secrets.ts";

// Joined here, so that no scanner of this repository takes the examples for real ones.
const secrets: [kind: string, text: string][] = [
  ["Anthropic key", `key sk-${"ant-api03-"}Ab3dEf6hIj9kLm2nOp5qRs8t`],
  ["API key", `OPENAI sk-${"proj-"}a1B2c3D4e5F6g7H8i9J0k1L2`],
  ["API key", `sk-${"or-v1-"}0a1b2c3d4e5f60718293a4b5c6d7e8f9`],
  ["Google key", `AIza${"SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"}`],
  ["GitHub token", `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`],
  ["GitHub token", `github_pat_${"11ABCDEFG0a1b2c3d4e5f6_xyz"}`],
  ["GitLab token", `glpat-${"a1B2c3D4e5F6g7H8i9J0"}`],
  ["AWS access key", `AKIA${"IOSFODNN7EXAMPLE"}`],
  ["Slack token", `xoxb-${"123456789012-abcdefGHIJKL"}`],
  ["Slack webhook", `https://hooks.slack.com/services/${"T00000000/B00000000/XXXXXXXX"}`],
  ["Stripe key", `sk_live_${"4eC39HqLyjWDarjtT1zdp7dc"}`],
  ["API key", `npm_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`],
  ["SendGrid key", `SG.${"a1B2c3D4e5F6g7H8i9J0k1"}.${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V"}`],
  ["PyPI token", `pypi-AgE${"IcHlwaS5vcmcCJGE1YjJjM2Q0ZTVmNmc3aDhpOWowazFsMm0zbjRvNXA2"}`],
  ["Telegram token", `123456789:${"AAbC1dE2fG3hI4jK5lM6nO7pQ8rS9tU0vWx"}`],
  ["JSON web token", `eyJ${"hbGciOiJIUzI1NiJ9"}.eyJ${"zdWIiOiIxMjM0NTY3ODkwIn0"}.dozjgNryP4J3jVmNHl0w5N`],
  ["private key", `-----BEGIN RSA ${"PRIVATE"} KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA ${"PRIVATE"} KEY-----`],
  ["private key", `-----BEGIN ${"PRIVATE"} KEY-----\nMIIEowIBAAKCAQEA7bq`],
  ["authorization header", "curl -H 'Authorization: Bearer 9f8e7d6c5b4a39281706f5e4'"],
  ["authorization header", "Authorization: Basic YWRtaW46aHVudGVyMg12"],
  ["password in an address", "postgres://app:hunter2@db.internal:5432/main"],
  ["password in an address", "redis://:s3cr3tpw@cache"],
  ["password", "password=Summer2024!"],
  ["password", 'DB_PASSWORD: "tr0ub4dor&3"'],
  ["password", "the password is correct-horse-9"],
  ["secret value", "api_key = 9f8e7d6c5b4a39281706f5e4d3c2b1a0"],
  ["secret value", '{"client_secret":"Zx81mQ4vB7nK2pL9sD3f"}'],
  ["secret value", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"],
  ["secret value", "token: q7Rt5Yz2Kp9Lm4Nx8Vb1"],
];

test.each(secrets)("a %s is found, and its value is in no finding and not in what is left", (kind, text) => {
  const found = findSecrets(`first line\n${text}\nlast line`);
  expect(found.map((one) => [one.kind, one.line])).toEqual([[kind, 2]]);
  const left = scrub(`first line\n${text}\nlast line`);
  expect(left).toContain(`[${kind} removed]`);
  expect(left).toMatch(/^first line\n[\s\S]*last line$/);
  expect(findSecrets(left)).toEqual([]);
});

describe("what is no secret passes", () => {
  test.each([
    "commit 1968e14a0c3b5d7f9e2a4c6b8d0f1e3a5c7b9d1f fixes it",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "run 123e4567-e89b-12d3-a456-426614174000 ended",
    "idempotency token: 123e4567-e89b-12d3-a456-426614174000",
    "max_tokens: 4096000000000000",
    "token: see the vault entry of the billing team",
    "password: ask Bob",
    "The password is rotated every quarter.",
    "password=$DB_PASSWORD",
    "password: <your-password-2024>",
    `api_key: $${"{OPENAI_API_KEY}"}`,
    "api_key = os.environ['KEY_2024_PRODUCTION']",
    "api_key: process.env.OPENAI_API_KEY_2",
    "api_key_env: OPENAI_API_KEY",
    "the API key is in OPENAI_API_KEY",
    "postgres://app:$PASSWORD@db/main",
    "postgres://app:password@localhost/main",
    "https://example.com:8080/@alice",
    "task-management-for-the-whole-team-2024",
    "sk-learn-compatible-estimators-overview",
    "bearer of bad news: it failed again in 2024",
    "Bearer authentication-with-short-lived-tokens",
    "secret: projects are named after rivers",
    "secret_key: /run/secrets/db-key-2024-a1",
    "tokenizer: cl100k_base_v2_final_2024",
    "xoxo-hugs-and-kisses",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx0k8v2m1n3b5v7c9x1z3a5s7d9f1g3h5j7k9l1 me@host",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
  ])("%s", (text) => {
    expect(findSecrets(text)).toEqual([]);
    expect(scrub(text)).toBe(text);
  });
});

test("several secrets are found in order, each with its line", () => {
  const text = secrets.map(([, one]) => one).join("\n\n");
  const found = findSecrets(text);
  expect(found).toHaveLength(secrets.length);
  expect(found.map((one) => one.line)).toEqual(found.map((one) => one.line).toSorted((a, b) => a - b));
});

test("whatever surrounds it, a key does not survive", () => {
  const key = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, after) => {
      const left = scrub(`${before} ${key} ${after}`);
      expect(left).not.toContain(key);
    }),
  );
});

test.each([
  "a",
  "-",
  "sk-",
  "password=",
  "-----BEGIN PRIVATE KEY-----",
  "a://b:c",
  "eyJaaaaaaaaaaaa.",
  "token is ",
  " ",
])("a long text of %j takes time in proportion to it", (piece) => {
  expectProportional(80_000, (size) => findSecrets(piece.repeat(Math.ceil(size / piece.length))));
});

// biome-ignore format: a table
test.each([
  "sk-ant-", "sk-", "ghp_", "glpat-", "xoxb-1", "https://hooks.slack.com/services/", "sk_live_", "hf_", "pypi-AgE", "eyJ", "password=", "token: ",
  "Bearer ", "postgres://a:", "-----BEGIN PRIVATE KEY-----\n", "api_key='",
])("megabytes behind %j are read to their end", (begin) => {
  for (const sign of ["a1", "AAAAAAAAAAAAAAAA\n"])
    expect(() => findSecrets(begin + sign.repeat(5_000_000 / sign.length))).not.toThrow();
});

test("what two shapes find in the same place is one finding, the longer one, and what they find side by side is two", () => {
  const jwt = `eyJ${"hbGciOiJIUzI1NiJ9"}.eyJ${"zdWIiOiIxMjM0NTY3ODkwIn0"}.dozjgNryP4J3jVmNHl0w5N`;
  expect(findSecrets(`Authorization: Bearer ${jwt}`)).toHaveLength(1);
  const key = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
  expect(findSecrets(`${key} ${key}`)).toHaveLength(2);
  expect(scrub(`${key} ${key}`)).toBe("[GitHub token removed] [GitHub token removed]");
});

test("a UUID is a secret where it is assigned to one, and not where it is a token of something", () => {
  const uuid = "123e4567-e89b-12d3-a456-426614174000";
  expect(findSecrets(`client_secret=${uuid}`)).toHaveLength(1);
  expect(findSecrets(`token=${uuid}`)).toEqual([]);
});

test.each(["12345678901234567890", "abcdefghijklmnopqrst", "aaaaaaaaaaaaaaaaaaa1", "release-notes-of-may-2"])(
  "%s is no value that chance made",
  (value) => {
    expect(findSecrets(`api_key=${value}`)).toEqual([]);
  },
);
