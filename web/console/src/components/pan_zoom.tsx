// A drawing that is moved and enlarged: by dragging, by two fingers, by the wheel (with Ctrl, as pages zoom), by the
// keys of the focused drawing and by buttons.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../app/i18n";
import { Button } from "./button";

interface Point {
  x: number;
  y: number;
}
interface View extends Point {
  zoom: number;
}

const whole: View = { x: 0, y: 0, zoom: 1 };
const closest = 8;
const step = 1.4; // of a key or button
const move = 0.1; // of the width seen

interface Props {
  label: string;
  width: number; // of the drawing, in its own units
  height: number;
  children: (zoom: number) => ComponentChildren; // SVG
}

export function PanZoom({ label, width, height, children }: Props) {
  const view = useSignal(whole);
  const drawing = useRef<SVGSVGElement>(null);
  const hint = useId();
  const fingers = useRef(new Map<number, Point>());

  const set = ({ x, y, zoom }: View) => {
    const size = Math.min(Math.max(zoom, 1), closest);
    const within = (at: number, length: number) => Math.min(Math.max(at, 0), length - length / size);
    view.value = { x: within(x, width), y: within(y, height), zoom: size };
  };
  // Keeps the point under the pointer where it is.
  const zoom_at = (factor: number, { x, y }: Point = { x: 0.5, y: 0.5 }) => {
    const { x: left, y: top, zoom } = view.peek();
    const next = Math.min(Math.max(zoom * factor, 1), closest);
    set({ x: left + (x * width) / zoom - (x * width) / next, y: top + (y * height) / zoom - (y * height) / next, zoom: next });
  };
  const shift = (dx: number, dy: number) => {
    const { x, y, zoom } = view.peek();
    set({ x: x + (dx * width) / zoom, y: y + (dy * height) / zoom, zoom });
  };
  // Where an event happened, as shares of the drawing's width and height.
  const place = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const box = drawing.current!.getBoundingClientRect();
    return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
  };

  useEffect(() => {
    // A listener of the element's own: one that may prevent the page's zoom.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom_at(Math.exp(-event.deltaY / 300), place(event));
    };
    const element = drawing.current!;
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    fingers.current.set(event.pointerId, place(event));
  };
  const onMove = (event: PointerEvent) => {
    const before = fingers.current.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    const others = [...fingers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    const other = others[0];
    if (other) {
      const apart = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      if (apart(before, other) > 0) zoom_at(apart(now, other) / apart(before, other), middle);
    } else {
      // The pointer is taken once it drags: until then a click belongs to what is under it.
      if (Math.hypot(now.x - before.x, now.y - before.y) < 0.005) return;
      drawing.current!.setPointerCapture(event.pointerId);
      shift(before.x - now.x, before.y - now.y);
    }
    fingers.current.set(event.pointerId, now);
  };
  const onUp = (event: PointerEvent) => void fingers.current.delete(event.pointerId);

  const keys: Record<string, () => void> = {
    "+": () => zoom_at(step),
    "=": () => zoom_at(step),
    "-": () => zoom_at(1 / step),
    "0": () => set(whole),
    ArrowLeft: () => shift(-move, 0),
    ArrowRight: () => shift(move, 0),
    ArrowUp: () => shift(0, -move),
    ArrowDown: () => shift(0, move),
  };
  const { x, y, zoom } = view.value;
  return (
    <div class="pan-zoom">
      <div
        class="drawing"
        role="group"
        aria-label={label}
        aria-describedby={hint}
        tabIndex={0}
        onKeyDown={(event) => {
          const action = keys[event.key];
          if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          action();
        }}
      >
        <svg
          ref={drawing}
          class={zoom > 1 ? "near" : undefined}
          viewBox={`${x} ${y} ${width / zoom} ${height / zoom}`}
          aria-hidden="true"
          onPointerDown={onDown}
          onPointerMove={onMove}
          onPointerUp={onUp}
          onPointerCancel={onUp}
          onPointerLeave={onUp}
        >
          {children(zoom)}
        </svg>
      </div>
      <div class="actions start">
        <Button class="small" label={t("zoom.in")} disabled={zoom >= closest} onClick={() => zoom_at(step)}>
          +
        </Button>
        <Button class="small" label={t("zoom.out")} disabled={zoom <= 1} onClick={() => zoom_at(1 / step)}>
          −
        </Button>
        <Button class="small" disabled={zoom === 1} onClick={() => set(whole)}>
          {t("zoom.whole")}
        </Button>
        <span class="hint" id={hint}>
          {t("zoom.hint")}
        </span>
      </div>
    </div>
  );
}
