// The file explorer through HTTP: files, git, a push with a password, an agent's workspace, and an attack table.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY } from "../support/box.mjs";
import { git, git_server } from "../peers/git_server.mjs";

const caller =
  (box, key = INTERNAL_KEY) =>
  async (method, path, body) => {
    const answer = await fetch(box.backend + path, {
      method,
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };

// A folder with a project in it, and a box that shows it.
const box_with_project = async (t, env = {}) => {
  const scratch = mkdtempSync(join(tmpdir(), "explorer-story-")),
    root = join(scratch, "project");
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  mkdirSync(join(root, "src"), { recursive: true });
  writeFileSync(join(root, "README.md"), "# Project\n");
  writeFileSync(join(root, "src", "main.js"), "console.log('hello');\n");
  const box = await Box.start(t, { BROWSE_ROOT: root, ...env });
  return { scratch, root, box, call: caller(box) };
};

const make_repository = (root) => {
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "First");
};

test("browse, edit a file, see the change, and push it with the box's password", async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), "explorer-server-"));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const server = await git_server(t, scratch, "box", "s3cret/@token");
  const { root, box, call } = await box_with_project(t, { GIT_AUTHOR_NAME: "Story Box", GIT_AUTHOR_EMAIL: "box@story.example" });
  const account = await call("PUT", "/api/admin/git-hosts", { url: server.url.replace("://", "://box@"), secret: "s3cret/@token" });
  assert.deepEqual([account.status, account.body.url, account.body.user], [200, server.url, "box"], JSON.stringify(account.body));

  assert.deepEqual((await call("GET", "/api/browse/git-status")).body, { ok: true, isGitRepo: false });
  assert.equal((await call("GET", "/api/browse/git-log")).status, 500);
  assert.equal((await call("POST", "/api/browse/git-sync", {})).status, 500);
  make_repository(root);
  mkdirSync(join(scratch, "project.git"));
  git(join(scratch, "project.git"), "init", "-q", "--bare");
  git(join(scratch, "project.git"), "config", "http.receivepack", "true");
  git(root, "remote", "add", "origin", `${server.url}/project.git`);

  const tree = (await call("GET", "/api/browse/tree")).body;
  assert.deepEqual(tree, {
    ok: true,
    root: {
      type: "folder",
      name: "project",
      path: "",
      children: [
        { type: "folder", name: "src", path: "src", children: [{ type: "file", name: "main.js", path: "src/main.js" }] },
        { type: "file", name: "README.md", path: "README.md" },
      ],
    },
  });
  const shallow = (await call("GET", "/api/browse/tree?depth=1")).body.root.children[0];
  assert.equal("children" in shallow, false);

  const read = (await call("GET", "/api/browse/read?path=src/main.js")).body;
  assert.deepEqual(
    { ...read, modified: undefined },
    { ok: true, path: "src/main.js", content: "console.log('hello');\n", size: 22, modified: undefined },
  );
  assert.equal(new Date(read.modified).getTime(), Math.floor(statSync(join(root, "src/main.js")).mtimeMs));

  assert.deepEqual((await call("GET", "/api/browse/git-status")).body, {
    ok: true,
    isGitRepo: true,
    branch: "main",
    remote: `${server.url}/project.git`,
    changes: [],
    hasChanges: false,
  });
  assert.deepEqual((await call("GET", "/api/browse/git-diff")).body, { ok: true, unstaged: null, staged: null });
  const nothing = (await call("POST", "/api/browse/git-sync")).body;
  assert.deepEqual([nothing.ok, nothing.committed, nothing.pushed, nothing.hash], [true, false, false, null]);

  const content = "console.log('Grüße');\f\n\u001b[0m";
  assert.deepEqual((await call("POST", "/api/browse/write", { path: "src/main.js", content })).body, {
    ok: true,
    path: "src/main.js",
    size: Buffer.byteLength(content),
  });
  assert.equal(readFileSync(join(root, "src/main.js"), "utf8"), content);
  await call("POST", "/api/browse/write", { path: "docs/new.md", content: "new\n" });
  const status = (await call("GET", "/api/browse/git-status")).body;
  assert.deepEqual(status.changes, [
    { status: "M", path: "src/main.js" },
    { status: "??", path: "docs/" },
  ]);
  assert.equal(status.hasChanges, true);
  const diff = (await call("GET", "/api/browse/git-diff?path=src")).body;
  assert.equal(diff.unstaged, git(root, "diff", "src"));
  assert.equal(diff.staged, null);

  const synced = (await call("POST", "/api/browse/git-sync", { message: "Edited in the box" })).body;
  assert.deepEqual([synced.ok, synced.committed, synced.pushed], [true, true, true], JSON.stringify(synced));
  assert.equal(git(join(scratch, "project.git"), "rev-parse", "main").trim(), synced.hash);
  assert.equal(git(root, "log", "-1", "--format=%an <%ae> %s"), "Story Box <box@story.example> Edited in the box\n");
  git(join(scratch, "project.git"), "fsck", "--strict");

  const log = (await call("GET", "/api/browse/git-log?limit=1")).body;
  assert.equal(log.commits.length, 1);
  assert.deepEqual(Object.keys(log.commits[0]).sort(), ["author", "date", "hash", "shortHash", "subject"]);
  assert.equal(log.commits[0].hash, synced.hash);
  assert.ok(synced.hash.startsWith(log.commits[0].shortHash));

  writeFileSync(join(root, "README.md"), "# Later\n");
  await call("POST", "/api/browse/git-sync");
  assert.equal(git(root, "log", "-1", "--format=%s"), "sync changes\n");
  assert.ok(!box.whole_log.includes("s3cret"), "the password is in no log");
});

