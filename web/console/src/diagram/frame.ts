// Draws diagrams of Mermaid for the page around it. Runs in a frame without an origin, whose policy allows it no request:
// Mermaid writes styles into the page, which the console's own policy forbids, and what it draws comes from models.
import mermaid from "mermaid";
import type { Drawn, Wanted } from "./messages";

const font = "system-ui, sans-serif";

function configure(dark: boolean) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: dark ? "dark" : "default",
    fontFamily: font,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    look: "classic",
    layout: "dagre",
    suppressErrorRendering: true,
    maxTextSize: 50_000,
    // What a diagram may not set for itself.
    secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering"].concat([
      "htmlLabels",
      "flowchart",
      "class",
      "look",
      "layout",
      "fontFamily",
      "themeCSS",
    ]),
  });
}

let serial = 0;

async function draw({ source, dark }: Wanted): Promise<Omit<Drawn, "id">> {
  configure(dark);
  const { svg, diagramType } = await mermaid.render(`diagram-${++serial}`, source);
  // An image needs a size of its own, and well-formed XML.
  const place = document.createElement("div");
  place.innerHTML = svg;
  const image = place.querySelector("svg")!;
  const [, , width = 0, height = 0] = (image.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  image.removeAttribute("style");
  image.setAttribute("width", `${width}`);
  image.setAttribute("height", `${height}`);
  return { svg: new XMLSerializer().serializeToString(image), width, height, kind: diagramType };
}

// One after the other: Mermaid's settings are of the page.
let before: Promise<unknown> = Promise.resolve();

window.addEventListener("message", ({ source, data }: MessageEvent<Wanted>) => {
  if (source !== window.parent) return;
  before = before.then(async () => {
    let drawn: Omit<Drawn, "id">;
    try {
      drawn = await draw(data);
    } catch (error) {
      drawn = { error: error instanceof Error ? error.message : String(error) };
    }
    window.parent.postMessage({ id: data.id, ...drawn } satisfies Drawn, "*");
  });
});
window.parent.postMessage({ id: "ready" } satisfies Drawn, "*");
