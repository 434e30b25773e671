/**
 * A house without a socket: its routes, called by a client in this process. What the daemon does for others, this does for whoever opened the
 * house: the command line with --alone, a program that uses the library. Nothing listens, and no token is made that anybody could use.
 */
import { type Client, createClient } from "../../client/index.ts";
import { inProcess } from "../../client/transport.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";
import { createGate } from "../../server/auth/gate.ts";
import { createServer } from "../../server/index.ts";
import { version } from "../installation/version.ts";
import { type House, type HouseOptions, openHouse } from "./house.ts";
import { serveHouse } from "./served.ts";

export interface Door {
  client: Client;
  house: House;
  /** Streams end, agents come to their rest, the home is free again. */
  close(): Promise<void>;
}

export interface DoorOptions extends HouseOptions {
  /** A program for which the client speaks (client/index.ts). */
  through?: "mcp";
  fault?(error: unknown): void;
}

/** Opens the home; its agents go on, unless `still`. */
export async function openDoor({ through, fault, ...options }: DoorOptions): Promise<Door> {
  const { clock, random } = machine;
  const house = await openHouse(options);
  const stopping = new AbortController();
  const served = serveHouse({
    house,
    version: version(),
    token: random.hex(32),
    ready: () => true,
    take: house.take,
    self: {
      pid: process.pid,
      home: house.path,
      started_at: new Date(clock.now()).toISOString(),
      prove: () => "",
      memory: () => process.memoryUsage.rss(),
      stopping: stopping.signal,
    },
  });
  /** Nobody comes in from outside: there is no host of ours, and nobody knows the token. */
  const gate = createGate({ token: random.hex(32), hosts: () => [], clock });
  const faults: unknown[] = [];
  const app = createServer({ ...served, gate, fault: (error) => (fault ? fault(error) : void faults.push(error)) });
  try {
    await house.runtime.start();
  } catch (error) {
    await house.close();
    throw error;
  }
  const unwatch = options.still ? () => undefined : house.watch();
  return {
    house,
    client: createClient({ transport: inProcess(app.local), ...(through ? { through } : {}) }),
    async close() {
      unwatch();
      stopping.abort(new Problem("closed", "the home is closing"));
      served.feed.close();
      await house.close();
      // A bug of ours has no log to go to here, and must not go unseen.
      if (faults.length) throw faults[0];
    },
  };
}
