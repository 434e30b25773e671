import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createFilter } from "./filter.ts";
import { processors, type Syscall, syscalls } from "./syscalls.ts";

interface Call {
  arch: number;
  number: number;
  args?: bigint[];
}

/** What the kernel would answer: classic BPF as far as it is used, and every way it may go wrong. */
function run(program: Buffer, { arch, number, args = [] }: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(arch, 4);
  for (const [index, arg] of args.entries()) data.writeBigUInt64LE(BigInt.asUintN(64, arg), 16 + index * 8);
  let loaded = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [code, yes, no] = [program.readUInt16LE(at * 8), program[at * 8 + 2]!, program[at * 8 + 3]!];
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x06) return value;
    else if (code === 0x15) at += loaded === value ? yes : no;
    else if (code === 0x35) at += loaded >= value ? yes : no;
    else if (code === 0x45) at += (loaded & value) !== 0 ? yes : no;
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error("it ran past its end");
}

const allow = 0x7fff0000;
const refuse = (errno: number) => 0x00050000 | errno;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

describe.each(Object.entries(processors))("on %s", (name, { arch, column }) => {
  const program = createFilter(name)!;
  const ask = (call: Syscall, ...args: bigint[]) => run(program, { arch, number: syscalls[call][column]!, args });

  test.each<[Syscall, bigint[], number]>([
    ["keyctl", [], refuse(EPERM)],
    ["add_key", [], refuse(EPERM)],
    ["request_key", [], refuse(EPERM)],
    ["bpf", [], refuse(EPERM)],
    ["userfaultfd", [], refuse(EPERM)],
    ["mount", [], refuse(EPERM)],
    ["setns", [], refuse(EPERM)],
    ["open_by_handle_at", [], refuse(EPERM)],
    ["io_uring_setup", [], refuse(ENOSYS)],
    ["clone3", [], refuse(ENOSYS)],
    // A thread, a process, and one with a user namespace.
    ["clone", [0x3d0f00n], allow],
    ["clone", [0x1200011n], allow],
    ["clone", [0x10000011n], refuse(EPERM)],
    ["clone", [0x20000n], refuse(EPERM)],
    ["unshare", [0x400n], allow],
    ["unshare", [0x10000000n], refuse(EPERM)],
    ["unshare", [0x80n], refuse(EPERM)],
    ["ptrace", [0n, 0n], allow],
    ["ptrace", [16n, 7n], allow],
    ["ptrace", [16n, 1n], refuse(EPERM)],
    // The kernel looks at the lower half only.
    ["ptrace", [16n, 0x100000001n], refuse(EPERM)],
    ["process_vm_writev", [1n], refuse(EPERM)],
    ["process_vm_writev", [2n], allow],
    ["socket", [1n], allow],
    ["socket", [2n], allow],
    ["socket", [10n], allow],
    ["socket", [16n], allow],
    ["socket", [0n], refuse(EAFNOSUPPORT)],
    ["socket", [17n], refuse(EAFNOSUPPORT)],
    ["socket", [38n], refuse(EAFNOSUPPORT)],
    ["socket", [40n], refuse(EAFNOSUPPORT)],
    ["socketpair", [1n], allow],
    ["socketpair", [30n], refuse(EAFNOSUPPORT)],
    ["ioctl", [0n, 0x5401n], allow],
    ["ioctl", [0n, 0x5412n], refuse(EPERM)],
    ["ioctl", [0n, 0xffffffff00005412n], refuse(EPERM)],
    ["ioctl", [0n, 0x541cn], refuse(EPERM)],
  ])("%s %s", (call, args, answer) => {
    expect(ask(call, ...args)).toBe(answer);
  });

  test("every call that is in the table is refused with some argument, and no other", () => {
    const known = new Set<number | null>(Object.values(syscalls).map((numbers) => numbers[column]));
    const some = [0n, 1n, 40n, 0x5412n, 0x10000000n, -1n].map((arg) => [arg, arg]);
    for (let number = 0; number < 600; number++) {
      const answers = some.map((args) => run(program, { arch, number, args }));
      expect([number, answers.some((answer) => answer !== allow)]).toEqual([number, known.has(number)]);
    }
  });

  test("the calls of another processor kill whoever makes them", () => {
    for (const other of [0x40000003, 0x40000028, 0xc0000015])
      expect(run(program, { arch: other, number: 1 })).toBe(0x80000000);
  });

  test("the kernel takes programs of at most 4096 instructions", () => {
    expect(program.length % 8).toBe(0);
    expect(program.length / 8).toBeLessThan(4096);
  });
});

test("the numbers of x32 are refused", () => {
  for (const number of [0x40000000, 0x40000000 + syscalls.mount[0], 0xffffffff])
    expect(run(createFilter("x64")!, { arch: processors.x64!.arch, number })).toBe(refuse(ENOSYS));
});

test("where the numbers are not known there is no filter", () => {
  expect(createFilter("s390x")).toBeNull();
});

/** Where the kernel's headers are installed they are compared. */
const headers = { x64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", shared: "/usr/include/asm-generic/unistd.h" };
test.each(Object.entries(headers))("the numbers are those of the kernel: %s", (name, file) => {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return;
  }
  const column = name === "x64" ? 0 : 1;
  for (const [call, numbers] of Object.entries(syscalls)) {
    const [, number] = new RegExp(`#define __NR_${call}\\s+(\\d+)`).exec(text) ?? [];
    if (number !== undefined) expect([call, numbers[column]]).toEqual([call, Number(number)]);
    else expect(numbers[column] === null || numbers[column]! > 450, call).toBe(true);
  }
});
