/** The open file: its content on disk now, and the content before it changed while the page was open. */
import { useCallback, useEffect, useRef, useState } from "react";
import { Problem } from "../../schema/problem.ts";
import { useFileChanges } from "./changes.ts";
import type { File, Source } from "./source.ts";

export interface OpenFile {
  /** Undefined while it is asked for; "gone" if it is not there. */
  file: File | "gone" | undefined;
  problem?: Problem | undefined;
  /** What was seen of it earlier in this window, if it was another version. */
  earlier?: File | undefined;
  again(): Promise<File | "gone" | undefined>;
}

export function useFile(source: Source, path: string): OpenFile {
  const [now, setNow] = useState<{ path: string; file: File | "gone"; earlier?: File | undefined }>();
  const [problem, setProblem] = useState<Problem>();
  const wanted = useRef(path);
  wanted.current = path;
  const again = useCallback(async () => {
    try {
      const found = await source.look(path);
      const file = found.kind === "file" ? found : "gone";
      if (wanted.current !== path) return file;
      setProblem(undefined);
      setNow((before) => {
        const last = before?.path === path && before.file !== "gone" ? before.file : undefined;
        if (last && file !== "gone" && last.sha256 === file.sha256) return before;
        return { path, file, earlier: last };
      });
      return file;
    } catch (error) {
      if (wanted.current !== path) return undefined;
      const said = error instanceof Problem ? error : new Problem("unreachable", String(error));
      if (said.code === "not_found") {
        setNow({ path, file: "gone" });
        return "gone" as const;
      }
      setProblem(said);
      return undefined;
    }
  }, [source, path]);
  useEffect(() => {
    setProblem(undefined);
    if (path) void again();
  }, [again, path]);
  useFileChanges(source.agent, () => path && void again());
  const mine = now?.path === path ? now : undefined;
  return { file: mine?.file, earlier: mine?.earlier, problem, again };
}
