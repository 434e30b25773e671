/**
 * What people give to a run to keep: bytes that become a resource. The blob is there before the log names it; a crash in between leaves a blob
 * that nobody names. Refused before anything is stored if the run takes nothing.
 */
import { assertKeeps } from "../core/resource.ts";
import type { SendOptions } from "../schema/command.ts";
import type { Resource } from "../schema/resource.ts";
import type { Store } from "../store/store.ts";
import type { Live } from "./live.ts";

export interface Given {
  title: string;
  type: string;
  content: Buffer;
  preview: string;
}

export type Keep = (given: Given, options: SendOptions) => Promise<Resource>;

export function createKeep(store: Pick<Store, "putBlob">, live: Live, track: (job: Promise<void>) => void): Keep {
  async function keep({ title, type, content, preview }: Given, options: SendOptions): Promise<Resource> {
    assertKeeps(live.state(), options.actor ?? "human");
    const resource = await store.putBlob(live.agent, content);
    const given = { resource, title, size: content.length, preview, media_type: type };
    await live.dispatch({ type: "resource.create", ...given }, options);
    return live.state().resources.get(resource)!;
  }
  return (given, options) => {
    const mine = keep(given, options);
    track(
      mine.then(
        () => undefined,
        () => undefined,
      ),
    );
    return mine;
  };
}
