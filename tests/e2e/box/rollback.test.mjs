// An upgrade keeps the store as it was, and rollback goes back to it.
import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, PASSWORD, run } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";

const rollback = (box, ...more) => run(["rollback", "--data", box.folder, ...more]);

test("an upgraded box goes back to the store before the upgrade", { skip: about_files }, async (t) => {
  const box = await Box.start(t),
    schema = join(box.folder, "store.schema"),
    kept = join(box.folder, "rollback");
  await box.customer("before@example.org");
  assert.ok(!existsSync(kept), "a new box has nothing to go back to");
  await box.end("SIGTERM");
  assert.match((await rollback(box)).err, /there is no store to go back to/, "and no question about it");

  // As an agentbox of an earlier schema has left it.
  writeFileSync(schema, "3 0.0.9\n");
  await box.serve();
  assert.match(readFileSync(join(kept, "schema"), "utf8"), /^3 0\.0\.9 20/);
  assert.match(readFileSync(schema, "utf8"), /^\d+ \d+\.\d+\.\d+\n$/);
  await box.customer("after@example.org");
  assert.match((await rollback(box, "--yes")).err, /used by|in use|another process|running/i, "not under a running box");
  await box.end("SIGTERM");
  await box.serve();
  const made = statSync(join(kept, "schema")).mtimeMs;
  await box.end("SIGTERM");
  assert.equal(statSync(join(kept, "schema")).mtimeMs, made, "a start that migrates nothing keeps what there is");

  const health = await run(["health", "--data", box.folder]);
  assert.equal(health.code, 1);
  assert.match(health.out, /upgraded from agentbox 0\.0\.9 at .*agentbox rollback --data/);
  assert.match((await rollback(box)).err, /Confirm with --yes/);
  const gone = await rollback(box, "--yes");
  assert.equal(gone.code, 0, JSON.stringify(gone));
  assert.match(gone.out, /Start the previous version of agentbox, 0\.0\.9/);
  const aside_of = () => readdirSync(box.folder).filter((name) => name.startsWith("store.rolled-back-"));
  assert.deepEqual(
    aside_of().map((name) => gone.out.includes(name)),
    [true],
  );
  assert.equal(readFileSync(schema, "utf8"), "3 0.0.9\n");

  await box.serve();
  const log_in = async (email) => (await box.person().log_in(email, PASSWORD)).status;
  assert.deepEqual([await log_in("before@example.org"), await log_in("after@example.org")], [200, 401]);
  await box.end("SIGTERM");
  assert.equal((await run(["verify", "--data", box.folder])).code, 0);

  // As a call leaves it that was killed when the store was set aside and the other not yet in its place.
  renameSync(join(box.folder, "store"), join(box.folder, "store.rolled-back-1"));
  cpSync(join(kept, "store"), join(box.folder, "store.before"), { recursive: true });
  writeFileSync(schema, "4 0.1.0\n");
  assert.equal((await rollback(box, "--yes")).code, 0);
  assert.equal(readFileSync(schema, "utf8"), "3 0.0.9\n");
  await box.serve();
  assert.deepEqual([await log_in("before@example.org"), await log_in("after@example.org")], [200, 401]);
});

test("a store that cannot be opened after an upgrade says how to go back", { skip: about_files }, async (t) => {
  const box = await Box.start(t);
  await box.end("SIGTERM");
  writeFileSync(join(box.folder, "store.schema"), "3 0.0.9\n");
  await box.serve();
  await box.end("SIGTERM");
  const manifest = readdirSync(join(box.folder, "store")).find((name) => name.startsWith("MANIFEST-"));
  writeFileSync(join(box.folder, "store", manifest), "damaged");
  const ended = await run(["serve", "--data", box.folder, "--web-listen", "127.0.0.1:0", "--backend-listen", "127.0.0.1:0"]);
  assert.notEqual(ended.code, 0);
  assert.match(ended.err, /agentbox rollback --data/);
});
