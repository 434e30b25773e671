/**
 * What this daemon says of itself to other frameworks. The token is needed for it too: the protocol allows that, and a page or a program that
 * only knows the port is told nothing. It names no agent, no model and no path.
 */
export function cardOf(url: string, version: string): Record<string, unknown> {
  const name = "Agiraph";
  const description = "Agents that work on a goal for as long as it takes, alone or as a team.";
  const text = ["text/plain"];
  return {
    name,
    description,
    version,
    supportedInterfaces: [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    ],
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: text,
    defaultOutputModes: text,
    skills: [
      {
        id: "goal",
        name: "Reach a goal",
        description: "Takes a goal in plain words, asks when it must, and answers with what came of it.",
        tags: ["agents", "research", "writing", "code"],
        examples: ["Compare three ways to store events and recommend one"],
      },
    ],
    // What both versions want to know of the token.
    securitySchemes: {
      bearer: { httpAuthSecurityScheme: { scheme: "Bearer" }, type: "http", scheme: "bearer" },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    // For those that know 0.3 only.
    protocolVersion: "0.3.0",
    url,
    preferredTransport: "JSONRPC",
    security: [{ bearer: [] }],
  };
}
