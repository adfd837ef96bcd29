// The box's own model door, driven by OpenAI's client for JavaScript as it comes from npm.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { story_of as story_of_ai } from "../support/ai_story.mjs";
import { Box, send } from "../support/box.mjs";
import { call, fail, hang, MODEL, ModelServer, say } from "../peers/model_server.mjs";
import { package_named } from "../support/packages.mjs";

const { OpenAI } = package_named("openai");

// A box whose model is scripted, and a client that holds the token of an agent. It does not try again by itself, so
// that each answer is seen.
const story_of = async (t, env = {}) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, ...env });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  t.after(() => model.check());
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json"), "utf8"));
  const client_with = (apiKey, options = {}) => new OpenAI({ apiKey, baseURL: `${box.backend}/v1`, maxRetries: 0, ...options });
  const usage = () => box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`);
  return { box, model, usage, client: client_with(box_token), client_with, box_token };
};

const question = [{ role: "user", content: "Where is the lighthouse?" }];
const tools = [
  {
    type: "function",
    function: {
      name: "find_place",
      description: "Finds a place by its name.",
      parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  },
];

test("a stream whose first token is slow sends its head and comments, and a later error is an event", async (t) => {
  const { box, model, box_token } = await story_of(t);
  model.will(hang());
  const response = await fetch(`${box.backend}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, stream: true, messages: question }),
  });
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "text/event-stream"]);
  const decoder = new TextDecoder();
  let text = "",
    is_answered = false;
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    if (is_answered || !text.includes(": waiting\n\n")) continue;
    is_answered = true;
    model.answer_hanging(fail(400, "No such template"));
  }
  const events = text.split("\n").filter((line) => line.startsWith("data: "));
  assert.equal(events.length, 1, text);
  assert.match(JSON.parse(events[0].slice("data: ".length)).error.message, /No such template/);
});

test("the OpenAI client completes, lists models, and its usage is in the ledger", async (t) => {
  const { model, client, usage } = await story_of(t);
  model.will(say("At Fastnet.", [12, 3]));
  const answer = await client.chat.completions.create({
    model: MODEL,
    temperature: 0.5,
    max_completion_tokens: 50,
    messages: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Where?" }] },
    ],
  });
  assert.equal(answer.object, "chat.completion");
  assert.equal(answer.model, MODEL);
  assert.deepEqual(
    answer.choices.map((choice) => [choice.message.role, choice.message.content, choice.finish_reason]),
    [["assistant", "At Fastnet.", "stop"]],
  );
  assert.deepEqual(answer.usage, { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 });
  assert.match(answer._request_id, /^[0-9a-f]{16}$/);
  const [asked] = model.asked;
  assert.deepEqual([asked.temperature, asked.max_tokens], [0.5, 50]);
  assert.deepEqual(asked.messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where?" },
  ]);

  const listed = [];
  for await (const each of client.models.list()) listed.push(each.id);
  assert.deepEqual(listed, [MODEL]);
  const { day } = await usage();
  assert.deepEqual([day.calls, day.inputTokens, day.outputTokens], [1, 12, 3]);
});

