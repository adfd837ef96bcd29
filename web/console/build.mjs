// Builds the console and writes it as one C++ source that defines web::console_assets().
//
//   node build.mjs OUTPUT.cpp
//
// Runs where node_modules is (the build tree). Assets are named by the hash of their content, so that they can be
// cached for ever; only index.html keeps its name. Each page is a file of its own, loaded when needed, and so are the texts of each
// folder of pages in each language.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { usual_diagrams } from "./diagrams.mjs";
import { collisions } from "./styles.mjs";
import { text_files, texts_in_message_files } from "./texts.mjs";

const contentTypes = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

const output = process.argv[2];
if (!output) {
  console.error("usage: node build.mjs OUTPUT.cpp");
  process.exit(2);
}

const collided = collisions("src/styles");
if (collided.length > 0) {
  console.error(collided.join("\n"));
  process.exit(1);
}

const languages = readdirSync("src/messages").map((name) => basename(name, ".json"));

const shared = {
  outdir: "dist",
  entryNames: "assets/[name]-[hash]",
  write: false,
  metafile: true,
  bundle: true,
  minify: true,
  target: ["es2022", "chrome100", "firefox100", "safari15.4"],
  legalComments: "none",
};
const hash_of = (bytes) => createHash("sha256").update(bytes).digest("hex");
const asset_of = ({ path }) => `/assets/${basename(path)}`;

// The frame that draws diagrams. Its script is no module: a frame without an origin could not load one.
const diagrams = await build({
  ...shared,
  entryPoints: { frame: "src/diagram/frame.ts" },
  format: "iife",
  plugins: [usual_diagrams(resolve("src"))],
  logOverride: { "import-is-undefined": "silent" }, // of what is left out
});
const diagram_frame = Buffer.from(readFileSync("src/diagram/frame.html", "utf8").replace("%frame%", asset_of(diagrams.outputFiles[0])));
const diagram_page = `/assets/diagram-${hash_of(diagram_frame).slice(0, 8).toUpperCase()}.html`;

const of_console = {
  ...shared,
  entryPoints: { console: "src/main.tsx", style: "src/styles/index.css", icon: "src/icon.svg" },
  chunkNames: "assets/[name]-[hash]",
  assetNames: "assets/[name]-[hash]",
  loader: { ".svg": "copy", ".woff2": "file" },
  splitting: true,
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
};
const definitions = (texts, file_of_page) => ({
  "process.env.NODE_ENV": '"production"',
  DIAGRAM_PAGE: JSON.stringify(diagram_page),
  TEXTS: JSON.stringify(texts),
  TEXTS_OF_PAGE: JSON.stringify(file_of_page),
});
const pageRows = [...readFileSync("src/app/pages.ts", "utf8").matchAll(/path: "([^"]+)".*?import\("\.\.\/(pages\/[^"]+)"\)/g)].map(
  ([, path, source]) => [path, source],
);

// Built once to learn which sources each page needs, and so which texts; then with the addresses of the files of texts.
const messages = Object.fromEntries(languages.map((tag) => [tag, JSON.parse(readFileSync(`src/messages/${tag}.json`, "utf8"))]));
const sources = await build({ ...of_console, define: definitions({}, {}), plugins: [texts_in_message_files] });
const split = text_files({
  inputs: sources.metafile.inputs,
  page_rows: pageRows,
  first: ["/", "/login", "/dashboard", "/agents/:id"],
  keys: Object.keys(messages.en),
});
const textModules = new Map();
const texts = Object.fromEntries(
  languages.map((tag) => {
    const addressOf = ([name, keys]) => {
      const chosen = Object.entries(messages[tag]).filter(([key]) => keys.has(key) || keys.has(key.replace(/\.\w+$/, ".other")));
      const body = Buffer.from(`export default ${JSON.stringify(Object.fromEntries(chosen))};\n`);
      const address = `/assets/${tag}-${name}-${hash_of(body).slice(0, 8).toUpperCase()}.js`;
      textModules.set(address, body);
      return [name, address];
    };
    return [tag, Object.fromEntries(Object.entries(split.files).map(addressOf))];
  }),
);
const main = await build({ ...of_console, define: definitions(texts, split.file_of_page) });
// The page that plays a live stream, which shares nothing with the console.
const player = await build({
  ...shared,
  entryPoints: { player: "src/player/player.ts", playerstyle: "src/player/player.css" },
  alias: { "hls.js": "hls.js/light" }, // without subtitles and protected content, half the size
  format: "esm",
});

// The files of each page besides those that every page needs, for the script that runs first.
const mainScript = Object.entries(main.metafile.outputs).find(([, { entryPoint }]) => entryPoint === "src/main.tsx")[1];
const importsOf = (path, found = new Set()) => {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: next, kind } of main.metafile.outputs[path].imports) if (kind === "import-statement") importsOf(next, found);
  return found;
};
const always = new Set(mainScript.imports.filter(({ kind }) => kind === "import-statement").flatMap(({ path }) => [...importsOf(path)]));
const outputOf = (source) => Object.keys(main.metafile.outputs).find((path) => main.metafile.outputs[path].entryPoint === source);
const pages = Object.fromEntries(
  pageRows.map(([path, source]) => [
    path,
    [...importsOf(outputOf(`src/${source}.tsx`))].filter((file) => !always.has(file)).map((file) => `/assets/${basename(file)}`),
  ]),
);
// No module, so that it runs before the page is drawn.
const first = await build({
  ...shared,
  entryPoints: { first_paint: "src/app/first_paint.ts" },
  format: "iife",
  define: { PAGES: JSON.stringify(pages), TEXTS: JSON.stringify(texts), TEXTS_OF_PAGE: JSON.stringify(split.file_of_page) },
});
// For the service worker and the manifest.
const pictures = await build({
  ...shared,
  entryPoints: ["src/worker/icon-192.png", "src/worker/maskable-512.png", "src/worker/touch-180.png", "src/worker/badge-96.png"],
  loader: { ".png": "copy" },
});
const outputs = { ...first.metafile.outputs, ...main.metafile.outputs, ...player.metafile.outputs };

