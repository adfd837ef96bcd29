// A bucket that has every change of the box: restored to the newest, to a second, with the bucket down, the box killed
// and the wrong key.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { S3 } from "../peers/s3_server.mjs";
import { ADMIN, Box, INTERNAL_KEY, PASSWORD, run, until } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";

const skip = about_files;

const box_with_bucket = async (t, env = {}) => {
  const s3 = await S3.start(t);
  const box = await Box.start(t, { ...s3.standby_settings(), ...env });
  return { s3, box };
};

const bucket_of = async (box) => (await box.backend_call("GET", "/api/admin/standby")).bucket;
const health_of = async (box) => (await fetch(`${box.backend}/health`, { headers: { authorization: `Bearer ${INTERNAL_KEY}` } })).json();

// The bucket has a whole copy, and every change so far.
const is_level = (box) =>
  until("the bucket has everything", async () => {
    const { baseAt, newest, stored, problem } = await bucket_of(box);
    return baseAt && stored >= newest && !problem;
  });

const restored = async (t, s3, box, args = []) => {
  const above = mkdtempSync(join(tmpdir(), "agentbox-bucket-story-"));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  const folder = join(above, "data");
  const from = `s3://${s3.bucket.split("/").at(-1)}/boxes/first`;
  const key = join(above, "kept.key");
  copyFileSync(join(box.folder, "master.key"), key);
  const ended = await run(["restore", "--from", from, "--data", folder, "--key", key, ...args], { env: s3.standby_settings() });
  return { ...ended, folder, key };
};

const open_restored = async (t, s3, box, args) => {
  const { code, err, folder } = await restored(t, s3, box, args);
  assert.equal(code, 0, err);
  const verified = await run(["verify", "--data", folder]);
  assert.equal(verified.code, 0, verified.out);
  return Box.open(t, folder);
};

const can_sign_in = async (box, email) => (await box.person().log_in(email, PASSWORD)).status === 200;

