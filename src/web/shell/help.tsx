/** All keys, on `?`. */
import { useEffect, useState } from "react";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
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
      ["/", "Find on this page"],
      ["← →", "One event back, forward"],
    ],
  ],
  [
    "Act",
    [
      ["J K", "Next, previous"],
      ["↵", "Open, answer, send"],
      ["1 to 9", "Choose an option"],
      ["R", "Answer in your own words"],
      ["Y D", "Allow, deny a call"],
      ["S", "Snooze"],
      ["O", "Open in Talk"],
      ["X, A", "Select, approve selected"],
      ["⌘ .", "Stop, after saying what it will do"],
      ["Esc", "Close, back to live"],
      ["?", "These keys"],
    ],
  ],
];

const asked = "agiraph:help";
/** By an event, so that nothing has to know where it is. */
export const openHelp = (): void => void dispatchEvent(new CustomEvent(asked));

export function Help() {
  const [open, setOpen] = useState(false);
  useKey("?", "All keys", () => setOpen(true));
  useKey("mod+/", "All keys", () => setOpen(true));
  useEffect(() => {
    const show = () => setOpen(true);
    addEventListener(asked, show);
    return () => removeEventListener(asked, show);
  }, []);
  return (
    <Dialog open={open} label="Keys" close={() => setOpen(false)} className="help">
      <div className="help-h">
        <h2>Keys</h2>
        <IconButton label="Close" onClick={() => setOpen(false)}>
          <Icon name="x" />
        </IconButton>
      </div>
      <div className="help-g">
        {groups.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, does]) => (
                <div key={key}>
                  <dt>
                    {key
                      .split(" ")
                      .map((one, nth) =>
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
