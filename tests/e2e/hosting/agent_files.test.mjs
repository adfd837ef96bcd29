// Owners at their agents' workspaces: the tree, reading, writing, moving, searching and committing, for nobody else.
import assert from "node:assert/strict";
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { git } from "../peers/git_server.mjs";

const with_agent = async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const workspace = join(box.folder, "agents", id, "workspace");
  const files = (method, path, body, person = ada, agent = id) => person.call(method, `/api/agents/${agent}/files${path}`, body);
  const raw = async (path, headers = {}) => {
    const answer = await fetch(`${box.web}/api/agents/${id}/files/raw?path=${encodeURIComponent(path)}`, {
      headers: { cookie: ada.cookie, ...headers },
    });
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  return { box, ada, id, workspace, files, raw };
};

test("an owner writes, finds, moves, downloads and removes files of an agent", async (t) => {
  const { box, ada, id, workspace, files, raw } = await with_agent(t);
  assert.deepEqual((await files("POST", "/write", { path: "notes/plan.md", content: "Meet on Friday\n" })).body, {
    ok: true,
    path: "notes/plan.md",
    size: 15,
  });
  const owner = statSync(workspace).uid;
  for (const name of ["notes", "notes/plan.md"]) assert.equal(statSync(join(workspace, name)).uid, owner, name);
  const said = await ada.call("POST", "/api/chat", { agentId: id, message: "read the file notes/plan.md" });
  assert.match(said.body.message.content, /Friday/, "the agent reads it");

  const made = await files("POST", "/mkdir", { path: "media/new" });
  assert.deepEqual([made.status, made.body], [201, { ok: true, path: "media/new" }]);
  for (const path of ["media/new", "media", "notes/plan.md"]) assert.equal((await files("POST", "/mkdir", { path })).status, 409, path);
  const form = new FormData();
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * 7) % 256));
  form.append("file", new Blob([bytes]), "film.mp4");
  const uploaded = await fetch(`${box.web}/api/agents/${id}/files/upload?path=media`, {
    method: "POST",
    headers: { cookie: ada.cookie },
    body: form,
  });
  assert.deepEqual(
    [uploaded.status, (await uploaded.json()).files.map(({ path, size }) => [path, size])],
    [201, [["media/film.mp4", 70_000]]],
  );

  const tree = (await files("GET", "/tree")).body;
  assert.deepEqual(tree, {
    ok: true,
    root: {
      type: "folder",
      name: "workspace",
      path: "",
      children: [
        {
          type: "folder",
          name: "media",
          path: "media",
          children: [
            { type: "folder", name: "new", path: "media/new", children: [] },
            { type: "file", name: "film.mp4", path: "media/film.mp4" },
          ],
        },
        { type: "folder", name: "notes", path: "notes", children: [{ type: "file", name: "plan.md", path: "notes/plan.md" }] },
      ],
    },
  });
  const read = (await files("GET", "/read?path=notes/plan.md")).body;
  assert.deepEqual([read.content, read.size], ["Meet on Friday\n", 15]);
  assert.deepEqual((await files("GET", "/search?q=friday&ignoreCase=true")).body.matches, [
    { path: "notes/plan.md", line: 1, column: 9, text: "Meet on Friday" },
  ]);

  const part = await raw("media/film.mp4", { range: "bytes=1000-1999" });
  assert.deepEqual(
    [part.status, part.headers.get("content-range"), part.headers.get("content-type")],
    [206, "bytes 1000-1999/70000", "video/mp4"],
  );
  assert.ok(part.bytes.equals(bytes.subarray(1000, 2000)));
  assert.ok((await raw("media/film.mp4")).bytes.equals(bytes));

  assert.deepEqual((await files("POST", "/move", { from: "notes/plan.md", to: "archive/2026/plan.md" })).body, {
    ok: true,
    from: "notes/plan.md",
    to: "archive/2026/plan.md",
  });
  assert.equal((await files("DELETE", "?path=archive")).status, 409, "a folder that is not empty");
  for (const path of ["archive/2026/plan.md", "archive/2026", "media/new"])
    assert.equal((await files("DELETE", `?path=${path}`)).status, 200, path);
  assert.equal(existsSync(join(workspace, "archive/2026")), false);
  assert.equal((await files("GET", "/read?path=archive/2026/plan.md")).status, 404);
});

