// One agent in one file, from one box to another.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, run } from "../support/box.mjs";

const backend = { env: { INTERNAL_API_KEY: INTERNAL_KEY } };
const admin = async (box, ...args) => run(["admin", "agent", ...args, "--data", box.folder], backend);
const succeeds = async (ended) => {
  const done = await ended;
  assert.equal(done.code, 0, JSON.stringify(done));
  return done.out;
};

test("an agent moves to another box with its memory, files, conversation and schedules, and without its secrets", async (t) => {
  const here = await Box.start(t),
    there = await Box.start(t),
    place = mkdtempSync(join(tmpdir(), "agentbox-transfer-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const ada = await here.customer("ada@example.org"),
    bob = await there.customer("bob@example.org");
  const agent = await here.running_agent(ada, "Scout");
  const config = { systemPrompt: "Be brief.", channels: { telegram: { enabled: true, botToken: "the-bots-own-token" } } };
  assert.equal((await ada.call("PUT", `/api/agents/${agent}/config`, { config })).status, 200);
  await here.until_status(ada, agent, "running");
  await ada.call("POST", "/api/chat", { agentId: agent, message: "remember that the vault is blue" });
  const task = {
    name: "Morning",
    agentId: agent,
    cronSchedule: "0 9 * * *",
    timezone: "Europe/Berlin",
    prompt: "Good morning",
    enabled: false,
    overlap: "queue",
  };
  const scheduled = await ada.call("POST", "/api/scheduled-tasks", task);
  assert.ok(scheduled.status < 300, JSON.stringify(scheduled.body));
  writeFileSync(join(here.folder, "agents", agent, "workspace", "notes.md"), "a note");

  const file = join(place, "scout.agent");
  const said = await succeeds(admin(here, "export", agent, "--to", file));
  assert.match(said, /left out: the secret at config\/channels\/telegram\/botToken/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(!readFileSync(file).includes("the-bots-own-token"));

  const told = await succeeds(admin(there, "import", file, "--owner", "bob@example.org"));
  const [, id] = told.match(/imported Scout as (ag_\w+): 2 messages, 1 scheduled prompts/);
  assert.match(told, /to be set again: config\/channels\/telegram\/botToken/);
  assert.notEqual(id, agent);
  assert.equal(readFileSync(join(there.folder, "agents", id, "workspace", "notes.md"), "utf8"), "a note");
  const { messages } = (await bob.call("GET", `/api/chat?agentId=${id}`)).body;
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["user", "assistant"],
  );
  assert.equal(messages[0].content, "remember that the vault is blue");
  const { tasks } = (await bob.call("GET", "/api/scheduled-tasks")).body;
  assert.deepEqual([tasks[0].name, tasks[0].timezone, tasks[0].enabled, tasks[0].agentId], ["Morning", "Europe/Berlin", false, id]);
  const detail = (await bob.call("GET", `/api/agents/${id}/config`)).body;
  assert.equal(detail.config?.systemPrompt, "Be brief.", JSON.stringify(detail));
  assert.ok(!JSON.stringify(detail).includes("sealed"), "no mask without its secret");

  await there.backend_call("POST", `/api/admin/agents/${id}/start`);
  await there.until_status(bob, id, "running");
  const recalled = await bob.call("POST", "/api/chat", { agentId: id, message: "what do you remember?" });
  assert.match(recalled.body.message?.content ?? JSON.stringify(recalled.body), /blue/);
});

test("what is not an agent, or not whole, is refused and leaves nothing", async (t) => {
  const box = await Box.start(t),
    place = mkdtempSync(join(tmpdir(), "agentbox-transfer-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const ada = await box.customer("ada@example.org"),
    agent = await box.running_agent(ada);
  const file = join(place, "scout.agent"),
    bad = join(place, "bad.agent");
  const refused = async (ended, pattern) => {
    const done = await ended;
    assert.equal(done.code, 2, JSON.stringify(done));
    assert.match(done.err, pattern);
  };
  await refused(admin(box, "export", "ag_unknown", "--to", file), /No such agent/);
  await refused(admin(box, "export", agent, "--to", join(box.folder, "x.agent")), /outside of the data folder/);
  await succeeds(admin(box, "export", agent, "--to", file));
  await refused(admin(box, "export", agent, "--to", file), /exists already/);
  await refused(admin(box, "import", file, "--owner", "nobody@example.org"), /owner must be the e-mail address of a user/);
  await refused(admin(box, "import", join(place, "none"), "--owner", "ada@example.org"), /there is no file/);
  const whole = readFileSync(file);
  writeFileSync(bad, whole.subarray(0, whole.length - 40));
  await refused(admin(box, "import", bad, "--owner", "ada@example.org"), /not sound|damaged/);
  const altered = Buffer.from(whole);
  altered[whole.length >> 1] ^= 1;
  writeFileSync(bad, altered);
  await refused(admin(box, "import", bad, "--owner", "ada@example.org"), /not sound|damaged/);
  const pack = join(place, "box.agentbox");
  assert.equal((await run(["pack", "--data", box.folder, "--to", pack], backend)).code, 0);
  await refused(admin(box, "import", pack, "--owner", "ada@example.org"), /holds a box: use `agentbox unpack`/);
  assert.match((await run(["unpack", file, "--data", join(place, "data")])).err, /holds one agent/);
  assert.ok(!existsSync(join(place, "data")));
  assert.equal((await box.backend_call("GET", "/api/admin/agents")).total, 1, "nothing else was made");
});
