/** The request for a new agent. */
import type { Client } from "../../client/index.ts";

export type Wish = NonNullable<NonNullable<Parameters<Client["createAgent"]>[0]>["body"]>;
