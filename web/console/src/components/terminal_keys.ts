// What keys send to programs in a terminal (as xterm does).

export interface KeyModes {
  applicationCursor: boolean; // programs of a whole screen expect other sequences for arrows
}

const arrows: Record<string, string> = { ArrowUp: "A", ArrowDown: "B", ArrowRight: "C", ArrowLeft: "D", Home: "H", End: "F" };
const numbered: Record<string, number> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};
const plain: Record<string, string> = { Enter: "\r", Tab: "\t", Escape: "\x1b", F1: "\x1bOP", F2: "\x1bOQ", F3: "\x1bOR", F4: "\x1bOS" };
const controls: Record<string, string> = {
  "[": "\x1b",
  "\\": "\x1c",
  "]": "\x1d",
  "^": "\x1e",
  "6": "\x1e",
  _: "\x1f",
  "/": "\x1f",
  "?": "\x7f",
};

// Undefined: the key is the browser's, or is text that arrives as input.
export function sequenceOf(event: KeyboardEvent, { applicationCursor }: KeyModes): string | undefined {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
  if (metaKey || event.isComposing) return undefined;
  const modifiers = 1 + (shiftKey ? 1 : 0) + (altKey ? 2 : 0) + (ctrlKey ? 4 : 0);
  const arrow = arrows[key];
  if (arrow) return modifiers > 1 ? `\x1b[1;${modifiers}${arrow}` : `\x1b${applicationCursor ? "O" : "["}${arrow}`;
  const number = numbered[key];
  if (number) return modifiers > 1 ? `\x1b[${number};${modifiers}~` : `\x1b[${number}~`;
  const escape = altKey ? "\x1b" : "";
  if (key === "Backspace") return escape + (ctrlKey ? "\b" : "\x7f");
  if (plain[key] !== undefined) return escape + plain[key];
  if (ctrlKey && !shiftKey && !altKey) {
    if (/^[a-z]$/i.test(key)) return String.fromCharCode(key.toUpperCase().charCodeAt(0) - 64);
    return controls[key];
  }
  if (altKey && !ctrlKey && [...key].length === 1 && key.charCodeAt(0) < 128) return `\x1b${key}`;
  return undefined;
}
