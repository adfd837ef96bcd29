// Files that people put into their agents' workspaces, and every name that must not lead out of them.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";

const with_agent = async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const workspace = join(box.folder, "agents", id, "workspace");
  const list = async (path = "") => (await ada.call("GET", `/api/files?agentId=${id}&path=${encodeURIComponent(path)}`)).body;
  // As a browser sends it.
  const upload = async (files, fields = {}, person = ada) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ agentId: id, ...fields })) form.append(name, value);
    for (const [name, content] of Object.entries(files)) form.append("file", new Blob([content]), name);
    const answer = await fetch(`${box.web}/api/files`, { method: "POST", headers: { cookie: person.cookie }, body: form });
    return { status: answer.status, body: await answer.json() };
  };
  const remove = (path) => ada.call("DELETE", "/api/files", { agentId: id, path });
  return { box, ada, id, workspace, list, upload, remove };
};

test("files go in, are listed, are read by the agent, and are removed", async (t) => {
  const { ada, id, workspace, list, upload, remove } = await with_agent(t);
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * 7) % 256));
  const stored = await upload({ "note.txt": "hello", 'a "b" ü.bin': bytes }, { path: "in/here" });
  assert.equal(stored.status, 201, JSON.stringify(stored.body));
  assert.deepEqual(
    stored.body.files.map(({ path, size }) => [path, size]),
    [
      ["in/here/note.txt", 5],
      ['in/here/a "b" ü.bin', 70_000],
    ],
  );
  assert.deepEqual(readFileSync(join(workspace, 'in/here/a "b" ü.bin')), bytes);
  const listed = await list();
  assert.deepEqual(
    listed.files.map(({ path, type }) => [path, type]),
    [
      ["in", "folder"],
      ["in/here", "folder"],
      ['in/here/a "b" ü.bin', "file"],
      ["in/here/note.txt", "file"],
    ],
  );
  assert.deepEqual([listed.usedBytes, listed.quotaBytes, listed.truncated], [70_005, 500 * 1024 * 1024, false]);
  assert.equal((await list("in/here")).count, 2);
  const said = await ada.call("POST", "/api/chat", { agentId: id, message: "read the file in/here/note.txt" });
  assert.match(said.body.message.content, /hello/);
  await upload({ "note.txt": "" }, { path: "in/here" });
  assert.equal(readFileSync(join(workspace, "in/here/note.txt"), "utf8"), "", "replaced, also by nothing");
  assert.equal((await remove("in")).status, 409, "a folder that is not empty");
  for (const path of ["in/here/note.txt", 'in/here/a "b" ü.bin', "in/here", "in"]) assert.equal((await remove(path)).status, 200, path);
  assert.deepEqual((await list()).files, []);
  assert.equal((await remove("in")).status, 404);
});

test("no name leads out of the workspace, into its history or through a link", async (t) => {
  const { box, workspace, list, upload, remove } = await with_agent(t);
  symlinkSync(box.folder, join(workspace, "out"));
  symlinkSync("/etc/passwd", join(workspace, "passwd"));
  mkdirSync(join(workspace, "folder"));
  const before = readdirSync(box.folder).sort();
  for (const name of [
    "../x",
    "a/../../x",
    "/x",
    "..",
    ".",
    "a/..",
    ".git/config",
    ".GIT/config",
    ".git./config",
    "git~1/config",
    ".agentbox/memory.jsonl",
    "a\\b",
    "a\u0000b",
    "out/x",
    "passwd",
    "folder",
    "x/",
    "a".repeat(300),
    "a/".repeat(40) + "x",
    "fine/x",
  ]) {
    const answer = await upload({ fine: "x", [name]: "x" });
    assert.equal(answer.status, 400, `${JSON.stringify(name)}: ${JSON.stringify(answer.body)}`);
    assert.equal(existsSync(join(workspace, "fine")), false, `${name}: the other one is not written either`);
  }
  for (const path of ["../x", "/etc", "out", "out/endpoints.json", ".git", ".git/HEAD", ".agentbox"]) {
    assert.ok([400, 404].includes(await list(path).then(({ error }) => (error ? 400 : 200))), path);
    if (path !== "out") assert.equal((await remove(path)).status, 400, path);
  }
  assert.deepEqual(readdirSync(box.folder).sort(), before);
  assert.equal((await remove("out")).status, 200, "a link itself may go");
  assert.ok(existsSync(join(box.folder, "store")));
});

