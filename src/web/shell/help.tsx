/** All keys, on `?`. */
import { useEffect, useState } from "react";
import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Dialog } from "./dialog.tsx";
import { KeyCaps, keyGroups, keyMap } from "./key-map.tsx";
import { useKey } from "./keys.tsx";

const asked = "agiraph:help";
/** By an event, so that nothing has to know where it is. */
export const openHelp = (): void => void dispatchEvent(new CustomEvent(asked));

export function Help() {
  const [open, setOpen] = useState(false);
  useKey(keyMap.help, () => setOpen(true));
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
        {keyGroups.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map((key) => (
                <div key={key.does}>
                  <dt>
                    <KeyCaps of={key} />
                  </dt>
                  <dd>{key.does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
