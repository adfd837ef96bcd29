// OpenAI's responses and several choices, driven by OpenAI's client for JavaScript as it comes from npm.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box } from "../support/box.mjs";
import { call, fail, MODEL, ModelServer, say, streamed } from "../peers/model_server.mjs";
import { package_named } from "../support/packages.mjs";

const { OpenAI } = package_named("openai");

// The client has the key of a user, and the web listener as its only address.
const story_of = async (t) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  const { key } = (await ada.call("POST", "/api/keys", { name: "script", scopes: ["models"] })).body;
  t.after(() => model.check());
  return { box, model, ada, client: new OpenAI({ apiKey: key, baseURL: `${box.web}/v1`, maxRetries: 0 }) };
};

const tool = {
  type: "function",
  name: "find_place",
  description: "Finds a place by its name.",
  strict: false,
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

test("a response is one answer, with what was asked and what it used", async (t) => {
  const { model, client, ada } = await story_of(t);
  model.will(say("At Fastnet.", [12, 3]));
  const response = await client.responses.create({
    model: MODEL,
    instructions: "Be brief.",
    input: "Where is the lighthouse?",
    temperature: 0.5,
    max_output_tokens: 50,
    metadata: { from: "story" },
  });
  assert.deepEqual(
    [response.object, response.status, response.model, response.output_text, response.error],
    ["response", "completed", MODEL, "At Fastnet.", null],
  );
  assert.match(response.id, /^resp_/);
  assert.deepEqual(
    response.output.map((item) => [item.type, item.role, item.status, item.content[0].type]),
    [["message", "assistant", "completed", "output_text"]],
  );
  assert.deepEqual([response.usage.input_tokens, response.usage.output_tokens, response.usage.total_tokens], [12, 3, 15]);
  assert.deepEqual(
    [response.instructions, response.max_output_tokens, response.metadata.from, response.store],
    ["Be brief.", 50, "story", false],
  );
  const [asked] = model.asked;
  assert.deepEqual(asked.messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where is the lighthouse?" },
  ]);
  assert.deepEqual([asked.temperature, asked.max_tokens], [0.5, 50]);
  assert.equal((await ada.call("GET", "/api/dashboard/calls")).body.calls.length, 1, "it is in the ledger");
});

test("functions are called, and their outputs go back", async (t) => {
  const { model, client } = await story_of(t);
  model.will(call(["find_place", { name: "Fastnet" }]), say("51.4 N, 9.6 W."));
  const input = [{ role: "user", content: [{ type: "input_text", text: "Where is Fastnet?" }] }];
  const first = await client.responses.create({ model: MODEL, input, tools: [tool], tool_choice: "auto" });
  assert.deepEqual(
    first.output.map((item) => [item.type, item.name, JSON.parse(item.arguments), item.status]),
    [["function_call", "find_place", { name: "Fastnet" }, "completed"]],
  );
  input.push(...first.output, { type: "function_call_output", call_id: first.output[0].call_id, output: '{"at":"51.4 N, 9.6 W"}' });
  const second = await client.responses.create({ model: MODEL, input, tools: [tool] });
  assert.equal(second.output_text, "51.4 N, 9.6 W.");
  const [, asked] = model.asked;
  assert.deepEqual(
    asked.messages.map((message) => message.role),
    ["user", "assistant", "tool"],
  );
  assert.equal(asked.messages[1].tool_calls[0].id, asked.messages[2].tool_call_id);
  assert.equal(asked.tools[0].function.name, "find_place");
});

test("a streamed response brings its items in pieces, as the client puts them together", async (t) => {
  const { model, client } = await story_of(t);
  const text = "Der Leuchtturm – 灯台 – стоит на скале. ".repeat(20);
  model.will(streamed(say(text, [7, 400])), streamed(call(["find_place", { name: "Fastnet" }])));
  const events = [];
  const stream = client.responses.stream({ model: MODEL, input: "Where is the lighthouse?" });
  for await (const event of stream) events.push(event);
  const final = await stream.finalResponse();
  assert.deepEqual([final.status, final.output[0].content[0].text, final.usage.output_tokens], ["completed", text, 400]);
  const types = events.map((event) => event.type);
  assert.deepEqual(types.slice(0, 4), [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
  ]);
  assert.deepEqual(types.slice(-4), [
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  assert.ok(types.filter((type) => type === "response.output_text.delta").length > 10, "in pieces");
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    events.map((_, at) => at),
  );

  const calling = client.responses.stream({ model: MODEL, input: "Where is Fastnet?", tools: [tool] });
  const seen = [];
  for await (const event of calling) seen.push(event.type);
  const [called] = (await calling.finalResponse()).output;
  assert.deepEqual([called.type, called.name, JSON.parse(called.arguments)], ["function_call", "find_place", { name: "Fastnet" }]);
  assert.ok(seen.includes("response.function_call_arguments.done"));
});

test("what a box without a store of responses cannot do is refused by name", async (t) => {
  const { model, client } = await story_of(t);
  const ask = (more) => client.responses.create({ model: MODEL, input: "x", ...more });
  for (const [field, more] of [
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["background", { background: true }],
    ["tools\\[0\\].type", { tools: [{ type: "web_search" }] }],
    ["input", { input: [] }],
    ["input\\[0\\].id", { input: [{ type: "item_reference", id: "x" }] }],
    ["input\\[0\\].content", { input: [{ role: "user" }] }],
    ["temperature", { temperature: 3 }],
    ["max_output_tokens", { max_output_tokens: 0 }],
    ["text.format.type", { text: { format: { type: "poem" } } }],
    ["nonsense", { nonsense: 1 }],
  ])
    await assert.rejects(ask(more), (error) => error instanceof OpenAI.BadRequestError && new RegExp(field).test(error.message), field);
  await assert.rejects(ask({ model: "no-such-model" }), OpenAI.NotFoundError);
  model.will(fail(401, "bad key"));
  await assert.rejects(ask({}), OpenAI.APIError);
});

test("up to four choices, whole and streamed, each of them paid for", async (t) => {
  const { model, client } = await story_of(t);
  model.will(...["one", "two", "three"].map((text) => say(text, [10, 1])), ...["four", "five"].map((text) => streamed(say(text, [10, 1]))));
  const messages = [{ role: "user", content: "Say a number." }];
  const answer = await client.chat.completions.create({ model: MODEL, messages, n: 3 });
  assert.deepEqual(
    answer.choices.map(({ index }) => index),
    [0, 1, 2],
  );
  assert.deepEqual(answer.choices.map(({ message }) => message.content).sort(), ["one", "three", "two"]);
  assert.deepEqual(answer.usage, { prompt_tokens: 30, completion_tokens: 3, total_tokens: 33 });
  const stream = await client.chat.completions.create({ model: MODEL, messages, n: 2, stream: true });
  const texts = ["", ""];
  const ends = [];
  for await (const chunk of stream)
    for (const choice of chunk.choices) {
      texts[choice.index] += choice.delta.content ?? "";
      if (choice.finish_reason) ends.push([choice.index, choice.finish_reason]);
    }
  assert.deepEqual(
    [texts.toSorted(), ends],
    [
      ["five", "four"],
      [
        [0, "stop"],
        [1, "stop"],
      ],
    ],
  );
  for (const n of [0, 5, 1.5, "2"])
    await assert.rejects(
      client.chat.completions.create({ model: MODEL, messages, n }),
      (error) => error.status === 400 && /^400 n /.test(error.message),
      String(n),
    );
});
