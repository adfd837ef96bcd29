// The model that was asked for answers, or an error says why it does not.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
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
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }, body: JSON.stringify({ messages, ...body }),
    });
  return { box, model, ada, complete };
};

test("beside a local server its models come first, and those without a provider are marked", async (t) => {
  const { ada } = await story_of(t);
  const { models } = (await ada.call("GET", "/api/models")).body;
  assert.deepEqual(models.slice(0, 2).map(({ id, provider, available }) => [id, provider, available]),
                   [["llama3:8b", "local", true], ["qwen3:4b", "local", true]]);
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
