import { describe, expect, test } from "vitest";
import { createKept, json, noStorage, plainText, stringsIn } from "./persisted-state.ts";

/** As a browser's, with room for so many characters. */
function storage(room = Number.POSITIVE_INFINITY): Storage {
  const items = new Map<string, string>();
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem(name: string, text: string) {
      if (text.length > room) throw new Error("QuotaExceededError");
      items.set(name, text);
    },
    removeItem: (name: string) => void items.delete(name),
    key: (nth: number) => [...items.keys()][nth] ?? null,
    get length() {
      return items.size;
    },
    clear: () => items.clear(),
  };
}

describe("what is kept in the browser", () => {
  test("is there for the next window, and gone when it is forgotten", () => {
    const disk = storage();
    const open = () => createKept("agiraph.x", plainText, () => disk);
    open().write("hello");
    expect(open().read()).toBe("hello");
    open().write(undefined);
    expect([open().read(), open().has(), disk.length]).toEqual(["", false, 0]);
  });

  test("is the same object until it changes, and its readers are told when it does", () => {
    const disk = storage();
    const kept = createKept("agiraph.list", json(stringsIn), () => disk);
    let told = 0;
    const leave = kept.subscribe(() => told++);
    kept.write(["a"]);
    expect(kept.read()).toBe(kept.read());
    expect(kept.read()).toEqual(["a"]);
    // Another window.
    disk.setItem("agiraph.list", '["b"]');
    expect(kept.read()).toEqual(["b"]);
    leave();
    kept.write([]);
    expect(told).toBe(1);
  });

  test("has a value for each key, and names those that have one", () => {
    const disk = storage();
    const drafts = createKept("agiraph.draft.", plainText, () => disk);
    drafts.write("one", "a.talk");
    drafts.write("two", "b.talk");
    disk.setItem("other", "x");
    expect([drafts.read("a.talk"), drafts.read("c.talk")]).toEqual(["one", ""]);
    expect(drafts.keys().sort()).toEqual(["a.talk", "b.talk"]);
  });

  test("that nobody can read is missing", () => {
    const disk = storage();
    const kept = createKept("agiraph.list", json(stringsIn), () => disk);
    for (const text of ["{", "null", "7", '{"a":1}']) {
      disk.setItem("agiraph.list", text);
      expect(kept.read()).toEqual([]);
    }
    disk.setItem("agiraph.list", '["a",7]');
    expect(kept.read()).toEqual(["a"]);
  });

  test.each([
    ["has no room", () => storage(3)],
    [
      "may not be used",
      () => {
        throw new Error("SecurityError");
      },
    ],
    ["is not wanted", noStorage],
  ])("stays while the window is open if the storage %s", (_, place) => {
    const disk = _ === "has no room" ? place() : undefined;
    const kept = createKept("agiraph.x", plainText, disk ? () => disk as Storage : (place as () => Storage));
    kept.write("long text");
    expect([kept.read(), kept.has(), kept.keys()]).toEqual(["long text", true, [""]]);
    kept.write(undefined);
    expect(kept.has()).toBe(false);
  });
});
