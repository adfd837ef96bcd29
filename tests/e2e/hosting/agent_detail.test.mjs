// What there is to know and to set of one agent, on both listeners.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { agent_processes } from "../support/processes.mjs";

const with_agent = async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "collective");
  const id = await box.running_agent(ada);
  const get = async (path) => {
    const answer = await ada.call("GET", path);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  return { box, ada, id, get };
};

test("a config's secrets go in, work on, and never come out", async (t) => {
  const { box, ada, id, get } = await with_agent(t);
  const put = (config) => ada.call("PUT", `/api/agents/${id}/config`, { config });
  const written = await put({ aiProvider: "openai", apiKey: "sk-hidden-one", channels: { telegram: { botToken: "hidden-two" } } });
  const shown = { aiProvider: "openai", apiKey: { sealed: true }, channels: { telegram: { botToken: { sealed: true } } } };
  assert.deepEqual([written.status, written.body.config], [200, shown]);
  assert.deepEqual((await get(`/api/agents/${id}/config`)).config, shown);
  assert.deepEqual((await put({ ...shown, custom: { note: "kept" } })).body.config, { ...shown, custom: { note: "kept" } });
  assert.deepEqual((await box.backend_call("GET", `/api/agents/${id}/config`)).config, { ...shown, custom: { note: "kept" } });
  assert.deepEqual((await put({ apiKey: { sealed: true } })).body.config, { apiKey: { sealed: true } });
  assert.deepEqual((await put({ botToken: { sealed: true } })).body.config, {}, "nothing was kept under that name");

  assert.equal((await put({ blob: "x".repeat(70_000) })).status, 400);
  assert.equal((await ada.call("PUT", `/api/agents/${id}/config`, {})).status, 400);
  assert.ok(!box.whole_log.includes("hidden-"));
});

test("numbers of a config and of metadata come back as they were sent, or are refused by name", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const random = randomBytes(8 * 2_000);
  const doubles = Array.from({ length: 2_000 }, (_, at) => random.readDoubleLE(8 * at)).filter(Number.isFinite);
  assert.ok(doubles.length > 1_900);
  const config = (await ada.call("PUT", `/api/agents/${id}/config`, { config: { custom: { doubles } } })).body.config.custom;
  const changed = doubles.filter((number, at) => !Object.is(config.doubles[at], number));
  assert.deepEqual(changed, []);
  assert.deepEqual((await ada.call("GET", `/api/agents/${id}/config`)).body.config.custom.doubles, doubles, "read from the store");
  const verified = { verificationType: "ens", metadata: { doubles: doubles.slice(0, 1_000) } };
  assert.deepEqual((await box.backend_call("POST", `/api/agents/${id}/verify`, verified)).metadata, verified.metadata);

  const ask = (method, text) =>
    send(box.web, method, `/api/agents/${id}/config`, { headers: { cookie: ada.cookie, "content-type": "application/json" }, body: text });
  const put = (number) => ask("PUT", `{"config":{"custom":{"a":[${number}]}}}`);
  for (const whole of [
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "9007199254740993",
    "-0",
    "0",
    "150000000000000000000",
  ]) {
    assert.ok((await put(whole)).text.includes(`"a":[${whole}]`), whole);
    assert.ok((await ask("GET")).text.includes(`"a":[${whole}]`), whole);
  }
  for (const large of ["-9223372036854775809", "18446744073709551616", "123456789012345678901234567890", "1e400"]) {
    const refused = await put(large);
    assert.equal(refused.status, 400, large);
    assert.match(refused.body.error, /^config\.custom\.a\[0\] (must be a number within 64 bits|is out of range)/);
  }
});

