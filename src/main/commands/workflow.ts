/** Commands for workflows: teams that are declared in a file. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { shellLine } from "../../lib/command-line.ts";
import { budget } from "../home/environment.ts";
import { asClient, type Context } from "./context.ts";
import { examples } from "./examples.ts";

export function addWorkflow(program: Command, { where, end }: Context): void {
  const actions = () => import("../actions/workflow.ts");
  program
    .command("workflows")
    .description("list the workflows for --workflow, and workflow files with errors")
    .action(async () => {
      end(await (await asClient()).workflows(where()));
    });
  const workflow = program
    .command("workflow")
    .description("run a team that is declared in a file: run, start, check, ls, stop, logs, from");
  const begun = (command: Command): Command =>
    command
      .argument("<workflow>", "a .yaml file, a name from workflows, or URL#COMMIT:path/to/file.yaml")
      .argument("[parameters...]", "after --, as the file declares them: -- --ref main")
      .option("--tag <tag>", "which instance it is (default: main)")
      .option(
        "--folder <dir>",
        "folder that the team works on (default: that of the file, else the repository you are in if there are setup steps)",
        (dir) => resolve(dir),
      )
      .option("--model <provider/model>", "model of the agent, and of everyone that names none")
      .option("--budget <amount>", "spending limit: 2usd, 200000tokens, 600seconds, or none", budget)
      .option("--accept <hash>", "accept exactly the content of a URL that was shown before: sha256:…");
  begun(workflow.command("run"))
    .description(
      "run a workflow to its end and follow it; exit code 0: finished, 1: a problem, 4: it waits for someone",
    )
    .addHelpText(
      "after",
      examples([
        ["workflow run review.yaml -- --ref main"],
        ["workflow run research-brief --tag monday --budget 3usd"],
        ["workflow run review.yaml", "print every event as JSON", " --json | jq .type"],
      ]),
    )
    .action(async (named: string, words: string[], options) => {
      end(await (await actions()).runWorkflow(where(), named, words, options));
    });
  begun(workflow.command("start"))
    .description("start a workflow in the background; it waits for messages when everybody is idle")
    .action(async (named: string, words: string[], options) => {
      end(await (await actions()).startWorkflow(where(), named, words, options));
    });
  workflow
    .command("check")
    .description("check workflow files; reports every error with its line, its column and a suggestion")
    .argument("<files...>", "files, or URL#COMMIT:path/to/file.yaml")
    .action(async (files: string[]) => {
      end(await (await actions()).checkWorkflows(where(), files));
    });
  workflow
    .command("ls")
    .description("list running instances, most recently active first")
    .option("-a, --all", "include those that have ended")
    .action(async (options: { all?: boolean }) => {
      end(await (await actions()).listWorkflowInstances(where(), options));
    });
  workflow
    .command("stop")
    .description("stop the instances of a workflow")
    .argument("<name>")
    .option("--tag <tag>", "only this instance (default: all)")
    .action(async (name: string, options: { tag?: string }) => {
      end(await (await actions()).stopWorkflow(where(), name, options));
    });
  workflow
    .command("logs")
    .description("show what happened in an instance of a workflow")
    .argument("<name>")
    .option("--tag <tag>", "which instance (default: main)")
    .option("-f, --follow", "stay and show what happens")
    .action(async (name: string, options: { tag?: string; follow?: boolean }) => {
      end(await (await actions()).workflowLogs(where(), name, options));
    });
  workflow
    .command("from")
    .description("create a workflow file from a run: its team and its nodes, with parameters")
    .argument("<run>", `an agent, or AGENT/RUN: ${"chips/r2"} (default: its last run)`)
    .option("-o, --out <file>", "write it to this file (default: print it)")
    .option("--name <name>", "name of the workflow (default: that of the agent)")
    .addHelpText(
      "after",
      examples([["workflow from chips/r2 -o chips.yaml", `run it again: ${shellLine("workflow run chips.yaml")}`]]),
    )
    .action(async (run: string, options: { out?: string; name?: string }) => {
      end(await (await actions()).workflowFromRun(where(), run, options));
    });
}
