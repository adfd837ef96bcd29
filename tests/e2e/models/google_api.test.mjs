// Google's API, driven by Google's client for JavaScript and by the AI SDK's provider for Google as they come from npm, over an
// OpenAI-compatible server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { call, fail, MODEL, ModelServer, say, streamed } from "../peers/model_server.mjs";
import { package_named } from "../support/packages.mjs";

const { FunctionCallingConfigMode, GoogleGenAI, Type } = package_named("@google/genai");
const { createGoogleGenerativeAI } = package_named("@ai-sdk/google");
const { generateText, stepCountIs, streamText, tool } = package_named("ai");
const { z } = package_named("zod");

// The client has the key of a user, and the address of the box with or without the version of the API.
const apiVersion = "v1beta";
const story_of = async (t, suffix = "") => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  const { key } = (await ada.call("POST", "/api/keys", { name: "script", scopes: ["models"] })).body;
  t.after(() => model.check());
  const client = new GoogleGenAI({ apiKey: key, apiVersion, httpOptions: { baseUrl: box.web + suffix } });
  return { box, model, ada, key, client };
};

const question = "Where is Fastnet?";
const body = { contents: [{ role: "user", parts: [{ text: question }] }] };
const path = (method, query = "") => `/v1beta/models/${MODEL}:${method}${query}`;
const post = (box, target, given = body, headers = {}) =>
  send(box.web, "POST", target, { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(given) });
const description = "Finds a place by its name.";
const declarations = [
  { name: "find_place", description, parameters: { type: Type.OBJECT, properties: { name: { type: Type.STRING } }, required: ["name"] } },
];
const collected = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};
const refusal_of = (asking) =>
  asking.then(
    () => assert.fail("it was answered"),
    (error) => error,
  );

test("content is generated whole, by every way to send a key, with and without the version", async (t) => {
  const { box, model, client, key, ada } = await story_of(t);
  model.will(say("At Fastnet.", [12, 3]));
  const answer = await client.models.generateContent({
    model: MODEL,
    contents: question,
    config: {
      systemInstruction: "Be brief.",
      temperature: 0.5,
      topP: 0.9,
      topK: 20,
      maxOutputTokens: 50,
      stopSequences: ["END", " "],
      responseMimeType: "application/json",
      responseSchema: { type: Type.OBJECT, properties: { at: { type: Type.STRING } } },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    },
  });
  assert.deepEqual([answer.text, answer.candidates[0].finishReason, answer.modelVersion], ["At Fastnet.", "STOP", MODEL]);
  const { promptTokenCount, candidatesTokenCount, totalTokenCount } = answer.usageMetadata;
  assert.deepEqual([promptTokenCount, candidatesTokenCount, totalTokenCount], [12, 3, 15]);
  const [asked] = model.asked;
  assert.deepEqual(asked.messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: question },
  ]);
  assert.deepEqual([asked.temperature, asked.top_p, asked.max_tokens, asked.stop], [0.5, 0.9, 50, ["END"]]);
  assert.deepEqual(asked.response_format.json_schema.schema, { type: "object", properties: { at: { type: "string" } } });

  // The version that the client uses by itself has the models in OpenAI's form, and calls in Google's.
  model.will(say("As it comes.", [5, 1]));
  const as_it_comes = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: box.web } });
  assert.equal((await as_it_comes.models.generateContent({ model: MODEL, contents: question })).text, "As it comes.");

  const ways = [
    [path("generateContent"), { "x-goog-api-key": key }],
    [path("generateContent"), { authorization: `Bearer ${key}` }],
    [path("generateContent", `?key=${key}`), {}],
    [`/v1beta/${path("generateContent").slice(1)}`, { "x-goog-api-key": key }],
    [`/v1beta/${MODEL}:generateContent`, { "x-goog-api-key": key }],
  ];
  for (const [target, headers] of ways) {
    model.will(say("Again.", [5, 1]));
    const again = await post(box, target, body, headers);
    assert.equal(again.body?.candidates?.[0].content.parts[0].text, "Again.", `${target}: ${again.text}`);
  }
  const { calls } = (await ada.call("GET", "/api/dashboard/calls")).body;
  assert.deepEqual([calls.length, calls.at(-1).inputTokens, calls.at(-1).outputTokens], [7, 12, 3]);
  assert.ok(!box.whole_log.includes(key.slice(3)), "the key is in no log");
});

