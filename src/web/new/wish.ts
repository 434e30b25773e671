/** What a new agent is to be. */
import type { Client } from "../../client/index.ts";

export type Wish = NonNullable<Parameters<Client["createAgent"]>[0]>["body"];
