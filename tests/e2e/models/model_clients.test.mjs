// The box's model door, driven by Vercel's AI SDK and by LangChain as they come from npm: a key of a user and the address
// of the web listener are all they are given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box } from "../support/box.mjs";
import { call, MODEL, ModelServer, say, streamed } from "../peers/model_server.mjs";
import { package_named } from "../support/packages.mjs";

const { generateText, stepCountIs, streamText, tool } = package_named("ai");
const { createOpenAICompatible } = package_named("@ai-sdk/openai-compatible");
const { createOpenAI } = package_named("@ai-sdk/openai");
const { ChatOpenAI } = package_named("@langchain/openai");
const { HumanMessage, SystemMessage, ToolMessage } = package_named("@langchain/core/messages");
const { z } = package_named("zod");

const story_of = async (t) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  const { key } = (await ada.call("POST", "/api/keys", { name: "script", scopes: ["models"] })).body;
  t.after(() => model.check());
  return { model, ada, apiKey: key, baseURL: `${box.web}/v1` };
};

const question = "Where is Fastnet?";
const places = { Fastnet: "51.4 N, 9.6 W" };
const inputSchema = z.object({ name: z.string() });
const description = "Finds a place by its name.";
const long_text = "Der Leuchtturm – 灯台 – стоит на скале. ".repeat(20);

// The provider's own default is the responses API; the compatible one speaks chat completions.
const ai_sdk = {
  "AI SDK, compatible provider": ({ apiKey, baseURL }) =>
    createOpenAICompatible({ name: "box", apiKey, baseURL, includeUsage: true })(MODEL),
  "AI SDK, OpenAI's provider": ({ apiKey, baseURL }) => createOpenAI({ apiKey, baseURL })(MODEL),
};

for (const [name, model_of] of Object.entries(ai_sdk)) {
  test(`${name}: text, whole and streamed, with its usage`, async (t) => {
    const { model, ada, ...access } = await story_of(t);
    model.will(say("At Fastnet.", [12, 3]), streamed(say(long_text, [7, 400])));
    const whole = await generateText({ model: model_of(access), system: "Be brief.", prompt: question, maxRetries: 0 });
    assert.deepEqual([whole.text, whole.finishReason, whole.usage.inputTokens, whole.usage.outputTokens], ["At Fastnet.", "stop", 12, 3]);
    assert.deepEqual(model.asked[0].messages, [
      { role: "system", content: "Be brief." },
      { role: "user", content: question },
    ]);

    const stream = streamText({ model: model_of(access), prompt: question, maxRetries: 0 });
    const pieces = [];
    for await (const piece of stream.textStream) pieces.push(piece);
    assert.equal(pieces.join(""), long_text);
    assert.ok(pieces.length > 10, "in pieces");
    assert.deepEqual([await stream.finishReason, (await stream.usage).outputTokens], ["stop", 400]);
    assert.equal((await ada.call("GET", "/api/dashboard/calls")).body.calls.length, 2, "both are in the ledger");
  });

  test(`${name}: a tool is called and its result goes back`, async (t) => {
    const { model, ...access } = await story_of(t);
    for (const streams of [false, true]) {
      const answers = [call(["find_place", { name: "Fastnet" }]), say("51.4 north.")];
      model.will(...(streams ? answers.map(streamed) : answers));
      const tools = { find_place: tool({ description, inputSchema, execute: ({ name: place }) => places[place] }) };
      const request = { model: model_of(access), prompt: question, tools, stopWhen: stepCountIs(3), maxRetries: 0 };
      const result = streams ? streamText(request) : await generateText(request);
      if (streams) await result.consumeStream();
      assert.equal(await result.text, "51.4 north.");
      assert.equal((await result.steps).length, 2);
      assert.match(model.asked.at(-1).messages.at(-1).content, /51\.4 N/);
    }
  });

  test(`${name}: an unknown model is the client's own error, with the sentence`, async (t) => {
    const { model: _, ...access } = await story_of(t);
    const unknown = { ...model_of(access), modelId: "llama-nope" };
    const provider = name.includes("compatible") ? createOpenAICompatible({ name: "box", ...access }) : createOpenAI(access);
    const error = await generateText({ model: provider(unknown.modelId), prompt: question, maxRetries: 0 }).then(
      () => assert.fail("it was answered"),
      (error) => error,
    );
    assert.deepEqual([error.name, error.statusCode], ["AI_APICallError", 404]);
    assert.match(error.message, /llama-nope/);
  });
}

for (const useResponsesApi of [false, true])
  test(`LangChain, ${useResponsesApi ? "responses" : "completions"}: text, streams and tools`, async (t) => {
    const { model, apiKey, baseURL } = await story_of(t);
    const chat = new ChatOpenAI({ model: MODEL, apiKey, useResponsesApi, streamUsage: true, maxRetries: 0, configuration: { baseURL } });
    model.will(
      say("At Fastnet.", [12, 3]),
      streamed(say(long_text, [7, 400])),
      call(["find_place", { name: "Fastnet" }]),
      say("51.4 north."),
    );
    const text_of = (message) =>
      typeof message.content === "string" ? message.content : message.content.map((part) => part.text ?? "").join("");

    const whole = await chat.invoke([new SystemMessage("Be brief."), new HumanMessage(question)]);
    assert.equal(text_of(whole), "At Fastnet.");
    assert.deepEqual([whole.usage_metadata.input_tokens, whole.usage_metadata.output_tokens], [12, 3]);

    const pieces = [];
    for await (const piece of await chat.stream(question)) pieces.push(text_of(piece));
    assert.equal(pieces.join(""), long_text);
    assert.ok(pieces.filter(Boolean).length > 10, "in pieces");

    const with_tools = chat.bindTools([
      {
        type: "function",
        function: {
          name: "find_place",
          description,
          parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        },
      },
    ]);
    const asked = await with_tools.invoke(question);
    assert.deepEqual(
      asked.tool_calls.map((made) => [made.name, made.args]),
      [["find_place", { name: "Fastnet" }]],
    );
    const result = new ToolMessage({ content: places.Fastnet, tool_call_id: asked.tool_calls[0].id });
    assert.equal(text_of(await with_tools.invoke([new HumanMessage(question), asked, result])), "51.4 north.");
  });
