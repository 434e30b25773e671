/**
 * Completion in bash, zsh and fish. Their scripts ask this program each time (`complete`), so that there is one place that knows what may come
 * next: commands and their other names, options, fixed choices, and the agents of the home. Where nothing is known, the shell offers files.
 */
import type { Argument, Command, Option } from "commander";

/** What may stand in place of the last word, which may be empty or begun, with what it means. `agents` gets the home that was named. */
export function candidates(
  program: Command,
  words: readonly string[],
  agents: (home: string | undefined) => string[],
): [word: string, about: string][] {
  const current = words.at(-1) ?? "";
  let command = program;
  let home: string | undefined;
  let wanted: Option | undefined;
  let given = 0;
  let areOptionsOver = false;
  for (const word of words.slice(0, -1)) {
    if (wanted) {
      if (wanted.long === "--home") home = word;
      wanted = undefined;
    } else if (word === "--") areOptionsOver = true;
    else if (!areOptionsOver && word.startsWith("-")) {
      const option = optionsOf(command, program).find(({ short, long }) => word === short || word === long);
      if (option?.required) wanted = option;
    } else {
      const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (next && given === 0) command = next;
      else given += 1;
    }
  }
  const found = ((): [string, string][] => {
    if (wanted) return wanted.long === "--agent" ? named(agents(home)) : named(wanted.argChoices ?? []);
    if (!areOptionsOver && current.startsWith("-"))
      return optionsOf(command, program).map(({ long, description }) => [long!, description]);
    const inner = given === 0 ? command.commands.filter((one) => !isHidden(one)) : [];
    const names = inner.flatMap((one) =>
      [one.name(), ...one.aliases()].map((name) => [name, aboutOf(one)] as [string, string]),
    );
    const argument = argumentAt(command, given);
    return [...names, ...(isAgent(argument) ? named(agents(home)) : named(argument?.argChoices ?? []))];
  })();
  return found.filter(([word]) => word.startsWith(current));
}

const named = (words: readonly string[]): [string, string][] => words.map((word) => [word, ""]);
const isHidden = (command: Command): boolean => (command as unknown as { _hidden?: boolean })._hidden === true;
const aboutOf = (command: Command): string => command.description().split(/[;:]/)[0]!;
const optionsOf = (command: Command, program: Command): readonly Option[] =>
  [...command.options, ...(command === program ? [] : program.options)].filter(({ hidden, long }) => !hidden && long);

/** The last one may be said again and again. */
function argumentAt({ registeredArguments: all }: Command, index: number): Argument | undefined {
  const last = all.at(-1);
  return all[index] ?? (last?.variadic ? last : undefined);
}

/** Of `show` and `why` the first word may be one. */
const isAgent = (argument: Argument | undefined): boolean =>
  argument?.name() === "agent" || /^\[agent\]/.test(argument?.description ?? "");

const scripts = {
  bash: `_agiraph() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _agiraph agiraph
`,
  zsh: `#compdef agiraph
_agiraph() {
  local -a found
  found=("\${(@f)$("$words[1]" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found//$'\\t'/:}")
  if [[ -n $found[1] ]]; then _describe agiraph found; else _files; fi
}
compdef _agiraph agiraph
`,
  fish: `function __agiraph
  set -l typed (commandline -opc)
  set -l found ($typed[1] complete -- $typed[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c agiraph -f -a '(__agiraph)'
`,
};
export type Shell = keyof typeof scripts;

export const shells = Object.keys(scripts) as Shell[];
export const completion = (shell: Shell): string => scripts[shell];
