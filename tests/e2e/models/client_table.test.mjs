// What clients keep of a conversation with a thinking model, by client and by the format of the model's API: the table
// of docs/models.md. AGENTBOX_WRITE_TABLES=1 writes what is found into the page.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { story_of } from "../support/ai_story.mjs";
import { ANSWER, ThinkingServer } from "../peers/thinking_servers.mjs";
import { package_named } from "../support/packages.mjs";

const { generateText, stepCountIs, streamText, tool } = package_named("ai");
const { createAnthropic } = package_named("@ai-sdk/anthropic");
const { createGoogleGenerativeAI } = package_named("@ai-sdk/google");
const { createOpenAICompatible } = package_named("@ai-sdk/openai-compatible");
const { createOpenAI } = package_named("@ai-sdk/openai");
const { ChatOpenAI } = package_named("@langchain/openai");
const { AIMessageChunk, HumanMessage, ToolMessage } = package_named("@langchain/core/messages");
const OpenAI = package_named("openai").default;
const anthropic_sdk = package_named("@anthropic-ai/sdk");
const Anthropic = anthropic_sdk.Anthropic ?? anthropic_sdk.default;
const { GoogleGenAI } = package_named("@google/genai");
const { z } = package_named("zod");

const PAGE = fileURLToPath(new URL("../../../docs/models.md", import.meta.url));
const IMAGE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const QUESTION = "Which of these are lit?";
const description = "Finds a lighthouse by its name.";
const parameters = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const find = ({ name }) => `${name}: lit`;

const openai_chat = async ({ apiKey, baseURL, model, stream }) => {
  const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: QUESTION },
        { type: "image_url", image_url: { url: IMAGE } },
      ],
    },
  ];
  const request = {
    model,
    messages,
    reasoning_effort: "low",
    max_tokens: 4000,
    tools: [{ type: "function", function: { name: "find_place", description, parameters } }],
  };
  for (;;) {
    const { message } = stream
      ? (await client.chat.completions.stream(request).finalChatCompletion()).choices[0]
      : (await client.chat.completions.create(request)).choices[0];
    if (!message.tool_calls?.length) return message.content;
    messages.push(message);
    for (const { id, function: called } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: find(JSON.parse(called.arguments)) });
  }
};

const openai_responses = async ({ apiKey, baseURL, model, stream }) => {
  const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
  const input = [
    {
      role: "user",
      content: [
        { type: "input_text", text: QUESTION },
        { type: "input_image", image_url: IMAGE },
      ],
    },
  ];
  const request = {
    model,
    input,
    store: false,
    reasoning: { effort: "low" },
    max_output_tokens: 4000,
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", name: "find_place", description, parameters, strict: false }],
  };
  for (;;) {
    const response = stream ? await client.responses.stream(request).finalResponse() : await client.responses.create(request);
    const calls = response.output.filter((item) => item.type === "function_call");
    if (calls.length === 0)
      return response.output
        .filter((item) => item.type === "message")
        .flatMap((item) => item.content.map((part) => part.text))
        .join("");
    input.push(...response.output);
    for (const call of calls) input.push({ type: "function_call_output", call_id: call.call_id, output: find(JSON.parse(call.arguments)) });
  }
};

const ai_sdk = (model_of, providerOptions) => async (access) => {
  const content = [
    { type: "text", text: QUESTION },
    { type: "image", image: IMAGE },
  ];
  const request = {
    model: model_of(access),
    messages: [{ role: "user", content }],
    tools: { find_place: tool({ description, inputSchema: z.object({ name: z.string() }), execute: find }) },
    stopWhen: stepCountIs(4),
    maxRetries: 0,
    maxOutputTokens: 4000,
    providerOptions,
  };
  if (!access.stream) return (await generateText(request)).text;
  const result = streamText({ ...request, onError: () => {} });
  await result.consumeStream();
  return await result.text;
};

