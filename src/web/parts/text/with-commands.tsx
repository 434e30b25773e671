/** A text of the daemon's, with commands as they are typed where it runs. */
import { Fragment } from "react";
import { shellLine, splitCommands } from "../../../lib/command-line.ts";

export const WithCommands = ({ text }: { text: string }) =>
  splitCommands(text).map(({ text: piece, words }, index) =>
    words === undefined ? (
      <Fragment key={index}>{piece}</Fragment>
    ) : (
      <code key={index} className="mono">
        {shellLine(words)}
      </code>
    ),
  );
