// How well articles are found: precision, recall and F1 over words, on the corpus of tests/summarizer, beside
// @mozilla/readability on the same pages. The box fetches them over loopback; Readability gets them decoded.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { here, start_box, stop } from "./processes.mjs";

const corpus = join(here, "../summarizer/corpus");

const words_of = (text) =>
  text.toLowerCase().normalize("NFKC").match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? [];

const score = (expected, found) => {
  const wanted = words_of(expected), given = words_of(found), left = new Map();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let hits = 0;
  for (const word of given) {
    if (!left.get(word)) continue;
    left.set(word, left.get(word) - 1);
    ++hits;
  }
  return { precision: given.length ? hits / given.length : 0, recall: hits / wanted.length, f1: (2 * hits) / (wanted.length + given.length) };
};

const mean = (scores, part) => scores.reduce((sum, each) => sum + each[part], 0) / scores.length;

// Its text with a space where a block ends: textContent alone would glue the words of neighbours together.
const readability = (folder) => {
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(here, file), join(folder, file));
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder, stdio: "ignore" });
  const require = createRequire(join(folder, "package.json"));
  const { JSDOM, VirtualConsole } = require("jsdom");
  const { Readability } = require("@mozilla/readability");
  const dom_of = (html) => new JSDOM(html, { url: "https://example.org/", virtualConsole: new VirtualConsole() });
  return (html) => {
    const article = new Readability(dom_of(html).window.document).parse();
    const spaced = (article?.content ?? "").replace(/<(\/|br)[^>]*>/g, (tag) => `${tag} `);
    return dom_of(spaced).window.document.body.textContent;
  };
};

export const articles = async (bench) => {
  const read = readability(join(bench.folder, "readability"));
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(readFileSync(join(corpus, request.url.slice(1))));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const box = await start_box(bench.binary, join(bench.folder, "articles"), { env: { SUMMARIZER_ALLOW_PRIVATE: "on" } });
  const ours = [], theirs = [];
  for (const page of readdirSync(corpus).filter((name) => name.endsWith(".html"))) {
    const [name, encoding] = page.split(".");
    const expected = readFileSync(join(corpus, `${name}.txt`), "utf8");
    const answer = await fetch(`${box.summarizer}/api/summarize?format=text`, {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/${page}` }),
    });
    if (!answer.ok) throw new Error(`${page}: ${await answer.text()}`);
    ours.push(score(expected, (await answer.json()).content));
    theirs.push(score(expected, read(new TextDecoder(encoding === "html" ? "utf-8" : encoding).decode(readFileSync(join(corpus, page))))));
  }
  await stop(box.child);
  server.close();
  return [
    { what: `articles of ${ours.length} pages: precision`, value: mean(ours, "precision"), unit: "" },
    { what: "  recall", value: mean(ours, "recall"), unit: "" },
    { what: "  F1 over words", value: mean(ours, "f1"), unit: "", goal: 0.95 },
    { what: "@mozilla/readability on the same pages: precision", value: mean(theirs, "precision"), unit: "" },
    { what: "  recall", value: mean(theirs, "recall"), unit: "" },
    { what: "  F1 over words", value: mean(theirs, "f1"), unit: "" },
    { what: "  our F1 beside theirs", value: mean(ours, "f1") / mean(theirs, "f1"), unit: "x", goal: 1 },
  ];
};
