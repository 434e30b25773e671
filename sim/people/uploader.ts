/**
 * Gives agents something to keep: bytes that become resources of their run, each with a key, again and again until it is acknowledged.
 *
 * At the end an acknowledged resource is in the log under its key, once (I1), and its bytes are there as they were given (I12).
 */
import { createHash } from "node:crypto";
import { type Actor, type Company, isRefusal } from "./company.ts";

interface Upload {
  key: string;
  id: string;
  content: Buffer;
  acked: boolean;
}

export function createUploader(company: Company): Actor {
  const { sim, setup, fleet, witness } = company;
  const dice = company.dice("uploader");
  const uploads = new Map<string, Upload[]>();

  async function upload(agent: string, n: number): Promise<void> {
    // Some are the same bytes again: then it is the same resource, and the log has nothing of the second key.
    const again = dice.chance(0.2);
    const content = Buffer.from(again ? "the same paper" : `paper ${n} ${dice.hex(dice.int(40))}`);
    const given = { title: `file ${n}.txt`, type: "text/plain", content, preview: content.toString().slice(0, 20) };
    const id = createHash("sha256").update(content).digest("hex");
    const one: Upload = { key: `upload-${agent}-${n}`, id, content, acked: false };
    uploads.set(agent, [...(uploads.get(agent) ?? []), one]);
    await company.until(agent, one.key, async () => {
      try {
        const resource = await company.ask(fleet.owner(agent)?.up(), async (runtime) =>
          (await runtime.reading(agent)).keep(given, { actor: "human", key: one.key }),
        );
        if (resource?.id !== id)
          witness.violated("I12", `${agent}: ${one.key} is ${id}, and was acknowledged as ${JSON.stringify(resource)}`);
        one.acked = true;
        witness.count("uploaded");
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (one.acked && !again)
          witness.violated("I1", `${one.key} was acknowledged and then refused: ${error.message}`);
        return;
      }
      if (dice.chance(setup.lostAcks)) throw new Error("the acknowledgement was not heard");
    });
  }

  return {
    meet(agent) {
      for (let n = 0; n < setup.uploads; n++) sim.time.after(dice.int(setup.chaosMs), () => void upload(agent, n));
    },
    async judge(agent, { lines }) {
      const created = new Set(lines.flatMap(({ type, data }) => (type === "resource.created" ? [data.resource] : [])));
      for (const { key, id, content, acked } of uploads.get(agent) ?? []) {
        if (!acked) continue;
        if (!created.has(id)) witness.violated("I1", `${agent}: ${key} was acknowledged, and no event has ${id}`);
        const blob = await fleet.blob(agent, id);
        if (!blob?.equals(content))
          witness.violated("I12", `${agent}: ${key} was acknowledged, and its bytes ${blob ? "changed" : "are gone"}`);
      }
    },
  };
}
