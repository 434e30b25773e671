/**
 * The channels of the config. Secrets are read from environment variables when something is sent; a missing one makes a channel that says so
 * whenever it is used, so that everything else works and the error is seen where the channel is missed.
 */
import type { Mailer } from "../lib/mail.ts";
import type { Clock, Network } from "../lib/world.ts";
import type { ChannelConfig } from "../schema/config.ts";
import { type Channel, ChannelError } from "./channel.ts";
import { createDiscord } from "./discord.ts";
import { createEmail } from "./email.ts";
import { createSlack } from "./slack.ts";
import { createWebhook } from "./webhook.ts";

export interface ChannelSeams {
  network: Network;
  clock: Clock;
  mail: Mailer;
  env: Record<string, string | undefined>;
}

export type Channels = ReadonlyMap<string, Channel>;

export function createChannels(config: Record<string, ChannelConfig>, seams: ChannelSeams): Channels {
  return new Map(Object.entries(config).map(([name, given]) => [name, createLate(given, seams)]));
}

function createLate(config: ChannelConfig, seams: ChannelSeams): Channel {
  const { kind, for: wanted } = config;
  return { kind, for: wanted, send: (notice, signal) => createChannel(config, seams).send(notice, signal) };
}

function createChannel(config: ChannelConfig, { network, clock, mail, env }: ChannelSeams): Channel {
  const { kind, for: wanted } = config;
  const missing = missingVariable(config, env);
  if (missing) return refusing(config, `the environment variable ${missing} is not set`);
  if (kind === "email") {
    const { host, port, user, password_env, from, to, reply_to: replyTo } = config.smtp;
    const login = user && password_env ? { login: { user, password: env[password_env]! } } : {};
    return createEmail({ server: { host, port, ...login }, from, to: [to].flat(), replyTo, for: wanted, mail });
  }
  const url = config.url ?? env[config.url_env!]!;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    return refusing(config, `${config.url_env} does not contain a URL`);
  if (kind === "webhook") return createWebhook({ url, secret: env[config.secret_env]!, for: wanted, network, clock });
  return kind === "slack" ? createSlack({ url, for: wanted, network }) : createDiscord({ url, for: wanted, network });
}

/** The environment variable that the channel needs and that is not set, if any. */
export const missingVariable = (config: ChannelConfig, env: ChannelSeams["env"]): string | undefined =>
  variablesOf(config).find((name) => !env[name]);

function variablesOf(config: ChannelConfig): string[] {
  if (config.kind === "email") return config.smtp.password_env ? [config.smtp.password_env] : [];
  const secret = config.kind === "webhook" ? [config.secret_env] : [];
  return [...secret, ...(config.url_env ? [config.url_env] : [])];
}

const refusing = ({ kind, for: wanted }: ChannelConfig, why: string): Channel => ({
  kind,
  for: wanted,
  send: () => Promise.reject(new ChannelError(why)),
});