test("an owner sees what changed, commits it, and looks at the history", async (t) => {
  const { workspace, files } = await with_agent(t);
  assert.deepEqual((await files("GET", "/log")).body, { ok: true, commits: [] });
  await files("POST", "/write", { path: "notes.md", content: "one\n" });
  assert.deepEqual((await files("GET", "/status")).body, {
    ok: true,
    isGitRepo: true,
    branch: "main",
    remote: null,
    changes: [{ status: "??", path: "notes.md" }],
    hasChanges: true,
  });
  const first = (await files("POST", "/commit", { message: "Begin" })).body;
  assert.deepEqual([first.committed, first.branch], [true, "main"]);
  assert.equal(git(workspace, "log", "-1", "--format=%s|%an|%ae"), "Begin|ada@example.org|ada@example.org\n");
  await files("POST", "/write", { path: "notes.md", content: "two\n" });
  assert.match((await files("GET", "/diff?path=notes.md")).body.unstaged, /^-one\n\+two$/m);
  const second = (await files("POST", "/commit", {})).body;
  assert.deepEqual(
    (await files("GET", "/log?limit=5")).body.commits.map(({ hash, subject }) => [hash, subject]),
    [
      [second.hash, "Update files"],
      [first.hash, "Begin"],
    ],
  );
  const shown = (await files("GET", `/show?rev=${first.hash}&path=notes.md`)).body;
  assert.deepEqual([shown.commit.author, shown.content], ["ada@example.org", "one\n"]);
  assert.deepEqual((await files("POST", "/commit", {})).body, { ok: true, committed: false, hash: null, branch: "main" });
  git(workspace, "fsck", "--strict");
  assert.equal(git(workspace, "ls-files"), "notes.md\n", "the agent's own state is not committed");
});

test("an agent that never ran has files, too, but no history", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const { id } = await box.backend_call("POST", "/api/agents", { name: "Idle", userId: ada.id });
  const files = (method, path, body) => ada.call(method, `/api/agents/${id}/files${path}`, body);
  assert.deepEqual((await files("GET", "/tree")).body.root.children, []);
  assert.equal((await files("POST", "/write", { path: "seed.txt", content: "x" })).status, 200);
  assert.equal((await files("GET", "/read?path=seed.txt")).body.content, "x");
  assert.deepEqual((await files("GET", "/status")).body, { ok: true, isGitRepo: false });
  for (const [method, path] of [
    ["GET", "/log"],
    ["GET", "/diff"],
    ["GET", "/show"],
    ["POST", "/commit"],
  ])
    assert.deepEqual([(await files(method, path, method === "POST" ? {} : undefined)).status], [409], path);
});

test("another's agent is not there, byte for byte, and a broken session opens nothing", async (t) => {
  const { box, ada, id, workspace } = await with_agent(t);
  const eve = await box.customer("eve@example.org");
  writeFileSync(join(workspace, "secret.txt"), "secret");
  const rows = [
    ["GET", "/tree"],
    ["GET", "/read?path=secret.txt"],
    ["GET", "/raw?path=secret.txt"],
    ["GET", "/search?q=secret"],
    ["POST", "/write", { path: "x", content: "x" }],
    ["POST", "/mkdir", { path: "x" }],
    ["POST", "/move", { from: "secret.txt", to: "x" }],
    ["DELETE", "?path=secret.txt"],
    ["GET", "/status"],
    ["GET", "/diff"],
    ["GET", "/log"],
    ["GET", "/show"],
    ["POST", "/commit", {}],
  ];
  const ask = async (person, agent, [method, path, body]) => {
    const headers = { cookie: person?.cookie ?? "app-session=forged", ...(body && { "content-type": "application/json" }) };
    const { status, text } = await send(box.web, method, `/api/agents/${agent}/files${path}`, {
      headers,
      body: body && JSON.stringify(body),
    });
    return [status, text];
  };
  for (const row of rows) {
    const [foreign, missing] = [await ask(eve, id, row), await ask(eve, "ag_aaaaaaaaaaaaaaaaaaaa", row)];
    assert.equal(foreign[0], 404, row[1]);
    assert.deepEqual(foreign, missing, row[1]);
    assert.equal((await ask(undefined, id, row))[0], 401, row[1]);
  }
  const upload = (agent) =>
    send(box.web, "POST", `/api/agents/${agent}/files/upload`, {
      headers: { cookie: eve.cookie, "content-type": "multipart/form-data; boundary=X" },
      body: '--X\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nhi\r\n--X--',
    });
  assert.deepEqual([(await upload(id)).status, (await upload(id)).text], [404, (await upload("ag_none")).text]);
  assert.equal(readFileSync(join(workspace, "secret.txt"), "utf8"), "secret");
  assert.equal((await ada.call("GET", `/api/agents/${id}/files/read?path=secret.txt`)).body.content, "secret");
});

