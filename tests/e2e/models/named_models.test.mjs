// The model that was asked for answers, or an error says why it does not.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { start_vendor } from "../peers/listing_vendor.mjs";
import { MODEL, ModelServer, say } from "../peers/model_server.mjs";

const messages = [{ role: "user", content: "Hello?" }];

const story_of = async (t) => {
  const model = await ModelServer.start(t);
  model.lists = ["llama3:8b", "qwen3:4b"];
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  t.after(() => model.check());
  const { key } = (await ada.call("POST", "/api/keys", { name: "script" })).body;
  const complete = (body) =>
    send(box.backend, "POST", "/v1/chat/completions", {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ messages, ...body }),
    });
  return { box, model, ada, complete };
};

test("beside a local server its models come first, and those without a provider are marked", async (t) => {
  const { ada } = await story_of(t);
  const { models } = (await ada.call("GET", "/api/models")).body;
  assert.deepEqual(
    models.slice(0, 2).map(({ id, provider, available }) => [id, provider, available]),
    [
      ["llama3:8b", "local", true],
      ["qwen3:4b", "local", true],
    ],
  );
  assert.ok(models.length > 2 && models.slice(2).every(({ available }) => available === false), "nobody serves the catalogue's");
});

test("the OpenAI door answers with the named model, 404 for unknown ones and 503 for unavailable ones", async (t) => {
  const { model, complete } = await story_of(t);
  for (const name of model.lists) {
    model.will(say("Yes."));
    assert.equal((await complete({ model: name })).status, 200, name);
    assert.equal(model.asked.at(-1).model, name);
  }
  for (const stream of [false, true]) {
    const unknown = await complete({ model: "llama-nope", stream });
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, "model_not_found"], unknown.text);
    const unavailable = await complete({ model: MODEL, stream });
    assert.equal(unavailable.status, 503, unavailable.text);
    assert.match(unavailable.body.error.message, new RegExp(`^The model ${MODEL} is not available`));
  }
});

test("an agent is answered by its model, and one that is unknown is refused", async (t) => {
  const { box, model, ada } = await story_of(t);
  await ada.call("GET", "/api/models"); // the box has seen what the server lists
  const refused = await ada.call("POST", "/api/agents/provision", { name: "Nope", model: "llama-nope", tier: "starter" });
  assert.deepEqual([refused.status, refused.body.error], [400, "model must be one of this box's models, or auto"]);
  const made = await ada.call("POST", "/api/agents/provision", { name: "Qwen", model: "qwen3:4b", tier: "starter" });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body.agent;
  await box.until_status(ada, id, "running");
  model.will(say("Here."));
  assert.equal((await ada.call("POST", "/api/chat", { agentId: id, message: "Hello?" })).status, 200);
  assert.equal(model.asked.at(-1).model, "qwen3:4b");
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", id, "run", "boot.json"), "utf8"));
  const outdated = await send(box.backend, "POST", "/v1/chat/completions", {
    headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gone/model", messages }),
  });
  assert.equal(outdated.status, 404, "agents' tokens are no exception");

  model.will(() => ({ status: 404, body: JSON.stringify({ error: { message: "model 'qwen3:4b' not found" } }) }));
  const gone = await ada.call("POST", "/api/chat", { agentId: id, message: "Still there?" });
  assert.equal(gone.status, 502);
  assert.match(gone.body.error, /qwen3:4b/, "the answer says which model is missing");
});

test("a loaded model that the server does not list is no default", async (t) => {
  const { model, complete } = await story_of(t);
  model.loaded = { "qwen3:4b": 4_000, "not/listed": 9_000_000 };
  model.will(say("Not the one that is loaded."));
  assert.equal((await complete({})).status, 200);
  assert.equal(model.asked.at(-1).model, "llama3:8b", "one that requests cannot name is none");
});

test("a request without a model goes to the largest loaded one", async (t) => {
  const { model, complete } = await story_of(t);
  model.loaded = { "qwen3:4b": 4_000 };
  model.will(say("Yes."));
  assert.equal((await complete({ model: "auto" })).status, 200);
  assert.equal(model.asked.at(-1).model, "qwen3:4b");
});

const with_vendor = async (t, listed) => {
  const vendor = await start_vendor(t, listed);
  const box = await Box.start(t, { OPENAI_API_KEY: "sk-of-openai", OPENAI_BASE_URL: vendor.url });
  const ada = await box.customer("ada@example.org", "network");
  const { key } = (await ada.call("POST", "/api/keys", { name: "script" })).body;
  const complete = (body) =>
    send(box.backend, "POST", "/v1/chat/completions", {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ messages, ...body }),
    });
  return { box, vendor, ada, complete };
};

