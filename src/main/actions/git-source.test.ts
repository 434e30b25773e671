import { expect, test } from "vitest";
import { parseGitSource } from "./git-source.ts";

const parse = (given: string) => parseGitSource(given, "skill");

const commit = "0123456789abcdef0123456789abcdef01234567";

test.each([
  ["https://example.com/a/b.git", ""],
  ["ssh://git@example.com/a", ""],
  ["git@example.com:a/b", ""],
  ["file:///srv/skills", "skills/one"],
])("%s at a commit is where a skill can come from", (url, inner) => {
  expect(parse(`${url}#${commit}${inner && `:${inner}/`}`)).toEqual({ url, commit, inner });
});

test.each([
  ["https://example.com/a", "a skill is taken at a fixed commit, but none was given: use https://example.com/a#COMMIT"],
  ["https://example.com/a#main", '"main" is not a full commit id'],
  [`https://example.com/a#${commit.slice(0, 12)}`, "is not a full commit id"],
  [`https://example.com/a#${commit}:../x`, "leaves its folder by .."],
  [`https://example.com/a#${commit}:/etc`, "is not relative"],
  [`http://example.com/a#${commit}`, "use https://, ssh:// or file://"],
  [`git://example.com/a#${commit}`, "use https://, ssh:// or file://"],
  [`ext::sh -c true#${commit}`, "use https://, ssh:// or file://"],
  [`ssh://-oProxyCommand=x/a#${commit}`, "use https://, ssh:// or file://"],
  [`git@-oProxyCommand=x:a#${commit}`, "use https://, ssh:// or file://"],
  [`https://me:word@example.com/a#${commit}`, "name or password"],
])("%s is refused", (given, why) => {
  expect(() => parse(given)).toThrow(why);
});
