/** All keys, on `?`. */
import { useState } from "react";
import { Dialog } from "./dialog.tsx";
import { useKey } from "./keys.tsx";

const groups: [string, [string, string][]][] = [
  [
    "Go",
    [
      ["⌘ K", "Search and commands"],
      ["N", "Needs you"],
      ["T", "Talk"],
      ["G", "Graph"],
      ["L", "Timeline"],
      ["C", "New agent"],
      ["⌥ ↑ ⌥ ↓", "Person above, below"],
    ],
  ],
  [
    "Act",
    [
      ["J K", "Next, previous"],
      ["↵", "Open, answer, send"],
      ["1 to 9", "Choose an option"],
      ["R", "Answer in your own words"],
      ["S", "Snooze"],
      ["X, A", "Select, approve selected"],
      ["⌘ .", "Stop, after saying what it will do"],
      ["Esc", "Close, back to live"],
      ["?", "These keys"],
    ],
  ],
];

export function Help() {
  const [open, setOpen] = useState(false);
  useKey("?", "All keys", () => setOpen(true));
  useHelpButton(() => setOpen(true));
  return (
    <Dialog open={open} label="Keys" close={() => setOpen(false)} className="help">
      <h2>Keys</h2>
      <div className="help-g">
        {groups.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, does]) => (
                <div key={key}>
                  <dt>
                    {key.split(" ").map((one, nth) =>
                      // biome-ignore lint/suspicious/noArrayIndexKey: the same key may stand twice, and the list never changes
                      /^(to|,)$/.test(one) ? ` ${one} ` : <kbd key={nth}>{one.replace(",", "")}</kbd>,
                    )}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Others ask for it by an event, so nothing has to know where it is. */
function useHelpButton(open: () => void): void {
  useKey("mod+/", "All keys", open);
}
