import { expect, test } from "vitest";
import { calledAs } from "./called.ts";

const nowhere = () => false;
const PATH = "/project/node_modules/.bin:/usr/bin";

test("whoever came by npx or npm start is told what to type, unless agiraph is on their PATH", () => {
  expect(calledAs({ PATH, npm_command: "exec" }, nowhere)).toBe("npx agiraph");
  expect(calledAs({ PATH, npm_command: "run-script", npm_lifecycle_event: "start" }, nowhere)).toBe("npm start --");
  expect(calledAs({ PATH }, nowhere)).toBeUndefined();
  expect(calledAs({ PATH, npm_command: "exec" }, (path) => path === "/usr/bin/agiraph")).toBeUndefined();
  // The one that npm put there is gone with npm.
  const inProject = (path: unknown) => String(path).includes("node_modules");
  expect(calledAs({ PATH, npm_command: "exec" }, inProject)).toBe("npx agiraph");
});