test("a push that fails leaves the commit, says why, and gives the password to nobody else", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "explorer-server-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = await git_server(t, folder, "box", "right"),
    stranger = await git_server(t, folder, "box", "unknown");
  const { root, call } = await box_with_project(t);
  await call("PUT", "/api/admin/git-hosts", { url: server.url.replace("://", "://box@"), secret: "wrong" });
  make_repository(root);
  git(root, "remote", "add", "origin", "placeholder");
  let round = 0;
  const sync_to = async (url) => {
    git(root, "remote", "set-url", "origin", url);
    writeFileSync(join(root, "README.md"), `round ${++round}\n`);
    const { status, body } = await call("POST", "/api/browse/git-sync", {});
    assert.equal(status, 200);
    assert.deepEqual([body.committed, body.pushed], [true, false], url);
    assert.equal(git(root, "rev-parse", "HEAD").trim(), body.hash);
    return body.message;
  };
  assert.match(await sync_to(`${server.url}/project.git`), /refused the credentials/);
  assert.match(await sync_to(`${stranger.url}/project.git`), /asks for credentials/);
  assert.match(
    await sync_to(stranger.url.replace("://", "://box:unknown@") + "/project.git"),
    /asks for credentials/,
    "the URL's own are not used",
  );
  assert.ok(stranger.seen.length > 0 && stranger.seen.every((header) => header === undefined), stranger.seen.join());
  assert.match(await sync_to("https://127.0.0.1:1/project.git"), /reached/);
  assert.match(await sync_to("ssh://git@127.0.0.1/project.git"), /no key for ssh:\/\/127\.0\.0\.1:22/);
  assert.match(await sync_to("http://no-such-host.invalid/project.git"), /cannot be found/);
});

test("files written like a repository's database do not make the data folder a working tree", async (t) => {
  const box = await Box.start(t),
    call = caller(box);
  const write = async (path, content) => assert.equal((await call("POST", "/api/browse/write", { path, content })).status, 200, path);
  for (const config of ["[core]\n\tbare = false\n", "[core]\n\tbare = false\n\tworktree = /\n"]) {
    await write("HEAD", "ref: refs/heads/main\n");
    await write("config", config);
    await write("objects/info/x", "");
    await write("refs/heads/x.tmp", "");
    assert.deepEqual((await call("GET", "/api/browse/git-status")).body, { ok: true, isGitRepo: false });
    const synced = await call("POST", "/api/browse/git-sync", { message: "Take it all" });
    assert.deepEqual([synced.status, synced.body.error], [500, "This folder is not a git repository"]);
    for (const path of ["master.key", "agentbox.toml", "etc/passwd"])
      assert.equal((await call("GET", `/api/browse/git-show?rev=HEAD&path=${path}`)).status, 500);
  }
});

