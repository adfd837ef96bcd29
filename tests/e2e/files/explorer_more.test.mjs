// What the file explorer does beyond the contract, through HTTP: searching, downloads in parts, moving, removing, looking at
// old commits, and being told of changes.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY } from "../support/box.mjs";
import { git } from "../peers/git_server.mjs";

const bearer = { authorization: `Bearer ${INTERNAL_KEY}` };
const caller =
  (box) =>
  async (method, path, body, headers = {}) => {
    const answer = await fetch(`${box.backend}/api/browse/${path}`, {
      method,
      headers: { ...bearer, ...(body && { "content-type": "application/json" }), ...headers },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: (answer.headers.get("content-type") ?? "").startsWith("application/json") ? JSON.parse(text) : null,
    };
  };

const box_with_project = async (t, env = {}) => {
  const scratch = mkdtempSync(join(tmpdir(), "explorer-more-")),
    root = join(scratch, "project");
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  mkdirSync(join(root, "src"), { recursive: true });
  writeFileSync(join(root, "README.md"), "# Project\n");
  writeFileSync(join(root, "src", "main.js"), "console.log('hello');\n");
  const box = await Box.start(t, { BROWSE_ROOT: root, ...env });
  return { scratch, root, box, call: caller(box) };
};

test("search for a text and a regular expression", async (t) => {
  const { root, call } = await box_with_project(t);
  writeFileSync(join(root, "src", "other.js"), "// Hello\nlog('hello', 'hello');\n");
  const found = (await call("GET", "search?q=hello")).body;
  assert.deepEqual(found, {
    ok: true,
    files: 3,
    truncated: false,
    matches: [
      { path: "src/main.js", line: 1, column: 14, text: "console.log('hello');" },
      { path: "src/other.js", line: 2, column: 6, text: "log('hello', 'hello');" },
    ],
  });
  assert.equal((await call("GET", "search?q=hello&ignoreCase=true&path=src/other.js")).body.matches.length, 2);
  assert.equal((await call("GET", `search?q=${encodeURIComponent("^\\w+\\('")}&regex=true`)).body.matches[0].path, "src/other.js");
  const first = (await call("GET", "search?q=hello&limit=1")).body;
  assert.deepEqual([first.matches.length, first.truncated], [1, true]);
  for (const query of [
    "",
    "q=",
    "q=(&regex=true",
    "q=x&regex=maybe",
    "q=x&path=../",
    "q=x&path=.git",
    "q=x&limit=0",
    `q=${"x".repeat(1001)}`,
  ])
    assert.equal((await call("GET", `search?${query}`)).status, 400, query);
  assert.match((await call("GET", "search?q=(&regex=true")).body.error, /^q is no regular expression/);
  assert.equal((await call("GET", "search?q=x&path=absent")).status, 404);
});

test("a file is fetched whole, in parts, and not again", async (t) => {
  const { root, box, call } = await box_with_project(t);
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, at) => (at * 7 + (at >> 8)) & 255));
  writeFileSync(join(root, "film.mp4"), bytes);
  writeFileSync(join(root, "page.html"), "<script>alert(1)</script>");
  writeFileSync(join(root, "Plan ü.bin"), Buffer.from([0, 1, 2]));
  // Its tag is a weak one for a second after it was written.
  const raw = async (path, headers = {}, method = "GET") => {
    const answer = await fetch(`${box.backend}/api/browse/raw?path=${encodeURIComponent(path)}`, {
      method,
      headers: { ...bearer, ...headers },
    });
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  let whole;
  do whole = await raw("film.mp4");
  while (whole.headers.get("etag").startsWith("W/"));
  assert.equal(whole.status, 200);
  assert.ok(whole.bytes.equals(bytes));
  assert.deepEqual(
    ["content-type", "content-length", "accept-ranges", "x-content-type-options"].map((name) => whole.headers.get(name)),
    ["video/mp4", "700000", "bytes", "nosniff"],
  );
  const etag = whole.headers.get("etag");

  const part = await raw("film.mp4", { range: "bytes=300000-599999", "if-range": etag });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get("content-range"), "bytes 300000-599999/700000");
  assert.ok(part.bytes.equals(bytes.subarray(300_000, 600_000)));
  assert.ok((await raw("film.mp4", { range: "bytes=-5" })).bytes.equals(bytes.subarray(-5)));
  assert.equal((await raw("film.mp4", { range: "bytes=0-1", "if-range": '"other"' })).status, 200);
  const beyond = await raw("film.mp4", { range: "bytes=700000-" });
  assert.deepEqual([beyond.status, beyond.headers.get("content-range")], [416, "bytes */700000"]);
  const known = await raw("film.mp4", { "if-none-match": etag });
  assert.deepEqual([known.status, known.bytes.length, known.headers.get("etag")], [304, 0, etag]);
  assert.equal((await raw("film.mp4", { "if-match": '"other"' })).status, 412);
  const head = await raw("film.mp4", { range: "bytes=0-1" }, "HEAD");
  assert.deepEqual([head.status, head.headers.get("content-length"), head.bytes.length], [200, "700000", 0]);
  utimesSync(join(root, "film.mp4"), new Date(), new Date());
  assert.equal((await raw("film.mp4", { "if-none-match": etag })).status, 200, "it is another one by now");

  const page = await raw("page.html");
  assert.deepEqual(
    [page.headers.get("content-type"), page.headers.get("x-content-type-options")],
    ["text/plain; charset=utf-8", "nosniff"],
  );
  for (const [shown, name] of [
    [page, "page.html"],
    [whole, "film.mp4"],
    [part, "film.mp4"],
  ])
    assert.equal(shown.headers.get("content-disposition"), `attachment; filename="${name}"; filename*=UTF-8''${name}`, name);
  const saved = await raw("Plan ü.bin");
  assert.equal(saved.headers.get("content-type"), "application/octet-stream");
  assert.equal(saved.headers.get("content-disposition"), `attachment; filename="Plan __.bin"; filename*=UTF-8''Plan%20%C3%BC.bin`);
  for (const path of ["../secret", ".git/config", "src", "", "/etc/passwd"]) assert.equal((await raw(path)).status, 400, path);
  assert.equal((await raw("absent")).status, 404);
});