test("a bucket restores the newest state, workspaces included, and proves it", { skip }, async (t) => {
  const { s3, box } = await box_with_bucket(t, { STANDBY_S3_BASE_INTERVAL: "3s" });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  writeFileSync(join(box.folder, "agents", agent, "workspace", "notes.md"), "remember the milk");
  const written = Date.now();
  await until("a copy with the workspace", async () => Date.parse((await bucket_of(box)).baseAt) > written);
  await box.customer("bob@example.org");
  await is_level(box);
  await until("the bucket is proven", async () => (await bucket_of(box)).lastProvenRestore);
  const health = await health_of(box);
  assert.equal(health.bucket, "ok");
  assert.ok(health.lastProvenRestore, "in /health, too");
  for (const [path, { content }] of s3.objects) {
    assert.match(path, /^\/[a-z-]+\/boxes\/first\/(bases|segments|trees)\//);
    for (const secret of ["ada@example.org", "remember the milk", "internal_api_key"])
      assert.ok(!content.includes(secret), `${secret} is not in the clear`);
  }
  // Killed: what it acknowledged a second ago is there.
  await box.customer("eve@example.org");
  await is_level(box);
  await box.end("SIGKILL");
  const second = await open_restored(t, s3, box);
  for (const email of ["ada@example.org", "bob@example.org", "eve@example.org", ADMIN.email])
    assert.ok(email === ADMIN.email || (await can_sign_in(second, email)), email);
  const notes = join(second.folder, "agents", agent, "workspace", "notes.md");
  assert.equal(readFileSync(notes, "utf8"), "remember the milk");
  assert.ok(existsSync(join(second.folder, "agentbox.toml")));
});

test("a bucket restores to a second", { skip }, async (t) => {
  const { s3, box } = await box_with_bucket(t);
  await is_level(box);
  await box.customer("first@example.org");
  await new Promise((resolve) => setTimeout(resolve, 1_100)); // what comes next is of a later second
  const between = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await box.customer("second@example.org");
  await is_level(box);
  const then = await open_restored(t, s3, box, ["--at", between]);
  assert.ok(await can_sign_in(then, "first@example.org"));
  assert.ok(!(await can_sign_in(then, "second@example.org")));
  const early = await restored(t, s3, box, ["--at", "2020-01-01T00:00:00Z"]);
  assert.equal(early.code, 2);
  assert.match(early.err, /restores to 20\d\d-.* and later/);
  const wrong = await restored(t, s3, box, ["--at", "yesterday"]);
  assert.match(wrong.err, /--at must be a time/);
});

test("a bucket that is down loses nothing and is an alarm", { skip }, async (t) => {
  const { s3, box } = await box_with_bucket(t);
  await is_level(box);
  s3.is_down = true;
  await box.customer("during@example.org");
  await until("the alarm", async () => {
    const { bucket, bucketProblem, bucketLagMs } = await health_of(box);
    return bucket === "failing" && bucketProblem && bucketLagMs > 500;
  });
  // Ended and killed meanwhile.
  await box.end("SIGTERM");
  await box.serve();
  await box.customer("later@example.org");
  await box.end("SIGKILL");
  await box.serve();
  s3.is_down = false;
  await until("it is back", async () => (await health_of(box)).bucket === "ok");
  await is_level(box);
  const bases = [...s3.objects.keys()].filter((path) => path.includes("/bases/") && path.endsWith("-end"));
  assert.equal(bases.length, 1, "the segments go on where they were");
  const second = await open_restored(t, s3, box);
  assert.ok(await can_sign_in(second, "during@example.org"));
  assert.ok(await can_sign_in(second, "later@example.org"));
});

test("another key, a missing segment and an altered object are found", { skip }, async (t) => {
  const { s3, box } = await box_with_bucket(t);
  await is_level(box);
  for (const name of ["one", "two", "three"]) {
    await box.customer(`${name}@example.org`);
    await is_level(box);
  }
  const env = { ...s3.standby_settings(), AGENTBOX_MASTER_KEY: "ab".repeat(32) };
  const from = `s3://${s3.bucket.split("/").at(-1)}/boxes/first`;
  const above = mkdtempSync(join(tmpdir(), "agentbox-bucket-story-"));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  const other = await run(["restore", "--from", from, "--data", join(above, "data")], { env });
  assert.equal(other.code, 2);
  assert.match(other.err, /master key does not open/);
  assert.ok(!existsSync(join(above, "data", "store")));

  const segments = [...s3.objects.keys()].filter((path) => path.includes("/segments/")).toSorted();
  assert.ok(segments.length >= 3, String(segments.length));
  const [missing] = segments.slice(-2);
  const kept = s3.objects.get(missing);
  s3.objects.delete(missing);
  const cut = await restored(t, s3, box);
  assert.equal(cut.code, 2);
  assert.match(cut.err, /lacks the changes before .*: it restores to 20\d\d-.* with --at/);
  const altered = Buffer.from(kept.content);
  altered[altered.length - 20] ^= 1;
  s3.objects.set(missing, { ...kept, content: altered });
  assert.match((await restored(t, s3, box)).err, /does not open/);
  s3.objects.set(missing, kept);
  assert.equal((await restored(t, s3, box)).code, 0);
});

test("old copies and segments are removed, and what is kept restores", { skip }, async (t) => {
  const { s3, box } = await box_with_bucket(t, { STANDBY_S3_KEEP: "1s", STANDBY_S3_BASE_INTERVAL: "2s" });
  await is_level(box);
  await box.customer("first@example.org");
  const ends = () => [...s3.objects.keys()].filter((path) => path.includes("/bases/") && path.endsWith("-end"));
  const [first] = ends();
  await until("the first copy is gone", () => !s3.objects.has(first));
  await box.customer("second@example.org");
  await is_level(box);
  await box.end("SIGTERM");
  const second = await open_restored(t, s3, box);
  assert.ok(await can_sign_in(second, "first@example.org"));
  assert.ok(await can_sign_in(second, "second@example.org"));
});
