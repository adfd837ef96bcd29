// A terminal: the state machine of xterm, drawn by elements with classes. Its input is a hidden field of text, so that
// input methods, phones and pasting work.
import { type IDisposable, Terminal as Machine } from "@xterm/headless";
import { useEffect, useRef } from "preact/hooks";
import { sequenceOf } from "./terminal_keys";
import { Rows } from "./terminal_rows";

export interface TerminalSize {
  columns: number;
  rows: number;
}

// What the page has of a terminal that is shown.
export interface TerminalHandle {
  write: (text: string) => void;
  size: () => TerminalSize;
  focus: () => void;
}

interface Props {
  label: string;
  help: string; // the id of the words that say how to leave it by keyboard
  onReady: (terminal: TerminalHandle) => void;
  onType: (text: string) => void;
  onSize: (size: TerminalSize) => void;
}

const scrollback = 2_000;
const linesOfWheel = 3;

export function Terminal({ label, help, onReady, onType, onSize }: Props) {
  const screen = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const machine = useRef<Machine>(null);
  const latest = useRef({ onType, onSize });
  latest.current = { onType, onSize };

  const type = (text: string) => {
    machine.current?.scrollToBottom();
    latest.current.onType(text);
  };

  useEffect(() => {
    const terminal = new Machine({ allowProposedApi: true, scrollback, ...measured(screen.current!, probe.current!) });
    machine.current = terminal;
    const rows = new Rows(screen.current!);
    let frame = 0;
    const draw = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        rows.draw(terminal);
      });
    };
    const listening: IDisposable[] = [
      terminal.onWriteParsed(draw),
      terminal.onScroll(draw),
      terminal.onResize(({ cols, rows: count }) => {
        draw();
        latest.current.onSize({ columns: cols, rows: count });
      }),
      terminal.onData((answer) => latest.current.onType(answer)), // to a question of the program
    ];
    const watched = new ResizeObserver(() => {
      const { cols, rows: count } = measured(screen.current!, probe.current!);
      if (cols !== terminal.cols || count !== terminal.rows) terminal.resize(cols, count);
    });
    watched.observe(screen.current!);
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      terminal.scrollLines(event.deltaY > 0 ? linesOfWheel : -linesOfWheel);
      draw();
    };
    screen.current!.addEventListener("wheel", onWheel, { passive: false });
    draw();
    onReady({
      write: (text) => terminal.write(text),
      size: () => ({ columns: terminal.cols, rows: terminal.rows }),
      focus: () => field.current?.focus(),
    });
    return () => {
      cancelAnimationFrame(frame);
      watched.disconnect();
      for (const one of listening) one.dispose();
      terminal.dispose();
    };
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    const terminal = machine.current;
    if (!terminal) return;
    if (event.key === "Tab" && event.shiftKey) return; // the way out
    if (event.shiftKey && (event.key === "PageUp" || event.key === "PageDown")) {
      event.preventDefault();
      terminal.scrollPages(event.key === "PageUp" ? -1 : 1);
      return;
    }
    const isCopy = event.ctrlKey && event.key.toLowerCase() === "c" && (event.shiftKey || !getSelection()?.isCollapsed);
    if (isCopy) {
      event.preventDefault();
      void navigator.clipboard?.writeText(String(getSelection()));
      getSelection()?.removeAllRanges();
      return;
    }
    const sequence = sequenceOf(event, { applicationCursor: terminal.modes.applicationCursorKeysMode });
    if (sequence === undefined) return;
    event.preventDefault();
    type(sequence);
  };
  const onInput = (event: InputEvent) => {
    if (event.isComposing) return;
    const text = field.current!.value;
    field.current!.value = "";
    if (text) type(text.replaceAll("\n", "\r"));
  };
  const onPaste = (event: ClipboardEvent) => {
    event.preventDefault();
    const text = (event.clipboardData?.getData("text/plain") ?? "").replace(/\r?\n/g, "\r");
    if (text) type(machine.current?.modes.bracketedPasteMode ? `\x1b[200~${text.replaceAll("\x1b", "")}\x1b[201~` : text);
  };
  return (
    <div class="terminal" dir="ltr" onMouseUp={() => getSelection()?.isCollapsed && field.current?.focus()}>
      <span ref={probe} class="term-probe" aria-hidden="true">
        {"0".repeat(probeColumns)}
      </span>
      <div ref={screen} class="term-screen" role="log" aria-label={label} />
      <textarea
        ref={field}
        class="term-input"
        aria-label={label}
        aria-describedby={help}
        autocomplete="off"
        autocapitalize="off"
        autocorrect="off"
        spellcheck={false}
        rows={1}
        onKeyDown={onKeyDown}
        onInput={onInput}
        onCompositionEnd={(event) => {
          field.current!.value = "";
          if (event.data) type(event.data);
        }}
        onPaste={onPaste}
      />
    </div>
  );
}

const probeColumns = 20;

// How many characters the screen has room for.
function measured(screen: HTMLElement, probe: HTMLElement) {
  const { width, height } = probe.getBoundingClientRect();
  return {
    cols: Math.max(20, Math.min(500, Math.floor(screen.clientWidth / (width / probeColumns)))),
    rows: Math.max(5, Math.min(200, Math.floor(screen.clientHeight / height))),
  };
}
