/**
 * An open file on the simulated disk.
 *
 * Always holds: it stays with the file it opened, also when the name is removed or taken by another. Appends that are not awaited may land
 * in any order, each whole or, seldom, in two parts. Closing twice is harmless, any other use after closing is EBADF.
 * Not here: opening (files.ts).
 */
import type { OpenFile } from "../src/lib/world.ts";
import { type Body, contentOf, truncate } from "./body.ts";
import type { Device, Drive } from "./drive.ts";
import type { Life } from "./time.ts";
import { fault } from "./tree.ts";

export function createHandle(device: Device, drive: Drive, life: Life, body: Body): OpenFile {
  const { random } = device;
  const { soon } = drive;
  let open = true;
  device.open.set(life, (device.open.get(life) ?? 0) + 1);
  const check = (call: string) => {
    if (!open) throw fault("EBADF", call);
  };
  return {
    size: () =>
      soon(() => {
        check("fstat");
        return body.length;
      }),
    append(bytes) {
      const parts = bytes.length > 1 && random.chance(0.1) ? random.between(1, bytes.length - 1) : bytes.length;
      const first = soon(() => {
        check("write");
        drive.append(body, bytes.subarray(0, parts));
      });
      return parts === bytes.length ? first : first.then(() => soon(() => drive.append(body, bytes.subarray(parts))));
    },
    sync: () => drive.sync(body, () => check("fdatasync")),
    truncate: (size) =>
      soon(() => {
        check("ftruncate");
        drive.refuseReadOnly("ftruncate");
        const length = body.length;
        truncate(body, size);
        device.grow(body, body.length - length);
        device.touch(body);
        body.changed = life.now();
        device.time.trace.number(size);
      }),
    read: (offset, length) =>
      soon(() => {
        check("read");
        return Buffer.from(contentOf(body).subarray(offset, offset + length));
      }),
    close: () =>
      soon(() => {
        if (!open) return;
        open = false;
        device.open.set(life, (device.open.get(life) ?? 1) - 1);
      }),
  };
}
