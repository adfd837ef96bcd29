// Anthropic's messages, driven by Anthropic's client for JavaScript as it comes from npm, over an OpenAI-compatible server and
// over Anthropic's own form.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { call, fail, MODEL, ModelServer, say, streamed } from "../peers/model_server.mjs";
import { package_named } from "../support/packages.mjs";

const sdk = package_named("@anthropic-ai/sdk");
const Anthropic = sdk.Anthropic ?? sdk.default;

// The client has the key of a user, and the address of the box with or without the version of the API.
const story_of = async (t, suffix = "") => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  const { key } = (await ada.call("POST", "/api/keys", { name: "script", scopes: ["models"] })).body;
  t.after(() => model.check());
  const client = new Anthropic({ apiKey: key, baseURL: box.web + suffix, maxRetries: 0 });
  return { box, model, ada, key, client };
};

const question = [{ role: "user", content: "Where is Fastnet?" }];
const tools = [
  {
    name: "find_place",
    description: "Finds a place by its name.",
    input_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  },
];
const refusal_of = (asking) =>
  asking.then(
    () => assert.fail("it was answered"),
    (error) => error,
  );

test("a message is answered whole, by key and bearer, with and without /v1", async (t) => {
  const { box, model, client, key, ada } = await story_of(t);
  model.will(say("At Fastnet.", [12, 3]), say("Again.", [5, 1]), say("Third.", [5, 1]));
  const message = await client.messages.create({
    model: MODEL,
    max_tokens: 50,
    temperature: 0.5,
    stop_sequences: ["END", " "],
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: question,
    metadata: { user_id: "ada" },
  });
  assert.deepEqual([message.type, message.role, message.model, message.stop_reason], ["message", "assistant", MODEL, "end_turn"]);
  assert.match(message.id, /^msg_/);
  assert.deepEqual(message.content, [{ type: "text", text: "At Fastnet." }]);
  assert.deepEqual([message.usage.input_tokens, message.usage.output_tokens], [12, 3]);
  const [asked] = model.asked;
  assert.deepEqual(asked.messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where is Fastnet?" },
  ]);
  assert.deepEqual([asked.temperature, asked.max_tokens, asked.stop], [0.5, 50, ["END"]]);

  const ask = { model: MODEL, max_tokens: 50, messages: question };
  const bearer = new Anthropic({ apiKey: null, authToken: key, baseURL: `${box.web}/v1`, maxRetries: 0 });
  assert.equal((await bearer.messages.create(ask)).content[0].text, "Again.");
  const backend = new Anthropic({ apiKey: key, baseURL: `${box.backend}/`, maxRetries: 0 });
  assert.equal((await backend.messages.create(ask)).content[0].text, "Third.");
  assert.equal((await ada.call("GET", "/api/dashboard/calls")).body.calls.length, 3, "all are in the ledger");
});

test("an agent's token opens it, too", async (t) => {
  const { box, model, ada } = await story_of(t);
  const agent = await box.running_agent(ada);
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json"), "utf8"));
  model.will(say("At Fastnet."));
  const client = new Anthropic({ apiKey: box_token, baseURL: box.backend, maxRetries: 0 });
  const message = await client.messages.create({ model: MODEL, max_tokens: 50, messages: question });
  assert.equal(message.content[0].text, "At Fastnet.");
});

test("a stream has the client's events", async (t) => {
  const { model, client } = await story_of(t);
  const text = "Der Leuchtturm – 灯台 – стоит на скале. ".repeat(20);
  model.will(say(text, [7, 400]), say(text, [7, 400]));
  const events = [];
  const stream = await client.messages.create({ model: MODEL, max_tokens: 500, messages: question, stream: true });
  for await (const event of stream) events.push(event);
  const types = events.map((event) => event.type).filter((type) => type !== "content_block_delta" && type !== "ping");
  assert.deepEqual(types, ["message_start", "content_block_start", "content_block_stop", "message_delta", "message_stop"]);
  const pieces = events.filter((event) => event.type === "content_block_delta").map((event) => event.delta.text);
  assert.equal(pieces.join(""), text);
  assert.ok(pieces.length > 10, "in pieces");

  const final = await client.messages.stream({ model: MODEL, max_tokens: 500, messages: question }).finalMessage();
  assert.deepEqual([final.content[0].text, final.stop_reason, final.model], [text, "end_turn", MODEL]);
  assert.deepEqual([final.usage.input_tokens, final.usage.output_tokens], [7, 400]);
});

