/** A preview of a file: prose, code, images, tables, HTML. `source` shows it as plain text. */

import { useEffect, useState } from "react";
import { Icon } from "../parts/controls/icon.tsx";
import { Download } from "../parts/files/download.tsx";
import { useFetched } from "../parts/files/fetched.ts";
import { Empty } from "../parts/status/states.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { Csv } from "./csv.tsx";
import { HtmlFrame } from "./html-frame.tsx";
import { JsonTree } from "./json-tree.tsx";
import { Lines } from "./lines.tsx";
import type { Bytes, File } from "./source.ts";

export type Kind =
  | "markdown"
  | "html"
  | "csv"
  | "json"
  | "svg"
  | "picture"
  | "pdf"
  | "sound"
  | "video"
  | "code"
  | "other";

export const endingOf = (path: string): string => /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";

export function kindOf({ path, type, text }: File): Kind {
  const ending = endingOf(path);
  if (type.startsWith("image/")) return "picture";
  if (type.startsWith("audio/")) return "sound";
  if (type.startsWith("video/")) return "video";
  if (type === "application/pdf") return "pdf";
  if (text === null) return "other";
  if (ending === "md") return "markdown";
  if (ending === "html" || ending === "htm") return "html";
  if (ending === "csv" || ending === "tsv") return "csv";
  if (ending === "json") return "json";
  return ending === "svg" ? "svg" : "code";
}

/** Those that can be read in two ways. */
export const hasSource = (kind: Kind): boolean => ["markdown", "html", "csv", "json", "svg"].includes(kind);

/** Those that scroll by themselves and take all the room. */
export const fillsPanel = (file: File, asSource: boolean): boolean => {
  const kind = kindOf(file);
  if (file.text === "" || kind === "other") return false;
  if (asSource && hasSource(kind)) return true;
  return ["html", "pdf", "csv", "code"].includes(kind);
};

interface Given {
  source: Bytes;
  file: File;
  asSource: boolean;
  /** The line that is shown. */
  line?: number | undefined;
}

export function Preview({ source, file, asSource, line }: Given) {
  const kind = kindOf(file);
  const name = file.path.split("/").at(-1)!;
  const text = file.text ?? "";
  if (file.text === "")
    return (
      <Empty title="It is empty" icon="doc">
        <p>{name} has nothing in it.</p>
      </Empty>
    );
  if (asSource && hasSource(kind)) return <Lines text={text} language={endingOf(name)} line={line} />;
  switch (kind) {
    case "markdown":
      return (
        <article className="paper">
          <Markdown text={text} />
        </article>
      );
    case "html":
      return <HtmlFrame text={text} name={name} />;
    case "csv":
      return <Csv text={text} separator={endingOf(file.path) === "tsv" ? "\t" : ","} cut={file.truncated} />;
    case "json":
      return <Json text={text} path={file.path} />;
    case "svg":
      return <Drawing text={text} name={name} />;
    case "picture":
    case "sound":
    case "video":
      return <Media source={source} file={file} name={name} kind={kind} />;
    case "pdf":
      return <Pdf source={source} file={file} name={name} />;
    case "code":
      return <Lines text={text} language={endingOf(name)} line={line} />;
    case "other":
      return (
        <Empty title="No preview" icon="doc">
          <p>{name} cannot be previewed: it is neither text nor an image. Download it to open it.</p>
        </Empty>
      );
  }
}

function Json({ text, path }: { text: string; path: string }) {
  try {
    return (
      <div className="paper wide">
        <JsonTree value={JSON.parse(text)} />
      </div>
    );
  } catch {
    return (
      <>
        <p className="hint">Not valid JSON; shown as text.</p>
        <Lines text={text} language={endingOf(path)} />
      </>
    );
  }
}

/** As a picture: nothing in it runs or asks for anything. */
function Drawing({ text, name }: { text: string; name: string }) {
  const address = useAddress(text, "image/svg+xml");
  return address ? <img className="pic" src={address} alt={name} /> : null;
}

function useAddress(text: string, type: string): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [text, type]);
  return address;
}

type MediaGiven = { source: Bytes; file: File; name: string };

function Media({ source, file, name, kind }: MediaGiven & { kind: "picture" | "sound" | "video" }) {
  const { address, failed } = useFetched(`${file.path} ${file.sha256}`, () => source.bytes(file.path));
  if (failed) return <Unseen title="The file could not be loaded" source={source} path={file.path} name={name} />;
  if (!address) return null;
  if (kind === "picture") return <img className="pic" src={address} alt={name} />;
  // biome-ignore lint/a11y/useMediaCaption: nobody wrote any
  if (kind === "sound") return <audio controls src={address} />;
  // biome-ignore lint/a11y/useMediaCaption: nobody wrote any
  return <video className="pic" controls src={address} />;
}

/** As what it is: the browser's own viewer draws it. */
function Pdf({ source, file: { path, sha256 }, name }: MediaGiven) {
  const canShow = navigator.pdfViewerEnabled;
  const { address, failed } = useFetched(
    canShow ? `${path} ${sha256}` : undefined,
    async () => new Blob([await source.bytes(path)], { type: "application/pdf" }),
  );
  const title = failed ? "The file could not be loaded" : "This browser cannot show PDF files";
  if (!canShow || failed) return <Unseen title={title} source={source} path={path} name={name} />;
  return address ? <iframe className="sheet-f" title={`Preview of ${name}`} src={address} /> : null;
}

function Unseen({ title, source, path, name }: { title: string; source: Bytes; path: string; name: string }) {
  return (
    <Empty title={title} icon="doc">
      <p>
        <Download className="btn" address={source.address(path)} name={name} get={() => source.bytes(path)}>
          <Icon name="dl" size={14} />
          Download {name}
        </Download>
      </p>
    </Empty>
  );
}