test("files are moved and removed, but neither git's nor others", async (t) => {
  const { scratch, root, call } = await box_with_project(t);
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "First");
  writeFileSync(join(scratch, "secret"), "secret");
  symlinkSync("..", join(root, "up"));
  const config = readFileSync(join(root, ".git/config"), "utf8");
  assert.deepEqual((await call("POST", "move", { from: "src/main.js", to: "lib/index.js" })).body, {
    ok: true,
    from: "src/main.js",
    to: "lib/index.js",
  });
  assert.equal(readFileSync(join(root, "lib/index.js"), "utf8"), "console.log('hello');\n");
  assert.equal((await call("POST", "move", { from: "lib/index.js", to: "README.md" })).status, 409);
  assert.equal((await call("POST", "move", { from: "lib/index.js", to: "README.md", overwrite: true })).status, 200);
  assert.equal(readFileSync(join(root, "README.md"), "utf8"), "console.log('hello');\n");
  assert.deepEqual((await call("DELETE", "file?path=lib")).body, { ok: true, path: "lib" });
  assert.equal((await call("DELETE", "file?path=lib")).status, 404);
  for (const path of [
    "../secret",
    "up/secret",
    ".git",
    ".git/config",
    ".GIT/HEAD",
    "git~1/config",
    ".git./x",
    ".gitmodules",
    "GITMOD~1",
    "/etc/passwd",
    "a\\b",
    "",
    ".",
  ]) {
    for (const body of [
      { from: path, to: "gained" },
      { from: "README.md", to: path, overwrite: true },
    ])
      assert.equal((await call("POST", "move", body)).status, 400, JSON.stringify(body));
    assert.equal((await call("DELETE", `file?path=${encodeURIComponent(path)}`)).status, 400, path);
  }
  for (const body of [{}, { from: "README.md" }, { to: "x" }, { from: 1, to: "x" }, { from: "README.md", to: "x", overwrite: "yes" }])
    assert.equal((await call("POST", "move", body)).status, 400, JSON.stringify(body));
  assert.match((await call("POST", "move", { from: "README.md", to: "../x" })).body.error, /^to must not contain/);
  assert.equal(readFileSync(join(scratch, "secret"), "utf8"), "secret");
  assert.equal(readFileSync(join(root, ".git/config"), "utf8"), config);
  assert.equal(existsSync(join(root, "gained")), false);
});

test("an old commit is looked at, with its patch and a file as it was", async (t) => {
  const { root, call } = await box_with_project(t);
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "First");
  writeFileSync(join(root, "README.md"), "# Renamed\n");
  git(root, "commit", "-q", "-a", "-m", "Second\n\nWith a body");
  const shown = (await call("GET", "git-show")).body;
  assert.deepEqual(
    [shown.ok, shown.commit.subject, shown.commit.message, shown.changes, shown.content],
    [true, "Second", "Second\n\nWith a body\n", [{ status: "M", path: "README.md", from: null }], null],
  );
  assert.equal(shown.diff, git(root, "show", "--format=", "HEAD"));
  const before = (await call("GET", `git-show?rev=${shown.commit.parents[0].slice(0, 8)}&path=README.md`)).body;
  assert.deepEqual([before.commit.subject, before.content], ["First", "# Project\n"]);
  for (const rev of ["absent", "HEAD~1", "../config", ":/First"])
    assert.equal((await call("GET", `git-show?rev=${encodeURIComponent(rev)}`)).status, 404, rev);
  for (const query of ["path=../x", "path=.git/config", "rev="]) assert.equal((await call("GET", `git-show?${query}`)).status, 400, query);
});

