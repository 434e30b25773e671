/**
 * `config.yaml` of a home: models, prices, limits and permissions. Everything has a default; an unknown key is refused, so that a typo is never a
 * silent default. It is read from the home only, never from a project folder.
 */
import { z } from "zod";
import { BudgetLimit } from "./budget.ts";
import { ChannelName, Concern } from "./delivery.ts";
import { CliName, driverOf, isProgramDriver } from "./driver.ts";
import { PolicyRule } from "./policy-rule.ts";
import { Schedule } from "./schedule.ts";
import { Action, Missed } from "./trigger.ts";

const usd = z.number().nonnegative().finite();

export const Price = z
  .strictObject({
    input: usd,
    output: usd,
    cache_read: usd.optional(),
    cache_write: usd.optional(),
  })
  .describe("US dollars per million tokens");
export type Price = z.infer<typeof Price>;

export const ModelConfig = z
  .strictObject({
    window: z.number().int().positive().optional().describe("Tokens of context"),
    max_output: z.number().int().positive().optional().describe("Tokens of one answer"),
    price: Price.optional(),
    tools: z.boolean().optional().describe("false: it cannot call tools; the text fallback is used"),
    search: z.boolean().optional().describe("Use the provider's own web search where it has one"),
  })
  .describe("Properties of a model that override Agiraph's catalog");
export type ModelConfig = z.infer<typeof ModelConfig>;

export const ProviderConfig = z
  .strictObject({
    base_url: z.url().optional().describe("With or without /v1"),
    api_key_env: z.string().min(1).optional().describe("The environment variable that holds the key"),
    kind: z.enum(["anthropic", "openai", "google", "openrouter", "openai-compatible"]).optional(),
  })
  .describe("Where a provider is reached; a name that Agiraph does not know is an OpenAI-compatible one");
export type ProviderConfig = z.infer<typeof ProviderConfig>;

const Decision = z.enum(["allow", "ask", "deny"]);
export const TaintPolicy = z
  .strictObject({
    hosts: Decision.default("ask").describe(
      "Calls to a host, or of a tool of an MCP server, that the human neither named nor allowed",
    ),
    memory: z
      .enum(["mark", "hold", "allow", "ask", "deny"])
      .default("mark")
      .describe(
        "Notes of the agent. mark: new ones are kept with their origin, found by search and shown as data; changes of others wait for you. hold: all of them wait for you. allow: kept like any other, and every later run is tainted",
      ),
    known: z
      .array(z.string().min(1))
      .default([])
      .describe("Never need approval: hosts, or mcp.SERVER.TOOL; * matches anything"),
  })
  .describe(
    "What needs approval once a run has read foreign text: from the web, an MCP server, your folder, an attached file",
  );
export type TaintPolicy = z.infer<typeof TaintPolicy>;

export const McpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}).describe("NAME: value; $VARIABLE is taken from the environment"),
    workers: z.array(z.string()).optional(),
  }),
  z.strictObject({
    url: z.url(),
    headers: z.record(z.string(), z.string()).default({}),
    workers: z.array(z.string()).optional(),
  }),
]);
export type McpServer = z.infer<typeof McpServer>;

export const SearchConfig = z
  .strictObject({
    engine: z.enum(["brave", "serper", "tavily", "searxng"]),
    base_url: z.url().optional(),
    api_key_env: z.string().min(1).optional(),
  })
  .describe("The web search engine");
export type SearchConfig = z.infer<typeof SearchConfig>;

/** A single line that is safe in a header. */
const Line = z
  .string()
  .min(1)
  .max(320)
  .regex(/^[^\p{Cc}\u2028\u2029]+$/u, "must be one line");
const Mailbox = Line.regex(/[^\s@]@[^\s@]/, "must be an e-mail address");
const Variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable");
const wanted = z.array(Concern).default(["questions", "approvals", "paused", "failed"]);
const address = {
  url: z.url({ protocol: /^https?$/ }).optional(),
  url_env: Variable.optional().describe("The environment variable that holds the URL, where the URL is the secret"),
};
const oneAddress = ({ url, url_env }: { url?: string | undefined; url_env?: string | undefined }): boolean =>
  (url === undefined) !== (url_env === undefined);
const either = "needs url or url_env, one of them";

export const ChannelConfig = z
  .discriminatedUnion("kind", [
    z
      .strictObject({
        kind: z.literal("webhook"),
        ...address,
        secret_env: Variable.describe("The environment variable that holds the secret the message is signed with"),
        for: wanted,
      })
      .refine(oneAddress, either),
    z.strictObject({ kind: z.literal("slack"), ...address, for: wanted }).refine(oneAddress, either),
    z.strictObject({ kind: z.literal("discord"), ...address, for: wanted }).refine(oneAddress, either),
    z.strictObject({
      kind: z.literal("email"),
      smtp: z.strictObject({
        host: Line,
        port: z.number().int().min(1).max(65_535).default(587),
        user: Line.optional(),
        password_env: Variable.optional(),
        from: Mailbox,
        to: z.union([Mailbox, z.array(Mailbox).min(1).max(20)]),
        reply_to: Mailbox.optional(),
      }),
      for: wanted,
    }),
  ])
  .describe("Where the human is notified outside of Agiraph, and of what");