test("whatever the spelling, nothing leaves the root and .git is not written", async (t) => {
  const { scratch, root, box, call } = await box_with_project(t);
  make_repository(root);
  writeFileSync(join(scratch, "secret"), "secret");
  symlinkSync("../secret", join(root, "out"));
  symlinkSync("..", join(root, "up"));
  symlinkSync(".git", join(root, "inside"));
  const config = readFileSync(join(root, ".git/config"), "utf8");
  const attacks = [
    "../secret",
    "src/../../secret",
    "..",
    "/etc/passwd",
    join(scratch, "secret"),
    "..\\secret",
    "%2e%2e/secret",
    "..%2fsecret",
    "src/main.js\0",
    "a\nb",
    "out",
    "up/secret",
    "inside/config",
    ".git/config",
    ".GIT/config",
    ".git/hooks/pre-commit",
    ".git",
    ".git/",
    "./.git/config",
    "src/../.git/config",
    ".git./config",
    ".git /config",
    "git~1/config",
    ".git::$INDEX_ALLOCATION/config",
    ".g\u200cit/config",
    "x".repeat(300),
    "d/".repeat(40) + "x",
    "",
  ];
  for (const path of attacks) {
    const read = await call("GET", `/api/browse/read?path=${encodeURIComponent(path)}`);
    // A percent sign is a character like any other once the query was decoded.
    const is_plain_name = path.includes("%");
    assert.equal(read.status, is_plain_name ? 404 : 400, `read ${path}: ${JSON.stringify(read.body)}`);
    assert.ok(!JSON.stringify(read.body).includes('secret"'), path);
    if (is_plain_name) continue;
    const written = await call("POST", "/api/browse/write", { path, content: "evil" });
    assert.equal(written.status, 400, `write ${path}: ${JSON.stringify(written.body)}`);
    assert.equal(
      (await call("GET", `/api/browse/git-diff?path=${encodeURIComponent(path || "../x")}`)).status,
      ["out", "up/secret", "inside/config"].includes(path) ? 200 : 400,
      path,
    );
  }
  for (const query of ["path=%2e%2e/secret", "path=%2e%2e%2fsecret", "path=..%5csecret", "path=%00", "path=%ff", "path=a&path=b", ""])
    assert.equal((await call("GET", `/api/browse/read?${query}`)).status, 400, query);
  for (const body of [
    {},
    { path: "x" },
    { content: "x" },
    { path: 1, content: "x" },
    { path: "x", content: null },
    { path: "x", content: "a\0b" },
  ])
    assert.equal((await call("POST", "/api/browse/write", body)).status, 400, JSON.stringify(body));
  for (const query of ["depth=0", "depth=-1", "depth=x", "depth=1.5"])
    assert.equal((await call("GET", `/api/browse/tree?${query}`)).status, 400, query);
  assert.equal((await call("GET", "/api/browse/tree?depth=99")).status, 200, "capped, not refused");
  assert.equal((await call("GET", "/api/browse/git-log?limit=0")).status, 400);
  assert.equal((await call("GET", "/api/browse/git-log?limit=5000")).status, 200);
  assert.equal(readFileSync(join(scratch, "secret"), "utf8"), "secret");
  assert.equal(readFileSync(join(root, ".git/config"), "utf8"), config);
  assert.equal(existsSync(join(root, ".git/hooks/pre-commit")), false);

  writeFileSync(join(root, "big"), "x".repeat(1024 * 1024 + 1));
  writeFileSync(join(root, "image"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]));
  for (const path of ["big", "image", "src"]) assert.equal((await call("GET", `/api/browse/read?path=${path}`)).status, 400, path);
  assert.equal((await call("GET", "/api/browse/read?path=absent")).status, 404);
  writeFileSync(join(root, "run.sh"), "#!/bin/sh\n");
  chmodSync(join(root, "run.sh"), 0o755);
  await call("POST", "/api/browse/write", { path: "run.sh", content: "#!/bin/sh\nexit 0\n" });
  assert.equal(statSync(join(root, "run.sh")).mode & 0o777, 0o755);

  for (const key of [null, "", "wrong", INTERNAL_KEY + "x"])
    for (const [method, path] of [
      ["GET", "tree"],
      ["GET", "read"],
      ["POST", "write"],
      ["GET", "git-status"],
      ["GET", "git-diff"],
      ["POST", "git-sync"],
      ["GET", "git-log"],
    ])
      assert.equal((await caller(box, key)(method, `/api/browse/${path}`)).status, 401, `${path} with ${key}`);
});

test("an agent's workspace is its own: written for the agent, committed, and no other's", async (t) => {
  const box = await Box.start(t);
  const call = caller(box),
    ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada),
    workspace = join(box.folder, "agents", id, "workspace");
  const at = (path) => `/api/browse/${path}${path.includes("?") ? "&" : "?"}agent=${id}`;
  assert.deepEqual((await call("POST", at("write"), { path: "notes/plan.md", content: "Friday" })).body, {
    ok: true,
    path: "notes/plan.md",
    size: 6,
  });
  const owner = statSync(workspace).uid;
  for (const name of ["notes", "notes/plan.md"]) assert.equal(statSync(join(workspace, name)).uid, owner, name);
  assert.equal((await call("GET", at("git-status"))).body.branch, "main");
  const synced = (await call("POST", at("git-sync"), { message: "Notes" })).body;
  assert.deepEqual([synced.committed, synced.pushed], [true, false], JSON.stringify(synced));
  assert.equal(git(workspace, "log", "-1", "--format=%s"), "Notes\n");
  git(workspace, "fsck", "--strict");
  assert.equal((await call("GET", at("git-log"))).body.commits[0].hash, synced.hash);
  assert.equal((await call("GET", at("read?path=notes/plan.md"))).body.content, "Friday");
  assert.equal((await call("GET", at("read?path=../run/boot.json"))).status, 400);

  // The agent goes on in what the box wrote.
  const answer = await ada.call("POST", "/api/chat", { agentId: id, message: "remember that the box wrote here" });
  assert.equal(answer.status, 200, JSON.stringify(answer.body) + box.log);
  for (const agent of ["ag_aaaaaaaaaaaaaaaaaaaa", "nobody"])
    assert.equal((await call("GET", `/api/browse/tree?agent=${agent}`)).status, 404);
  for (const agent of ["..", "../..", `${id}/../..`, ""])
    assert.equal((await call("GET", `/api/browse/tree?agent=${encodeURIComponent(agent)}`)).status, 400, agent);
  const all = (await call("GET", "/api/browse/tree?depth=1")).body.root;
  assert.deepEqual([all.name, all.children.map((child) => child.name)], ["agents", [id]]);
});