test("the fields of a config that the box uses are checked, and errors name them", async (t) => {
  const { box, ada, id, get } = await with_agent(t);
  const put = (config) => ada.call("PUT", `/api/agents/${id}/config`, { config });
  const telegram = (value) => ({ channels: { telegram: value } });
  for (const [field, config] of [
    ["config.plan", { plan: "gold" }],
    ["config.plan", { plan: 7 }],
    ["config.aiProvider", { aiProvider: "nobody" }],
    ["config.aiProvider", { aiProvider: [] }],
    ["config.model", { model: "nobody/nothing" }],
    ["config.model", { model: "" }],
    ["config.model", { model: {} }],
    ["config.channels", { channels: [] }],
    ["config.channels.telegram", telegram("on")],
    ["config.channels.telegram.enabled", telegram({ enabled: "yes" })],
    ["config.systemPrompt", { systemPrompt: ["Be brief."] }],
    ["config.systemPrompt", { systemPrompt: "x".repeat(16_001) }],
    ["config.temperature", { temperature: "warm" }],
    ["config.temperature", { temperature: 2.1 }],
    ["config.topP", { topP: -0.1 }],
    ["config.maxTokens", { maxTokens: 0 }],
    ["config.maxTokens", { maxTokens: 1.5 }],
    ["config.tools", { tools: "recall" }],
    ["config.tools[1] must be one of: summarize_page,", { tools: ["recall", "shell"] }],
    ["config.channels.telegram.botToken", telegram({ botToken: 7 })],
    ["config.channels.telegram.botToken", telegram({ botToken: { sealed: false } })],
  ]) {
    const { status, body } = await put(config);
    assert.deepEqual([status, body.error.startsWith(field)], [400, true], `${JSON.stringify(config)}: ${body.error}`);
    const made = await ada.call("POST", "/api/agents/provision", { name: "Ghost", config });
    assert.deepEqual([made.status, made.body.error], [400, body.error]);
  }
  for (const [method, path] of [
    ["PUT", "/api/agents/ag_none/config"],
    ["PATCH", "/api/agents/ag_none"],
    ["POST", "/api/instance/ag_none/update"],
  ]) {
    const unknown = await ada.call(method, path, { config: "wrong", name: 7, image: 7 });
    assert.equal(unknown.status, 404, `${method} ${path}: an agent that does not exist comes before its body`);
  }
  const misnamed = await ada.call("POST", "/api/agents/provision", { name: "Ghost", model: "nobody/nothing" });
  assert.deepEqual([misnamed.status, misnamed.body.error], [400, "model must be one of this box's models, or auto"]);
  const free = await put({ plan: "free" });
  assert.deepEqual([free.status, free.body.code], [402, "PLAN_REQUIRED"]);
  assert.equal((await get(`/api/agents/${id}/config`)).model, "auto");
  const good = {
    model: "openai/gpt-5.4",
    aiProvider: "openrouter",
    plan: "solo",
    ...telegram({ enabled: true, botToken: "4711:x" }),
    custom: { mood: "warm" },
    colour: { of: ["red", 7] }, // which the box does not know
  };
  assert.equal((await put(good)).status, 200);
  const read = await get(`/api/agents/${id}/config`);
  assert.equal(read.model, "openai/gpt-5.4", "its model from its next start on");
  assert.deepEqual((await put(read.config)).body.config, read.config, "as it is read it can be written");
  const unchanged = await box.backend_call("PUT", `/api/agents/${id}`, {});
  assert.deepEqual([unchanged.id, unchanged.plan, unchanged.aiProvider], [id, "solo", "openrouter"], "all is optional");
  const wrong = await box.backend_call("PUT", `/api/agents/${id}`, { aiProvider: "nobody" });
  assert.match(wrong.error, /^aiProvider must be one of/);
  for (const [method, path, body] of [
    ["POST", "/api/agents", { name: "x", config: { plan: "free" } }],
    ["PUT", `/api/agents/${id}`, { plan: "free" }],
  ])
    assert.equal((await box.backend_call(method, path, body)).code, "PLAN_REQUIRED", path);
});

