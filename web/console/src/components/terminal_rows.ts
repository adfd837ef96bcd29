// Draws the rows of a terminal as elements with classes: the content security policy allows no styles in the page.
import type { IBuffer, IBufferCell, Terminal } from "@xterm/headless";

interface Run {
  text: string;
  classes: string;
  foreground: number | undefined; // as RGB, where no class has it
  background: number | undefined;
}

const levels = [0, 95, 135, 175, 215, 255];

// A colour of the palette of 256 beyond the first 16, which are the console's.
function paletteColour(index: number): number {
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const at = index - 16;
  return (levels[Math.floor(at / 36)]! << 16) | (levels[Math.floor(at / 6) % 6]! << 8) | levels[at % 6]!;
}

function runOf(cell: IBufferCell, isCursor: boolean): Run {
  const run: Run = { text: cell.getChars() || " ", classes: "", foreground: undefined, background: undefined };
  const classes: string[] = [];
  const flags: [number, string][] = [
    [cell.isBold(), "bold"],
    [cell.isDim(), "dim"],
    [cell.isItalic(), "italic"],
    [cell.isUnderline(), "underlined"],
    [cell.isStrikethrough(), "struck"],
    [cell.isInverse(), "inverse"],
    [cell.isInvisible(), "invisible"],
  ];
  for (const [isSet, name] of flags) if (isSet) classes.push(`term-${name}`);
  const colour = cell.getFgColor();
  if (cell.isFgPalette() && colour < 16) classes.push(`term-ink-${colour}`);
  else if (!cell.isFgDefault()) run.foreground = cell.isFgRGB() ? colour : paletteColour(colour);
  const ground = cell.getBgColor();
  if (cell.isBgPalette() && ground < 16) classes.push(`term-ground-${ground}`);
  else if (!cell.isBgDefault()) run.background = cell.isBgRGB() ? ground : paletteColour(ground);
  if (cell.getWidth() === 2) classes.push("term-wide");
  // Other fonts stand in for what the font does not have, with widths of their own.
  else if (/[^\x20-\x7e]/.test(run.text)) classes.push("term-cell");
  if (isCursor) classes.push("term-cursor");
  run.classes = classes.join(" ");
  return run;
}

const isAlone = (classes: string) => /term-(wide|cell|cursor)/.test(classes);
const isAlike = (one: Run, other: Run) =>
  one.classes === other.classes && one.foreground === other.foreground && one.background === other.background && !isAlone(one.classes);

function runsOf(buffer: IBuffer, line: number, columns: number, cursor: number): Run[] {
  const runs: Run[] = [];
  const row = buffer.getLine(line);
  let spare: IBufferCell | undefined;
  for (let column = 0; column < columns; column++) {
    const cell = row?.getCell(column, spare);
    if (!cell) break;
    spare = cell;
    if (cell.getWidth() === 0) continue; // the second half of a wide one
    const run = runOf(cell, column === cursor);
    const last = runs.at(-1);
    if (last && isAlike(last, run)) last.text += run.text;
    else runs.push(run);
  }
  const last = runs.at(-1);
  if (last?.classes === "" && last.background === undefined) last.text = last.text.trimEnd();
  return runs;
}

const css = (colour: number) => `#${colour.toString(16).padStart(6, "0")}`;

function elementOf(run: Run): Node {
  if (!run.classes && run.foreground === undefined && run.background === undefined) return document.createTextNode(run.text);
  const element = document.createElement("span");
  element.className = run.classes;
  element.textContent = run.text;
  if (run.foreground !== undefined) element.style.color = css(run.foreground);
  if (run.background !== undefined) element.style.backgroundColor = css(run.background);
  return element;
}

// Draws what has changed since the last time.
export class Rows {
  private drawn: string[] = [];

  constructor(private readonly host: HTMLElement) {}

  draw(terminal: Terminal) {
    const buffer = terminal.buffer.active;
    while (this.host.childElementCount > terminal.rows) this.host.lastElementChild!.remove();
    while (this.host.childElementCount < terminal.rows) {
      const row = document.createElement("div");
      row.className = "term-row";
      this.host.append(row);
    }
    this.drawn.length = terminal.rows;
    for (let at = 0; at < terminal.rows; at++) {
      const line = buffer.viewportY + at;
      const isCursorLine = line === buffer.baseY + buffer.cursorY;
      const runs = runsOf(buffer, line, terminal.cols, isCursorLine ? Math.min(buffer.cursorX, terminal.cols - 1) : -1);
      const key = JSON.stringify(runs);
      if (key === this.drawn[at]) continue;
      this.drawn[at] = key;
      this.host.children[at]!.replaceChildren(...runs.map(elementOf));
    }
  }
}
