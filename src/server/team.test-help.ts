/** A server with one agent whose team has done some work and now waits for the human, so that every view has something to show. */
import { startTestServer, type TestServer } from "./server.test-help.ts";

const script = `
goal: Look at two things
participants:
  coordinator:
    - say: Two things.
      usd: 0.5
      calls:
        - tool: write_plan
          input: { content: "# Plan" }
        - tool: memory_write
          input: { path: knowledge/databases.md, content: "# Databases\\n\\nSQLite is enough for a single server.\\n" }
        - tool: resource_create
          input: { title: "A <page>", content: "<script>alert(1)</script>", type: "text/html" }
        - tool: spawn_worker
          input: { name: Ada, role: looks twice }
        - tool: create_work_node
          input: { name: First, task: "Look at the first thing.\\nAnd well.", worker: Ada }
        - tool: create_work_node
          input: { name: Second, task: Look at the second thing, worker: Ada, refs: { first: n1-first/page.html } }
        - tool: wait_for_nodes
  ada:
    - usd: 0.25
      calls:
        - tool: write_file
          input: { path: page.html, content: "<script>alert(1)</script>" }
        - tool: send_message
          input: { to: coordinator, content: "n1-first is nearly done" }
        - tool: suggest_next
          input: { suggestion: Look at a third thing }
    - calls:
        - tool: publish
          input: { summary: "The first thing is good.\\nMore in page.html." }
    - calls:
        - tool: ask_human
          input: { question: Which second thing? }
`;

export interface Team extends TestServer {
  agent: string;
  /** `/agents/{agent}` */
  at: string;
}

export async function startTeam(): Promise<Team> {
  const server = await startTestServer({ script });
  const { body } = await server.ask("POST /agents", { goal: "Look at two things", budget: { usd: 5 } });
  const agent: string = body.id;
  const asked = new AbortController();
  for await (const events of server.runtime.follow(agent, 0, asked.signal))
    if (events.some(({ type, data }) => type === "turn.ended" && data.participant === "ada" && data.wait))
      asked.abort();
  await (await server.runtime.reading(agent)).checkouts.idle(); // nothing more is told of them
  return { ...server, agent, at: `/agents/${agent}` };
}
