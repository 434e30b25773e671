/** A page that an agent wrote, in a frame in which nothing runs. `allow-same-origin` is for us, who put its styles on: without scripts it gives it nothing. */
import { useEffect, useState } from "react";
import { type Still, stillPage, styleMark } from "./html.ts";

export function HtmlFrame({ text, name }: { text: string; name: string }) {
  const [shown, setShown] = useState<{ address: string; still: Still }>();
  useEffect(() => {
    const still = stillPage(text);
    const address = URL.createObjectURL(new Blob([still.html], { type: "text/html" }));
    setShown({ address, still });
    return () => URL.revokeObjectURL(address);
  }, [text]);
  if (!shown) return null;
  return (
    <iframe
      key={shown.address}
      className="sheet-f"
      title={`Preview of ${name}`}
      sandbox="allow-same-origin"
      src={shown.address}
      onLoad={({ currentTarget }) => dress(currentTarget, shown.still)}
    />
  );
}

/** Through the object model, which the policy allows: it takes no text as code. */
function dress(frame: HTMLIFrameElement, { sheets, styles }: Still): void {
  const [page, world] = [frame.contentDocument, frame.contentWindow as (Window & typeof globalThis) | null];
  if (!page || !world) return;
  page.adoptedStyleSheets = sheets.map((text) => {
    const sheet = new world.CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  for (const one of page.querySelectorAll<HTMLElement>(`[${styleMark}]`))
    one.style.cssText = styles[Number(one.getAttribute(styleMark))] ?? "";
}