export type ChannelConfig = z.infer<typeof ChannelConfig>;
export const ConfigTrigger = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9_-]{0,60}$/, "small letters, digits, - and _"),
    agent: z.string().min(1).default("*").describe("Its id; * for all"),
    type: z.enum(["delayed", "at_time", "scheduled", "heartbeat", "on_event", "on_idle"]),
    config: z.record(z.string(), z.unknown()),
    action: z.union([z.string().min(1).max(20_000), Action]).describe("A plain text wakes the agent with that text"),
    missed: Missed.default("once"),
  })
  .superRefine(({ type, config }, context) => {
    const issue = Schedule.safeParse({ ...config, type }).error?.issues[0];
    if (issue) context.addIssue({ code: "custom", path: ["config", ...issue.path], message: issue.message });
  })
  .describe("A trigger that agents get when they first start");
export type ConfigTrigger = z.infer<typeof ConfigTrigger>;

const NetworkHost = z
  .string()
  .regex(/^(packages|(\*\.)?[^\s*/:@]+)$/, "must be a host such as example.com or *.example.com, or packages");

const ProgramName = z
  .string()
  .max(2_000)
  .refine(
    (name) => isProgramDriver(driverOf(name)),
    `must be ${CliName.options.join(", ")} (each with or without /MODEL), acp:COMMAND or command:COMMAND`,
  );

export const ReflectionConfig = z
  .strictObject({
    after: z
      .enum(["pays", "always", "off"])
      .default("pays")
      .describe(
        "pays: after a node or a run that has cost at least twenty times what the reflection may cost; always: after each; off: never",
      ),
    model: z.string().min(1).optional().describe("provider/model, best a cheap one; the agent's own if missing"),
  })
  .describe("What a model proposes to remember after each node and each run");
export type ReflectionConfig = z.infer<typeof ReflectionConfig>;

export const Config = z.strictObject({
  model: z.string().min(1).optional(),
  aliases: z.record(z.string(), z.string()).default({}),
  models: z.record(z.string(), ModelConfig).default({}),
  providers: z.record(z.string(), ProviderConfig).default({}),
  budget: z
    .union([z.literal("none"), z.strictObject(BudgetLimit.shape)])
    .default({ usd: 10 })
    .transform((budget): BudgetLimit => (budget === "none" ? {} : budget))
    .describe("The default budget of a new agent; none for no limit"),
  limits: z.record(z.string(), z.number().nonnegative()).default({}),
  policy: z.array(PolicyRule).default([]),
  taint: TaintPolicy.prefault({}),
  approvals: z
    .strictObject({
      mcp: z.boolean().default(false).describe("A program that uses MCP with your token may allow and deny calls"),
      a2a: z.boolean().default(false).describe("A program that uses A2A with your token may allow and deny calls"),
    })
    .prefault({})
    .describe("Which programs, besides you, may decide approvals"),
  sandbox: z
    .strictObject({
      bash: z.enum(["required", "off"]).default("required"),
      network: z
        .union([z.array(NetworkHost), NetworkHost.transform((one) => [one])])
        .default([])
        .describe(
          "Hosts that commands may reach: example.com, *.example.com, or packages for the usual package registries",
        ),
      other_hosts: z
        .enum(["ask", "deny"])
        .default("ask")
        .describe("What happens when a command wants to reach any other host: the human is asked, or it is refused"),
    })
    .prefault({}),
  web: z
    .strictObject({
      search: SearchConfig.optional(),
      allow_private: z
        .array(z.string().regex(/^.+:\d{1,5}$/, "must be host:port"))
        .default([])
        .describe("Private host:port that web_fetch may reach"),
    })
    .prefault({}),
  programs: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,60}$/, "small letters, digits, - and _"), ProgramName)
    .default({})
    .describe("Programs with their own loop that models may choose for workers, by a name of yours"),
  reflection: ReflectionConfig.prefault({}),
  embeddings: z.string().min(1).optional().describe("provider/model; the offline model if missing, none with 'off'"),
  soul: z
    .strictObject({
      accept_evidence: z
        .number()
        .int()
        .min(2)
        .optional()
        .describe(
          "Accept a proposed change of a soul by itself if it is made of your own words, said at least so many times; you decide if missing",
        ),
    })
    .prefault({}),
  channels: z.record(ChannelName, ChannelConfig).default({}),
  triggers: z
    .array(ConfigTrigger)
    .default([])
    .refine(
      (all) => new Set(all.map(({ name, agent }) => `${agent} ${name}`)).size === all.length,
      "a name is listed twice",
    ),
  mcp: z.record(z.string().regex(/^[a-z][a-z0-9_-]*$/), McpServer).default({}),
});
export type Config = z.infer<typeof Config>;