const files = new Map(
  [...first.outputFiles, ...main.outputFiles, ...player.outputFiles, ...diagrams.outputFiles, ...pictures.outputFiles].map((file) => [
    asset_of(file),
    Buffer.from(file.contents),
  ]),
);
files.set(diagram_page, diagram_frame);
for (const [address, body] of textModules) files.set(address, body);
const urlOfEntry = {};
for (const [path, { entryPoint }] of Object.entries(outputs)) {
  const name = basename(path).split("-")[0];
  if (entryPoint || name === "icon" || name === "inter") urlOfEntry[name] ??= `/assets/${basename(path)}`;
}

const hashOf = (body) => createHash("sha256").update(body).digest("hex");
const pictureUrl = (name) =>
  `/assets/${Object.keys(pictures.metafile.outputs)
    .map((path) => basename(path))
    .find((file) => file.startsWith(name))}`;
urlOfEntry.touch = pictureUrl("touch-180");

// What makes the console an app on a phone.
const manifest = Buffer.from(
  JSON.stringify({
    id: "/",
    name: "agentbox",
    short_name: "agentbox",
    start_url: "/dashboard",
    scope: "/",
    display: "standalone",
    background_color: "#ffffff",
    theme_color: "#3d5afe",
    icons: [
      { src: urlOfEntry.icon, sizes: "any", type: "image/svg+xml" },
      { src: pictureUrl("icon-192"), sizes: "192x192", type: "image/png" },
      { src: pictureUrl("maskable-512"), sizes: "512x512", type: "image/png", purpose: "maskable" },
    ],
  }),
);
urlOfEntry.manifest = `/assets/manifest-${hashOf(manifest).slice(0, 8).toUpperCase()}.webmanifest`;
files.set(urlOfEntry.manifest, manifest);

// What the first script needs is asked for together with it.
const script = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === "src/main.tsx");
const preloads = script[1].imports
  .filter(({ kind }) => kind === "import-statement")
  .map(({ path }) => `<link rel="modulepreload" href="/assets/${basename(path)}">`);

const page = (source) =>
  Buffer.from(
    readFileSync(source, "utf8")
      .replace("%preloads%", preloads.join("\n    "))
      .replace(/%(\w+)%/g, (_, entry) => {
        if (!urlOfEntry[entry]) throw new Error(`${source} names %${entry}%, which is no entry point`);
        return urlOfEntry[entry];
      }),
  );
files.set("/index.html", page("src/index.html"));
files.set("/player.html", page("src/player/player.html"));

// The page and what it always loads, kept by the service worker for when the box cannot be reached.
const shell = [
  "/",
  ...[script[0], ...always].map((file) => `/assets/${basename(file)}`),
  ...Object.values(texts).map(({ frame }) => frame),
  ...pages["/dashboard"],
  ...["first_paint", "style", "icon", "inter"].map((entry) => urlOfEntry[entry]),
];
const worker = await build({
  ...shared,
  entryPoints: { worker: "src/worker/worker.ts" },
  format: "iife",
  define: {
    SHELL: JSON.stringify([...new Set(shell)]),
    VERSION: JSON.stringify(hashOf(files.get("/index.html")).slice(0, 16)),
    ICON: JSON.stringify(pictureUrl("icon-192")),
    BADGE: JSON.stringify(pictureUrl("badge-96")),
  },
});
files.set("/worker.js", Buffer.from(worker.outputFiles[0].contents));

// A C++ string literal of any bytes, a line for each 100 or so. Octal escapes always have three digits: shorter ones
// would swallow a digit that follows.
function literal(bytes) {
  const lines = [];
  let line = "";
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte < 0x7f && !'"\\?'.includes(String.fromCharCode(byte));
    line += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
    if (line.length >= 100) {
      lines.push(line);
      line = "";
    }
  }
  lines.push(line);
  return lines.map((text) => `    "${text}"`).join("\n");
}

// Compressed here, once and as well as can be: the box serves them as they are. A large file is not kept as it is, and
// clients that name no coding get it in gzip.
const large = 1_000_000;
const codings = [
  ["br", (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })],
  ["gzip", (body) => gzipSync(body, { level: 9 })],
  ["", (body) => body],
];

const rows = [...files]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([path, body]) => {
    const hash = hash_of(body).slice(0, 32);
    const kept = body.length > large ? [codings[0], codings[1], codings[1]] : codings;
    const variants = kept.map(([coding, compress]) => {
      const bytes = compress(body);
      const etag = coding ? `${hash}-${coding}` : hash;
      return `{"${coding}", {\n${literal(bytes)},\n    ${bytes.length}}, "\\"${etag}\\""}`;
    });
    return `  {"${path}", "${contentTypes[extname(path)]}", {{${variants.join(", ")}}}},`;
  });

writeFileSync(
  output,
  `// Generated by web/console/build.mjs.
#include "web/console_assets.h"

#include <array>

namespace web {
namespace {

constexpr std::array<Asset, ${rows.length}> assets{{
${rows.join("\n")}
}};

}  // namespace

std::span<const Asset> console_assets() { return assets; }

}  // namespace web
`,
);
for (const [path, body] of files) console.log(`${path} ${body.length}`);
