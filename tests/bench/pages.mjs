// The summarizer beside Express and cheerio and beside gumbo_parse alone, on real pages: the documentation that some Debian
// packages bring, fetched over loopback, four in flight, one process each.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { cpu_seconds, here, peak_mb, start_node, start_summarizer, stop } from "./processes.mjs";

const PAGES = {
  "bash-doc": ["usr/share/doc/bash/bashref.html", "usr/share/doc/bash/bash.html"],
  "debian-policy": ["usr/share/doc/debian-policy/fhs/fhs-3.0.html"],
  "git-doc": ["git-config", "user-manual", "git-commit", "gitweb", "git-grep", "git-gc"].map(
    (page) => `usr/share/doc/git-doc/${page}.html`,
  ),
  "postgresql-doc-15": ["bookindex", "app-psql", "functions-matching", "fdw-callbacks", "protocol-flow"].map(
    (page) => `usr/share/doc/postgresql-doc-15/html/${page}.html`,
  ),
  "r-doc-html": ["R-exts", "R-intro", "R-admin", "R-ints", "R-lang", "R-FAQ"].map((page) => `usr/share/R/doc/manual/${page}.html`),
  "vim-doc": ["version9", "version7", "options", "builtin", "syntax", "insert", "pi_netrw"].map(
    (page) => `usr/share/doc/vim/html/${page}.html`,
  ),
  "zsh-doc": ["Completion-System", "Zsh-Modules", "Expansion"].map((page) => `usr/share/doc/zsh-common/html/${page}.html`),
};
const IN_FLIGHT = 4;

// apt gives the packages to whoever may read its lists; nothing is installed.
const unpack = (folder) => {
  mkdirSync(folder, { recursive: true });
  execFileSync("apt-get", ["download", "-qq", "-o", "APT::Sandbox::User=root", ...Object.keys(PAGES)], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".deb")))
    execFileSync("dpkg-deb", ["-x", file, "."], { cwd: folder });
  return Object.values(PAGES)
    .flat()
    .map((path) => join(folder, path));
};

const serve = async (files) => {
  const pages = files.map((file) => readFileSync(file));
  const server = createServer((request, response) =>
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pages[Number(request.url.slice(1))]),
  );
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    server,
    urls: pages.map((_, index) => `http://127.0.0.1:${server.address().port}/${index}`),
    bytes: pages.reduce((sum, page) => sum + page.length, 0),
  };
};

// Every page once. Its answers, in the order of `urls`, and the seconds that took.
const summarize_all = async (base, urls) => {
  const answers = [],
    waiting = urls.map((url, index) => ({ url, index }));
  const began = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let next; (next = waiting.shift()); ) {
        const answer = await fetch(`${base}/api/summarize`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ url: next.url }),
        });
        if (!answer.ok) throw new Error(`${next.url}: ${await answer.text()}`);
        answers[next.index] = await answer.json();
      }
    }),
  );
  return { answers, seconds: (performance.now() - began) / 1000 };
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export const pages = async (bench) => {
  const files = unpack(join(bench.folder, "pages"));
  const { server, urls, bytes } = await serve(files);
  const app = join(bench.folder, "cheerio");
  mkdirSync(app, { recursive: true });
  for (const file of ["package.json", "package-lock.json", "cheerio_stack.mjs"]) cpSync(join(here, file), join(app, file));
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: app, stdio: "ignore" });
  const theirs = await start_node("cheerio_stack.mjs", app);
  const ours = await start_summarizer(bench.binary);

  const mine = [],
    cpu = [],
    other = [],
    gumbo = [];
  for (let round = 0; round < bench.rounds; ++round) {
    const before = cpu_seconds(ours.child.pid);
    const run = await summarize_all(ours.url, urls);
    cpu.push(cpu_seconds(ours.child.pid) - before);
    mine.push(run.seconds);
    const peer = await summarize_all(theirs.url, urls);
    other.push(peer.seconds);
    // The same work: the same pages have the same titles.
    for (const [index, answer] of run.answers.entries()) {
      const title = peer.answers[index].title.replace(/\s+/g, " ");
      if (answer.title !== title) throw new Error(`${files[index]}: "${answer.title}" is "${title}" for cheerio`);
    }
    gumbo.push(JSON.parse(execFileSync(join(bench.tools, "gumbo_alone"), ["3", ...files])).seconds);
  }
  const memory = peak_mb(ours.child.pid),
    their_memory = peak_mb(theirs.child.pid);
  await Promise.all([stop(ours.child), stop(theirs.child)]);
  server.close();
  return [
    {
      what: `POST /api/summarize, ${urls.length} pages of ${(bytes / 1e6).toFixed(1)} MB, 4 in flight`,
      value: urls.length / median(mine),
      unit: "/s",
    },
    { what: "Express and cheerio", value: urls.length / median(other), unit: "/s" },
    { what: "  pages per page of theirs", value: median(other) / median(mine), unit: "x", goal: 10 },
    { what: "processor time of the summarizer for all pages", value: median(cpu) * 1000, unit: "ms" },
    { what: "gumbo_parse alone", value: median(gumbo) * 1000, unit: "ms" },
    { what: "  beside gumbo_parse alone", value: median(cpu) / median(gumbo), unit: "x", goal: 1.5, at_most: true },
    { what: "memory of the summarizer at its peak", value: memory, unit: "MB", goal: 100, at_most: true },
    { what: "  of Express and cheerio", value: their_memory, unit: "MB" },
  ];
};