test("a stream brings the whole text in pieces, then the usage", async (t) => {
  const { model, client } = await story_of(t);
  const text = "Der Leuchtturm – 灯台 – стоит на скале. ".repeat(40);
  model.will(say(text, [7, 400]), say("Short.", [1, 1]));
  const stream = await client.chat.completions.create({
    model: MODEL,
    messages: question,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  const pieces = chunks.flatMap((chunk) => chunk.choices).map((choice) => choice.delta.content ?? "");
  assert.equal(pieces.join(""), text);
  assert.ok(pieces.filter(Boolean).length > 10, "in pieces");
  assert.equal(new Set(chunks.map((chunk) => chunk.id)).size, 1, "one answer");
  assert.equal(chunks.at(-2).choices[0].finish_reason, "stop");
  assert.deepEqual([chunks.at(-1).choices, chunks.at(-1).usage], [[], { prompt_tokens: 7, completion_tokens: 400, total_tokens: 407 }]);
  assert.deepEqual(chunks.filter((chunk) => chunk.usage).length, 1);

  const short = client.chat.completions.stream({ model: MODEL, messages: question });
  assert.equal(await short.finalContent(), "Short.");
});

for (const streamed of [false, true])
  test(`tools go there and back, ${streamed ? "streamed" : "in one answer"}`, async (t) => {
    const { model, client } = await story_of(t);
    model.will(call(["find_place", { name: "Fastnet" }], ["find_place", { name: "Eddystone" }]), say("51.4 and 50.2 north."));
    const ask = async (messages) => {
      const body = { model: MODEL, messages, tools };
      return streamed ? client.chat.completions.stream(body).finalChatCompletion() : client.chat.completions.create(body);
    };
    const first = (await ask(question)).choices[0];
    assert.equal(first.finish_reason, "tool_calls");
    const places = first.message.tool_calls.map((made) => JSON.parse(made.function.arguments).name);
    assert.deepEqual(places, ["Fastnet", "Eddystone"]);
    assert.deepEqual(model.asked[0].tools, tools, "the tools reach the model as they were given");

    const results = first.message.tool_calls.map((made, at) => ({
      role: "tool",
      tool_call_id: made.id,
      content: `${[51.4, 50.2][at]} north`,
    }));
    const second = (await ask([...question, first.message, ...results])).choices[0];
    assert.deepEqual([second.message.content, second.finish_reason], ["51.4 and 50.2 north.", "stop"]);
    assert.deepEqual(
      model.asked[1].messages.slice(-2).map((message) => message.content),
      ["51.4 north", "50.2 north"],
    );
  });

test("refusals arrive as the client's own errors, with a sentence", async (t) => {
  const { model, client, client_with } = await story_of(t);
  const ask = (body = {}, by = client) => by.chat.completions.create({ model: MODEL, messages: question, ...body });
  const refused = async (asking, type, status, sentence) => {
    const error = await asking.then(
      () => assert.fail("it was answered"),
      (error) => error,
    );
    assert.ok(error instanceof type, `${error.name}: ${error.message}`);
    assert.equal(error.status, status);
    assert.match(error.message, sentence);
    assert.match(error.requestID, /^[0-9a-f]{16}$/);
    return error;
  };

  for (const stranger of ["not-a-token", "sk_0123456789"])
    await refused(ask({}, client_with(stranger)), OpenAI.AuthenticationError, 401, /Unauthorized|token/i);
  await refused(client_with("not-a-token").models.list(), OpenAI.AuthenticationError, 401, /Unauthorized|token/i);
  await refused(ask({ messages: [] }), OpenAI.BadRequestError, 400, /messages must be/);
  const odd = await refused(ask({ temperature: 3 }), OpenAI.BadRequestError, 400, /temperature must be a number from 0 to 2/);
  assert.deepEqual([odd.type, odd.param, odd.code], ["invalid_request_error", "temperature", null]);
  const functions = await refused(ask({ functions: [] }), OpenAI.BadRequestError, 400, /functions is not supported/);
  assert.equal(functions.param, "functions");
  await refused(
    ask({ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] }] }),
    OpenAI.BadRequestError,
    400,
    /messages\[0\]\.content\[0\] must be a part of type text/,
  );
  await refused(
    ask({ tools: [{ type: "function", function: { name: "no spaces please" } }] }),
    OpenAI.BadRequestError,
    400,
    /tools\[0\]\.function\.name/,
  );
  assert.equal(model.asked.length, 0, "none of these reached the model");

  model.will(fail(429, "slow down"), fail(400, "no vision here"), fail(500, "out of memory"));
  const limited = await refused(ask(), OpenAI.RateLimitError, 429, /rate limited: slow down/);
  assert.equal(limited.type, "rate_limit_error");
  await refused(ask(), OpenAI.BadRequestError, 400, /no vision here/);
  await refused(ask({ stream: true }), OpenAI.InternalServerError, 502, /status 500: out of memory/);
});

