// Moves into PostgreSQL that are cut off, and a database that is paused.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, binary, Box, INTERNAL_KEY, PASSWORD, run, until } from "../support/box.mjs";
import { no_postgres, PostgresServer } from "../support/postgres.mjs";
import { about_files } from "../support/story_store.mjs";

const skip = no_postgres;
const host = "127.0.0.1&sslmode=disable";

const new_folder = (t) => {
  const above = mkdtempSync(join(tmpdir(), "agentbox-postgres-moves-"));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  return join(above, "data");
};

const new_database = async (server, name) => {
  if (name !== "agentbox") server.sql(`CREATE DATABASE ${name}`);
  const url = server.url("box", host, name);
  const made = await run(["store", "init", "--store-url", url, "--admin", server.url("admin", host, name)]);
  assert.equal(made.code, 0, made.err);
  return url;
};

const start_box = async (t, url, env = {}) => {
  const folder = new_folder(t);
  const set_up = await run(["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], { env: { STORE_URL: url } });
  assert.equal(set_up.code, 0, set_up.err);
  return Box.open(t, folder, { STORE_URL: url, ...env });
};

const signs_in = async (box, email) => assert.equal((await box.person().log_in(email, PASSWORD)).status, 200, email);

test("a move that is cut off again and again goes on where it was", { skip: skip || about_files }, async (t) => {
  const server = await PostgresServer.start(t);
  const url = await new_database(server, "agentbox");
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  for (let i = 0; i < 30; ++i) await box.backend_call("POST", "/api/admin/invites", { note: "x".repeat(190), count: 100 });
  const { invites } = await box.backend_call("GET", "/api/admin/invites?limit=1000");
  assert.ok(invites.length > 500);
  await box.end("SIGTERM");
  let cut = 0;
  for (let wait = 40; ; wait = Math.ceil(wait * 1.25)) {
    const child = spawn(binary, ["migrate-store", "--from", box.folder, "--to", url], { env: { PATH: process.env.PATH } });
    const timer = setTimeout(() => child.kill("SIGKILL"), wait);
    let out = "";
    child.stdout.on("data", (bytes) => (out += bytes));
    child.stderr.on("data", (bytes) => (out += bytes));
    const [code, signal] = await once(child, "close");
    clearTimeout(timer);
    if (signal === "SIGKILL") {
      ++cut;
      assert.ok(existsSync(join(box.folder, "store", "CURRENT")) || existsSync(join(box.folder, "store.embedded", "CURRENT")));
      if (existsSync(join(box.folder, "store.embedded"))) break; // after its last step
      continue;
    }
    assert.equal(code, 0, out);
    assert.match(out, /^users +2 +[0-9a-f]{64}$/m);
    break;
  }
  assert.ok(cut > 2, String(cut));
  box.env = { ...box.env, STORE_URL: url };
  await box.serve();
  await signs_in(box, "ada@example.org");
  const there = await box.backend_call("GET", "/api/admin/invites?limit=1000");
  assert.deepEqual(
    there.invites.map(({ id }) => id),
    invites.map(({ id }) => id),
  );
});

test("a database that is paused for seconds holds no request for long, and nothing acknowledged is lost", { skip }, async (t) => {
  const server = await PostgresServer.start(t);
  const url = await new_database(server, "agentbox");
  const box = await start_box(t, url);
  await box.customer("ada@example.org");
  const acknowledged = [];
  let count = 0,
    is_over = false;
  const writing = (async () => {
    while (!is_over) {
      const note = `note ${++count}`;
      const answer = await fetch(`${box.backend}/api/admin/invites`, {
        method: "POST",
        headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ note }),
      });
      if (answer.status === 201) acknowledged.push(note);
      await answer.arrayBuffer();
    }
  })();
  await until("a few writes", () => acknowledged.length > 5);
  for (let round = 0; round < 2; ++round) {
    server.pause();
    const paused = Date.now();
    try {
      const slowest = [];
      while (Date.now() - paused < 4_000) {
        const start = Date.now();
        const answer = await fetch(`${box.backend}/api/agents`, { headers: { authorization: `Bearer ${INTERNAL_KEY}` } });
        await answer.arrayBuffer();
        slowest.push(Date.now() - start);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.ok(Math.max(...slowest) < 3_000, `a read took ${Math.max(...slowest)} ms`);
      assert.ok(slowest.length > 5, "the breaker refuses at once");
    } finally {
      server.resume();
    }
    await until("the box serves again", async () => (await box.person().log_in("ada@example.org", PASSWORD)).status === 200);
  }
  const before = acknowledged.length;
  await until("writes go on", () => acknowledged.length > before + 3);
  is_over = true;
  await writing;
  const notes = new Set();
  for (let after = ""; after !== undefined; ) {
    const page = await box.backend_call("GET", `/api/admin/invites?limit=1000${after && `&after=${after}`}`);
    for (const { note } of page.invites) notes.add(note);
    after = page.next ?? undefined;
  }
  for (const note of acknowledged) assert.ok(notes.has(note), note);
});