const langchain =
  (useResponsesApi) =>
  async ({ apiKey, baseURL, model, stream }) => {
    const effort = useResponsesApi ? { reasoning: { effort: "low" } } : { reasoning_effort: "low" };
    const chat = new ChatOpenAI({
      model,
      apiKey,
      useResponsesApi,
      maxRetries: 0,
      maxTokens: 4000,
      modelKwargs: effort,
      configuration: { baseURL },
    }).bindTools([{ type: "function", function: { name: "find_place", description, parameters } }]);
    const messages = [
      new HumanMessage({
        content: [
          { type: "text", text: QUESTION },
          { type: "image_url", image_url: { url: IMAGE } },
        ],
      }),
    ];
    for (;;) {
      let message;
      if (stream) for await (const piece of await chat.stream(messages)) message = message ? message.concat(piece) : piece;
      else message = await chat.invoke(messages);
      assert.ok(!stream || message instanceof AIMessageChunk);
      if (!message.tool_calls?.length)
        return typeof message.content === "string" ? message.content : message.content.map((part) => part.text ?? "").join("");
      messages.push(message);
      for (const call of message.tool_calls) messages.push(new ToolMessage({ content: find(call.args), tool_call_id: call.id }));
    }
  };

const anthropic_messages = async ({ apiKey, root, model, stream }) => {
  const client = new Anthropic({ apiKey, baseURL: root, maxRetries: 0 });
  const [, media_type, data] = /^data:(.*);base64,(.*)$/.exec(IMAGE);
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: QUESTION },
        { type: "image", source: { type: "base64", media_type, data } },
      ],
    },
  ];
  const request = {
    model,
    messages,
    max_tokens: 4000,
    thinking: { type: "enabled", budget_tokens: 2000 },
    tools: [{ name: "find_place", description, input_schema: parameters }],
  };
  const { input_tokens } = await client.messages.countTokens({ model, messages, tools: request.tools });
  assert.ok(input_tokens > 0);
  for (;;) {
    const message = stream ? await client.messages.stream(request).finalMessage() : await client.messages.create(request);
    const calls = message.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0)
      return message.content
        .filter((block) => block.type === "text")
        .map((block) => block.text)
        .join("");
    messages.push({ role: "assistant", content: message.content });
    messages.push({
      role: "user",
      content: calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: find(input) })),
    });
  }
};

const google_genai = async ({ apiKey, root, model, stream }) => {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: root } });
  const [, mimeType, data] = /^data:(.*);base64,(.*)$/.exec(IMAGE);
  const contents = [{ role: "user", parts: [{ text: QUESTION }, { inlineData: { mimeType, data } }] }];
  const request = {
    model,
    contents,
    config: {
      maxOutputTokens: 4000,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 },
      tools: [{ functionDeclarations: [{ name: "find_place", description, parametersJsonSchema: parameters }] }],
    },
  };
  const { totalTokens } = await client.models.countTokens({ model, contents });
  assert.ok(totalTokens > 0);
  for (;;) {
    const parts = [];
    const chunks = stream ? await client.models.generateContentStream(request) : [await client.models.generateContent(request)];
    for await (const chunk of chunks) parts.push(...(chunk.candidates[0].content.parts ?? []));
    const calls = parts.filter((part) => part.functionCall).map((part) => part.functionCall);
    if (calls.length === 0)
      return parts
        .filter((part) => !part.thought)
        .map((part) => part.text)
        .join("");
    contents.push({ role: "model", parts });
    contents.push({
      role: "user",
      parts: calls.map(({ id, name, args }) => ({ functionResponse: { id, name, response: { output: find(args) } } })),
    });
  }
};

const clients = {
  "openai, chat completions": openai_chat,
  "openai, responses": openai_responses,
  "AI SDK, openai-compatible": ai_sdk(({ apiKey, baseURL, model }) => createOpenAICompatible({ name: "box", apiKey, baseURL })(model), {
    box: { reasoningEffort: "low" },
  }),
  "AI SDK, openai": ai_sdk(({ apiKey, baseURL, model }) => createOpenAI({ apiKey, baseURL })(model), {
    openai: { reasoningEffort: "low", forceReasoning: true },
  }),
  "LangChain, chat completions": langchain(false),
  "LangChain, responses": langchain(true),
  "Anthropic SDK, messages": anthropic_messages,
  "AI SDK, anthropic": ai_sdk(({ apiKey, baseURL, model }) => createAnthropic({ apiKey, baseURL })(model), {
    anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } },
  }),
  "Google Gen AI SDK": google_genai,
  "AI SDK, google": ai_sdk(({ apiKey, root, model }) => createGoogleGenerativeAI({ apiKey, baseURL: `${root}/v1beta` })(model), {
    google: { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } },
  }),
};