test("two of one name, none at all, and bodies that are no forms", async (t) => {
  const { box, ada, id, upload } = await with_agent(t);
  assert.match((await upload({ a: "1", "./a": "2" })).body.error, /file/);
  assert.match((await upload({})).body.error, /^file is required/);
  assert.match((await upload({ a: "x" }, { agentId: "" })).body.error, /^agentId/);
  const raw = (type, body) => send(box.web, "POST", "/api/files", { headers: { cookie: ada.cookie, "content-type": type }, body });
  const form = `--X\r\nContent-Disposition: form-data; name="agentId"\r\n\r\n${id}\r\n--X\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nhi\r\n`;
  assert.equal((await raw("multipart/form-data; boundary=X", form + "--X--")).status, 201);
  for (const [type, body] of [
    ["application/json", "{}"],
    ["multipart/form-data", form + "--X--"],
    ["multipart/form-data; boundary=X", form],
    ["multipart/form-data; boundary=Y", form + "--X--"],
    ["multipart/mixed; boundary=X", form + "--X--"],
    ["multipart/form-data; boundary=X", ""],
  ])
    assert.equal((await raw(type, body)).status, 400, `${type} ${body.length}`);
});

test("large files go in whole, and their senders are known before their bytes are read", async (t) => {
  const { box, ada, id, workspace, upload } = await with_agent(t);
  const bytes = randomBytes(20 << 20);
  const stored = await upload({ "film.mp4": bytes, "small.txt": "x" });
  assert.deepEqual([stored.status, stored.body.files?.map(({ size }) => size)], [201, [20 << 20, 1]], JSON.stringify(stored.body));
  assert.ok(readFileSync(join(workspace, "film.mp4")).equals(bytes));

  const announce = (headers) =>
    send(box.web, "POST", "/api/files", { headers: { "content-type": "multipart/form-data; boundary=X", ...headers } });
  const cookie = ada.cookie;
  const large = await announce({ cookie, "content-length": (32 << 20) + 1 });
  assert.deepEqual([large.status, large.body.limit], [413, 32 << 20], "the answer says how much is taken");
  for (const headers of [{}, { cookie: "app-session=forged" }])
    assert.equal((await announce({ ...headers, "content-length": 2 << 20 })).status, 401);
  assert.equal(
    (await announce({ cookie, "content-length": 2 << 20, origin: "https://evil.example", "sec-fetch-site": "cross-site" })).status,
    403,
  );
  const json = await send(box.web, "POST", "/api/chat", {
    headers: { cookie, "content-type": "application/json", "content-length": (1 << 20) + 1 },
  });
  assert.deepEqual([json.status, json.body.limit], [413, 1 << 20], "what is no file stays at 1 MB");
  await box.backend_call("PUT", `/api/agents/${id}`, { plan: "label" });
  const filler = openSync(join(workspace, "filler"), "w");
  ftruncateSync(filler, 70 * 1024 * 1024);
  closeSync(filler);
  assert.equal((await upload({ "more.mp4": bytes })).body.code, "STORAGE_LIMIT_REACHED", "the plan's room holds for them, too");
});

// Sends the head and some of the body of a form, and reads what comes back before the rest is sent.
const begin_upload = (box, cookie, path, sent, announced = 30 << 20) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(box.web);
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: box\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: ${announced}\r\n\r\n${sent}`,
      ),
    );
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes;
      resolve({ status: Number(text.slice(9, 12)), text });
      socket.destroy();
    });
    socket.on("error", reject);
    setTimeout(() => {
      socket.destroy();
      resolve({ status: 0, text: "no answer: it waits for the body" });
    }, 5_000).unref();
  });

test("the agent is checked before the files arrive, by the query or by the first field", async (t) => {
  const { box, ada, id, workspace } = await with_agent(t);
  const eve = await box.customer("eve@example.org");
  const field = (name, value) => `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = `--X\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`;
  for (const [path, sent, status] of [
    [`/api/files?agentId=${id}`, "", 404],
    ["/api/files", `${field("agentId", id)}--X\r\n`, 404],
    ["/api/files?agentId=ag_none", "", 404],
    ["/api/files", file, 400],
    ["/api/files", field("note", "x"), 400],
    ["/api/files", "x".repeat(100_000), 400],
  ])
    assert.equal((await begin_upload(box, eve.cookie, path, sent)).status, status, `${path} ${sent.slice(0, 60)}`);
  assert.equal((await begin_upload(box, eve.cookie, "/api/files", file, 300)).status, 400, "small forms, too");

  const whole = `${file}hello\r\n--X--`;
  const raw = (path, body) =>
    send(box.web, "POST", path, { headers: { cookie: ada.cookie, "content-type": "multipart/form-data; boundary=X" }, body });
  const stored = await raw(`/api/files?agentId=${id}&path=by%20query`, whole);
  assert.deepEqual([stored.status, stored.body.files?.[0].path], [201, "by query/f"], stored.text);
  assert.equal(readFileSync(join(workspace, "by query/f"), "utf8"), "hello");
  assert.match((await raw("/api/files?agentId=ag_other", field("agentId", id) + whole)).body.error, /not found/i);
  assert.match((await raw(`/api/files?agentId=${id}`, field("agentId", "ag_other") + whole)).body.error, /^agentId/);
  assert.match((await raw("/api/files", whole)).body.error, /^agentId/);
});

