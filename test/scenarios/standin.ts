/**
 * A small stand-in for an agent CLI: a shell script that keeps to the file protocol. It reads its task, says that it begins (again, when it is
 * started again), makes what it makes, tries it out, and writes its result last.
 */
export const standIn = (task: string, make: string, result: string): string => `set -e
grep -q '${task}' _task.md
grep -q '"node"' _context.json
printf 'TO: coordinator\\nI begin.\\n---\\n' >> _outbox.md
sleep 0.7
${make}
printf '%s\\n' '# Done' '' '${result}' > _result.md
`;