const story = async (t) => {
  const vendors = {
    openai: await ThinkingServer.start(t, "openai", ["thinker"]),
    anthropic: await ThinkingServer.start(t, "anthropic"),
    google: await ThinkingServer.start(t, "google"),
  };
  const { box, ada } = await story_of(t, "network", {
    OPENROUTER_API_KEY: undefined,
    LOCAL_MODEL_URL: vendors.openai.url,
    ANTHROPIC_API_KEY: "sk-anthropic",
    ANTHROPIC_BASE_URL: vendors.anthropic.url,
    GOOGLE_API_KEY: "sk-google",
    GOOGLE_BASE_URL: vendors.google.url,
  });
  const { key: apiKey } = (await ada.call("POST", "/api/keys", { name: "script", scopes: ["models"] })).body;
  const baseURL = `${box.web}/v1`;
  const listed = (await new OpenAI({ apiKey, baseURL }).models.list()).data.map((model) => model.id);
  const newest = (prefix) =>
    listed
      .filter((id) => id.startsWith(prefix))
      .sort()
      .at(-1);
  const models = { openai: "thinker", anthropic: newest("anthropic/claude-sonnet"), google: newest("google/gemini") };
  return { vendors, models, access: { apiKey, baseURL, root: box.web } };
};

test("a tool loop with reasoning, parallel calls and an image works with every client and every format", async (t) => {
  const { vendors, models, access } = await story(t);
  const rows = [];
  for (const [name, run] of Object.entries(clients)) {
    for (const stream of [false, true]) {
      const cells = [];
      for (const vendor of Object.keys(vendors)) {
        const answer = await run({ ...access, model: models[vendor], stream }).catch(
          (error) => `${error.message}: ${vendors[vendor].faults}`,
        );
        assert.equal(answer, ANSWER, `${name}, ${stream ? "streamed" : "whole"}, ${vendor}`);
        cells.push(vendors[vendor].take() ? "kept" : "left out");
      }
      rows.push(`| ${name} | ${stream ? "streamed" : "whole"} | ${cells.join(" | ")} |`);
    }
  }
  const table = ["| client | answers | OpenAI's format | Anthropic's format | Google's format |", "|---|---|---|---|---|", ...rows].join(
    "\n",
  );
  const page = readFileSync(PAGE, "utf8");
  const place = /(<!-- clients -->\n\n)[^]*?(\n\n<!-- \/clients -->)/;
  assert.match(page, place);
  if (process.env.AGENTBOX_WRITE_TABLES)
    writeFileSync(
      PAGE,
      page.replace(place, (_, before, after) => before + table + after),
    );
  else assert.equal(place.exec(page)[0], `<!-- clients -->\n\n${table}\n\n<!-- /clients -->`, "docs/models.md has what was found");
});

test("Gemini's call that Google cannot read is asked for again once, and then an error in Google's words", async (t) => {
  const { vendors, models, access } = await story(t);
  const broken = { candidates: [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "call:find" }] };
  vendors.google.first = [broken];
  assert.equal(await openai_chat({ ...access, model: models.google, stream: false }), ANSWER);
  assert.equal(vendors.google.asked.length, 4);
  const fails = async (stream, first) => {
    vendors.google.models = [];
    vendors.google.first = [...first];
    await assert.rejects(openai_chat({ ...access, model: models.google, stream }), /MALFORMED_FUNCTION_CALL: call:find/);
    const [once, again, ...others] = vendors.google.models;
    assert.deepEqual([models.google, others.length], [`google/${once}`, 1], "then another model is asked, and no more");
    assert.ok(once === again && once !== others[0], `it is repeated once: ${vendors.google.models}`);
  };
  await fails(false, [broken, broken, broken]);
  await fails(true, [broken, broken, broken]); // a server that answers a stream whole
  await fails(true, [[broken], [broken], [broken]]);
});
