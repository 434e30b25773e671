/** A file as people read it: prose, code, pictures, tables, pages. `source`: as it is written. */
import { useEffect, useState } from "react";
import { Code } from "../parts/code.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Empty } from "../parts/states.tsx";
import { Csv } from "./csv.tsx";
import { HtmlFrame } from "./html-frame.tsx";
import { JsonTree } from "./json-tree.tsx";
import type { File, Source } from "./source.ts";

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

export function Preview({ source, file, asSource }: { source: Source; file: File; asSource: boolean }) {
  const kind = kindOf(file);
  const name = file.path.split("/").at(-1)!;
  const text = file.text ?? "";
  if (asSource && hasSource(kind)) return <Written text={text} path={file.path} />;
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
      return (
        <div className="paper wide">
          <Csv text={text} separator={endingOf(file.path) === "tsv" ? "\t" : ","} />
        </div>
      );
    case "json":
      return <Json text={text} path={file.path} />;
    case "svg":
      return <Drawing text={text} name={name} />;
    case "picture":
      return <img className="pic" src={`${source.address(file.path)}&v=${file.sha256}`} alt={name} />;
    case "sound":
      return (
        // biome-ignore lint/a11y/useMediaCaption: nobody wrote any
        <audio controls src={source.address(file.path)} />
      );
    case "video":
      return (
        // biome-ignore lint/a11y/useMediaCaption: nobody wrote any
        <video className="pic" controls src={source.address(file.path)} />
      );
    case "pdf":
      return <Pdf source={source} file={file} name={name} />;
    case "code":
      return <Written text={text} path={file.path} />;
    case "other":
      return (
        <Empty title="No preview" icon="doc">
          <p>{name} is no text and no picture that can be shown. Download it to open it.</p>
        </Empty>
      );
  }
}

function Written({ text, path }: { text: string; path: string }) {
  return (
    <div className="paper wide">
      <Code text={text} language={endingOf(path)} />
    </div>
  );
}

function Json({ text, path }: { text: string; path: string }) {
  try {
    return (
      <div className="paper wide">
        <JsonTree value={JSON.parse(text)} />
      </div>
    );
  } catch {
    return <Written text={text} path={path} />;
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

function Pdf({ source, file: { path, sha256 }, name }: { source: Source; file: File; name: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    let over = false;
    void source.bytes(path).then((bytes) => {
      if (over) return;
      made = URL.createObjectURL(new Blob([bytes], { type: "application/pdf" }));
      setAddress(made);
    });
    return () => {
      over = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [source, path, sha256]);
  return address ? <iframe className="sheet-f" title={`Preview of ${name}`} src={address} /> : null;
}
