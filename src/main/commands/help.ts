/** Help for narrow terminals too: where a description does not fit beside its term, it is printed below it. */
import { Help } from "commander";

const indent = 2;
/** A description is unreadable in fewer columns. */
const least = 30;

export const help = {
  minWidthToWrap: 20,
  formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = helper.helpWidth ?? 80;
    if (!description || width - termWidth - 2 * indent >= least)
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
    const under = " ".repeat(3 * indent);
    const lines = helper.boxWrap(description, width - under.length).split("\n");
    return [" ".repeat(indent) + term, ...lines.map((line) => under + line)].join("\n");
  },
};
