// Requests wait for a slot of the model server: those of persons first, and in the order of their users.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { start_server } from "../peers/held_model.mjs";
import { Box, send } from "../support/box.mjs";
import { follow_events } from "../support/event_stream.mjs";

const until = async (condition, what) => {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const story_of = async (t, slots, plans = {}) => {
  const server = await start_server(t, slots);
  const box = await Box.start(t, { LOCAL_MODEL_URL: server.url });
  const keys = {},
    users = {};
  for (const name of ["ada", "bob"]) {
    users[name] = await box.customer(`${name}@example.org`, plans[name]);
    keys[name] = (await users[name].call("POST", "/api/keys", { name: "script" })).body.key;
  }
  const headers = (name, wait_class) => ({
    authorization: `Bearer ${keys[name]}`,
    "content-type": "application/json",
    ...(wait_class && { "x-agentbox-wait-class": wait_class }),
  });
  const body = (prompt, more = {}) => JSON.stringify({ model: "small", messages: [{ role: "user", content: prompt }], ...more });
  const ask = (name, prompt, wait_class) =>
    send(box.backend, "POST", "/v1/chat/completions", { headers: headers(name, wait_class), body: body(prompt) });
  const queue = async () =>
    (await box.backend_call("GET", "/api/admin/models/providers")).providers.find(({ provider }) => provider === "local");
  return { server, box, users, keys, ask, queue, headers, body };
};

test("a configured limit: persons come first, and users take turns", async (t) => {
  const { server, box, users, keys, ask, queue } = await story_of(t);
  // Programs' own word does not count: the classes are those of an agent's requests.
  const agent = await box.running_agent(users.ada);
  keys["ada's agent"] = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json"), "utf8")).box_token;
  const limited = await box.backend_call("PUT", "/api/admin/models/providers", { provider: "local", maxConcurrent: 1 });
  assert.equal(limited.maxConcurrent, 1);
  const answers = [ask("ada", "first")];
  await until(() => server.held.length === 1, "the first is with the server");
  // They join in this order.
  for (const [name, prompt, wait_class] of [
    ["ada's agent", "scheduled", "schedule"],
    ["ada's agent", "swarming", "swarm"],
    ["ada's agent", "mailed", "channel"],
    ["ada", "ada 1", "schedule"],
    ["ada", "ada 2"],
    ["bob", "bob 1", "person"],
  ]) {
    const before = (await queue()).waiting;
    answers.push(ask(name, prompt, wait_class));
    await until(async () => (await queue()).waiting === before + 1, `${prompt} waits`);
  }
  const { slots, running, waiting } = await queue();
  assert.deepEqual([slots, running, waiting], [1, 1, 6]);
  for (let at = 0; at < answers.length; ++at) {
    await until(() => server.held.length === at + 1, "one at a time");
    server.held[at].answer();
  }
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(
    server.held.map(({ prompt }) => prompt),
    ["first", "bob 1", "ada 1", "ada 2", "mailed", "swarming", "scheduled"],
    "ada has had her turn",
  );
});

test("a server's slots are found, the place is in the stream, and a reader who leaves loses it", async (t) => {
  const { server, box, ask, queue, headers, body } = await story_of(t, 1);
  const first = ask("ada", "first");
  await until(() => server.held.length === 1, "the first is with the server");
  const leaving = new AbortController();
  const left = fetch(`${box.backend}/v1/chat/completions`, {
    method: "POST",
    headers: headers("ada"),
    body: body("leaves", { stream: true }),
    signal: leaving.signal,
  }).catch((error) => error);
  await until(async () => (await queue()).waiting === 1, "one waits");
  assert.equal((await queue()).slots, 1, "as the server tells");
  const stream = await fetch(`${box.backend}/v1/chat/completions`, {
    method: "POST",
    headers: headers("ada"),
    body: body("stays", { stream: true }),
  });
  assert.equal(stream.status, 200);
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/: queued \d+, about \d+ s/.test(text)) text += (await reader.read()).value;
  assert.match(text, /^: queued 2, about \d+ s\n\n/);
  leaving.abort();
  assert.ok((await left) instanceof Error || (await left).status === 200);
  await until(async () => (await queue()).waiting === 1, "its place is free");
  server.held[0].answer();
  assert.equal((await first).status, 200);
  await until(() => server.held.length === 2, "the next is with the server");
  assert.equal(server.held[1].prompt, "stays");
  server.held[1].answer();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value;
  assert.match(text, /Answer to stays/);
  assert.match(text, /\[DONE\]/);
  await until(async () => (await queue()).running === 0, "its slots are free");
});

