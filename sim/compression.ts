/**
 * Compression that happens at once. The platform's own streams work in threads, whose time the simulation cannot see; with these the bytes of
 * a bundle come in the same order each time. For the whole process, from the first import on.
 */
import { gunzipSync, gzipSync } from "node:zlib";

const whole = (work: (bytes: Buffer) => Buffer): TransformStream<Uint8Array, Uint8Array> => {
  const parts: Uint8Array[] = [];
  return new TransformStream({
    transform: (part) => void parts.push(part),
    flush: (controller) => controller.enqueue(new Uint8Array(work(Buffer.concat(parts)))),
  });
};

function Gzip() {
  return whole((bytes) => gzipSync(bytes, { level: 1 }));
}
function Gunzip() {
  return whole((bytes) => gunzipSync(bytes));
}
Object.assign(globalThis, { CompressionStream: Gzip, DecompressionStream: Gunzip });