test("refusals of the box itself have the same form", async (t) => {
  const { box, model, client, client_with, box_token } = await story_of(t);
  const told = async (asking, type, expected) => {
    const error = await asking.then(
      () => assert.fail("it was answered"),
      (error) => error,
    );
    assert.equal(error.constructor, type, `${error.name}: ${error.message}`);
    assert.deepEqual([error.status, error.type, error.code, error.param], expected, error.message);
    assert.match(error.requestID, /^[0-9a-f]{16}$/);
    return error;
  };
  const stranger = await told(client_with("nobody").models.list(), OpenAI.AuthenticationError, [
    401,
    "authentication_error",
    "invalid_api_key",
    null,
  ]);
  assert.equal(stranger.headers.get("www-authenticate"), "Bearer");
  await told(client.files.list(), OpenAI.NotFoundError, [404, "invalid_request_error", null, null]);
  const wrong = await told(client.get("/chat/completions"), OpenAI.APIError, [405, "invalid_request_error", null, null]);
  assert.deepEqual([wrong.headers.get("allow"), wrong.message], ["POST, OPTIONS", "405 Method not allowed"]);
  const large = [{ role: "user", content: "x".repeat(2 << 20) }];
  const too_much = await told(client.chat.completions.create({ model: MODEL, messages: large }), OpenAI.APIError, [
    413,
    "invalid_request_error",
    null,
    null,
  ]);
  assert.match(too_much.message, /larger than this server takes/);
  const garbled = await send(box.backend, "POST", "/v1/chat/completions", {
    headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
    body: "{",
  });
  assert.deepEqual([garbled.status, garbled.body.error.type, garbled.body.error.param], [400, "invalid_request_error", null], garbled.text);
  const elsewhere = await send(box.backend, "GET", "/api/nowhere");
  assert.deepEqual([elsewhere.status, elsewhere.body], [404, { error: "Not found" }], "outside of /v1 nothing is different");
  assert.equal(model.asked.length, 0);
});

test("one model is looked up by its name, with the slash that names have", async (t) => {
  const { client, client_with, box } = await story_of(t);
  assert.deepEqual(await client.models.retrieve(MODEL), {
    id: MODEL,
    object: "model",
    created: 0,
    owned_by: "openai",
    context_length: 128_000,
    architecture: { input_modalities: ["text", "image"] },
    top_provider: { max_completion_tokens: 16_384 },
    reasoning_efforts: [],
  });
  const eve = await box.customer("eve@example.org", "label"),
    { key } = (await eve.call("POST", "/api/keys", { name: "script" })).body;
  const plain = await send(box.backend, "GET", `/v1/models/${MODEL}`, { headers: { authorization: `Bearer ${key}` } });
  assert.deepEqual([plain.status, plain.body.id], [200, MODEL], "as people write it");
  for (const [name, by] of [
    ["nobody/nothing", client],
    ["gpt-4", client],
    ["openai/gpt-4.1", client_with(key)],
    ["a b?c#d%2F", client],
  ]) {
    const error = await by.models.retrieve(name).then(
      () => assert.fail(name),
      (error) => error,
    );
    assert.equal(error.constructor, OpenAI.NotFoundError, name);
    assert.deepEqual([error.code, error.param, error.type], ["model_not_found", "model", "invalid_request_error"], name);
    assert.ok(error.message.includes(`model ${name} is not one of`), error.message);
  }
  await assert.rejects(client_with("nobody").models.retrieve(MODEL), OpenAI.AuthenticationError);
});

test("other parameters reach the model or are refused by name", async (t) => {
  const { model, client } = await story_of(t);
  model.will(say("{}"));
  const strict = [{ ...tools[0], function: { ...tools[0].function, strict: true } }],
    named = [{ ...question[0], name: "Ada" }];
  const given = {
    messages: named,
    tools: strict,
    tool_choice: { type: "function", function: { name: "find_place" } },
    parallel_tool_calls: false,
    response_format: { type: "json_schema", json_schema: { name: "place", schema: { type: "object" } } },
    stop: ["END"],
    seed: 7,
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
    logit_bias: { 50256: -100 },
    top_p: 0.9,
    reasoning_effort: "low",
    verbosity: "low",
    audio: { voice: "alloy", format: "wav" },
  };
  await client.chat.completions.create({ model: MODEL, n: 1, user: "ada", ...given });
  for (const [name, value] of Object.entries(given)) assert.deepEqual(model.asked[0][name], value, name);
  for (const [name, value] of Object.entries({ n: 5, logprobs: true, seed: "x", stop: [7], tool_choice: "required", functions: [] }))
    await assert.rejects(
      client.chat.completions.create({ model: MODEL, messages: question, [name]: value }),
      (error) => error.status === 400 && error.message.includes(name),
    );
  assert.equal(model.asked.length, 1);
});

