/**
 * Bytes of the daemon as an address of our own memory, for pictures, sound and frames: only the page has the token of its session
 * (store/session.ts), so an address of the daemon would show nothing.
 */
import { useEffect, useRef, useState } from "react";

interface Fetched {
  address?: string;
  failed: boolean;
}

/** Fetched anew when `key` changes; not at all without one. */
export function useFetched(key: string | undefined, get: () => Promise<Blob>): Fetched {
  const [fetched, setFetched] = useState<Fetched>({ failed: false });
  const fetch = useRef(get);
  fetch.current = get;
  useEffect(() => {
    setFetched({ failed: false });
    if (key === undefined) return;
    let address: string | undefined;
    let over = false;
    fetch
      .current()
      .then((bytes) => {
        if (over) return;
        address = URL.createObjectURL(bytes);
        setFetched({ address, failed: false });
      })
      .catch(() => !over && setFetched({ failed: true }));
    return () => {
      over = true;
      if (address) URL.revokeObjectURL(address);
    };
  }, [key]);
  return fetched;
}
