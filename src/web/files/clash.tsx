/** An edit conflict: what each side changed, side by side, and the three ways to resolve it. Nothing is written until one is chosen. */
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Diff } from "./diff-view.tsx";

interface Given {
  name: string;
  /** The other took it away. */
  gone: boolean;
  base: string;
  mine: string;
  theirs: string;
  saving: boolean;
  takeTheirs(): void;
  together(): void;
  keepMine(): void;
}

export function Clash({ name, gone, base, mine, theirs, saving, takeTheirs, together, keepMine }: Given) {
  return (
    <>
      <div className="bar2 conflict" role="alert">
        <Icon name="alert" />
        <span className="grow">
          {gone ? `${name} was deleted.` : `Somebody else changed ${name} in the meantime.`} Nothing was written over.
        </span>
        <Button onClick={takeTheirs}>Take theirs</Button>
        <Button onClick={together}>{gone ? "Keep mine" : "Merge by hand"}</Button>
        <Button look="solid" disabled={saving} onClick={keepMine}>
          Save mine over it
        </Button>
      </div>
      <div className="preview-body tight">
        <div className="both">
          <section data-testid="theirs">
            <h3>What they changed</h3>
            {gone ? <p className="dim">They deleted it.</p> : <Diff before={base} after={theirs} />}
          </section>
          <section data-testid="mine">
            <h3>What you changed</h3>
            <Diff before={base} after={mine} />
          </section>
        </div>
      </div>
    </>
  );
}
