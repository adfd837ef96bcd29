// Serves the page of the console's design language on this machine, from the sources as they are:
//
//   node web/console/design.mjs [--port 4400] [--packages build/release/web/console/node_modules]
//
// Each load of the page builds it again. It needs the packages that a build of the box has installed.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";

const here = import.meta.dirname;
const { values: given } = parseArgs({ options: { port: { type: "string", default: "4400" }, packages: { type: "string" } } });
const builds = ["release", "debug", "asan", "tsan"].map((preset) => join(here, "../../build", preset, "web/console/node_modules"));
const packages = given.packages ?? builds.find((folder) => existsSync(folder));
if (!packages) {
  console.error("design: build the box first, or name the folder of its packages with --packages");
  process.exit(2);
}
const { build } = createRequire(resolve(packages, "esbuild/package.json"))("esbuild");

// Each language is one file of all texts.
const languages = readdirSync(join(here, "src/messages")).map((name) => basename(name, ".json"));
const texts = Object.fromEntries(languages.map((tag) => [tag, { frame: `/texts.${tag}.js` }]));
const texts_of = (tag) => `export default ${readFileSync(join(here, "src/messages", `${tag}.json`), "utf8")}`;
const shared = {
  bundle: true,
  write: false,
  target: "es2022",
  nodePaths: [resolve(packages)],
  outdir: "/",
  loader: { ".woff2": "file" },
  logLevel: "silent",
};

async function files() {
  const page = await build({
    ...shared,
    entryPoints: { page: join(here, "design/page.tsx") },
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { TEXTS: JSON.stringify(texts), TEXTS_OF_PAGE: "{}", DIAGRAM_PAGE: '""' },
  });
  const style = await build({ ...shared, entryPoints: { page: join(here, "design/page.css") } });
  const made = [page, style].flatMap(({ outputFiles }) => outputFiles).map(({ path, contents }) => [`/${basename(path)}`, contents]);
  return new Map([...made, ...languages.map((tag) => [texts[tag].frame, texts_of(tag)])]);
}

let built = new Map();
const types = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2" };
const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  try {
    if (pathname === "/design") {
      built = await files();
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(readFileSync(join(here, "design/page.html")));
    } else if (built.has(pathname)) {
      response.writeHead(200, { "content-type": types[pathname.slice(pathname.lastIndexOf("."))] }).end(built.get(pathname));
    } else {
      response.writeHead(404).end();
    }
  } catch (error) {
    response.writeHead(500, { "content-type": "text/plain; charset=utf-8" }).end(error.message);
  }
});
server.listen(Number(given.port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/design`));
