/**
 * What people give to a run to keep: bytes that become a resource. The blob is there before the log names it; a crash in between leaves a blob
 * that nobody names. Refused before anything is stored if the run takes nothing. What was given before with the same key is answered as it was,
 * also when the run is over since, or another one began.
 */
import { assertKeeps, resourceIn } from "../../core/file/resource.ts";
import type { SendOptions } from "../../schema/command.ts";
import { Problem } from "../../schema/problem.ts";
import type { Resource } from "../../schema/resource.ts";
import type { Store } from "../../store/store.ts";
import type { Streams } from "../events/stream.ts";
import type { Live } from "../live.ts";

export interface Upload {
  title: string;
  type: string;
  content: Buffer;
  preview: string;
}

export type Keep = (given: Upload, options: SendOptions) => Promise<Resource>;

export interface KeepOptions {
  store: Pick<Store, "putBlob">;
  live: Live;
  streams: Pick<Streams, "past">;
  track(job: Promise<void>): void;
}

export function createKeep({ store, live, streams, track }: KeepOptions): Keep {
  async function keep({ title, type, content, preview }: Upload, options: SendOptions): Promise<Resource> {
    const { key, actor = "human" } = options;
    if (key === undefined || !live.state().keys.has(key)) assertKeeps(live.state(), actor);
    const resource = await store.putBlob(live.agent, content);
    const given = { resource, title, size: content.length, preview, media_type: type };
    const { seq } = await live.dispatch({ type: "resource.create", ...given }, options);
    return live.state().resources.get(resource) ?? (await inLog(seq, resource));
  }

  /** Of a run that is over by now. */
  async function inLog(seq: number, resource: string): Promise<Resource> {
    for await (const [event] of streams.past(seq - 1)) {
      if (event?.type === "resource.created" && event.data.resource === resource) return resourceIn(event);
      break;
    }
    throw new Problem("conflict", "another run has started meanwhile; upload it again");
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