test("an upload that is cut off leaves nothing behind", async (t) => {
  const { box, ada, id, list, upload } = await with_agent(t);
  const before = readdirSync(box.folder).sort();
  const field = `--X\r\nContent-Disposition: form-data; name="agentId"\r\n\r\n${id}\r\n`;
  const part = `--X\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${"x".repeat(2 << 20)}`;
  await new Promise((resolve) => {
    const { hostname, port } = new URL(box.web);
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /api/files HTTP/1.1\r\nHost: box\r\nCookie: ${ada.cookie}\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: ${8 << 20}\r\n\r\n${field}${part}`,
        () => {
          socket.resetAndDestroy();
          resolve();
        },
      ),
    );
    socket.on("error", resolve);
  });
  assert.equal((await upload({ g: "whole" })).status, 201);
  assert.deepEqual(
    (await list()).files.map(({ path }) => path),
    ["g"],
  );
  assert.deepEqual(readdirSync(box.folder).sort(), before);
});

test("an agent's files have the room of its plan, and no more", async (t) => {
  const { box, ada, id, workspace, list, upload, remove } = await with_agent(t);
  await box.backend_call("PUT", `/api/agents/${id}`, { plan: "label" });
  const quota = 100 * 1024 * 1024;
  const filler = openSync(join(workspace, "filler"), "w");
  ftruncateSync(filler, quota - 10); // its size counts, not what of it is on the disk
  closeSync(filler);
  assert.deepEqual(await list().then(({ usedBytes, quotaBytes }) => [usedBytes, quotaBytes]), [quota - 10, quota]);
  const refused = await upload({ small: "12345", other: "123456" });
  const { code, current, limit } = refused.body;
  assert.deepEqual([refused.status, code, current, limit], [429, "STORAGE_LIMIT_REACHED", quota - 10, quota]);
  assert.equal(existsSync(join(workspace, "small")), false, "nothing of it is written");
  assert.equal((await upload({ fits: "1234567890" })).status, 201);
  assert.equal((await upload({ fits: "123456789" })).status, 201, "less in the place of more");
  assert.equal((await upload({ more: "12" })).body.code, "STORAGE_LIMIT_REACHED");
  await box.backend_call("PUT", `/api/agents/${id}`, { plan: "solo" });
  assert.equal((await upload({ more: "12" })).status, 201);
  await box.backend_call("PUT", `/api/agents/${id}`, { plan: "label" });
  assert.equal((await remove("filler")).status, 200, "who has too much may make room");
  assert.equal((await ada.call("GET", `/api/files?agentId=${id}`)).body.usedBytes, 11);
});

test("uploads to an agent that has never run work; those to another user's agent do not", async (t) => {
  const { box, ada, id, upload } = await with_agent(t);
  const made = await box.backend_call("POST", "/api/agents", { name: "Later", userId: ada.id });
  assert.deepEqual((await ada.call("GET", `/api/files?agentId=${made.id}`)).body.files, []);
  assert.equal((await upload({ "a.txt": "hello" }, { agentId: made.id })).status, 201);
  await ada.call("POST", `/api/instance/${made.id}/start`);
  const said = await ada.call("POST", "/api/chat", { agentId: made.id, message: "read the file a.txt" });
  assert.match(said.body.message.content, /hello/, "it may read what the box has put there");
  const eve = await box.customer("eve@example.org");
  assert.equal((await upload({ "a.txt": "x" }, {}, eve)).status, 404);
  assert.equal((await eve.call("GET", `/api/files?agentId=${id}`)).status, 404);
  assert.equal((await eve.call("DELETE", `/api/files?agentId=${id}&path=a.txt`)).status, 404);
});
