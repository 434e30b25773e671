/** What npm and PyPI serve, as far as their programs ask when they install: one package each, `greeting` 1.0.0, which says hello. */
import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { crc32, gzipSync } from "node:zlib";
import { packTar } from "modern-tar";

export interface Registry {
  answer: RequestListener;
  /** `HOST PATH` of each request, in order. */
  asked: string[];
}

/** `upset` may answer instead: then it says true. */
export async function createRegistry(
  upset: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<Registry> {
  const tarball = await npmTarball();
  const wheel = pythonWheel();
  const asked: string[] = [];
  return {
    asked,
    answer(request, response) {
      const { host } = request.headers;
      asked.push(`${host} ${request.url}`);
      if (upset(request, response)) return;
      const origin = `${"encrypted" in request.socket ? "https" : "http"}://${host}`;
      const send = (type: string, body: string | Buffer) => response.writeHead(200, { "content-type": type }).end(body);
      if (request.url === "/greeting") return send("application/json", packument(origin, tarball));
      if (request.url === "/greeting/-/greeting-1.0.0.tgz") return send("application/octet-stream", tarball);
      if (request.url === "/simple/greeting/") return send("text/html", links(wheel));
      if (request.url === `/packages/${wheelName}`) return send("application/octet-stream", wheel);
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
    },
  };
}

async function npmTarball(): Promise<Buffer> {
  const about = JSON.stringify({ name: "greeting", version: "1.0.0", main: "index.js" });
  const files = { "package/package.json": about, "package/index.js": 'module.exports = "hello from npm";\n' };
  const entries = Object.entries(files).map(([name, body]) => ({
    header: { name, size: Buffer.byteLength(body), mode: 0o644 },
    body,
  }));
  return gzipSync(await packTar(entries));
}

function packument(origin: string, tarball: Buffer): string {
  const dist = {
    tarball: `${origin}/greeting/-/greeting-1.0.0.tgz`,
    integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
  };
  const version = { name: "greeting", version: "1.0.0", dist };
  return JSON.stringify({ name: "greeting", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } });
}

const wheelName = "greeting-1.0.0-py3-none-any.whl";

/** PyPI lists its files on another host. */
const links = (wheel: Buffer): string =>
  `<!DOCTYPE html><a href="https://files.pythonhosted.org/packages/${wheelName}#sha256=${createHash("sha256").update(wheel).digest("hex")}">${wheelName}</a>`;

/** A zip file, not compressed. */
function pythonWheel(): Buffer {
  const info = "greeting-1.0.0.dist-info";
  const files: [name: string, body: string][] = [
    ["greeting.py", 'text = "hello from PyPI"\n'],
    [`${info}/METADATA`, "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0.0\n"],
    [`${info}/WHEEL`, "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"],
    [`${info}/RECORD`, `greeting.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`],
  ];
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, body] of files) {
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // the version that is needed; no flags, stored
    common.writeUInt16LE(0x21, 8); // 1 January 1980
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(body.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name + body)]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), common, place, Buffer.from(name));
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  for (const at of [4, 6]) end.writeUInt16LE(files.length, at);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from("PK\x05\x06"), end]);
}