test("an agent has the limits of its plan", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network");
  const limits = {};
  for (const plan of ["label", "network"]) {
    const body = { userId: ada.id, name: plan, plan };
    const { id } = await box.backend_call("POST", "/api/deployments", body);
    const { pid } = agent_processes(box).find((one) => one.id === id);
    const lines = readFileSync(`/proc/${pid}/limits`, "latin1").split("\n");
    const limit = (name) => lines.find((line) => line.startsWith(name)).split(/\s{2,}/)[1];
    const [, uid] = readFileSync(`/proc/${pid}/status`, "latin1").match(/^Uid:\s+(\d+)/m);
    // The kernel counts processes by user: only an agent with one of its own can be held to a number.
    limits[plan] = [limit("Max file size"), Number(uid) === process.getuid() ? undefined : limit("Max processes")];
  }
  const has_own_user = limits.label[1] !== undefined;
  assert.deepEqual(limits, {
    label: [String(100 * 2 ** 20), has_own_user ? "64" : undefined],
    network: [String(10 * 2 ** 30), has_own_user ? "256" : undefined],
  });
});

test("with several agents one's own id names none of them, and a deleted one is gone", async (t) => {
  const { box, ada, id } = await with_agent(t);
  assert.equal((await ada.call("GET", `/api/instance/${ada.id}`)).body.id, id);
  const instance = (await ada.call("GET", `/api/instance/${id}`)).body;
  assert.deepEqual([instance.container, instance.health], ["running", "healthy"]);
  const second = (await box.backend_call("POST", "/api/agents", { name: "Second", userId: ada.id })).id;
  const unclear = await ada.call("GET", `/api/instance/${ada.id}`);
  assert.deepEqual([unclear.status, unclear.body.error], [400, "You have 2 agents: name the one you mean by its id."]);

  // One that has never run has nothing to tell, and takes what it is given.
  const { body: never } = await ada.call("GET", `/api/instance/${second}`);
  assert.deepEqual([never.container, never.health], ["missing", "stopped"]);
  assert.deepEqual((await ada.call("GET", `/api/memory?agentId=${second}`)).body.memories, []);
  assert.equal((await ada.call("POST", `/api/instance/${second}/reset-memory`)).status, 200);
  assert.equal((await ada.call("POST", "/api/memory", { agentId: second, text: "the tide turns at six" })).status, 200);
  assert.equal((await ada.call("GET", `/api/memory?agentId=${second}`)).body.memories.length, 1);

  const eve = await box.customer("eve@example.org");
  assert.equal((await eve.call("DELETE", `/api/agents/${second}`)).status, 404);
  assert.equal((await ada.call("DELETE", `/api/agents/${second}`)).status, 200);
  assert.equal((await ada.call("DELETE", `/api/agents/${second}`)).status, 404);
  assert.deepEqual(
    await box.backend_call("DELETE", `/api/agents/${second}`),
    { id: second, deleted: true },
    "the backend's deletion is best effort",
  );
});

test("stats are measured while it runs, and nought while it does not", async (t) => {
  const { box, ada, id, get } = await with_agent(t);
  const stats = await get(`/api/agents/${id}/stats`);
  assert.deepEqual([stats.status, stats.agentStatus], ["ok", "running"]);
  assert.ok(stats.memoryBytes > 1_000_000 && stats.cpuPercent >= 0, JSON.stringify(stats));
  for (const path of [`/api/instance/${id}/stats`, `/api/instance/${ada.id}/stats`])
    assert.ok((await get(path)).memoryBytes > 1_000_000, path);
  for (const path of [`/api/agents/${id}/stats`, `/api/runtime/instances/${id}/stats`])
    assert.ok((await box.backend_call("GET", path)).memoryBytes > 1_000_000, path);
  await ada.call("POST", `/api/instance/${id}/stop`);
  const stopped = await get(`/api/agents/${id}/stats`);
  assert.deepEqual([stopped.status, stopped.agentStatus, stopped.memoryBytes], ["ok", "stopped", 0]);
});