test("a user's key works under the user's plan, with a budget and an expiry", async (t) => {
  const { box, model, client_with } = await story_of(t);
  const eve = await box.customer("eve@example.org", "label"),
    key = async (given) => (await eve.call("POST", "/api/keys", given)).body;
  const { key: secret, id } = await key({ name: "script" });
  model.will(say("Yes.", [9, 1]));
  const client = client_with(secret);
  assert.equal((await client.chat.completions.create({ model: MODEL, messages: question })).choices[0].message.content, "Yes.");
  const { rows } = await box.backend_call("GET", `/api/usage/by-model?userId=${eve.id}`);
  assert.deepEqual(
    rows.map((row) => [row.id, row.usage.totalTokens]),
    [[MODEL, 10]],
  );
  const refused = async (body, status, code, by = client) =>
    assert.rejects(by.chat.completions.create({ messages: question, ...body }), (error) => error.status === status && error.code === code);
  await refused({ model: "nobody/nothing" }, 404, "model_not_found");
  await refused({ model: "openai/gpt-4.1" }, 403, "MODEL_RESTRICTED");

  await eve.call("PUT", "/api/caps", { scope: "key", target: id, period: "day", tokens: 20 });
  await refused({ model: MODEL }, 429, "CAP_REACHED");
  const { caps } = (await eve.call("GET", "/api/caps")).body;
  assert.deepEqual(
    caps.map((cap) => [cap.id, cap.tokens, cap.usedTokens]),
    [[`own-key-${id}-day`, 20, 10]],
  );

  const budgeted = await key({ name: "budgeted", budgetUsd: "12.50", expiresInDays: 1 });
  assert.equal(budgeted.budgetUsd, "12.50");
  const shown = async (which) => (await eve.call("GET", `/api/keys/${which}`)).body;
  assert.deepEqual([(await shown(budgeted.id)).budgetUsd, (await shown(budgeted.id)).usedUsd], ["12.50", "0.00"]);
  const stranger = await box.customer("nina@example.org"),
    penniless = (await stranger.call("POST", "/api/keys", { name: "x" })).body.key;
  await box.backend_call("PATCH", `/api/admin/users/${stranger.id}`, { plan: "none" });
  await refused({ model: MODEL }, 402, "SUBSCRIPTION_REQUIRED", client_with(penniless));
  assert.equal(model.asked.length, 1, "none of these reached the model");
});

test("embeddings pass through", async (t) => {
  const { model, client, usage } = await story_of(t);
  model.embeds = (body) => ({
    object: "list",
    model: body.model,
    data: [{ object: "embedding", index: 0, embedding: [0.5, 1] }],
    usage: { prompt_tokens: 4, total_tokens: 4 },
  });
  const answer = await client.embeddings.create({ model: "small", input: "a lighthouse", encoding_format: "float" });
  assert.deepEqual(answer.data[0].embedding, [0.5, 1]);
  const { day } = await usage();
  assert.deepEqual([day.calls, day.inputTokens], [1, 4]);
});

test("what holds no embeddings is not passed on as a success", async (t) => {
  const { model, client } = await story_of(t);
  for (const answer of ["<html>", "data: [DONE]\n\n", '{"data":{}}']) {
    model.embeds = () => answer;
    await assert.rejects(() => client.embeddings.create({ model: "small", input: "a lighthouse" }), { status: 502 }, answer);
  }
});

test("a cached list of models says nothing about the state of the server", async (t) => {
  const { model, client, box } = await story_of(t);
  const ask = () => client.chat.completions.create({ model: "llama-of-the-lan", messages: question });
  model.lists = ["llama-of-the-lan"];
  for (let failure = 0; failure < 3; ++failure) {
    model.will(fail(500, "out of memory"));
    await assert.rejects(ask, { status: 502 });
  }
  assert.equal((await box.backend_call("GET", "/api/ai/health")).circuits.local, "open");
});

test("embeddings are for models of the plan, and nothing but their form goes on", async (t) => {
  const { router, door } = await story_of_ai(t, "label");
  const { ask } = await door();
  const refused = await ask("embeddings", { model: "anthropic/claude-sonnet-5", input: "x" });
  assert.deepEqual([refused.status, refused.body.error.code], [403, "MODEL_RESTRICTED"]);
  assert.equal(router.asked.length, 0);
  const given = { model: "openai/text-embedding-3-small", input: ["a", "b"], dimensions: 2 };
  assert.equal((await ask("embeddings", { ...given, models: ["x/y"], provider: { order: ["z"] }, stream: true })).status, 200);
  assert.deepEqual(router.asked, [given]);
});

test("a client that tries again by itself gets its answer", async (t) => {
  const { model, client_with, box_token } = await story_of(t);
  model.will(fail(503, "loading the model"), say("Loaded."));
  const patient = client_with(box_token, { maxRetries: 2 });
  const answer = await patient.chat.completions.create({ model: MODEL, messages: question });
  assert.equal(answer.choices[0].message.content, "Loaded.");
});
