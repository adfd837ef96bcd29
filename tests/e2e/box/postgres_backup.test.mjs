// Backups have one form, whichever engine has the store, and restore into either.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, PASSWORD, run, until } from "../support/box.mjs";
import { no_postgres, PostgresServer } from "../support/postgres.mjs";

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

test("a backup restores into either engine, whichever made it", { skip }, async (t) => {
  const server = await PostgresServer.start(t);
  const first = await new_database(server, "agentbox");
  const box = await start_box(t, first, { BACKUP_SCHEDULE: "* * * * * *", BACKUP_KEEP: "2" });
  await box.customer("ada@example.org");
  const drill = await until("the backup is restored on trial", async () => {
    const { restoreDrill } = await box.backend_call("GET", "/api/admin/backups");
    return restoreDrill?.lastProvenRestore && restoreDrill.records > 10 && restoreDrill;
  });
  assert.equal(drill.problem, null);
  // Without backups that are made beside those of the story.
  await box.end("SIGTERM");
  box.env = { ...box.env, BACKUP_SCHEDULE: "" };
  await box.serve();

  const to = `${new_folder(t)}-backup`;
  const made = await run(["backup", "--data", box.folder, "--to", to, "--with-key"], {
    env: { STORE_URL: first, BACKEND_LISTEN: new URL(box.backend).host, INTERNAL_API_KEY: INTERNAL_KEY },
  });
  assert.equal(made.code, 0, made.err);
  assert.ok(!existsSync(join(box.folder, "store", "backup.draft")));

  const embedded = new_folder(t);
  const restored = await run(["restore", "--from", to, "--data", embedded]);
  assert.equal(restored.code, 0, restored.err);
  const second = await Box.open(t, embedded);
  await signs_in(second, "ada@example.org");
  await second.customer("bob@example.org");

  const back = `${new_folder(t)}-backup`;
  const again = await run(["backup", "--data", embedded, "--to", back, "--with-key"], {
    env: { BACKEND_LISTEN: new URL(second.backend).host, INTERNAL_API_KEY: INTERNAL_KEY },
  });
  assert.equal(again.code, 0, again.err);
  const third_url = await new_database(server, "third");
  const third = new_folder(t);
  const moved = await run(["restore", "--from", back, "--data", third, "--store-url", third_url]);
  assert.equal(moved.code, 0, moved.err);
  assert.match(moved.out, /^users +3 +[0-9a-f]{64}$/m);
  const third_box = await Box.open(t, third, { STORE_URL: third_url });
  await signs_in(third_box, "ada@example.org");
  await signs_in(third_box, "bob@example.org");
});
