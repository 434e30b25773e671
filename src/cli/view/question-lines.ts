/**
 * What the human is asked, as lines. A call that wants their yes is shown to its last sign, whatever is in it and however long it is; a question is
 * broken like any text. Nothing of either is left out.
 */
import type { Question } from "../../schema/question.ts";
import { wrap, wrapExact } from "../terminal/text.ts";

type Asked = Pick<Question, "text"> & { approves?: unknown };

export const questionLines = ({ text, approves }: Asked, width: number): string[] =>
  approves ? wrapExact(text, width) : wrap(text, width);
