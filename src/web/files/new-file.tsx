/** Asks for the name of a new file, and says where it will be. */
import { useState } from "react";
import { Button } from "../parts/controls/button.tsx";
import { Field } from "../parts/controls/field.tsx";
import { Dialog } from "../shell/dialog.tsx";

interface Given {
  open: boolean;
  close(): void;
  make(name: string): void;
  what: string;
  where: string;
}

export function NewFile({ open, close, make, what, where }: Given) {
  const [name, setName] = useState("");
  const good = /^[\p{L}\p{N}_][\p{L}\p{N}._ /-]*$/u.test(name.trim()) && !name.includes("..");
  return (
    <Dialog open={open} label={what} close={close} className="ask-stop">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (good) make(name.trim());
        }}
      >
        <h2>{what}</h2>
        <Field label="Name">
          <input
            className="form-input"
            value={name}
            autoFocus
            placeholder="decisions.md"
            onChange={({ target }) => setName(target.value)}
          />
          <small>{where}.</small>
        </Field>
        <div className="dialog-f">
          <Button look="ghost" onClick={close}>
            Leave it
          </Button>
          <span className="grow" />
          <Button look="solid" type="submit" disabled={!good} title={good ? undefined : "Use letters and digits"}>
            Write it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
