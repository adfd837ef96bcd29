// What the console is made of: the types of its API client, its texts, and how much a browser loads first.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { types_of } from "../../../web/console/api_types.mjs";
import { text_files } from "../../../web/console/texts.mjs";
import { Box, run, send } from "../support/box.mjs";
import { open_browser, Person } from "./browser.mjs";

const source = join(import.meta.dirname, "../../../web/console/src");

test("the console's types are those of the box's OpenAPI document", async () => {
  const { out, code } = await run(["openapi", "web"], { maxBuffer: 16 << 20 });
  assert.equal(code, 0);
  const kept = readFileSync(join(source, "api/schema.ts"), "utf8").split("\n");
  const fresh = types_of(JSON.parse(out)).split("\n");
  const differing = fresh.filter((line) => !kept.includes(line)).concat(kept.filter((line) => !fresh.includes(line)));
  assert.deepEqual(differing, [], "agentbox openapi web | node web/console/api_types.mjs > web/console/src/api/schema.ts");
});

test("every language has the same texts, with the same placeholders", () => {
  const folder = join(source, "messages");
  const read = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const english = read("en.json");
  const placeholders = (text) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
  const others = readdirSync(folder).filter((name) => name !== "en.json");
  assert.ok(others.includes("de.json"));
  for (const name of others) {
    const texts = read(name);
    // A language may have more plural forms than English has.
    const plural = (key) => /\.(zero|two|few|many)$/.test(key);
    assert.deepEqual(
      Object.keys(texts)
        .filter((key) => !plural(key))
        .sort(),
      Object.keys(english).sort(),
      name,
    );
    for (const [key, text] of Object.entries(texts)) {
      assert.ok(text.trim(), `${name}: ${key} is empty`);
      if (english[key]) assert.deepEqual(placeholders(text), placeholders(english[key]), `${name}: ${key}`);
    }
  }
});

test("a page loads the texts that its sources use, and no text is unused", () => {
  const sources = {
    "src/main.tsx": 't("page.home"); named("status", state)',
    "src/pages/home.tsx": 'tn("home.agents", 2)',
    "src/pages/admin/users.tsx": 'import "../../parts/user"; t(`users.role.${role}`); t("page.home")',
    "src/parts/user.tsx": 't("user.name")',
    "src/pages/status.tsx": 't("page.home")',
  };
  const imports = (...paths) => ({ imports: paths.map((path) => ({ path, kind: "import-statement" })) });
  const inputs = Object.fromEntries(Object.keys(sources).map((path) => [path, imports()]));
  inputs["src/pages/admin/users.tsx"] = imports("src/parts/user.tsx");
  const page_rows = [
    ["/dashboard", "pages/home"],
    ["/admin/users", "pages/admin/users"],
    ["/status", "pages/status"],
  ];
  const keys = ["page.home", "status.up", "status.down", "home.agents.one", "home.agents.other", "users.role.admin", "user.name"];
  const split = (more = [], changed = {}) => {
    const read = (path) => changed[path] ?? sources[path];
    return text_files({ inputs, page_rows, first: ["/dashboard"], keys: [...keys, ...more], read });
  };
  const { files, file_of_page } = split();
  assert.deepEqual([...files.frame].sort(), ["home.agents.one", "home.agents.other", "page.home", "status.down", "status.up"]);
  assert.deepEqual([...files.admin].sort(), ["user.name", "users.role.admin"]);
  assert.deepEqual(file_of_page, { "/admin/users": "admin" });
  assert.throws(() => split(["users.forgotten"]), /no source uses: users.forgotten/);
  assert.throws(() => split([], { "src/parts/user.tsx": "t(`${kind}.name`)" }), /src\/parts\/user.tsx: a key has to begin/);
});

test("the addresses that the console knows are those that the box serves", async (t) => {
  const box = await Box.start(t, { STATUS_PAGE: "true" });
  const pages = readFileSync(join(source, "app/pages.ts"), "utf8");
  const paths = [...pages.matchAll(/path: "([^"]+)"/g)].map(([, path]) => path.replace(":id", "some-agent"));
  assert.ok(paths.length > 15);
  for (const path of paths) {
    const { status, headers } = await send(box.web, "GET", path);
    assert.deepEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"], path);
  }
});

test("a file is served compressed to those that accept it, each form with its own tag", async (t) => {
  const box = await Box.start(t);
  const page = (await send(box.web, "GET", "/")).text;
  const [path] = /\/assets\/console-\w+\.js/.exec(page);
  const get = (accepted, more = {}) => fetch(box.web + path, { headers: { "accept-encoding": accepted, ...more } });
  const whole = await (await get("identity")).text();
  const tags = new Set();
  for (const [accepted, coding] of [
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["br; q=0.0", null],
    ["brotli", null],
  ]) {
    const answer = await get(accepted);
    assert.equal(answer.headers.get("content-encoding"), coding, accepted);
    assert.equal(answer.headers.get("vary"), "Accept-Encoding");
    assert.equal(await answer.text(), whole, accepted);
    tags.add(answer.headers.get("etag"));
    const kept = await get(accepted, { "if-none-match": answer.headers.get("etag") });
    assert.deepEqual([kept.status, kept.headers.get("content-encoding"), await kept.text()], [304, null, ""], accepted);
  }
  assert.equal(tags.size, 3);
});

