// Data feeds: configured by the operator, fetched on their interval, read by users and agents.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, send, until } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";

const RSS = `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Box news</title><link>https://news.example.org/</link><description>All of it</description>
<image><title>A picture</title><link>https://news.example.org/i.png</link></image>
<item><title>First &amp; best</title><link>https://news.example.org/1</link><guid>n-1</guid>
<description><![CDATA[<p>Hello</p>]]></description><pubDate>Tue, 10 Jun 2025 04:00:00 GMT</pubDate></item>
<item><title>Second</title><link>javascript:alert(1)</link><dc:date>2025-06-11T04:00:00Z</dc:date></item>
</channel></rss>`;
const BOMB = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><rss><channel><title>&b;</title></channel></rss>`;

const configure = (box, name, body) => box.backend_call("PUT", `/api/admin/data-feeds/${name}`, body);
const feed = async (person, name) => (await person.call("GET", `/api/data-feeds?feed=${name}`)).body.feed;
const settled = (person, name) =>
  until(`${name} was fetched`, async () => {
    const one = await feed(person, name);
    return one.status !== "pending" && one;
  });

test("feeds of JSON and RSS are fetched, and the last good answer outlives a source that fails", async (t) => {
  let prices = { status: 200, headers: { etag: '"v1"' }, json: { btc: "100.5", list: [1, 2] } };
  const site = await serve_site(t, ({ url, headers }) => {
    if (url.pathname === "/prices") return headers["if-none-match"] === '"v1"' && prices.status === 200 ? { status: 304 } : prices;
    if (url.pathname === "/news") return { headers: { "content-type": "application/rss+xml" }, body: RSS };
    if (url.pathname === "/bomb") return { body: BOMB };
    if (url.pathname === "/moved") return { status: 302, headers: { location: "/news" } };
    if (url.pathname === "/page") return { body: "<html><title>x</title></html>" };
  });
  const box = await Box.start(t, { FEEDS_ALLOW_PRIVATE: "on" });
  const ada = await box.customer("ada@example.org");
  const made = await configure(box, "prices", {
    kind: "json",
    url: `${site.url}/prices?key=secret`,
    description: "Prices",
    intervalSeconds: 60,
  });
  assert.equal(made.url, `${site.url}/prices?key=secret`);
  for (const [name, path] of [
    ["news", "/news"],
    ["moved", "/moved"],
    ["bomb", "/bomb"],
    ["page", "/page"],
    ["gone", "/gone"],
  ])
    await configure(box, name, { kind: "rss", url: site.url + path });

  const first = await settled(ada, "prices");
  assert.deepEqual([first.kind, first.status, first.data, first.error], ["json", "ok", { btc: "100.5", list: [1, 2] }, null]);
  assert.ok(first.ageSeconds <= 60 && first.intervalSeconds === 60);
  const { data } = await settled(ada, "news");
  assert.deepEqual([data.title, data.link, data.description], ["Box news", "https://news.example.org/", "All of it"]);
  assert.deepEqual(data.items, [
    {
      id: "n-1",
      title: "First & best",
      link: "https://news.example.org/1",
      summary: "<p>Hello</p>",
      published: "2025-06-10T04:00:00.000Z",
    },
    { id: "", title: "Second", link: "", summary: "", published: "2025-06-11T04:00:00.000Z" },
  ]);
  assert.equal((await settled(ada, "moved")).data.title, "Box news");
  for (const [name, reason] of [
    ["bomb", /entities/],
    ["page", /neither RSS nor Atom|well-formed/],
    ["gone", /404/],
  ]) {
    const failed = await settled(ada, name);
    assert.deepEqual([failed.status, failed.data], ["failed", null], name);
    assert.match(failed.error, reason);
  }

  const list = (await ada.call("GET", "/api/data-feeds")).body;
  assert.deepEqual(
    list.feeds.map(({ name }) => name),
    ["models", "status", "usage", "bomb", "gone", "moved", "news", "page", "prices"],
  );
  assert.equal(list.count, 9);
  assert.ok(!JSON.stringify(list).includes("secret") && !box.whole_log.includes("key=secret"), "a URL may hold a key");
  assert.equal((await ada.call("GET", "/api/data-feeds?feed=nothing")).status, 404);
  assert.equal((await box.person().call("GET", "/api/data-feeds")).status, 401);
  assert.equal((await box.backend_call("GET", "/api/data-feeds?feed=news")).feed.data.title, "Box news");

  // The source fails after a restart with another interval: what it sent before is still there, with its age.
  prices = { status: 500 };
  await box.end("SIGTERM");
  await box.serve();
  assert.deepEqual((await feed(ada, "prices")).data, { btc: "100.5", list: [1, 2] });
  await configure(box, "other", { kind: "json", url: `${site.url}/prices` });
  assert.equal((await settled(ada, "other")).status, "failed");

  assert.equal((await box.backend_call("DELETE", "/api/admin/data-feeds/news")).success, true);
  assert.equal((await ada.call("GET", "/api/data-feeds?feed=news")).status, 404);
  for (const [body, field] of [
    [{ kind: "yaml", url: "https://x.example" }, /kind/],
    [{ kind: "json", url: "ftp://x" }, /url/],
    [{ kind: "json" }, /url/],
    [{ kind: "json", url: "https://x.example", intervalSeconds: 1 }, /intervalSeconds/],
  ])
    assert.match((await configure(box, "bad", body)).error, field);
  assert.match((await configure(box, "Bad.Name", { kind: "json", url: "https://x.example" })).error, /name/);
  assert.match((await configure(box, "models", { kind: "json", url: "https://x.example" })).error, /box itself/);
});

test("a source that answers 304 keeps its content, and is young again", async (t) => {
  let conditional = 0;
  const site = await serve_site(t, ({ headers }) => {
    if (headers["if-none-match"] === '"v1"' && headers["if-modified-since"]) return (++conditional, { status: 304 });
    return { headers: { etag: '"v1"', "last-modified": "Tue, 10 Jun 2025 04:00:00 GMT" }, json: { a: 1 } };
  });
  const box = await Box.start(t, { FEEDS_ALLOW_PRIVATE: "on" });
  const ada = await box.customer("ada@example.org");
  await configure(box, "one", { kind: "json", url: site.url, intervalSeconds: 60 });
  await settled(ada, "one");
  assert.equal(conditional, 0);
  // Sixty seconds are the shortest interval, which is also how long this waits for the second request.
  await until("the source is asked again", () => conditional > 0, 75_000);
  const again = await until("its age begins anew", async () => {
    const one = await feed(ada, "one");
    return one.ageSeconds < 30 && one;
  });
  assert.deepEqual([again.status, again.data], ["ok", { a: 1 }]);
});

test("without FEEDS_ALLOW_PRIVATE no source on this machine is asked", async (t) => {
  const site = await serve_site(t, () => ({ json: {} }));
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  await configure(box, "inside", { kind: "json", url: site.url });
  const refused = await settled(ada, "inside");
  assert.deepEqual([refused.status, refused.data], ["failed", null]);
  assert.equal(site.requests.length, 0);
});

test("the box's own feeds are about the caller, and agents read them, too", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const agent = await box.running_agent(ada);
  assert.ok((await feed(ada, "models")).data.some(({ id, available }) => id && typeof available === "boolean"));
  assert.deepEqual((await feed(ada, "status")).data.agents, { running: 1 });
  assert.deepEqual((await feed(eve, "status")).data.agents, {});
  const usage = (await feed(ada, "usage")).data;
  assert.equal(usage.currency, "USD");
  assert.ok(Number.isInteger(usage.day.calls) && /^\d{4}-\d\d$/.test(usage.month.period));

  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  const as_agent = (path, token = box_token) => send(box.backend, "GET", path, { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual((await as_agent("/api/agent-feeds?feed=status")).body.feed.data.agents, { running: 1 });
  assert.equal((await as_agent("/api/agent-feeds")).body.count, 3);
  assert.equal((await as_agent("/api/agent-feeds", INTERNAL_KEY)).status, 401);
  assert.equal((await as_agent("/api/data-feeds")).status, 403, "its token is not the internal key");
});
