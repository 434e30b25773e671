/** Commands about the home and this installation: doctor, config, trust, skills, MCP, completion. */

import { Argument, type Command } from "commander";
import { version } from "../installation/version.ts";
import type { Shell } from "./completion.ts";
import type { Context } from "./context.ts";
import { examples } from "./examples.ts";

export function addHouse(program: Command, { home, json, alone, end }: Context): void {
  program
    .command("doctor")
    .description("check keys, models, sandbox and disk, and say how to fix what is missing")
    .option("--call", "also send a test request to the model")
    .action(async ({ call }: { call?: boolean }) => {
      end(await (await import("../actions/doctor.ts")).doctor(home(), call === true, json()));
    });
  program
    .command("config")
    .description("show the config file and the effective settings: models, budget, limits, sandbox, channels")
    .action(async () => {
      end(await (await import("../actions/show-config.ts")).showConfig(home(), json()));
    });
  program
    .command("trust")
    .description("trust a home that came with a project, so that its agents may run; your own home is always trusted")
    .argument("[folder]", "the project or its .agiraph folder (default: the nearest one)")
    .option("--remove", "no longer trust it")
    .action(async (folder: string | undefined, { remove }: { remove?: boolean }) => {
      const given = { json: json(), ...(remove ? { remove } : {}) };
      end(await (await import("../actions/trust-home.ts")).trust(folder, home, given));
    });
  program
    .command("completion")
    .description("print a shell completion script")
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
        import("../home/environment.ts"),
      ]);
      const found = candidates(program, words, agentsIn);
      process.stdout.write(found.map(([word, about]) => (about ? `${word}\t${about}\n` : `${word}\n`)).join(""));
    });
  addSkills(program, { home, json, end });
  const mcp = program
    .command("mcp")
    .description(
      "run an MCP server on stdio, for Claude Code, Cursor and others; subcommands manage the MCP servers that agents use",
    )
    .action(async () => {
      end(await (await import("../actions/mcp-stdio.ts")).serveMcp(home(), version(), alone()));
    });
  mcp
    .command("list")
    .description("start the MCP servers in config.yaml and list their tools: accepted, new or changed")
    .action(async () => {
      end(await (await import("../actions/mcp.ts")).listMcp(home(), json()));
    });
  mcp
    .command("accept")
    .description("accept all new and changed tools of a server in their current form, or one of them")
    .argument("<server>")
    .argument("[tool]")
    .action(async (server: string, tool: string | undefined) => {
      end(await (await import("../actions/mcp.ts")).acceptMcp(home(), server, tool, json()));
    });
}

function addSkills(program: Command, { home, json, end }: Pick<Context, "home" | "json" | "end">): void {
  const skill = program.command("skill").description("manage skills: instructions that agents can read");
  const skills = () => import("../actions/skills.ts");
  const whose = ["--agent <agent>", "only for this agent"] as const;
  const seen = ["--accept <hash>", "accept exactly the content shown before: sha256:…"] as const;
  skill
    .command("add")
    .description("show what is in a skill, and add it once you accept")
    .argument("<source>", "a folder with a SKILL.md, or URL#COMMIT, or URL#COMMIT:path/in/repository")
    .option(...whose)
    .option(...seen)
    .action(async (source: string, given) => {
      end(await (await skills()).addSkill(home(), source, given));
    });
  skill
    .command("list")
    .description("list skills and whether they have changed since you accepted them")
    .action(async () => {
      end(await (await skills()).listAllSkills(home(), json()));
    });
  skill
    .command("accept")
    .description("show a skill whose files have changed, and use it again once you accept")
    .argument("<name>")
    .option(...whose)
    .option(...seen)
    .action(async (name: string, given) => {
      end(await (await skills()).acceptSkill(home(), name, given));
    });
  skill
    .command("remove")
    .description("remove a skill and its files")
    .argument("<name>")
    .option(...whose)
    .action(async (name: string, given) => {
      end(await (await skills()).removeSkill(home(), name, given));
    });
}
