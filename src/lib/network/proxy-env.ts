/** How programs in a sandbox find its proxy, which listens on loopback there. */

export const proxyPort = 3128;
const url = `http://127.0.0.1:${proxyPort}`;
const java = ["http", "https"]
  .map((kind) => `-D${kind}.proxyHost=127.0.0.1 -D${kind}.proxyPort=${proxyPort}`)
  .join(" ");

/**
 * Environment variables by which programs find the proxy, also those that do not look at the usual ones (Maven, Gradle, Node). Servers inside the
 * sandbox are reached directly. Package managers wait longer than usual for a connection: a person may have to allow the host first.
 */
export const proxyEnv: Record<string, string> = {
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"].map(
      (name) => [name, url],
    ),
  ),
  no_proxy: "localhost,127.0.0.1,::1",
  NO_PROXY: "localhost,127.0.0.1,::1",
  NODE_USE_ENV_PROXY: "1",
  MAVEN_OPTS: java,
  GRADLE_OPTS: java,
  PIP_DEFAULT_TIMEOUT: "300",
  UV_HTTP_TIMEOUT: "300",
  CARGO_HTTP_TIMEOUT: "300",
  BUNDLE_TIMEOUT: "300",
};
