import { expect, test } from "vitest";
import { doctorRoutes } from "../../api/doctor.ts";
import type { Served } from "../house.ts";
import { doctorHandlers } from "./doctor.ts";

test("findings go out without what an address may hide", async () => {
  const found =
    "key from LAB_API_KEY, asked at https://me:hidden@host.example/v1?key=hidden, and at http://127.0.0.1:1/x";
  const served = { doctor: async () => [{ what: "lab", state: "fine", found, remedy: "http://u:hidden@h" }] } as never;
  const { doctor } = doctorHandlers(served as Served);
  const answer = await doctor({ query: { call: "false" } } as never);
  expect(doctorRoutes.doctor.answer.parse(answer)).toEqual({
    findings: [
      {
        what: "lab",
        state: "fine",
        found: "key from LAB_API_KEY, asked at https://host.example/v1, and at http://127.0.0.1:1/x",
        remedy: "http://h",
      },
    ],
  });
  expect(JSON.stringify(answer)).not.toContain("hidden");
});
