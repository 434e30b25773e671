/**
 * The home that a program's agents live in, opened in this process. Agents of one program share it: the first opens it, and it is closed with
 * the last. Timers of the runtime do not keep a process alive; an open home does.
 */
import type { Client } from "../../client/index.ts";
import { Problem } from "../../schema/problem.ts";
import type { Tool } from "../../toolkit/tool.ts";
import { findHome, wasDiscovered } from "../home/environment.ts";
import { type Door, openDoor } from "../house/door.ts";

export interface HomeOptions {
  /** Where agents live; the same as of the command line if missing. */
  home?: string;
  /** Tools besides those of the home. Agents that live in one home at the same time have the same. */
  tools?: readonly Tool[];
  /** What people should know and no one else tells, such as a skill that is left out. */
  onNotice?(problem: Problem): void;
}

export interface OpenHome {
  path: string;
  client: Client;
  close(): Promise<void>;
}

interface Shared {
  door: Promise<Door>;
  tools: readonly Tool[];
  hearers: Set<(problem: Problem) => void>;
  users: number;
  alive: NodeJS.Timeout;
}

const homes = new Map<string, Shared>();
/** Homes that are being closed: they are held until then. */
const closing = new Map<string, Promise<void>>();

export async function openHome({ home, tools = [], onNotice }: HomeOptions): Promise<OpenHome> {
  const path = findHome(home);
  await closing.get(path);
  const shared = homes.get(path) ?? begin(path, tools);
  if (shared.tools.length !== tools.length || tools.some((tool) => !shared.tools.includes(tool)))
    throw new Problem("conflict", `${path} is open in this program with other tools; give every agent in it the same`);
  shared.users++;
  const hear = (problem: Problem) => onNotice?.(problem);
  shared.hearers.add(hear);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    shared.hearers.delete(hear);
    if (--shared.users === 0) await end(path, shared);
  };
  try {
    const { client } = await shared.door;
    return { path, client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function begin(path: string, tools: readonly Tool[]): Shared {
  const hearers: Shared["hearers"] = new Set();
  const notice = (_agent: string, problem: Problem) => {
    for (const hear of hearers) hear(problem);
  };
  const door = openDoor({ path, env: process.env, notice, plain: wasDiscovered(path), tools });
  const shared = { door, tools, hearers, users: 0, alive: setInterval(() => undefined, 1 << 30) };
  homes.set(path, shared);
  return shared;
}

async function end(path: string, { door, alive }: Shared): Promise<void> {
  homes.delete(path);
  const over = door
    .then(
      ({ close }) => close(),
      () => undefined,
    )
    .finally(() => {
      clearInterval(alive);
      closing.delete(path);
    });
  closing.set(path, over);
  await over;
}
