/** Commands about the home and this installation: doctor, config, trust, skills, MCP, completion. */

import { Argument, type Command } from "commander";
import { version } from "../version.ts";
import type { Shell } from "./completion.ts";
import type { Context } from "./context.ts";
import { examples } from "./examples.ts";

export function addHouse(program: Command, { home, json, end }: Context): void {
  program
    .command("doctor")
    .description("look whether keys, models, sandbox and disk are as they should be, and say what to do")
    .option("--call", "also ask the model one tiny question")
    .action(async ({ call }: { call?: boolean }) => {
      end(await (await import("../actions/doctor.ts")).doctor(home(), call === true, json()));
    });
  program
    .command("config")
    .description("where the config is and what holds: models, budget, limits, sandbox, channels")
    .action(async () => {
      end(await (await import("../actions/show-config.ts")).showConfig(home(), json()));
    });
  program
    .command("trust")
    .description(
      "let the agents of a home work that lies in a project: until then they stand still; your own home needs none",
    )
    .argument("[folder]", "the project or its .agiraph (default: the one found from here)")
    .option("--remove", "take it back")
    .action(async (folder: string | undefined, { remove }: { remove?: boolean }) => {
      const given = { json: json(), ...(remove ? { remove } : {}) };
      end(await (await import("../actions/trust-home.ts")).trust(folder, home, given));
    });
  program
    .command("completion")
    .description("a script that completes commands in your shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      examples([
        ["completion bash", undefined, " > ~/.local/share/bash-completion/completions/agiraph"],
        ["completion zsh", undefined, " > ~/.zfunc/_agiraph"],
        ["completion fish", undefined, " > ~/.config/fish/completions/agiraph.fish"],
      ]),
    )
    .action(async (shell: Shell) => {
      process.stdout.write((await import("./completion.ts")).completion(shell));
    });
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const [{ candidates }, { agentsIn }] = await Promise.all([
        import("./completion.ts"),
        import("../environment.ts"),
      ]);
      const found = candidates(program, words, agentsIn);
      process.stdout.write(found.map(([word, about]) => (about ? `${word}\t${about}\n` : `${word}\n`)).join(""));
    });
  addSkills(program, { home, json, end });
  const mcp = program
    .command("mcp")
    .description("without a command: an MCP server on stdin and stdout, for Claude Code, Cursor and the like; also:")
    .action(async () => {
      end(await (await import("../actions/mcp-stdio.ts")).serveMcp(home(), version()));
    });
  mcp
    .command("list")
    .description("start the MCP servers of config.yaml and say which of their tools are accepted, new or changed")
    .action(async () => {
      end(await (await import("../actions/mcp.ts")).listMcp(home(), json()));
    });
  mcp
    .command("accept")
    .description("use a server's new and changed tools as they are now, or one of them")
    .argument("<server>")
    .argument("[tool]")
    .action(async (server: string, tool: string | undefined) => {
      end(await (await import("../actions/mcp.ts")).acceptMcp(home(), server, tool, json()));
    });
}

function addSkills(program: Command, { home, json, end }: Pick<Context, "home" | "json" | "end">): void {
  const skill = program.command("skill").description("what agents can read up: list, add, accept, remove");
  const skills = () => import("../actions/skills.ts");
  const whose = ["--agent <agent>", "for this agent only"] as const;
  const seen = ["--accept <hash>", "say yes to exactly what was shown before: sha256:…"] as const;
  skill
    .command("add")
    .description("show what is in a skill, and add it after your yes")
    .argument("<source>", "a folder with a SKILL.md, or URL#COMMIT, or URL#COMMIT:folder/in/it")
    .option(...whose)
    .option(...seen)
    .action(async (source: string, given) => {
      end(await (await skills()).addSkill(home(), source, given));
    });
  skill
    .command("list")
    .description("all skills, and whether they are what you accepted")
    .action(async () => {
      end(await (await skills()).listAllSkills(home(), json()));
    });
  skill
    .command("accept")
    .description("show a skill whose files changed, and use it again after your yes")
    .argument("<name>")
    .option(...whose)
    .option(...seen)
    .action(async (name: string, given) => {
      end(await (await skills()).acceptSkill(home(), name, given));
    });
  skill
    .command("remove")
    .description("remove a skill with all its files")
    .argument("<name>")
    .option(...whose)
    .action(async (name: string, given) => {
      end(await (await skills()).removeSkill(home(), name, given));
    });
}