test("its gateway token opens its gateway and is kept by no cache", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const { headers, body } = await ada.call("GET", `/api/agents/${id}/token`);
  assert.match(body.token, /^[0-9a-f]{32}$/);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal((await box.backend_call("GET", `/api/agents/${id}/token`)).token, body.token);
  const { listen } = JSON.parse(readFileSync(join(box.folder, "agents", id, "run", "boot.json")));
  const models = (token) => fetch(`http://${listen}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await models(body.token)).status, 200);
  assert.equal((await models("0".repeat(32))).status, 401);
});

test("verification is set, shown in the detail, and taken away", async (t) => {
  const { box, ada, id, get } = await with_agent(t);
  const verify = (body) => ada.call("POST", `/api/agents/${id}/verify`, body);
  assert.equal((await get(`/api/agents/${id}/verify`)).verified, false);
  for (const verificationType of ["eas", "coinbase", "ens", "webauthn"])
    assert.equal((await verify({ verificationType, verified: false })).body?.verified ?? true, true);
  assert.equal((await verify({ verificationType: "eas", attestationUid: "0x12" })).status, 200);
  const { agent } = await get(`/api/agents/${id}`);
  assert.deepEqual([agent.verified, agent.verificationType, agent.attestationUid], [true, "eas", "0x12"]);
  assert.match(agent.verifiedAt, /Z$/);
  for (const wrong of [{}, { verificationType: "passport" }, { verificationType: 7 }])
    assert.match((await verify(wrong)).body.error, /verificationType/);

  const details = { verificationType: "ens", verified: false, verifierAddress: "0xabc", metadata: { name: "ada.eth" } };
  const by_backend = await box.backend_call("POST", `/api/agents/${id}/verify`, details);
  assert.deepEqual([by_backend.verified, by_backend.verifierAddress, by_backend.metadata], [false, "0xabc", { name: "ada.eth" }]);
  assert.equal((await box.backend_call("GET", `/api/agents/${id}/verification`)).verificationType, "ens");
  const none = (await ada.call("DELETE", `/api/agents/${id}/verify`)).body;
  assert.deepEqual([none.verified, none.verificationType, none.verifiedAt], [false, null, null]);
});

test("reset-memory clears an agent's memory and keeps its files", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const say = async (message) => (await ada.call("POST", "/api/chat", { agentId: id, message })).body.message.content;
  await say("remember that the demo is on Friday");
  await say("write hello to file note.txt");
  assert.match(await say("what do you remember?"), /Friday/);
  const reset = await ada.call("POST", `/api/instance/${id}/reset-memory`);
  assert.deepEqual([reset.status, reset.body.status], [200, "running"]);
  assert.doesNotMatch(await say("what do you remember?"), /Friday/);
  assert.equal(readFileSync(join(box.folder, "agents", id, "workspace", "note.txt"), "utf8").trim(), "hello");
  await ada.call("POST", `/api/instance/${id}/stop`);
  assert.equal((await box.backend_call("POST", `/api/agents/${id}/reset-memory`)).status, "stopped", "one that was stopped stays so");
});

test("nothing of it exists for anybody else", async (t) => {
  const { box, id } = await with_agent(t);
  const eve = await box.customer("eve@example.org");
  for (const [method, path, body] of [
    ["GET", "config"],
    ["PUT", "config", { config: {} }],
    ["GET", "token"],
    ["GET", "stats"],
    ["GET", "verify"],
    ["POST", "verify", { verificationType: "eas" }],
    ["DELETE", "verify"],
  ])
    assert.equal((await eve.call(method, `/api/agents/${id}/${path}`, body)).status, 404, `${method} ${path}`);
  for (const path of ["reset-memory"]) assert.equal((await eve.call("POST", `/api/instance/${id}/${path}`)).status, 404);
});