test("a model that its vendor lists works without an entry in the catalogue, at an unknown cost", async (t) => {
  const { box, vendor, ada, complete } = await with_vendor(t, ["gpt-99", "gpt-4o-mini"]);
  for (const model of ["gpt-99", "openai/gpt-99"]) {
    const answer = await complete({ model });
    assert.equal(answer.status, 200, answer.text);
  }
  assert.equal(
    (await complete({ model: "gpt-4o-mini" })).body.model,
    "openai/gpt-4o-mini",
    "the vendor's name of a model of the catalogue",
  );
  assert.deepEqual(vendor.asked, ["gpt-99", "gpt-99", "gpt-4o-mini"]);
  assert.equal((await complete({ model: "gpt-98" })).status, 404, "one that it does not list");
  const { calls } = (await ada.call("GET", "/api/dashboard/calls")).body;
  assert.deepEqual(
    calls.map(({ cost }) => cost === null),
    [false, true, true],
  );
  const { usage } = (await ada.call("GET", "/api/billing/statement")).body;
  assert.deepEqual(
    [usage.total.unpriced, ...usage.models.map(({ id, usage: one }) => [id, one.unpriced])],
    [2, ["openai/gpt-4o-mini", 0], ["gpt-99", 2]],
  );
  const shown = async (format) =>
    (await send(box.web, "GET", `/api/billing/statement?format=${format}`, { headers: { cookie: ada.cookie } })).text;
  const as_page = await shown("html");
  assert.match(as_page, /gpt-99.*unknown/, "nobody takes it for nothing");
  assert.match(as_page, /The cost of 2 calls is unknown/);
  assert.match(await shown("csv"), /^usage,,gpt-99,2,.*,0\.00,USD,2\r$/m);
  const found = async (query) => (await ada.call("GET", `/api/models?${new URLSearchParams(query)}`)).body.models;
  for (const [model, name, known] of [
    ["gpt-99", "gpt-99", false],
    ["openai/gpt-99", "openai/gpt-99", false],
    ["gpt-4o-mini", "GPT-4o mini", true],
  ])
    assert.deepEqual(
      (await found({ model })).map((one) => [one.id, one.name, one.provider, one.costKnown]),
      [[model, name, "openai", known]],
    );
  assert.deepEqual(await found({ model: "gpt-98" }), []);
  assert.ok(
    (await found({})).every(({ costKnown }) => costKnown),
    "those of the catalogue",
  );
  await ada.call("PUT", "/api/caps", { scope: "user", period: "day", usd: "1" });
  const bounded = await complete({ model: "gpt-99" });
  assert.deepEqual([bounded.status, bounded.body.error.code], [403, "MODEL_RESTRICTED"], "money cannot bound it");
});

test("a model that its vendor has retired is not available, and a fallback answers", async (t) => {
  const { vendor, complete } = await with_vendor(t, ["gpt-5.4-mini"]);
  const answered = await complete({ model: "openai/gpt-4o-mini" });
  assert.deepEqual([answered.status, answered.body.model], [200, "openai/gpt-5.4-mini"], answered.text);
  assert.deepEqual(vendor.asked, ["gpt-4o-mini", "gpt-5.4-mini"]);
  await complete({ model: "openai/gpt-4o-mini" });
  assert.deepEqual(vendor.asked.slice(2), ["gpt-5.4-mini"], "its circuit is open, that of the other is not");
});

test("without a fallback the error says that the model is gone, and what to do", async (t) => {
  const { complete } = await with_vendor(t, ["gpt-99"]);
  const gone = await complete({ model: "openai/gpt-4o-mini" });
  assert.equal(gone.status, 404, gone.text);
  assert.match(gone.body.error.message, /does not have .*agentbox catalogue update/);
});

test("the context of a model beyond the catalogue is what its server tells", async (t) => {
  const context_at = async (answers, model) => {
    const server = createServer((request, response) => {
      const found = answers[request.url];
      response.writeHead(found ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(found ?? { error: "not found" }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    const box = await Box.start(t, { LOCAL_MODEL_URL: `http://127.0.0.1:${server.address().port}/v1` });
    const ada = await box.customer("ada@example.org");
    const { key } = (await ada.call("POST", "/api/keys", { name: "script" })).body;
    const shown = (name) => send(box.backend, "GET", `/v1/models/${name}`, { headers: { authorization: `Bearer ${key}` } });
    return Promise.all(model.map(async (name) => (await shown(name)).body.context_length));
  };
  const list = (...models) => ({ object: "list", data: models.map((model) => ({ object: "model", ...model })) });
  const of_several = {
    "/v1/models": list({ id: "listed", max_model_len: 32768 }, { id: "loaded" }, { id: "idle" }),
    "/api/ps": { models: [{ name: "loaded", model: "loaded", size: 1, context_length: 8192 }] },
  };
  assert.deepEqual(await context_at(of_several, ["listed", "loaded", "idle"]), [32768, 8192, undefined]);
  const of_llama = {
    "/v1/models": list({ id: "gguf", meta: { n_ctx_train: 131072 } }),
    "/props": { total_slots: 4, default_generation_settings: { n_ctx: 4096 } },
  };
  assert.deepEqual(await context_at(of_llama, ["gguf"]), [4096], "what a slot has, not what the model was trained with");
});
