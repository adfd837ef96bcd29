// A diagram of Mermaid. It is drawn by a frame of its own (src/diagram/frame.ts) and shown as an image, in which nothing
// runs and nothing is loaded. While it is incomplete, and when it cannot be drawn, its source is shown.
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { download } from "../app/download";
import { t } from "../app/i18n";
import { theme } from "../app/theme";
import type { Drawn, Wanted } from "../diagram/messages";
import { Button } from "./button";
import { CodeBlock } from "./code_block";
import { Icon } from "./icon";

declare const DIAGRAM_PAGE: string;

const patience = 15_000; // milliseconds for one diagram, and for the frame to load
const pause = 250; // after the last change of its source

let frame: Promise<HTMLIFrameElement> | undefined;
let serial = 0;

function receive(id: string, from: HTMLIFrameElement): Promise<Drawn> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => reject(new Error(t("markdown.diagram_late")))), patience);
    const onMessage = ({ source, data }: MessageEvent<Drawn>) => {
      if (source === from.contentWindow && data.id === id) finish(() => resolve(data));
    };
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      window.removeEventListener("message", onMessage);
      settle();
    };
    window.addEventListener("message", onMessage);
  });
}

async function openFrame(): Promise<HTMLIFrameElement> {
  const made = document.createElement("iframe");
  made.className = "diagram-frame";
  made.title = t("markdown.diagram");
  made.tabIndex = -1;
  made.setAttribute("aria-hidden", "true");
  made.setAttribute("sandbox", "allow-scripts");
  made.src = DIAGRAM_PAGE;
  const ready = receive("ready", made);
  document.body.append(made);
  await ready;
  return made;
}

function closeFrame() {
  document.querySelector("iframe.diagram-frame")?.remove();
  frame = undefined;
}

async function draw(source: string, dark: boolean): Promise<Drawn> {
  try {
    const place = await (frame ??= openFrame());
    const id = `${++serial}`;
    const drawn = receive(id, place);
    place.contentWindow!.postMessage({ id, source, dark } satisfies Wanted, "*");
    return await drawn;
  } catch (error) {
    closeFrame(); // the next diagram begins with a new one
    throw error;
  }
}

const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(prefersDark.matches);
prefersDark.addEventListener("change", ({ matches }) => (systemDark.value = matches));
const isDark = () => (theme.value === "system" ? systemDark.value : theme.value === "dark");

export function Diagram({ source }: { source: string }) {
  const drawn = useSignal<Drawn | undefined>(undefined);
  const error = useSignal("");
  const asSource = useSignal(false);
  const dark = isDark();
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      draw(source, dark).then(
        (found) => {
          if (!current) return;
          if (found.svg) drawn.value = found;
          error.value = found.error ?? "";
        },
        (cause: Error) => {
          if (current) error.value = cause.message;
        },
      );
    }, pause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [source, dark]);
  const { svg, width, height, kind = "" } = drawn.value ?? {};
  if (!svg || error.value)
    return (
      <figure class="diagram">
        <CodeBlock text={source} language="mermaid" syntax="" />
        {error.value && <figcaption>{t("markdown.diagram_failed", { reason: error.value.split("\n")[0]! })}</figcaption>}
      </figure>
    );
  return (
    <figure class="diagram">
      {asSource.value ? (
        <CodeBlock text={source} language="mermaid" syntax="" />
      ) : (
        <div class="scroll" tabIndex={0} role="group" aria-label={t("markdown.diagram")}>
          <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} width={width} height={height} alt={alternative(kind, source)} />
        </div>
      )}
      <div class="diagram-actions">
        <Button class="small" kind="ghost" pressed={asSource.value} onClick={() => (asSource.value = !asSource.value)}>
          {t("markdown.diagram_source")}
        </Button>
        <Button
          class="icon-only"
          kind="ghost"
          label={t("markdown.diagram_save")}
          title={t("markdown.diagram_save")}
          onClick={() => download("diagram.svg", svg, "image/svg+xml")}
        >
          <Icon name="download" />
        </Button>
      </div>
    </figure>
  );
}

// What is read out: the kind of the diagram, and its source, which says the same as the picture.
const alternative = (kind: string, source: string) => `${t("markdown.diagram")} (${kind.replace(/-v\d+$/, "")}): ${source}`;
