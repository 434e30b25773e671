/** Actions on the open file: copy its path or text, download it, show its details. */

import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Download } from "../parts/files/download.tsx";
import { useToasts } from "../shell/toasts.tsx";
import type { File, Source } from "./source.ts";

interface Given {
  source: Source;
  file: File;
  rail: boolean;
  /** Missing where there is no room for it. */
  setRail: ((rail: boolean) => void) | undefined;
}

export function ViewerActions({ source, file, rail, setRail }: Given) {
  const { say } = useToasts();
  const name = file.path.split("/").at(-1)!;
  const copy = async (what: string, text: () => Promise<string> | string) => {
    try {
      await navigator.clipboard.writeText(await text());
      say({ look: "done", text: `${what} copied.` });
    } catch {
      say({ look: "failure", text: "The browser blocked copying." });
    }
  };
  /** All of it, also where only the beginning is shown. */
  const whole = async () => (file.truncated ? await (await source.bytes(file.path)).text() : (file.text ?? ""));
  return (
    <>
      <IconButton
        label="Copy the path"
        className="hide-phone"
        onClick={() => void copy("The path was", () => file.path)}
      >
        <Icon name="link" />
      </IconButton>
      {file.text === null ? null : (
        <IconButton label="Copy the text" className="copy" onClick={() => void copy("The text was", whole)}>
          <Icon name="copy" />
        </IconButton>
      )}
      <Download
        className="ib"
        address={source.address(file.path)}
        name={name}
        get={() => source.bytes(file.path)}
        label="Download"
        title="Download"
      >
        <Icon name="dl" />
      </Download>
      {setRail ? (
        <IconButton
          label={rail ? "Hide file details" : "Show file details"}
          className="hide-phone"
          aria-pressed={rail}
          onClick={() => setRail(!rail)}
        >
          <Icon name="side" />
        </IconButton>
      ) : null}
    </>
  );
}
