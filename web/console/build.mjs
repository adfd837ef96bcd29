// Builds the console and writes it as one C++ source that defines web::console_assets().
//
//   node build.mjs OUTPUT.cpp
//
// Runs where node_modules is (the build tree). Assets are named by the hash of their content, so that they can be
// cached for ever; only index.html keeps its name. Each page and each language is a file of its own, loaded when needed.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { collisions } from "./styles.mjs";
import { texts_in_message_files } from "./texts.mjs";

const contentTypes = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
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
const main = await build({
  ...shared,
  entryPoints: { console: "src/main.tsx", style: "src/styles/index.css", icon: "src/icon.svg" },
  chunkNames: "assets/[name]-[hash]",
  assetNames: "assets/[name]-[hash]",
  loader: { ".svg": "copy", ".woff2": "file" },
  splitting: true,
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { "process.env.NODE_ENV": '"production"', LANGUAGES: JSON.stringify(languages) },
  plugins: [texts_in_message_files],
});
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
const pageRows = [...readFileSync("src/app/pages.ts", "utf8").matchAll(/path: "([^"]+)".*?import\("\.\.\/(pages\/[^"]+)"\)/g)];
const pages = Object.fromEntries(
  pageRows.map(([, path, source]) => [
    path,
    [...importsOf(outputOf(`src/${source}.tsx`))].filter((file) => !always.has(file)).map((file) => `/assets/${basename(file)}`),
  ]),
);
const textFiles = Object.fromEntries(languages.map((tag) => [tag, `/assets/${basename(outputOf(`src/messages/${tag}.json`))}`]));
// No module, so that it runs before the page is drawn.
const first = await build({
  ...shared,
  entryPoints: { first_paint: "src/app/first_paint.ts" },
  format: "iife",
  define: { PAGES: JSON.stringify(pages), TEXTS: JSON.stringify(textFiles) },
});
const outputs = { ...first.metafile.outputs, ...main.metafile.outputs, ...player.metafile.outputs };

const files = new Map(
  [...first.outputFiles, ...main.outputFiles, ...player.outputFiles].map((file) => [
    `/assets/${basename(file.path)}`,
    Buffer.from(file.contents),
  ]),
);
const urlOfEntry = {};
for (const [path, { entryPoint }] of Object.entries(outputs)) {
  const name = basename(path).split("-")[0];
  if (entryPoint || name === "icon" || name === "inter") urlOfEntry[name] ??= `/assets/${basename(path)}`;
}

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

// Compressed here, once and as well as can be: the box serves them as they are.
const codings = [
  ["br", (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })],
  ["gzip", (body) => gzipSync(body, { level: 9 })],
  ["", (body) => body],
];

const rows = [...files]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([path, body]) => {
    const hash = createHash("sha256").update(body).digest("hex").slice(0, 32);
    const variants = codings.map(([coding, compress]) => {
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
