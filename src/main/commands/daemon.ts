/** Commands about the daemon, and the demo. */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { commandRef, setProgram } from "../../lib/command-line.ts";
import { Problem } from "../../schema/problem.ts";
import type { OutsideOptions } from "../daemon/outside.ts";
import { count, factor, markDiscovered, port, wasDiscovered } from "../home/environment.ts";
import { commandAnywhere, surroundings } from "../installation/program-command.ts";
import { version } from "../installation/version.ts";
import { asClient, type Context } from "./context.ts";

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

export function addDaemon(program: Command, { home, json, alone, where, outlive, end }: Context): void {
  /** Of a command that makes no sense without a daemon. */
  const needsDaemon = (_: unknown, command: Command) => {
    if (alone())
      throw new Problem(
        "invalid",
        `${command.name()} needs the daemon and does not work with --alone; run it without --alone`,
      );
  };
  program
    .command("up")
    .hook("preAction", needsDaemon)
    .description("run the daemon, which keeps agents working in the background; Ctrl-C shuts it down cleanly")
    .option("-d, --detach", "run in the background; returns when the daemon is ready")
    .option("--port <n>", "port on 127.0.0.1; if taken, the next free one; 0: any", port, 5099)
    .option("--listen <host:port>", "also listen here, for other machines")
    .option("--expose", "confirm that other machines may connect; with --listen")
    .option("--tls-cert <file>", "TLS certificate; with --tls-key")
    .option("--tls-key <file>", "TLS private key; with --tls-cert")
    .option("--proxy <origin>", "public https origin of a TLS-terminating proxy")
    .option("--as <name...>", "allowed Host names")
    .option("--unit", "print a systemd or launchd unit for the daemon, and how to install it")
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
        const words = `-d does not support ${names.join(", ")}; run the daemon in the foreground, or as a service (--unit)`;
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
        if (given.plain) markDiscovered(path);
        const plain = wasDiscovered(path);
        // What it says from now on is read on its page and in messages, too, wherever that is.
        setProgram(commandAnywhere(surroundings(), path, plain));
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
    .hook("preAction", needsDaemon)
    .description("open the web page in your browser; starts the daemon if it is not running")
    .action(async () => {
      const [{ ensureWorking }, { showWindow }] = await Promise.all([
        import("../daemon/ensure.ts"),
        import("../daemon/window.ts"),
      ]);
      await showWindow(home(), await ensureWorking(home(), { quiet: json() }), json());
    });
  program
    .command("down")
    .hook("preAction", needsDaemon)
    .description("stop the daemon; nothing is lost")
    .action(async () => {
      end(await (await import("../daemon/stop.ts")).down(home(), json()));
    });
  program
    .command("status")
    .description("show the status of the daemon (address, uptime, agents, what needs you, cost today) or of one agent")
    .argument("[agent]")
    .action(async (agent: string | undefined, _given: unknown, command: Command) => {
      if (agent === undefined) needsDaemon(undefined, command);
      end(
        agent === undefined
          ? await (await import("../actions/status.ts")).status(home(), json())
          : await (await asClient()).agentStatus(where(), agent),
      );
    });
  program
    .command("logs")
    .hook("preAction", needsDaemon)
    .description("print the daemon's log")
    .option("-f, --follow", "keep printing new lines")
    .option("-n, --lines <n>", "number of lines", count, 100)
    .action(async ({ follow, lines }: { follow?: true; lines: number }) => {
      end(await (await import("../actions/logs.ts")).logs(home(), { follow: follow === true, lines, json: json() }));
    });
  program.command("welcome", { hidden: true }).action(async () => {
    end(await (await import("../actions/status.ts")).showWelcome(home()));
  });
  program
    .command("demo")
    .description("play a scripted team through the real runtime")
    .option("--speed <n>", "speed factor", factor, 1)
    .action(async ({ speed }: { speed: number }) => {
      if (json())
        throw new Problem(
          "invalid",
          `demo does not support --json; use ${commandRef("run demo --model scripted/demo --json")}`,
        );
      end(await (await import("../actions/demo.ts")).playDemo(home(), speed));
    });
}
