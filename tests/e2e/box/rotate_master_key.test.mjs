// A box that gets another master key.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, PASSWORD, run } from "../support/box.mjs";
import { about_files } from "../support/story_store.mjs";

const key_of = (box) => readFileSync(join(box.folder, "master.key"), "utf8").trim();
const rotate = (box, ...flags) => run(["admin", "rotate-master-key", "--data", box.folder, ...flags]);

test("rotating the master key keeps all that was sealed, and what earlier keys have signed", { skip: about_files }, async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  assert.equal((await ada.call("POST", "/api/chat", { agentId: id, message: "remember that the tide turns at six" })).status, 200);
  const refused = await rotate(box);
  assert.notEqual(refused.code, 0, "while the box runs");
  assert.equal(await box.end("SIGTERM"), 0);
  const before = key_of(box);

  for (let round = 0; round < 2; ++round) {
    const done = await rotate(box);
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /sealed \d+ secrets/);
    assert.notEqual(key_of(box), before);
    assert.equal(existsSync(join(box.folder, "master.key.new")), false);
  }
  const verified = await run(["verify", "--data", box.folder]);
  assert.equal(verified.code, 0, verified.out + verified.err);

  await box.serve();
  await box.until_status(ada, id, "running"); // its tokens are still known
  assert.match((await ada.call("POST", "/api/chat", { agentId: id, message: "what do you remember?" })).body.message.content, /tide/);
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 200);
  const audit = await run(["admin", "audit", "verify", "--data", box.folder], {
    env: { INTERNAL_API_KEY: box.env.INTERNAL_API_KEY ?? "internal-key-of-the-stories" },
  });
  assert.equal(audit.code, 0, audit.out + audit.err);
  assert.equal(await box.end("SIGTERM"), 0);

  writeFileSync(join(box.folder, "master.key"), `${before}\n`);
  const wrong = await run(["serve", "--data", box.folder]);
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.err, /master key does not belong/);
});

test("a master key in a file, and as a credential of systemd", { skip: about_files }, async (t) => {
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  assert.equal(await box.end("SIGTERM"), 0);
  const key = key_of(box),
    file = join(box.folder, "elsewhere.key"),
    next = join(box.folder, "next.key");
  rmSync(join(box.folder, "master.key"));
  writeFileSync(file, `${key}\n`);
  box.env = { ...box.env, AGENTBOX_MASTER_KEY_FILE: file };
  await box.serve();
  assert.equal((await box.person().log_in("ada@example.org", PASSWORD)).status, 200);
  assert.equal(await box.end("SIGTERM"), 0);

  const flag = ["--agentbox-master-key-file", file];
  assert.match((await rotate(box, ...flag)).err, /--new-key/);
  writeFileSync(next, "5".repeat(64));
  const done = await rotate(box, ...flag, "--new-key", next);
  assert.equal(done.code, 0, done.err);

  delete box.env.AGENTBOX_MASTER_KEY_FILE;
  writeFileSync(join(box.folder, "master.key"), "0".repeat(64)); // the credential comes first
  const credentials = box.folder + "-credentials";
  mkdirSync(credentials);
  t.after(() => rmSync(credentials, { recursive: true }));
  writeFileSync(join(credentials, "master.key"), "5".repeat(64));
  box.env = { ...box.env, CREDENTIALS_DIRECTORY: credentials };
  await box.serve();
  assert.equal((await box.person().log_in("ada@example.org", PASSWORD)).status, 200);
  const missing = await run(["serve", "--data", box.folder], { env: { AGENTBOX_MASTER_KEY_FILE: "/nowhere/key" } });
  assert.notEqual(missing.code, 0);
  assert.match(missing.err, /AGENTBOX_MASTER_KEY_FILE.*must name a file/i);
});
