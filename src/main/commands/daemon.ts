/** Commands about the daemon, and the demo. */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { commandRef, setProgram } from "../../lib/command-line.ts";
import { Problem } from "../../schema/problem.ts";
import { calledAnywhere, surroundings } from "../called.ts";
import type { OutsideOptions } from "../daemon/outside.ts";
import { comeUpon, count, factor, port, wasComeUpon } from "../environment.ts";
import { version } from "../version.ts";
import type { Context } from "./context.ts";

interface UpGiven extends OutsideOptions {
  port: number;
  detach?: true;
  unit?: true;
  /** For those who start it: nobody watches; the home was come upon; a browser will be opened. */
  quiet?: true;
  plain?: true;
  window?: true;
}

const outsideOptions = ["listen", "expose", "tlsCert", "tlsKey", "proxy", "as"] as const;
const dashed = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The options as they are typed; files by their whole path, because a unit is started elsewhere. */
function wordsOf(given: UpGiven, port: number | undefined): string[] {
  const words = port === undefined ? [] : ["--port", String(port)];
  for (const name of outsideOptions) {
    const value = given[name];
    if (value === true) words.push(dashed(name));
    else if (typeof value === "string") words.push(dashed(name), name.startsWith("tls") ? resolve(value) : value);
    else if (Array.isArray(value)) words.push(dashed(name), ...value);
  }
  return words;
}

export function addDaemon(program: Command, { home, json, outlive, end }: Context): void {
  program
    .command("up")
    .description("the daemon of this home: agents live on while nobody watches; Ctrl-C ends it in order")
    .option("-d, --detach", "in the background; returns when it answers")
    .option("--port <n>", "where it listens on 127.0.0.1; the next free port if it is taken, any for 0", port, 5099)
    .option("--listen <host:port>", "a second door, for others than this machine")
    .option("--expose", "others may reach it; with --listen")
    .option("--tls-cert <file>", "TLS of its own, with --tls-key")
    .option("--tls-key <file>")
    .option("--proxy <origin>", "or the https origin of a proxy that has it")
    .option("--as <name...>", "the names it is reached by; any other is refused")
    .option("--unit", "print a systemd or launchd unit that keeps it running, and how to install it")
    .addOption(new Option("--quiet").hideHelp())
    .addOption(new Option("--window").hideHelp())
    .addOption(new Option("--plain").hideHelp())
    .action(async (given: UpGiven, command: Command) => {
      const isSaid = (name: string) => command.getOptionValueSource(name) === "cli";
      if (given.unit) {
        const [{ unitFor }, { planOutside }] = await Promise.all([
          import("../daemon/unit.ts"),
          import("../daemon/outside.ts"),
        ]);
        // What cannot be is said now, and not by a unit that does not start.
        planOutside(given);
        const options = wordsOf(given, isSaid("port") ? given.port : undefined);
        const { text, install } = unitFor(process.platform, { home: home(), userHome: homedir(), options });
        process.stdout.write(text);
        process.stderr.write(`To install it: ${install}\n`);
      } else if (given.detach && outsideOptions.some((name) => given[name] !== undefined)) {
        const names = outsideOptions.filter((name) => given[name] !== undefined).map(dashed);
        const words = `${names.join(", ")}: for a daemon in the foreground, or of a unit (--unit). Leave -d out`;
        throw new Problem("invalid", words);
      } else if (given.detach) {
        const { ensureWorking } = await import("../daemon/ensure.ts");
        const wanted = isSaid("port") ? { port: given.port } : {};
        const { url, pid, started } = await ensureWorking(home(), { ...wanted, quiet: json() });
        const said = `${started ? "running" : "already running"} at ${url} (pid ${pid})`;
        process.stdout.write(`${json() ? JSON.stringify({ url, pid, started }) : said}\n`);
      } else {
        outlive();
        const path = home();
        if (given.plain) comeUpon(path);
        const plain = wasComeUpon(path);
        // What it says from now on is read on its page and in messages, too, wherever that is.
        setProgram(calledAnywhere(surroundings(), path, plain));
        const options = {
          port: given.port,
          version: version(),
          plain,
          quiet: !!given.quiet,
          window: !!given.window,
          outside: given,
        };
        end(await (await import("../daemon/up.ts")).up(path, options));
      }
    });
  program
    .command("open")
    .description("a window for you: the page of this home's daemon, which is started if it does not run")
    .action(async () => {
      const [{ ensureWorking }, { showWindow }] = await Promise.all([
        import("../daemon/ensure.ts"),
        import("../daemon/window.ts"),
      ]);
      await showWindow(home(), await ensureWorking(home(), { quiet: json() }), json());
    });
  program
    .command("down")
    .description("end the daemon of this home; nothing is lost")
    .action(async () => {
      end(await (await import("../daemon/stop.ts")).down(home(), json()));
    });
  program
    .command("status")
    .description(
      "the daemon at a glance: where, since when, agents, what needs you, what was spent today; or one agent",
    )
    .argument("[agent]")
    .action(async (agent: string | undefined) => {
      end(
        agent === undefined
          ? await (await import("../actions/status.ts")).status(home(), json())
          : await (await import("../actions/remote.ts")).agentStatus({ home: home(), json: json() }, agent),
      );
    });
  program
    .command("logs")
    .description("what the daemon wrote")
    .option("-f, --follow", "and what it writes from now on")
    .option("-n, --lines <n>", "how many lines", count, 100)
    .action(async ({ follow, lines }: { follow?: true; lines: number }) => {
      end(await (await import("../actions/logs.ts")).logs(home(), { follow: follow === true, lines, json: json() }));
    });
  program.command("welcome", { hidden: true }).action(async () => {
    end(await (await import("../actions/status.ts")).welcome(home()));
  });
  program
    .command("demo")
    .description("play a scripted team through the real runtime")
    .option("--speed <n>", "how many times faster than usual", factor, 1)
    .action(async ({ speed }: { speed: number }) => {
      if (json())
        throw new Problem(
          "invalid",
          `demo is for people; for programs: ${commandRef("run demo --model scripted/demo --json")}`,
        );
      end(await (await import("../actions/alone.ts")).playDemo(home(), speed));
    });
}