for (const streams of [false, true])
  test(`tools go there and back, ${streams ? "streamed" : "in one answer"}`, async (t) => {
    const { model, client } = await story_of(t, "/v1");
    const answers = [call(["find_place", { name: "Fastnet" }], ["find_place", { name: "Eddystone" }]), say("51.4 and 50.2 north.")];
    model.will(...(streams ? answers.map(streamed) : answers));
    const ask = (messages) => {
      const body = { model: MODEL, max_tokens: 200, messages, tools, tool_choice: { type: "auto", disable_parallel_tool_use: true } };
      return streams ? client.messages.stream(body).finalMessage() : client.messages.create(body);
    };
    const first = await ask(question);
    assert.equal(first.stop_reason, "tool_use");
    const calls = first.content.filter((block) => block.type === "tool_use");
    assert.deepEqual(
      calls.map((made) => [made.name, made.input]),
      [
        ["find_place", { name: "Fastnet" }],
        ["find_place", { name: "Eddystone" }],
      ],
    );
    assert.deepEqual([model.asked[0].tool_choice, model.asked[0].parallel_tool_calls], ["auto", false]);
    assert.deepEqual(model.asked[0].tools[0].function.parameters, tools[0].input_schema);

    const results = calls.map((made, at) => ({
      type: "tool_result",
      tool_use_id: made.id,
      content: at ? [{ type: "text", text: "50.2 north" }] : "51.4 north",
    }));
    const second = await ask([...question, { role: "assistant", content: first.content }, { role: "user", content: results }]);
    assert.deepEqual([second.content[0].text, second.stop_reason], ["51.4 and 50.2 north.", "end_turn"]);
    assert.deepEqual(
      model.asked[1].messages.slice(-2).map((message) => [message.role, message.content]),
      [
        ["tool", "51.4 north"],
        ["tool", "50.2 north"],
      ],
    );
  });

test("reasoning comes as thinking, and goes back to where it came from", async (t) => {
  const { model, client } = await story_of(t);
  model.knows_caller = false;
  const reasoned = (answer) => {
    const body = JSON.parse(answer.body);
    body.choices[0].message.reasoning_content = "Fastnet is a rock.";
    return { ...answer, body: JSON.stringify(body) };
  };
  model.will(reasoned(say("At Fastnet.")), say("Yes."));
  const ask = (messages) =>
    client.messages.create({ model: MODEL, max_tokens: 9000, thinking: { type: "enabled", budget_tokens: 8000 }, messages });
  const first = await ask(question);
  assert.equal(model.asked[0].reasoning_effort, "medium");
  // The server was asked for a stream, whose stand-in has no reasoning: only whole answers of it have.
  const thinking = { type: "thinking", thinking: "Fastnet is a rock.", signature: "agentbox:local:reasoning_content:::" };
  await ask([...question, { role: "assistant", content: [thinking, ...first.content] }, { role: "user", content: "Sure?" }]);
  const sent = model.asked[1].messages[1];
  assert.deepEqual([sent.role, sent.content, sent.reasoning_content], ["assistant", "At Fastnet.", "Fastnet is a rock."]);
});

test("tokens are counted without a call", async (t) => {
  const { client, ada } = await story_of(t);
  const { input_tokens } = await client.messages.countTokens({ model: MODEL, messages: question, tools });
  assert.ok(input_tokens > 5 && input_tokens < 1000, `${input_tokens}`);
  assert.deepEqual((await ada.call("GET", "/api/dashboard/calls")).body.calls, []);
});

test("errors have the form that the client reads", async (t) => {
  const { box, model, client, key } = await story_of(t);
  const body = { model: MODEL, max_tokens: 50, messages: question };
  const unknown = await refusal_of(client.messages.create({ ...body, model: "claude-nope" }));
  assert.deepEqual([unknown.status, unknown.error.error.type], [404, "not_found_error"]);
  for (const [change, field] of [
    [{ max_tokens: undefined }, /max_tokens is required/],
    [{ messages: [{ role: "user", content: [{ type: "video" }] }] }, /messages\[0\]\.content\[0\]\.type/],
    [{ tools: [{ type: "web_search_20250305", name: "web_search" }] }, /tools\[0\]\.type/],
    [{ mcp_servers: [{ type: "url" }] }, /mcp_servers/],
    [{ tools, tool_choice: { type: "tool", name: "other" } }, /tool_choice\.name/],
  ]) {
    const refused = await refusal_of(client.messages.create({ ...body, ...change }));
    assert.deepEqual([refused.status, refused.error.type, refused.error.error.type], [400, "error", "invalid_request_error"]);
    assert.match(refused.error.error.message, field);
  }
  const stranger = new Anthropic({ apiKey: "sk_nobody", baseURL: box.web, maxRetries: 0 });
  assert.equal((await refusal_of(stranger.messages.create(body))).error.error.type, "authentication_error");
  model.will(fail(429, "slow down"));
  const limited = await refusal_of(client.messages.create(body));
  assert.deepEqual([limited.status, limited.error.error.type], [429, "rate_limit_error"]);

  // Unknown paths have it as well; the others under /v1 have OpenAI's.
  const get = async (path) => (await send(box.web, "GET", path, { headers: { "x-api-key": key } })).body;
  assert.equal((await get("/v1/messages/batches")).error.type, "not_found_error");
  assert.equal((await get("/v1/nothing")).error.type, "invalid_request_error");
  assert.equal((await get("/chat/completions/nothing")).error.type, "invalid_request_error");
});

test("a key with scopes needs the one for models, however it is sent", async (t) => {
  const { box, ada } = await story_of(t);
  const { key } = (await ada.call("POST", "/api/keys", { name: "reader", scopes: ["agents:read"] })).body;
  for (const path of ["/v1/messages", "/messages", "/v1/chat/completions", "/chat/completions"])
    for (const headers of [{ "x-api-key": key }, { authorization: `Bearer ${key}` }]) {
      const refused = await send(box.web, "POST", path, {
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ model: MODEL, max_tokens: 5, messages: question }),
      });
      assert.equal(refused.status, path === "/messages" ? 404 : 403, `${path}: ${refused.text}`);
    }
});