test("no name leads out of the workspace, into git's files or the agent's own state", async (t) => {
  const { box, workspace, files, raw } = await with_agent(t);
  symlinkSync(box.folder, join(workspace, "up"));
  symlinkSync("/etc/passwd", join(workspace, "passwd"));
  mkdirSync(join(workspace, "folder"));
  const config = readFileSync(join(workspace, ".git/config"), "utf8");
  const attacks = [
    "../x",
    "folder/../../x",
    "..",
    "/etc/passwd",
    "..\\x",
    "a\nb",
    "passwd",
    "up/agentbox.toml",
    ".git/config",
    ".GIT/config",
    ".git./config",
    "git~1/config",
    ".git::$INDEX_ALLOCATION/config",
    ".g\u200cit/config",
    ".agentbox/memory.jsonl",
    ".AGENTBOX/memory.jsonl",
    ".agentbox",
    "folder/.git/config",
    ".gitmodules",
    "x".repeat(300),
    "d/".repeat(40) + "x",
    "",
  ];
  for (const path of attacks) {
    const name = encodeURIComponent(path);
    for (const row of ["read", "raw", "search?q=x&", "tree?"].map((row) => (row.endsWith("?") || row.endsWith("&") ? row : `${row}?`))) {
      if (path === "" && !row.startsWith("r")) continue; // the whole workspace
      const answer = await files("GET", `/${row}path=${name}`);
      assert.equal(answer.status, 400, `${row} ${path}: ${JSON.stringify(answer.body)}`);
    }
    assert.equal((await files("POST", "/write", { path, content: "evil" })).status, 400, `write ${path}`);
    if (path !== "passwd") assert.equal((await files("POST", "/mkdir", { path })).status, 400, `mkdir ${path}`);
    assert.equal((await files("POST", "/move", { from: "folder", to: path, overwrite: true })).status, 400, `move to ${path}`);
    assert.equal((await files("POST", "/move", { from: path, to: "stolen" })).status, 400, `move ${path}`);
    assert.equal((await files("DELETE", `?path=${name}`)).status, 400, `delete ${path}`);
  }
  for (const path of ["../x", ".git/config", ".agentbox"])
    assert.equal((await files("GET", `/diff?path=${encodeURIComponent(path)}`)).status, 400, path);
  assert.equal((await raw("passwd")).status, 400);
  const tree = (await files("GET", "/tree?depth=1")).body.root.children.map(({ name }) => name);
  assert.deepEqual(tree, ["folder"], "neither links nor the agent's own state");
  assert.deepEqual((await files("GET", "/search?q=root")).body.matches, []);
  assert.equal(readFileSync(join(workspace, ".git/config"), "utf8"), config);
  assert.equal(existsSync(join(workspace, "stolen")), false);
  assert.match((await files("POST", "/write", { path: "../x", content: "" })).body.error, /^path/);
});

test("the plan's room holds for what an owner writes", async (t) => {
  const { box, id, workspace, files } = await with_agent(t);
  await box.backend_call("PUT", `/api/agents/${id}`, { plan: "label" });
  const filler = openSync(join(workspace, "filler"), "w");
  ftruncateSync(filler, 100 * 1024 * 1024 - 10);
  closeSync(filler);
  const refused = await files("POST", "/write", { path: "a.txt", content: "eleven bytes" });
  assert.deepEqual([refused.status, refused.body.code, refused.body.limit], [429, "STORAGE_LIMIT_REACHED", 100 * 1024 * 1024]);
  assert.equal(existsSync(join(workspace, "a.txt")), false);
  assert.equal((await files("POST", "/write", { path: "a.txt", content: "ten bytes!" })).status, 200);
  assert.equal((await files("POST", "/write", { path: "a.txt", content: "nine..." })).status, 200, "less than before");
});
