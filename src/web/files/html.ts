/**
 * A page that an agent wrote, to be looked at: without anything that runs, asks others or leads away. Its styles are kept, but apart, because
 * our policy allows no style in HTML: they are put onto the drawn page afterwards (html-frame.tsx).
 *
 * What keeps us safe is the frame (no scripts at all) and our policy, not this: this only takes out what would be refused anyway.
 */
export interface Still {
  /** The page as HTML, each styled element marked with a number. */
  html: string;
  /** Its style sheets. */
  sheets: string[];
  /** By number: what its style attribute said. */
  styles: string[];
}

const out =
  "script, noscript, template, iframe, frame, frameset, object, embed, applet, base, meta, link, form, portal, video, audio, source, track";
const sheetName = "agiraph-sheet";
const inline = "data-agiraph-inline";
export const styleMark = "data-agiraph-style";

interface Trusting {
  trustedTypes?: {
    createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(t: string): string };
  };
}
/** Only ever given to a document that is not shown and cannot run anything. */
const trusted = (globalThis as Trusting).trustedTypes?.createPolicy("agiraph-still", { createHTML: (text) => text });

export function stillPage(text: string): Still {
  const apart = setApart(text);
  const page = new DOMParser().parseFromString(trusted ? trusted.createHTML(apart) : apart, "text/html");
  const sheets: string[] = [];
  const styles: string[] = [];
  for (const sheet of page.querySelectorAll(sheetName)) {
    sheets.push(harmless(sheet.textContent ?? ""));
    sheet.remove();
  }
  for (const one of page.querySelectorAll(out)) one.remove();
  for (const one of page.querySelectorAll("*")) {
    for (const { name, value } of [...one.attributes]) {
      if (name === inline) {
        one.removeAttribute(name);
        one.setAttribute(styleMark, String(styles.push(harmless(value)) - 1));
      } else if (!allowed(name, value)) one.removeAttribute(name);
    }
    if (one.hasAttribute("src") || !(one instanceof HTMLImageElement)) continue;
    one.replaceWith(page.createTextNode(one.alt ? `[${one.alt}]` : ""));
  }
  return { html: `<!doctype html>${page.documentElement.outerHTML}`, sheets, styles };
}

/** Under other names: a browser would complain of everything that our policy refuses, also in a page that is never drawn. */
const setApart = (text: string): string =>
  text
    .replace(/<(\/?)style\b/gi, `<$1${sheetName}`)
    .replace(/<base\b/gi, "<agiraph-base")
    .replace(/<[a-z][^>]*>/gi, (tag) =>
      tag.replace(/([\s"'/])style\s*=/gi, `$1${inline}=`).replace(/([\s"'/])on(\w+\s*=)/gi, "$1data-on-$2"),
    );

/** Pictures that it brings itself, places in itself; nothing else that is an address, and nothing that is a program. */
function allowed(name: string, value: string): boolean {
  if (/^(data-)?on/i.test(name)) return false;
  if (/^(src|xlink:href|href)$/i.test(name)) return /^(data:image\/(png|jpe?g|gif|webp|avif);|#)/i.test(value.trim());
  return !/^(srcset|srcdoc|action|formaction|background|poster|ping|data|target|http-equiv|manifest|cite)$/i.test(name);
}

const harmless = (css: string): string =>
  css.replace(/url\((?!\s{0,20}["']?data:image\/)/gi, "none(").replace(/@import[^;]*;?/gi, "");
