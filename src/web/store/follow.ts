/** Draws again when a store says that it changed. `read` gives the same value until then. Also where a component is drawn without a browser. */
import { useSyncExternalStore } from "react";

export const useFollowed = <T>(subscribe: (changed: () => void) => () => void, read: () => T): T =>
  useSyncExternalStore(subscribe, read, read);
