/** Completion scripts: commands and their options for bash, zsh and fish. What comes after them is up to the shell's own completion of files. */
import type { Command } from "commander";
import { Problem } from "../../schema/problem.ts";

export function completion(shell: string, program: Command): string {
  const commands = program.commands
    .filter((command) => command.name() !== "welcome")
    .map((command) => ({
      name: command.name(),
      about: command
        .description()
        .split(/[;:]/)[0]!
        .replaceAll(/['"`$\\]/g, ""),
      options: command.options.filter(({ hidden, long }) => !hidden && long).map(({ long }) => long!),
      inner: command.commands.map((one) => one.name()),
    }));
  const names = commands.map(({ name }) => name).join(" ");
  const global = program.options.map(({ long }) => long).join(" ");
  if (shell === "bash") {
    const cases = commands.map(
      ({ name, options, inner }) => `    ${name}) words="${[...inner, ...options].join(" ")}" ;;`,
    );
    return [
      "_agiraph() {",
      `  local word="\${COMP_WORDS[COMP_CWORD]}" words=""`,
      `  case "\${COMP_WORDS[1]}" in`,
      ...cases,
      "  esac",
      `  if [ "$COMP_CWORD" -eq 1 ]; then words="${names} ${global}"; fi`,
      '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
      "}",
      "complete -o default -F _agiraph agiraph",
      "",
    ].join("\n");
  }
  if (shell === "zsh") {
    const listed = commands.map(({ name, about }) => `    '${name}:${about}'`);
    const cases = commands.map(
      ({ name, options, inner }) => `      ${name}) compadd -- ${[...inner, ...options].join(" ")} ;;`,
    );
    return [
      "#compdef agiraph",
      "_agiraph() {",
      "  local -a commands",
      "  commands=(",
      ...listed,
      "  )",
      "  if (( CURRENT == 2 )); then",
      "    _describe command commands",
      "  else",
      "    case $words[2] in",
      ...cases,
      "    esac",
      "    _files",
      "  fi",
      "}",
      "compdef _agiraph agiraph",
      "",
    ].join("\n");
  }
  if (shell === "fish")
    return [
      ...commands.flatMap(({ name, about, options, inner }) => [
        `complete -c agiraph -n __fish_use_subcommand -a ${name} -d '${about}'`,
        ...options.map(
          (option) => `complete -c agiraph -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
        ),
        ...inner.map((one) => `complete -c agiraph -n '__fish_seen_subcommand_from ${name}' -a ${one}`),
      ]),
      "",
    ].join("\n");
  throw new Problem("invalid", `there is no completion for ${shell}; there is one for bash, zsh and fish`);
}
