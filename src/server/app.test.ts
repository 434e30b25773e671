import { expect, test } from "vitest";
import { z } from "zod";
import { route } from "../api/route.ts";
import { machine } from "../lib/machine/index.ts";
import { createApp } from "./app.ts";
import { createGate } from "./auth/gate.ts";

test("whoever listens on a call's signal hears that the daemon stops", async () => {
  const stopping = new AbortController();
  const { clock } = machine;
  const routes = {
    wait: route({
      method: "GET",
      path: "/wait",
      tag: "test",
      summary: "Waits",
      ok: 200,
      answer: z.string(),
      open: true,
    }),
  };
  const waiting = Promise.withResolvers<void>();
  const app = createApp({
    routes,
    handlers: {
      wait: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve("told"));
          waiting.resolve();
        }),
    },
    gate: createGate({ token: "t", hosts: () => ["here"], clock }),
    clock,
    stopping: stopping.signal,
    once: async ({ act }) => ({ answer: await act() }),
    fault: (error) => {
      throw error;
    },
  });
  const answer = Promise.resolve(app.fetch(new Request("http://here/wait", { headers: { host: "here" } })));
  await waiting.promise;
  stopping.abort();
  expect(await (await answer).json()).toBe("told");
});
