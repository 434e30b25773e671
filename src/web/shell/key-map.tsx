/**
 * Every key of the page, declared once: `useKey(keyMap.graph, act)` (keys.tsx) binds it, and the help sheet, Settings, the palette and the buttons
 * show it from here. A key that is not in this table cannot be bound.
 */
export interface Key {
  /** As `KeyboardEvent.key` in lower case, with `mod+` or `alt+` before it. Several of one entry act in one way, or in opposite ones. */
  keys: readonly string[];
  does: string;
  /** How it is written, if not key after key. */
  shown?: readonly string[];
}

const digits = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

const groups = {
  Anywhere: {
    search: { keys: ["mod+k"], does: "Search and commands" },
    needsYou: { keys: ["n"], does: "Needs you" },
    newAgent: { keys: ["c"], does: "New agent" },
    find: { keys: ["/"], does: "Find on this page" },
    stop: { keys: ["mod+."], does: "Stop, with a preview" },
    close: { keys: ["escape"], does: "Close" },
    help: { keys: ["?", "mod+/"], does: "All keys", shown: ["?"] },
  },
  "An agent": {
    talk: { keys: ["t"], does: "Talk" },
    graph: { keys: ["g"], does: "Graph" },
    time: { keys: ["l"], does: "Timeline" },
    person: { keys: ["alt+arrowup", "alt+arrowdown"], does: "Person above, below" },
    write: { keys: ["enter"], does: "Write a message" },
  },
  "What needs you": {
    step: { keys: ["j", "k", "arrowdown", "arrowup"], does: "Next, previous", shown: ["J", "K"] },
    option: { keys: digits, does: "Choose an option", shown: ["1", "to", "9"] },
    ownWords: { keys: ["r"], does: "Answer in your own words" },
    answer: { keys: ["enter"], does: "Answer" },
    allow: { keys: ["y"], does: "Allow the call" },
    deny: { keys: ["d"], does: "Deny the call" },
    select: { keys: ["x"], does: "Select the call" },
    allowSelected: { keys: ["a"], does: "Allow the selected calls" },
    snooze: { keys: ["s"], does: "Snooze for an hour" },
    openTalk: { keys: ["o"], does: "Open in Talk" },
  },
  "Graph, Timeline, Files": {
    walk: { keys: ["arrowleft", "arrowright", "arrowup", "arrowdown"], does: "From node to node" },
    openNode: { keys: ["enter"], does: "Open the node" },
    otherNode: { keys: ["j", "k", "]", "["], does: "Next, previous node", shown: ["J", "K"] },
    event: { keys: ["arrowleft", "arrowright"], does: "Previous, next event" },
    edit: { keys: ["e"], does: "Edit the file" },
    save: { keys: ["mod+s"], does: "Save the file" },
  },
  Changes: {
    diffFile: { keys: ["]", "["], does: "Next, previous file" },
    diffChange: { keys: ["j", "k"], does: "Next, previous change" },
    diffLine: { keys: ["arrowdown", "arrowup"], does: "Next, previous line" },
    comment: { keys: ["enter"], does: "Comment on the line" },
    diffLayout: { keys: ["v"], does: "Side by side, or unified" },
  },
} as const satisfies Record<string, Record<string, Key>>;

export const keyMap = {
  ...groups.Anywhere,
  ...groups["An agent"],
  ...groups["What needs you"],
  ...groups["Graph, Timeline, Files"],
  ...groups.Changes,
};

export const keyGroups: readonly (readonly [title: string, keys: readonly Key[]])[] = Object.entries(groups).map(
  ([title, keys]) => [title, Object.values(keys)],
);

const signs: Record<string, string> = {
  ...{ mod: "⌘", alt: "⌥", enter: "↵", escape: "Esc" },
  ...{ arrowleft: "←", arrowright: "→", arrowup: "↑", arrowdown: "↓" },
};

/** What is on the caps: `⌘` and `K`. */
export const capsOf = ({ keys, shown }: Key): readonly string[] =>
  shown ?? keys.flatMap((key) => key.split("+").map((part) => signs[part] ?? part.toUpperCase()));

export function KeyCaps({ of }: { of: Key }) {
  return capsOf(of).map((cap, nth) => (cap === "to" ? " to " : <kbd key={nth}>{cap}</kbd>));
}