test("nothing is dropped silently: neither files that git omits or converts, nor bytes of a patch", async (t) => {
  const { root, call } = await box_with_project(t);
  git(root, "init", "-q", "-b", "main");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "First");
  git(root, "sparse-checkout", "set", "docs");
  assert.equal(existsSync(join(root, "src")), false);
  assert.deepEqual((await call("GET", "git-status")).body.changes, []);
  assert.equal((await call("POST", "git-sync", { message: "Nothing" })).body.committed, false);

  writeFileSync(join(root, ".gitattributes"), "*.bin filter=lfs\n");
  writeFileSync(join(root, "large.bin"), "large");
  const refused = await call("POST", "git-sync", {});
  assert.deepEqual(
    [refused.status, /large\.bin goes through the filter lfs.*commit it with git/.test(refused.body.error)],
    [500, true],
    refused.body.error,
  );
  assert.equal(git(root, "diff", "--cached"), "", "nothing is staged");
  rmSync(join(root, "large.bin"));
  const synced = (await call("POST", "git-sync", { message: " \n" })).body;
  assert.equal(git(root, "log", "-1", "--format=%H %s").trim(), `${synced.hash} sync changes`);
  assert.match(git(root, "ls-tree", "-r", "--name-only", "HEAD"), /src\/main\.js/);

  writeFileSync(join(root, "README.md"), Buffer.from("Gr\xfc\xdfe\n", "latin1"));
  const lossy = (await call("GET", "git-diff")).body;
  assert.deepEqual([lossy.lossy, lossy.unstaged.includes("+Gr\ufffd\ufffde")], [true, true]);
  assert.equal("lossy" in (await call("GET", "git-diff?path=src")).body, false);
});

// The events of one stream as they come.
const watcher = async (box, query = "") => {
  const answer = await fetch(`${box.backend}/api/browse/watch${query}`, { headers: bearer });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async () => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const lines = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        if (lines[0].startsWith(":")) continue;
        const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        return { event: field("event"), data: JSON.parse(field("data")) };
      }
      const { value, done } = await reader.read();
      if (done) return null;
      text += value;
    }
  };
  return { status: answer.status, type: answer.headers.get("content-type"), next, close: () => reader.cancel() };
};

test("a watcher gets events until the folder or the box is gone", async (t) => {
  const { scratch, root, box, call } = await box_with_project(t);
  const watch = await watcher(box);
  assert.deepEqual([watch.status, watch.type], [200, "text/event-stream"]);
  assert.deepEqual(await watch.next(), { event: "ready", data: { folders: 2, partial: false } });
  // Until `wanted` is told; changes may come together or one by one.
  const until = async (wanted) => {
    const seen = [];
    while (!seen.includes(wanted)) {
      const { event, data } = await watch.next();
      assert.equal(event, "changes");
      seen.push(...data.changes.map(({ type, path, from }) => `${type} ${from ? `${from} -> ` : ""}${path}`));
    }
    return seen;
  };
  await call("POST", "write", { path: "deep/er/note.md", content: "x" });
  await until("created deep");
  writeFileSync(join(root, "src", "main.js"), "changed");
  assert.ok(
    !(await until("changed src/main.js")).some((change) => change.includes("agentbox-write")),
    "temporary files are nobody's business",
  );
  renameSync(join(root, "src", "main.js"), join(root, "moved.js"));
  await until("moved src/main.js -> moved.js");
  await call("DELETE", "file?path=moved.js");
  await until("deleted moved.js");

  const one = await watcher(box, "?path=src");
  assert.equal((await one.next()).data.folders, 1);
  rmSync(join(root, "src"), { recursive: true });
  let last;
  for (let event; (event = await one.next()); ) last = event.event;
  assert.equal(last, "gone");
  assert.equal((await watcher(box, "?path=..")).status, 400);
  assert.equal((await watcher(box, "?agent=nobody")).status, 404);

  // The box does not wait for those who watch.
  const began = performance.now();
  await box.end("SIGTERM");
  assert.ok(performance.now() - began < 8_000, `stopping took ${performance.now() - began} ms`);
  assert.ok(existsSync(scratch));
});

test("no more watch than the box can bear, and each that goes makes room", async (t) => {
  const { root, box } = await box_with_project(t);
  const watches = await Promise.all(Array.from({ length: 32 }, () => watcher(box)));
  assert.ok(watches.every((watch) => watch.status === 200));
  assert.equal((await watcher(box)).status, 429);
  await watches[0].close();
  for (const end = performance.now() + 30_000; ; ) {
    writeFileSync(join(root, "README.md"), "told to whoever is still there\n");
    const again = await watcher(box);
    if (again.status === 200) break;
    assert.equal(again.status, 429);
    assert.ok(performance.now() < end, "the place of a watcher who went is free again");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
