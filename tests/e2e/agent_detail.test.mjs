// What there is to know and to set of one agent, on both listeners.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box } from "./box.mjs";

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
  const written = await put({ aiProvider: "openai", apiKey: "sk-hidden-one", channel: { botToken: "hidden-two" } });
  const shown = { aiProvider: "openai", apiKey: { sealed: true }, channel: { botToken: { sealed: true } } };
  assert.deepEqual([written.status, written.body.config], [200, shown]);
  assert.deepEqual((await get(`/api/agents/${id}/config`)).config, shown);
  assert.deepEqual((await put({ ...shown, note: "kept" })).body.config, { ...shown, note: "kept" });
  assert.deepEqual((await box.backend_call("GET", `/api/agents/${id}/config`)).config, { ...shown, note: "kept" });
  assert.deepEqual((await put({ apiKey: { sealed: true } })).body.config, { apiKey: { sealed: true } });
  assert.deepEqual((await put({ botToken: { sealed: true } })).body.config, {}, "nothing was kept under that name");

  assert.equal((await put({ blob: "x".repeat(70_000) })).status, 400);
  assert.equal((await ada.call("PUT", `/api/agents/${id}/config`, {})).status, 400);
  assert.ok(!box.whole_log.includes("hidden-"));
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

test("an agent forgets when it is told to, and keeps its files", async (t) => {
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
    ["GET", "config"], ["PUT", "config", { config: {} }], ["GET", "token"], ["GET", "stats"], ["GET", "verify"],
    ["POST", "verify", { verificationType: "eas" }], ["DELETE", "verify"]])
    assert.equal((await eve.call(method, `/api/agents/${id}/${path}`, body)).status, 404, `${method} ${path}`);
  for (const path of ["reset-memory"]) assert.equal((await eve.call("POST", `/api/instance/${id}/${path}`)).status, 404);
});