test("all files of the console are at most 800 KB compressed, and what draws diagrams 300 KB", async (t) => {
  const box = await Box.start(t);
  const { out } = await run(["routes", "web"]);
  const paths = [...out.matchAll(/^GET\s+(\/assets\/\S+)/gm)].map(([, path]) => path);
  let bytes = 0,
    diagrams = 0;
  for (const path of paths) {
    const { status, headers } = await send(box.web, "HEAD", path, { headers: { "accept-encoding": "br" } });
    assert.equal(status, 200, path);
    const size = Number(headers["content-length"]);
    if (path.startsWith("/assets/frame-")) diagrams += size;
    else bytes += size;
  }
  t.diagnostic(`${paths.length} files, ${bytes} bytes, and ${diagrams} of the frame that draws diagrams`);
  assert.ok(paths.length > 50 && bytes > 100_000 && bytes <= 800_000, `${bytes} bytes`);
  assert.ok(diagrams > 100_000 && diagrams <= 300_000, `${diagrams} bytes`);
});

test("a page among the files is a frame without an origin, and may load nothing but its script", async (t) => {
  const box = await Box.start(t);
  const { out } = await run(["routes", "web"]);
  const [, path] = /(\/assets\/diagram-\S+\.html)/.exec(out);
  const { status, headers } = await send(box.web, "GET", path);
  assert.equal(status, 200);
  assert.equal(
    headers["content-security-policy"],
    "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  );
  assert.equal(headers["x-frame-options"], "SAMEORIGIN");
  const page = await send(box.web, "GET", "/");
  assert.match(page.headers["content-security-policy"], /frame-src 'self';.*frame-ancestors 'none'/);
  assert.equal(page.headers["x-frame-options"], "DENY");
});

test("a large file is kept compressed alone", async (t) => {
  const box = await Box.start(t);
  const { out } = await run(["routes", "web"]);
  const [, path] = /(\/assets\/frame-\S+\.js)/.exec(out);
  const answer = await fetch(box.web + path, { headers: { "accept-encoding": "identity" } });
  assert.equal(answer.headers.get("content-encoding"), "gzip");
  assert.match(await answer.text(), /flowchart/);
});

test("a mistyped address is the console's page in a browser, and an error for programs", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const person = await Person.at(browser, box);
  person.expected = ["status of 404"];
  t.after(() => person.check());
  const answer = await person.page.goto("/nonsense/of/mine");
  assert.equal(answer.status(), 404);
  await person.heading("There is no such page").waitFor();
  await person.is_accessible();
  const html = { headers: { accept: "text/html" } };
  for (const path of ["/api/nonsense", "/v1/nonsense"]) {
    const { status, headers } = await send(box.web, "GET", path, html);
    assert.deepEqual([status, headers["content-type"]], [404, "application/json"], path);
  }
  assert.deepEqual((await send(box.web, "GET", "/nonsense")).body, { error: "Not found" });
  assert.equal((await send(box.web, "POST", "/nonsense", html)).status, 404);
});

test("the first page loads at most 90 KB compressed and its font, and other pages later", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const person = await Person.at(browser, box);
  t.after(() => person.check());
  const { page } = person;
  const session = await person.context.newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0,
    font = 0;
  const files = [],
    fonts = new Set();
  session.on("Network.responseReceived", ({ requestId, response }) => {
    if (response.url.endsWith(".woff2")) fonts.add(requestId);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (fonts.has(requestId)) font += encodedDataLength;
    else bytes += encodedDataLength;
  });
  page.on("request", (request) => files.push(new URL(request.url()).pathname));
  await page.goto("/");
  await person.heading("Agents that live on this box").waitFor();
  await page.waitForLoadState("networkidle");
  t.diagnostic(`${bytes} bytes, and ${font} of the font`);
  assert.ok(bytes > 10_000 && bytes <= 90_000, `${bytes} bytes`);
  assert.ok(fonts.size === 1 && font > 10_000 && font <= 50_000, `${fonts.size} fonts, ${font} bytes`);
  assert.ok(!files.some((name) => name.includes("/conversation-")), "a page is loaded when it is shown");
  const { headers } = await send(box.web, "GET", "/");
  assert.match(headers["content-security-policy"], /script-src 'self'; style-src 'self';/);
});
