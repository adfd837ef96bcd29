// The web summarizer beside its box: what it answers over HTTP, and how it is kept: confined, restarted, ended.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, send, until } from "../support/box.mjs";

const PAGE = `<!doctype html><html lang="en"><head><title>The lighthouse</title>
  <meta name="description" content="How the lamp is kept"><meta property="og:title" content="Lighthouse"></head>
  <body><nav><a href="/home">Home</a></nav><h1>The lighthouse</h1><h2>The lamp</h2>
  <p>The lamp is lit at dusk.</p><p>It is put out at dawn.</p><p>The lamp is lit at dusk.</p>
  <a href="history?year=1901">History</a><img data-src="/tower.jpg" src="data:image/gif;base64,R0" alt="The tower"></body></html>`;

// A site on loopback: `pages` maps paths to handlers.
const site = async (t, pages) => {
  const server = createServer((request, response) => {
    const page = pages[request.url];
    if (page) return page(request, response);
    response.writeHead(404, { "content-type": "text/html" }).end("<p>no such page");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
};
const html =
  (text, headers = {}) =>
  (request, response) =>
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers }).end(text);

const ask = (box, path, body) =>
  send(box.summarizer, "POST", path, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

const proc = (pid, file) => readFileSync(`/proc/${pid}/${file}`, "latin1");
const field = (pid, name) => new RegExp(`^${name}:\\s*(.*)$`, "m").exec(proc(pid, "status"))?.[1];
const is_alive = (pid) => {
  try {
    return !/^State:\s*[ZX]/m.test(proc(pid, "status"));
  } catch {
    return false;
  }
};
// The box's summarizer process.
const summarizer_of = (box) =>
  readdirSync("/proc")
    .map(Number)
    .find((pid) => {
      if (!(pid > 0) || !is_alive(pid)) return false;
      return field(pid, "PPid") === String(box.child.pid) && proc(pid, "cmdline").split("\0")[1] === "summarizer";
    });

const ALLOWED = { SUMMARIZER_ALLOW_PRIVATE: "on" };

test("a page is summarized and its references are extracted, as the contract says", async (t) => {
  const box = await Box.start(t, ALLOWED);
  const base = await site(t, { "/": html(PAGE) });
  const summary = await ask(box, "/api/summarize", { url: `${base}/` });
  assert.equal(summary.status, 200, summary.text);
  const { fetchedAt, ...said } = summary.body;
  assert.equal(new Date(fetchedAt).toISOString(), fetchedAt);
  assert.deepEqual(said, {
    url: `${base}/`,
    title: "The lighthouse",
    description: "How the lamp is kept",
    headings: ["The lighthouse", "The lamp"],
    paragraphs: ["The lamp is lit at dusk.", "It is put out at dawn."],
    wordCount: 24,
  });
  const extract = await ask(box, "/api/extract", { url: `${base}/` });
  assert.equal(extract.status, 200, extract.text);
  assert.deepEqual(
    { ...extract.body, fetchedAt: undefined },
    {
      url: `${base}/`,
      fetchedAt: undefined,
      links: [
        { href: `${base}/home`, text: "Home" },
        { href: `${base}/history?year=1901`, text: "History" },
      ],
      images: [{ src: `${base}/tower.jpg`, alt: "The tower" }],
      meta: { description: "How the lamp is kept", "og:title": "Lighthouse" },
    },
  );

  for (const path of ["/api/summarize", "/api/extract"]) {
    assert.deepEqual([(await ask(box, path, {})).status, (await ask(box, path, {})).body], [400, { error: "url required" }]);
    const missing = await ask(box, path, { url: `${base}/missing` });
    assert.equal(missing.status, 500);
    assert.match(missing.body.error, /404/);
  }
  const about = await send(box.summarizer, "GET", "/");
  assert.equal(about.body.payment.currency, "USDC");
  assert.ok(about.body.endpoints["POST /api/summarize"]);
  const health = await send(box.summarizer, "GET", "/health");
  assert.deepEqual([health.body.status, health.body.version], ["ok", "1.0.0"]);
});

test("with a format, the main article and the page's metadata are included", async (t) => {
  const box = await Box.start(t, ALLOWED);
  const sentence = "The keeper lights the lamp at dusk, writes the hour into his book, and watches the sea until dawn.";
  const base = await site(t, {
    "/": html(`<html lang="en"><head><title>The lamp</title><meta name="author" content="By Jo Doe"></head><body><nav><a href="/">Home</a></nav>
      <article><h1>The lamp</h1><p>${sentence}</p><p>More <a href="book">in <b>his</b> book</a>, which nobody but the wind has read so far.</p></article>
      <footer><p>All rights reserved by the keeper and his heirs, whoever they may be.</p></footer></body></html>`),
  });
  const markdown = await ask(box, "/api/summarize?format=markdown", { url: `${base}/` });
  assert.equal(markdown.status, 200, markdown.text);
  assert.equal(markdown.body.content, `${sentence}\n\nMore [in **his** book](${base}/book), which nobody but the wind has read so far.`);
  const { byline, language, site: name, canonical, jsonLd, sentences } = markdown.body;
  assert.deepEqual(
    { byline, language, name, canonical, jsonLd },
    { byline: "Jo Doe", language: "en", name: "127.0.0.1", canonical: `${base}/`, jsonLd: [] },
  );
  assert.ok(sentences.includes(sentence));
  const text = await ask(box, "/api/summarize?format=text", { url: `${base}/` });
  assert.equal(text.body.content, `${sentence}\n\nMore in his book, which nobody but the wind has read so far.`);
  assert.equal((await ask(box, "/api/summarize?format=pdf", { url: `${base}/` })).status, 400);
});

test("a page is asked for again only when it has changed, where the box keeps pages", async (t) => {
  const box = await Box.start(t, { ...ALLOWED, SUMMARIZER_CACHE_MB: "8" });
  const statuses = [];
  const base = await site(t, {
    "/": (request, response) => {
      const known = request.headers["if-none-match"] === '"1"';
      statuses.push(known ? 304 : 200);
      response.writeHead(statuses.at(-1), { "content-type": "text/html", etag: '"1"' }).end(known ? "" : PAGE);
    },
  });
  for (let round = 0; round < 2; ++round)
    assert.equal((await ask(box, "/api/summarize", { url: `${base}/` })).body.title, "The lighthouse");
  assert.deepEqual(statuses, [200, 304]);
});

test("a hostile page is an answer or an error, and the next page is read", async (t) => {
  const box = await Box.start(t, ALLOWED);
  const base = await site(t, {
    "/": html(PAGE),
    "/nested": html("<div>".repeat(100_000)),
    "/unclosed": html("<p><b>x".repeat(1_000_000)),
    "/attributes": html(`<p ${"a=1 ".repeat(2_500_000)}>x</p>`),
  });
  for (const path of ["/nested", "/unclosed", "/attributes", "/"]) {
    const answer = await ask(box, "/api/summarize", { url: base + path });
    assert.ok(answer.status === 200 || /too complex/.test(answer.body.error), `${path}: ${answer.text.slice(0, 300)}`);
  }
});

test("nothing on this machine or its network is reached unless that is allowed", async (t) => {
  const box = await Box.start(t);
  let visits = 0;
  const base = await site(t, {
    "/": (request, response) => {
      ++visits;
      response.end("secret");
    },
  });
  const { port } = new URL(base);
  for (const host of ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0"]) {
    for (const url of [`http://${host}:${port}/`, `http://${host}/`]) {
      const answer = await ask(box, "/api/summarize", { url });
      assert.equal(answer.status, 500, url);
      assert.doesNotMatch(answer.text, /secret/);
    }
  }
  for (const url of [
    "http://169.254.169.254/latest/meta-data/",
    "http://user:word@example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
  ])
    assert.equal((await ask(box, "/api/extract", { url })).status, 500, url);
  assert.equal(visits, 0);
});

test("the summarizer is a confined process of its own that knows no secret", async (t) => {
  const box = await Box.start(t, ALLOWED);
  const pid = summarizer_of(box);
  await until("the summarizer confines itself", () => field(pid, "Seccomp") === "2");
  assert.equal(field(pid, "NoNewPrivs"), "1");
  assert.equal(proc(pid, "stat").split(") ")[1].split(" ")[2], String(pid), "it leads a process group of its own");
  const environment = proc(pid, "environ");
  assert.doesNotMatch(environment, new RegExp(INTERNAL_KEY));
  assert.doesNotMatch(environment, /MASTER_KEY|INTERNAL|ADMIN|HOME=/);
  const soft_limit = (name) => new RegExp(`^${name}\\s+(\\S+)`, "m").exec(proc(pid, "limits"))[1];
  assert.equal(soft_limit("Max open files"), "1024");
  assert.equal(soft_limit("Max cpu time"), "3600");
  assert.equal(soft_limit("Max core file size"), "0");
});

test("a crash fails the request in flight with an error, and the next one waits for the new process", async (t) => {
  const box = await Box.start(t, ALLOWED);
  let asked;
  const base = await site(t, { "/": html(PAGE), "/slow": () => asked() });
  for (let crash = 0; crash < 3; ++crash) {
    const pid = summarizer_of(box);
    const reached = new Promise((resolve) => {
      asked = resolve;
    });
    const lost = ask(box, "/api/summarize", { url: `${base}/slow` });
    await reached;
    process.kill(pid, "SIGKILL");
    const told = await lost;
    assert.equal(told.status, 502, told.text);
    assert.match(told.body.error, /^The summarizer closed the connection before it answered/);
    const answer = await ask(box, "/api/summarize", { url: `${base}/` });
    assert.equal(answer.status, 200, answer.text);
    assert.notEqual(summarizer_of(box), pid);
  }
  assert.match(box.log, /"summarizer_ended"/);
  assert.match(box.log, /signal 9/);
});

test("one address that asks for slow pages leaves room for all others", async (t) => {
  const box = await Box.start(t, { ...ALLOWED, TRUSTED_PROXIES: "127.0.0.1" });
  const waiting = [];
  const base = await site(t, { "/": html(PAGE), "/slow": (_, response) => waiting.push(response) });
  const ask_as = (address, path) =>
    send(box.summarizer, "POST", "/api/summarize", {
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: JSON.stringify({ url: base + path }),
    });
  const slow = Array.from({ length: 16 }, () => ask_as("198.51.100.1", "/slow"));
  await until("all of them wait", () => waiting.length === 16);
  const refused = await ask_as("198.51.100.1", "/");
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "1"], refused.text);
  assert.match(refused.body.error, /concurrent requests/);
  assert.equal((await ask_as("198.51.100.2", "/")).status, 200);
  for (const response of waiting) html(PAGE)(null, response);
  assert.deepEqual([...new Set((await Promise.all(slow)).map(({ status }) => status))], [200]);
  assert.equal((await ask_as("198.51.100.1", "/")).status, 200, "and room again once they are over");
});

