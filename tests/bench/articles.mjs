// How well articles are found: F1 over words, on the pages of tests/summarizer, beside @mozilla/readability on the same pages. The box
// fetches them over loopback; Readability gets them decoded. AGENTBOX_ARTICLE_PAGES adds the pages of a folder: for each a folder with
// source.html and expected.html, as in the tests of readability (whose expected pages are Readability's own answers).
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { here, start_box, stop } from "./processes.mjs";

const beside = (folder) => {
  const texts = (page) => [page.replace(/\.html$/, ".txt"), `${page.split(".")[0]}.txt`].map((name) => join(folder, name));
  const pages = readdirSync(folder).filter((name) => name.endsWith(".html"));
  return pages.map((page) => ({ path: join(folder, page), text: () => readFileSync(texts(page).find(existsSync), "utf8") }));
};
const in_folders = (folder, text_of) =>
  readdirSync(folder).map((name) => ({
    path: join(folder, name, "source.html"),
    text: () => text_of(readFileSync(join(folder, name, "expected.html"), "utf8")),
  }));

const words_of = (text) =>
  text
    .toLowerCase()
    .normalize("NFKC")
    .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? [];

const score = (expected, found) => {
  const wanted = words_of(expected),
    given = words_of(found),
    left = new Map();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let hits = 0;
  for (const word of given) {
    if (!left.get(word)) continue;
    left.set(word, left.get(word) - 1);
    ++hits;
  }
  return {
    precision: given.length ? hits / given.length : 0,
    recall: hits / wanted.length,
    f1: (2 * hits) / (wanted.length + given.length),
  };
};

const mean = (scores, part) => scores.reduce((sum, each) => sum + each[part], 0) / scores.length;

// Text with a space where a block ends: textContent alone would glue the words of neighbours together.
const readability = (folder) => {
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(here, file), join(folder, file));
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder, stdio: "ignore" });
  const require = createRequire(join(folder, "package.json"));
  const { JSDOM, VirtualConsole } = require("jsdom");
  const { Readability } = require("@mozilla/readability");
  const dom_of = (html) => new JSDOM(html, { url: "https://example.org/", virtualConsole: new VirtualConsole() });
  const text_of = (html) => dom_of(html.replace(/<(\/|br)[^>]*>/g, (tag) => `${tag} `)).window.document.body.textContent;
  return { text_of, read: (html) => text_of(new Readability(dom_of(html).window.document).parse()?.content ?? "") };
};

// In the encoding of its name, NAME.ENCODING.html, else as the page declares it.
const decoded = (path) => {
  const bytes = readFileSync(path),
    head = bytes.subarray(0, 4096).toString("latin1");
  const encoding = /^[^.]+\.([\w-]+)\.html$/.exec(basename(path))?.[1] ?? /charset=["']?([\w-]+)/i.exec(head)?.[1] ?? "utf-8";
  return new TextDecoder(encoding).decode(bytes);
};

export const articles = async (bench) => {
  const peer = readability(join(bench.folder, "readability"));
  const sets = {
    "made for the tests": beside(join(here, "../summarizer/corpus")),
    "of Debian's documentation": beside(join(here, "../summarizer/documentation")),
  };
  if (process.env.AGENTBOX_ARTICLE_PAGES) sets["of AGENTBOX_ARTICLE_PAGES"] = in_folders(process.env.AGENTBOX_ARTICLE_PAGES, peer.text_of);
  const pages = Object.values(sets).flat();
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(readFileSync(pages[Number(request.url.slice(1))].path));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const box = await start_box(bench.binary, join(bench.folder, "articles"), { env: { SUMMARIZER_ALLOW_PRIVATE: "on" } });
  for (const [index, page] of pages.entries()) {
    const answer = await fetch(`${box.summarizer}/api/summarize?format=text`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/${index}` }),
    });
    if (!answer.ok) throw new Error(`${page.path}: ${await answer.text()}`);
    const expected = page.text();
    page.ours = score(expected, (await answer.json()).content);
    page.theirs = score(expected, peer.read(decoded(page.path)));
  }
  await stop(box.child);
  server.close();
  return Object.entries(sets).flatMap(([name, each]) => {
    const ours = each.map((page) => page.ours),
      theirs = each.map((page) => page.theirs);
    return [
      { what: `${each.length} pages ${name}: F1 over words`, value: mean(ours, "f1"), unit: "", goal: 0.965 },
      { what: "  precision", value: mean(ours, "precision"), unit: "" },
      { what: "  recall", value: mean(ours, "recall"), unit: "" },
      { what: "  of the worst page", value: Math.min(...ours.map((page) => page.f1)), unit: "", goal: 0.5 },
      { what: "  F1 of @mozilla/readability", value: mean(theirs, "f1"), unit: "" },
    ];
  });
};
