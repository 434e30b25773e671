/** The request for a new agent. */
import type { Client } from "../../client/index.ts";

export type Wish = NonNullable<Parameters<Client["createAgent"]>[0]>["body"];
