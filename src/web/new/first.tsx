/** The frame of the first-run page, where there are no agents yet. */
import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { openPalette } from "../shell/palette.tsx";
import { useLink } from "../store/hooks.ts";
import { toggleTheme } from "../store/theme.ts";

export function FirstHeader() {
  const { status } = useLink();
  const words = { connecting: "Connecting", live: "Ready on this machine", offline: "Offline", closed: "Closed" };
  return (
    <header className="top first-top">
      <div className="who">
        <span className="mark">
          <Icon name="mark" />
        </span>
        <h1>Agiraph</h1>
      </div>
      <div className="top-r">
        <span className={`live ${status}`}>
          <i />
          {words[status]}
        </span>
        <IconButton label="Switch theme" onClick={toggleTheme}>
          <Icon name="moon" className="only-light" />
          <Icon name="sun" className="only-dark" />
        </IconButton>
      </div>
    </header>
  );
}

export function FirstFooter({ home, workflow }: { home: string | undefined; workflow: (() => void) | undefined }) {
  return (
    <footer className="first-foot">
      {home ? (
        <span>
          Files stay in <span className="mono">{shortHome(home)}</span>
        </span>
      ) : null}
      <button type="button" onClick={openPalette}>
        <KeyCaps of={keyMap.search} /> everything else
      </button>
      {workflow ? (
        <button type="button" className="lnk" onClick={workflow}>
          Use a workflow
        </button>
      ) : null}
    </footer>
  );
}

/** A home of the usual kind as people write it. */
const shortHome = (home: string): string => home.replace(/^(\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/)/, "~");
