/**
 * Caches of package managers in a scratch folder, which is the HOME of commands. They are kept from command to command and never published.
 */

/** Names in a scratch folder that are never published: caches, and what is installed for the user. */
export const caches: ReadonlySet<string> = new Set([".cache", ".npm", ".local"]);

/** Everything in one place, also what would not be by itself. */
export const cacheEnv = (home: string): Record<string, string> => ({
  XDG_CACHE_HOME: `${home}/.cache`,
  npm_config_cache: `${home}/.cache/npm`,
  npm_config_update_notifier: "false",
  CARGO_HOME: `${home}/.cache/cargo`,
  GOPATH: `${home}/.cache/go`,
  GRADLE_USER_HOME: `${home}/.cache/gradle`,
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
});
