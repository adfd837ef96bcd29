// What agents remember: the agent's own tools and its owner work on the same facts, whether it runs or not.
import assert from "node:assert/strict";
import { lstatSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box } from "../support/box.mjs";

const with_agent = async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const say = async (message) => (await ada.call("POST", "/api/chat", { agentId: id, message })).body.message.content;
  const find = async (query = "") => (await ada.call("GET", `/api/memory?agentId=${id}&query=${encodeURIComponent(query)}`)).body.memories;
  const keep = (text) => ada.call("POST", "/api/memory", { agentId: id, text });
  const remove = (memoryId) => ada.call("DELETE", "/api/memory", { agentId: id, memoryId });
  const restart = async () => {
    await ada.call("POST", `/api/instance/${id}/start`);
    await box.until_status(ada, id, "running");
  };
  return { box, ada, id, say, find, keep, remove, restart };
};

test("the agent recalls what its owner stored, and the reverse", async (t) => {
  const { say, find, keep, remove } = await with_agent(t);
  await say("remember that the demo is on Friday");
  const [told] = await find();
  assert.match(told.text, /demo is on Friday/);
  assert.match(told.createdAt, /Z$/);
  const kept = await keep("Größe & 50 % of +x?\nare kept as they are");
  assert.equal(kept.status, 200, JSON.stringify(kept.body));
  assert.equal((await keep("Größe & 50 % of +x?\nare kept as they are")).body.memory.id, kept.body.memory.id, "once");
  await keep("the harbour opens at nine");
  assert.match(await say("what do you remember?"), /harbour opens at nine/);
  assert.deepEqual(
    (await find("harbour")).map(({ text }) => text),
    ["the harbour opens at nine"],
  );
  assert.deepEqual(
    (await find("50 %")).map(({ id }) => id),
    [kept.body.memory.id],
  );
  assert.equal((await remove(told.id)).body.memory.text, told.text);
  assert.equal((await remove(told.id)).status, 404);
  assert.doesNotMatch(await say("what do you remember?"), /Friday/);
});

test("an agent that is stopped is read and written all the same", async (t) => {
  const { ada, id, say, find, keep, remove, restart } = await with_agent(t);
  const first = (await keep("one is one")).body.memory;
  await ada.call("POST", `/api/instance/${id}/stop`);
  assert.deepEqual(
    (await find()).map(({ text }) => text),
    ["one is one"],
  );
  assert.equal((await keep("two is two")).status, 200);
  assert.equal((await remove(first.id)).status, 200);
  await restart();
  assert.deepEqual(
    (await find()).map(({ text }) => text),
    ["two is two"],
  );
  assert.match(await say("what do you remember?"), /two is two/);
});

test("a memory that has become a link leads nowhere", async (t) => {
  const { box, ada, id, find, keep } = await with_agent(t);
  await keep("one is one");
  await ada.call("POST", `/api/instance/${id}/stop`);
  const secret = join(box.folder, "secret.jsonl"),
    state = join(box.folder, "agents", id, "workspace", ".agentbox");
  writeFileSync(secret, JSON.stringify({ id: "m1", text: "the safe's code is 4711", at: "" }) + "\n");
  rmSync(join(state, "memory.jsonl"));
  symlinkSync(secret, join(state, "memory.jsonl"));
  assert.deepEqual(await find(), []);
  assert.notEqual((await keep("two")).status, 200);
  assert.ok(lstatSync(join(state, "memory.jsonl")).isSymbolicLink());
  renameSync(state, `${state}-was`);
  symlinkSync(box.folder, state);
  assert.notEqual((await keep("three")).status, 200);
  assert.throws(() => lstatSync(join(box.folder, "memory.jsonl")));
  rmSync(state); // so that it can be deleted as it was
  renameSync(`${state}-was`, state);
});

test("nobody else remembers with it", async (t) => {
  const { box, id, keep } = await with_agent(t);
  const { memory } = (await keep("the safe's code is 4711")).body;
  const eve = await box.customer("eve@example.org");
  const asked = [
    await eve.call("GET", `/api/memory?agentId=${id}`),
    await eve.call("POST", "/api/memory", { agentId: id, text: "x" }),
    await eve.call("DELETE", "/api/memory", { agentId: id, memoryId: memory.id }),
  ];
  assert.deepEqual(
    asked.map(({ status, body }) => [status, body]),
    asked.map(() => [404, { error: "Not found" }]),
  );
});
