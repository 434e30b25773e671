import fc from "fast-check";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";

const shown = (text: string) =>
  renderToStaticMarkup(<Markdown text={text} />).replace(/^<div class="md">|<\/div>$/g, "");

describe("markdown", () => {
  test("becomes what it says", () => {
    expect(shown("# Big\n\na **b** *c* ~~d~~ `e<f`")).toBe(
      "<h1>Big</h1><p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e&lt;f</code></p>",
    );
    expect(shown("- one\n- two\n  1. three")).toBe(
      '<ul><li>one</li><li>two<ol start="1"><li>three</li></ol></li></ul>',
    );
    expect(shown("> said\n\n---")).toBe("<blockquote><p>said</p></blockquote><hr/>");
    expect(shown("|a|b|\n|-|-:|\n|1|**2**|")).toContain('<td style="text-align:right"><strong>2</strong></td>');
    expect(shown("- [x] done")).toContain('type="checkbox"');
    expect(shown("AT&amp;T &#8364; &copy; &lt;b&gt;")).toBe("<p>AT&amp;T € &amp;copy; &lt;b&gt;</p>");
    expect(shown("two  \nlines")).toBe("<p>two<br/>lines</p>");
  });

  test("leads out by http and mail only, elsewhere and without telling from where", () => {
    expect(shown("[x](https://a.example/?q=1&r=2)")).toBe(
      '<p><a class="lnk" href="https://a.example/?q=1&amp;r=2" target="_blank" rel="noopener noreferrer">x</a><span class="host"> (a.example)</span></p>',
    );
    expect(shown("see https://a.example now")).toContain('href="https://a.example"');
    for (const to of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "/agents",
      "//a.example",
      "&#106;avascript:x",
    ])
      expect(shown(`[x](${to}) ![y](${to})`)).not.toContain("<a");
    expect(shown("![p](https://a.example/x.png)")).not.toContain("<img");
  });

  test("T11 has no element that was not ours, whatever it is made of", () => {
    const ours =
      /^<\/?(p|h[1-6]|strong|em|del|code|br|hr|a|ul|ol|li|blockquote|div|table|thead|tbody|tr|th|td|pre|span|input|button|svg|use)\b/;
    const piece = fc.constantFrom(
      "<script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "<svg/onload=alert(1)>",
      "](javascript:alert(1))",
      "[a",
      "![",
      "`",
      "```\n",
      "**",
      "_",
      "\n\n",
      "- ",
      "> ",
      "| a | b |\n|-|-|\n",
      "<a href='javascript:x'>",
      "&lt;script&gt;",
      "<!--",
      'https://x.example/"onclick=alert(1)',
      "[r]: javascript:x\n",
      "1. ",
      "# ",
      "text ",
      "\\",
      "<",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const html = shown(pieces.join(""));
        for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
          expect(tag).toMatch(ours);
          expect(tag).not.toMatch(/\son\w+=|href="(?!https?:\/\/|mailto:|#i-)/i);
        }
      }),
      { numRuns: 300 },
    );
  });
});