test("a stream has its pieces as events, or as the elements of an array", async (t) => {
  const { box, model, client, key } = await story_of(t, "/v1beta");
  const text = "Der Leuchtturm – 灯台 – стоит на скале. ".repeat(20);
  model.will(streamed(say(text, [7, 400])), streamed(say(text, [7, 400])));
  const plain = new GoogleGenAI({ apiKey: key, apiVersion, httpOptions: { baseUrl: box.web } });
  const chunks = await collected(await plain.models.generateContentStream({ model: MODEL, contents: question }));
  assert.equal(chunks.map((chunk) => chunk.text ?? "").join(""), text);
  assert.ok(chunks.length > 10, "in pieces");
  assert.deepEqual([chunks.at(-1).candidates[0].finishReason, chunks.at(-1).usageMetadata.candidatesTokenCount], ["STOP", 400]);

  const array = await post(box, path("streamGenerateContent"), body, { "x-goog-api-key": key });
  assert.match(array.headers["content-type"], /^application\/json/);
  assert.ok(array.body.length > 10, "in pieces");
  assert.equal(array.body.flatMap((piece) => piece.candidates[0].content.parts.map((part) => part.text)).join(""), text);

  model.will(say("Doubled.", [1, 1]));
  const answer = await client.models.generateContent({ model: MODEL, contents: question });
  assert.equal(answer.text, "Doubled.", "an address with the version");
});

for (const streams of [false, true])
  test(`functions are called and answered, ${streams ? "streamed" : "in one answer"}`, async (t) => {
    const { model, client } = await story_of(t);
    const answers = [call(["find_place", { name: "Fastnet" }], ["find_place", { name: "Eddystone" }]), say("51.4 and 50.2 north.")];
    model.will(...(streams ? answers.map(streamed) : answers));
    const config = {
      tools: [{ functionDeclarations: declarations }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["find_place"] } },
    };
    const ask = async (contents) => {
      const request = { model: MODEL, contents, config };
      if (!streams) return [await client.models.generateContent(request)];
      return collected(await client.models.generateContentStream(request));
    };
    const parts_of = (chunks) => chunks.flatMap((chunk) => chunk.candidates[0].content.parts);
    const first = parts_of(await ask(question));
    const calls = first.filter((part) => part.functionCall).map((part) => part.functionCall);
    assert.deepEqual(
      calls.map(({ name, args }) => [name, args.name]),
      [
        ["find_place", "Fastnet"],
        ["find_place", "Eddystone"],
      ],
    );
    assert.deepEqual(model.asked[0].tool_choice, { type: "function", function: { name: "find_place" } });
    assert.deepEqual(model.asked[0].tools[0].function.parameters, {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    });

    const results = calls.map(({ id, name }, at) => ({
      functionResponse: { id, name, response: at ? { degrees: 50.2 } : { output: "51.4 north" } },
    }));
    const second = await ask([
      { role: "user", parts: [{ text: question }] },
      { role: "model", parts: first },
      { role: "user", parts: results },
    ]);
    assert.equal(
      parts_of(second)
        .map((part) => part.text)
        .join(""),
      "51.4 and 50.2 north.",
    );
    assert.deepEqual(
      model.asked[1].messages.slice(-2).map((message) => [message.role, message.content]),
      [
        ["tool", "51.4 north"],
        ["tool", '{"degrees":50.2}'],
      ],
    );
  });

test("the AI SDK's provider for Google works as it comes", async (t) => {
  const { box, model, key } = await story_of(t);
  const google = createGoogleGenerativeAI({ apiKey: key, baseURL: `${box.web}/v1beta` });
  const tools = { find_place: tool({ description, inputSchema: z.object({ name: z.string() }), execute: ({ name }) => `${name}: lit` }) };
  for (const streams of [false, true]) {
    const answers = [call(["find_place", { name: "Fastnet" }]), say("It is lit.", [9, 4])];
    model.will(...(streams ? answers.map(streamed) : answers));
    const request = { model: google(MODEL), prompt: question, tools, stopWhen: stepCountIs(3), maxRetries: 0 };
    const result = streams ? streamText(request) : await generateText(request);
    if (streams) await result.consumeStream();
    assert.equal(await result.text, "It is lit.");
    const usage = await result.usage;
    assert.deepEqual([await result.finishReason, usage.inputTokens, usage.outputTokens], ["stop", 9, 4]);
    assert.equal(model.asked.at(-1).messages.at(-1).content, "Fastnet: lit");
  }
  const unknown = await refusal_of(generateText({ model: google("gemini-nope"), prompt: question, maxRetries: 0 }));
  assert.deepEqual([unknown.name, unknown.statusCode], ["AI_APICallError", 404]);
  assert.match(unknown.message, /gemini-nope/);
});

test("models are listed and shown, and tokens are counted without a call", async (t) => {
  const { client, ada } = await story_of(t);
  const names = (await collected(await client.models.list())).map((model) => model.name);
  assert.ok(names.includes(`models/${MODEL}`), `${names}`);
  const shown = await client.models.get({ model: MODEL });
  assert.deepEqual([shown.name, shown.supportedActions.includes("generateContent")], [`models/${MODEL}`, true]);
  assert.equal((await refusal_of(client.models.get({ model: "nope" }))).status, 404);
  const { totalTokens } = await client.models.countTokens({ model: MODEL, contents: question });
  assert.ok(totalTokens > 5 && totalTokens < 100, `${totalTokens}`);
  assert.deepEqual((await ada.call("GET", "/api/dashboard/calls")).body.calls, []);
});

