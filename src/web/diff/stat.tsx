/** How much changed: `+31 −4`, and in words for who does not see colours. */
import { plural } from "../parts/text/words.ts";

export function Stat({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="pm num" title={`${plural(added, "line")} added, ${removed} removed`}>
      {added ? <span className="a">+{added}</span> : null}
      {removed ? <span className="d">−{removed}</span> : null}
      {added || removed ? null : <span className="dim">0</span>}
    </span>
  );
}