test("agents share an address and are distinguished by their tokens", async (t) => {
  const box = await Box.start(t, ALLOWED);
  const ada = await box.customer("ada@example.org"),
    bob = await box.customer("bob@example.org");
  const token_of = (agent) => JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json"))).box_token;
  const first = token_of(await box.running_agent(ada)),
    second = token_of(await box.running_agent(bob));
  const waiting = [],
    told = [];
  const base = await site(t, {
    "/": (request, response) => {
      told.push(request.headers);
      html(PAGE)(request, response);
    },
    "/slow": (_, response) => waiting.push(response),
  });
  const ask_as = (token, path, headers = {}) =>
    send(box.summarizer, "POST", "/api/summarize", {
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }), ...headers },
      body: JSON.stringify({ url: base + path }),
    });
  const slow = Array.from({ length: 16 }, () => ask_as(first, "/slow"));
  await until("all of them wait", () => waiting.length === 16);
  assert.equal((await ask_as(first, "/")).status, 429);
  assert.equal((await ask_as(first, "/", { "x-agentbox-client-id": "somebody-else" })).status, 429, "only the box names the client");
  for (const other of [second, undefined, "of-nobody"]) assert.equal((await ask_as(other, "/")).status, 200, other);
  for (const response of waiting) html(PAGE)(null, response);
  assert.deepEqual([...new Set((await Promise.all(slow)).map(({ status }) => status))], [200]);
  assert.equal((await ask_as(first, "/")).status, 200, "and room again once they are over");
  assert.ok(
    told.every((headers) => !headers.authorization),
    "the token goes no further",
  );
});

test("the summarizer ends with its box, however that ends", async (t) => {
  const box = await Box.start(t);
  for (const [signal, code] of [
    ["SIGTERM", 0],
    ["SIGKILL", null],
    ["SIGINT", 0],
  ]) {
    const pid = summarizer_of(box);
    assert.ok(pid);
    assert.equal(await box.end(signal), code);
    await until("the summarizer has ended", () => !is_alive(pid));
    await box.serve();
  }
});