test("errors have the form that the clients read", async (t) => {
  const { box, model, client, key } = await story_of(t);
  const ask = (config, more = {}) => client.models.generateContent({ model: MODEL, contents: question, config, ...more });
  const unknown = await refusal_of(ask({}, { model: "gemini-nope" }));
  assert.deepEqual([unknown.name, unknown.status, JSON.parse(unknown.message).error.status], ["ApiError", 404, "NOT_FOUND"]);
  for (const [config, field] of [
    [{ tools: [{ googleSearch: {} }] }, /tools\[0\]\.googleSearch/],
    [{ cachedContent: "cachedContents/1" }, /cachedContent/],
    [{ candidateCount: 2 }, /candidateCount/],
    [{ temperature: 9 }, /generationConfig\.temperature/],
  ]) {
    const { error } = JSON.parse((await refusal_of(ask(config))).message);
    assert.deepEqual([error.code, error.status], [400, "INVALID_ARGUMENT"]);
    assert.match(error.message, field);
  }
  const stranger = new GoogleGenAI({ apiKey: "sk_nobody", apiVersion, httpOptions: { baseUrl: box.web } });
  const refused = await refusal_of(stranger.models.generateContent({ model: MODEL, contents: question }));
  assert.deepEqual([refused.status, JSON.parse(refused.message).error.status], [401, "UNAUTHENTICATED"]);
  model.will(fail(429, "slow down"));
  const limited = await refusal_of(ask({}));
  assert.deepEqual([limited.status, JSON.parse(limited.message).error.status], [429, "RESOURCE_EXHAUSTED"]);
  model.will(fail(429, "slow down"));
  const limited_stream = await refusal_of(client.models.generateContentStream({ model: MODEL, contents: question }));
  assert.equal(limited_stream.status, 429);

  // Unknown paths have it as well.
  for (const [method, target, status, name, type = "application/json"] of [
    ["GET", "/v1beta", 404, "NOT_FOUND"],
    ["GET", "/v1beta/files/x", 405, "UNIMPLEMENTED"],
    ["DELETE", `/v1beta/models/${MODEL}`, 405, "UNIMPLEMENTED"],
    ["POST", path("embedContent"), 404, "NOT_FOUND"],
    ["POST", path("generateContent", "?alt=xml"), 400, "INVALID_ARGUMENT"],
    ["POST", path("generateContent"), 415, "INVALID_ARGUMENT", "text/plain"],
  ]) {
    const answer = await send(box.web, method, target, {
      headers: { "x-goog-api-key": key, ...(method === "POST" && { "content-type": type }) },
      body: method === "POST" ? JSON.stringify(body) : undefined,
    });
    assert.equal(answer.status, status, `${target}: ${answer.text}`);
    assert.deepEqual([answer.body.error.code, answer.body.error.status], [status, name], target);
  }
});

test("a stream that breaks off ends with an error that the clients see", async (t) => {
  const { box, model, client, key } = await story_of(t);
  const broken = () => {
    const whole = streamed(say("Half of it and the rest", [1, 1]));
    const events = whole.body.split("\n\n");
    return { ...whole, body: [...events.slice(0, 2), 'data: {"error":{"message":"the fuse blew"}}', ""].join("\n\n") };
  };
  model.will(broken(), broken());
  const failed = await refusal_of(client.models.generateContentStream({ model: MODEL, contents: question }).then(collected));
  assert.match(failed.message, /the fuse blew/);
  const google = createGoogleGenerativeAI({ apiKey: key, baseURL: `${box.web}/v1beta` });
  const errors = [];
  const result = streamText({ model: google(MODEL), prompt: question, maxRetries: 0, onError: ({ error }) => errors.push(error) });
  await result.consumeStream();
  assert.match(errors[0]?.message ?? "", /the fuse blew/);
});

test("a key with scopes needs the one for models, however it is sent", async (t) => {
  const { box, ada } = await story_of(t);
  const { key } = (await ada.call("POST", "/api/keys", { name: "reader", scopes: ["agents:read"] })).body;
  for (const [target, headers] of [
    [path("generateContent"), { "x-goog-api-key": key }],
    [path("countTokens"), { authorization: `Bearer ${key}` }],
    [path("streamGenerateContent", `?alt=sse&key=${key}`), {}],
  ])
    assert.equal((await post(box, target, body, headers)).status, 403, target);
  // Elsewhere a key in the address is no credential, and two are none.
  const other = await send(box.web, "GET", `/v1/models?key=${key}`);
  assert.equal(other.status, 401);
  assert.equal((await post(box, path("generateContent", `?key=${key}&key=${key}`))).status, 401);
});