test("what an agent does on a schedule waits for what its owner asks another", async (t) => {
  const { server, box, users, ask, queue } = await story_of(t, undefined, { ada: "collective" });
  await box.backend_call("PUT", "/api/admin/models/providers", { provider: "local", maxConcurrent: 1 });
  const { ada } = users;
  const [routine, helper] = [await box.running_agent(ada, "Routine", "pro"), await box.running_agent(ada, "Helper", "pro")];
  const first = ask("bob", "first");
  await until(() => server.held.length === 1, "the first is with the server");
  const task = { agentId: routine, name: "Yearly", cronSchedule: "0 0 1 1 *", prompt: "On schedule" };
  const { id } = (await ada.call("POST", "/api/scheduled-tasks", task)).body;
  const run = await ada.call("POST", `/api/scheduled-tasks/${id}/run`);
  assert.ok(run.status < 300, JSON.stringify(run.body));
  await until(async () => (await queue()).waiting === 1, "the scheduled turn waits");
  const asked = ada.call("POST", "/api/chat", { agentId: helper, message: "By its owner" });
  await until(async () => (await queue()).waiting === 2, "the owner's turn waits");
  for (let at = 0; at < 3; ++at) {
    await until(() => server.held.length === at + 1, "one at a time");
    server.held[at].answer();
  }
  assert.equal((await first).status, 200);
  assert.equal((await asked).status, 200);
  assert.deepEqual(
    server.held.map(({ prompt }) => prompt),
    ["first", "By its owner", "On schedule"],
  );
});

test("users of a plan with more weight get more turns", async (t) => {
  const { server, box, ask, queue } = await story_of(t, undefined, { bob: "collective" });
  const set = (queueWeights) =>
    box.backend_call("PUT", "/api/admin/models/providers", { provider: "local", maxConcurrent: 1, queueWeights });
  assert.match((await set({ solo: 13 })).error, /queueWeights\.solo/);
  assert.deepEqual((await set({ collective: 3 })).queueWeights, { label: 1, solo: 1, collective: 3, network: 1 });
  const answers = [ask("ada", "first")];
  await until(() => server.held.length === 1, "the first is with the server");
  for (let at = 0; at < 6; ++at)
    for (const name of at < 2 ? ["ada", "bob"] : ["bob"]) {
      answers.push(ask(name, `${name} ${at}`));
      await until(async () => (await queue()).waiting === answers.length - 1, "it waits");
    }
  for (let at = 0; at < answers.length; ++at) {
    await until(() => server.held.length === at + 1, "one at a time");
    server.held[at].answer();
  }
  await Promise.all(answers);
  const order = server.held.slice(1).map(({ prompt }) => prompt.split(" ")[0]);
  assert.ok(order.indexOf("ada") >= 1 && order.lastIndexOf("ada") >= 4, `bob gets three turns for one of ada's: ${order}`);
});

test("a server that batches as vLLM does gets as many requests as it works on at once", async (t) => {
  const { server, ask, queue } = await story_of(t);
  Object.assign(server.load, { running: 0, waiting: 0 });
  const answers = [ask("ada", "1")];
  await until(() => server.held.length === 1, "it is with the server");
  Object.assign(server.load, { running: 2, waiting: 1 });
  answers.push(ask("ada", "2"));
  await until(() => server.held.length === 2, "the server's size is known now, and it has room");
  assert.equal((await queue()).slots, 2);
  answers.push(ask("bob", "3"));
  await until(async () => (await queue()).waiting === 1, "a third one waits in the box");
  assert.equal(server.held.length, 2);
  server.held[0].answer();
  await until(() => server.held.length === 3, "a slot is free");
  for (const { answer } of server.held.slice(1)) answer();
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200, answer.text);
});

test("an agent's answer says how it waits, to those that follow it, too", async (t) => {
  const { server, box, users, ask } = await story_of(t, 1);
  const agent = await box.running_agent(users.ada);
  const first = ask("bob", "first");
  await until(() => server.held.length === 1, "the first is with the server");
  const headers = { cookie: users.ada.cookie };
  const stream = await fetch(`${box.web}/api/chat`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ agentId: agent, message: "Hello", stream: true, keep: true }),
  });
  let text = "";
  const read = (async () => {
    for await (const piece of stream.body.pipeThrough(new TextDecoderStream())) text += piece;
  })();
  const places = () => [...text.matchAll(/event: queued\ndata: (.*)\n/g)].map(([, data]) => JSON.parse(data));
  await until(() => places().length > 0, "its place is shown");
  assert.equal(places()[0].place, 1);
  assert.ok(Number.isInteger(places()[0].expectedSeconds), JSON.stringify(places()));
  const [, question] = /event: question\ndata: (.*)\n/.exec(text);
  const joined = follow_events(t, `${box.web}/api/chat/stream?agentId=${agent}&messageId=${JSON.parse(question).id}`, headers);
  await until(() => joined.of("queued").length > 0, "one who joins later sees it, too");
  assert.equal(joined.of("queued")[0].place, 1);
  server.held[0].answer();
  await until(() => server.held.length === 2, "it is with the server");
  server.held[1].answer();
  assert.equal((await first).status, 200);
  await read;
  await until(() => joined.closed, "its end");
  assert.equal(places().at(-1).place, 0, "it does not wait any more");
  assert.equal(joined.of("queued").at(-1).place, 0);
  assert.ok(text.lastIndexOf("event: queued") < text.indexOf("event: delta"), "before it says something");
  assert.match(text, /Answer to Hello/);
  assert.deepEqual([joined.of("delta")[0].content, joined.of("end").length], ["Answer to Hello.", 1]);
});
