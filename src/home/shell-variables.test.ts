import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { expressionsIn } from "./expressions.ts";
import { compileShell } from "./shell-variables.ts";

const refuse = (at: number, what: string): never => {
  throw new Error(`${at}: ${what}`);
};
const compile = (text: string) => compileShell(text, expressionsIn(text, refuse), refuse);

test.each([
  ["git diff ${{ params.ref }}", 'git diff "${PARAMS_REF}"'],
  ['git diff "${{ params.ref }}"', 'git diff "${PARAMS_REF}"'],
  ['echo "it\'s ${{ a }}" ${{a}}', 'echo "it\'s ${SETUP_A}" "${SETUP_A}"'],
  ["echo it\\'s ${{ a }}", 'echo it\\\'s "${SETUP_A}"'],
  ["echo a # don't\necho ${{ a }}", 'echo a # don\'t\necho "${SETUP_A}"'],
  ["echo a#b'c' ${{ a }}", "echo a#b'c' \"${SETUP_A}\""],
  ["cat <<EOF\nit's ${{ a }}\nEOF\necho ${{ a }}", 'cat <<EOF\nit\'s ${SETUP_A}\nEOF\necho "${SETUP_A}"'],
  ["wc -l <<<${{ a }}", 'wc -l <<<"${SETUP_A}"'],
  ["echo 'x' ${{ a-b.c }} ${{ a_b.c }}", 'echo \'x\' "${A_B_C}" "${A_B_C_2}"'],
  ["echo $${{ a }}", "echo ${{ a }}"],
])("%j becomes %j", (text, shell) => {
  expect(compile(text).shell).toBe(shell);
});

test.each(["echo '${{ a }}'", "cat <<'EOF'\n${{ a }}\nEOF", "awk '{print $1}${{ a }}'", 'cat <<"E"\n${{ a }}\nE'])(
  "in single quotes it is refused: %j",
  (text) => {
    expect(() => compile(text)).toThrow("is in single quotes");
  },
);

test.each(['"; touch /tmp/injected; "', "$(touch /tmp/injected)", "`id`", "a b  c", "*", "--x\n'y'", "\\", "${HOME}"])(
  "whatever the value is, it is one word of the command: %j",
  (value) => {
    for (const text of [
      "printf %s ${{ params.x }}",
      'printf %s "${{ params.x }}"',
      "cat <<END\n${{ params.x }}\nEND",
    ]) {
      const { shell, variables } = compile(text);
      expect([...variables]).toEqual([["PARAMS_X", "params.x"]]);
      expect(shell).not.toContain(value.length > 1 ? value : "no");
      const said = execFileSync("bash", ["--norc", "-c", shell], { env: { PATH: process.env.PATH, PARAMS_X: value } });
      expect(said.toString().replace(/\n$/, "")).toBe(value);
    }
  },
);
