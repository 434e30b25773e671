/** A message that is too long for the channel: its beginning, and the rest on request. */
import { useState } from "react";
import { Button } from "../parts/controls/button.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";

export function Whole({ agent, resource, text }: { agent: string; resource: string; text: string }) {
  const client = useClient();
  const { attempt } = useToasts();
  const [whole, setWhole] = useState<string>();
  const open = async () => {
    const answer = await attempt(client.readResource({ params: { agent, id: resource } }));
    const said = (await answer?.json()) as { text?: string | null } | undefined;
    if (said) setWhole(said.text ?? "Not a text file.");
  };
  return (
    <div className="card whole">
      <Markdown text={whole ?? text} />
      {whole === undefined ? <Button onClick={() => void open()}>Show all of it</Button> : null}
    </div>
  );
}
