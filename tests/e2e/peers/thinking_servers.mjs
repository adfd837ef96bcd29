// Stand-ins for three vendors whose models think and call tools: a server of OpenAI's form as DeepSeek's is, Anthropic
// and Google. Each enforces its vendor's rules about reasoning, ids, blank texts and schemas, and plays the same three
// steps: two calls at once, one more call, then the answer. `faults` is empty if every request was well formed; `kept`
// says of each later request whether the reasoning came back.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

export const THOUGHTS = ["Two places, so two calls.", "One is missing."];
export const PLACES = ["Fastnet", "Bishop Rock", "Skerryvore"];
export const ANSWER = "All three are lit.";
const ID = /^[A-Za-z0-9_-]{1,64}$/;
const calls_of = (step) => (step === 0 ? PLACES.slice(0, 2) : PLACES.slice(2));
const signature_of = (step) => Buffer.from(`signed ${THOUGHTS[step]}`).toString("base64");

const check_schema = (schema, name) => {
  assert.equal(schema.type, "object", `${name} takes an object`);
  assert.ok(schema.properties, `${name} has properties`);
};
const check_calls = (made, step, ids) => {
  assert.deepEqual(
    made.map(({ args }) => args),
    calls_of(step).map((name) => ({ name })),
    "calls stay apart",
  );
  for (const { id } of made.filter((call) => call.id !== undefined)) {
    assert.match(id, ID);
    assert.ok(!ids.has(id), `the id ${id} is used once`);
    ids.add(id);
  }
};

// Each vendor: the path of its API, the step that a request has come to, and the answer to that. `check` throws for what
// the vendor refuses, and returns whether all reasoning came back.
const openai = {
  path: "/v1",
  check({ messages, tools, stream_options, stream }) {
    if (stream) assert.deepEqual(stream_options, { include_usage: true });
    for (const { function: tool } of tools) check_schema(tool.parameters, tool.name);
    assert.ok(JSON.stringify(messages).includes("data:image/png;base64,"), "the image is there");
    const ids = new Set(),
      steps = messages.filter((message) => message.tool_calls);
    for (const [step, message] of steps.entries()) {
      check_calls(
        message.tool_calls.map((call) => ({ id: call.id, args: JSON.parse(call.function.arguments) })),
        step,
        ids,
      );
      const at = messages.indexOf(message);
      const results = messages.slice(at + 1, at + 1 + message.tool_calls.length);
      assert.deepEqual(
        results.map((result) => result.tool_call_id),
        message.tool_calls.map((call) => call.id),
      );
    }
    return { step: steps.length, kept: steps.every((message, step) => message.reasoning_content === THOUGHTS[step]) };
  },
  answer({ stream, model }, step) {
    const head = { id: "c1", object: stream ? "chat.completion.chunk" : "chat.completion", created: 1, model };
    const usage = { prompt_tokens: 30, completion_tokens: 9, total_tokens: 39 };
    const tool_calls = calls_of(step).map((name, index) => ({
      index,
      id: `call_${index}`, // as some servers do: the same ids in each step
      type: "function",
      function: { name: "find_place", arguments: JSON.stringify({ name }) },
    }));
    const message =
      step < 2
        ? { role: "assistant", content: null, reasoning_content: THOUGHTS[step], tool_calls }
        : { role: "assistant", content: ANSWER };
    const finish_reason = step < 2 ? "tool_calls" : "stop";
    if (!stream) return { ...head, choices: [{ index: 0, message, finish_reason }], usage };
    const deltas =
      step < 2
        ? [
            ...THOUGHTS[step].split(/(?<= )/).map((reasoning_content) => ({ reasoning_content })),
            ...tool_calls.map((call) => ({ tool_calls: [{ ...call, index: 0 }] })), // Ollama's way
          ]
        : ANSWER.split(/(?<= )/).map((content) => ({ content }));
    return [
      ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
      { ...head, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...head, choices: [], usage },
      "[DONE]",
    ];
  },
};

const anthropic = {
  path: "/v1",
  check({ messages, tools, thinking, temperature, top_p, max_tokens }) {
    assert.ok(temperature === undefined || top_p === undefined, "temperature and top_p exclude each other");
    if (thinking?.type === "enabled") assert.ok(thinking.budget_tokens >= 1024 && thinking.budget_tokens < max_tokens, "the budget fits");
    for (const tool of tools) check_schema(tool.input_schema, tool.name);
    const ids = new Set();
    let step = 0,
      kept = true;
    for (const [at, { role, content }] of messages.entries()) {
      assert.equal(role, at % 2 === 0 ? "user" : "assistant", "turns alternate");
      assert.ok(content.length > 0, "a message has blocks");
      for (const block of content) assert.ok(block.type !== "text" || block.text.trim() !== "", "no text is blank");
      if (at === 0)
        assert.ok(
          content.some((block) => block.type === "image"),
          "the image is there",
        );
      const uses = content.filter((block) => block.type === "tool_use");
      if (uses.length === 0) continue;
      check_calls(
        uses.map(({ id, input }) => ({ id, args: input })),
        step,
        ids,
      );
      assert.deepEqual(
        messages[at + 1].content.filter((block) => block.type === "tool_result").map((block) => block.tool_use_id),
        uses.map((block) => block.id),
        "each call has its result",
      );
      const thought = content.find((block) => block.type === "thinking");
      if (thought) assert.deepEqual([thought.thinking, thought.signature], [THOUGHTS[step], signature_of(step)], "thinking is unchanged");
      if (thinking?.type === "enabled") assert.equal(content[0].type, "thinking", "Expected `thinking`, but found `tool_use`");
      kept = kept && thought !== undefined;
      ++step;
    }
    return { step, kept };
  },
  answer({ stream, model }, step) {
    const head = { id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null };
    const usage = { input_tokens: 30, output_tokens: 9 };
    const stop_reason = step < 2 ? "tool_use" : "end_turn";
    const blocks =
      step < 2
        ? [
            { type: "thinking", thinking: THOUGHTS[step], signature: signature_of(step) },
            ...calls_of(step).map((name, index) => ({
              type: "tool_use",
              id: `toolu_${step}${index}`,
              name: "find_place",
              input: { name },
            })),
          ]
        : [{ type: "text", text: ANSWER }];
    if (!stream) return { ...head, content: blocks, stop_reason, usage };
    const deltas = ({ type, thinking, signature, text, input }) =>
      type === "thinking"
        ? [
            ...thinking.split(/(?<= )/).map((piece) => ({ type: "thinking_delta", thinking: piece })),
            { type: "signature_delta", signature },
          ]
        : type === "text"
          ? [{ type: "text_delta", text }]
          : [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
    const begun = ({ type, id, name }) =>
      type === "thinking" ? { type, thinking: "", signature: "" } : type === "text" ? { type, text: "" } : { type, id, name, input: {} };
    return [
      { type: "message_start", message: { ...head, content: [], stop_reason: null, usage } },
      ...blocks.flatMap((block, index) => [
        { type: "content_block_start", index, content_block: begun(block) },
        ...deltas(block).map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ];
  },
};

const google = {
  path: "/v1beta",
  check({ contents, tools }, url) {
    for (const tool of tools[0].functionDeclarations) check_schema(tool.parametersJsonSchema, tool.name);
    const checks_signatures = !/gemini-[12]/.test(url);
    let step = 0,
      kept = true;
    for (const [at, { role, parts }] of contents.entries()) {
      assert.equal(role, at % 2 === 0 ? "user" : "model", "turns alternate");
      assert.ok(parts.length > 0, "a turn has parts");
      if (at === 0)
        assert.ok(
          parts.some((part) => part.inlineData),
          "the image is there",
        );
      const calls = parts.filter((part) => part.functionCall);
      if (calls.length === 0) continue;
      check_calls(
        calls.map(({ functionCall }) => ({ args: functionCall.args })),
        step,
        new Set(),
      );
      assert.equal(contents[at + 1].parts.filter((part) => part.functionResponse).length, calls.length, "each call has its result");
      const { thoughtSignature: signature } = calls[0];
      const is_genuine = signature === signature_of(step);
      if (signature) assert.ok(is_genuine || signature === "skip_thought_signature_validator", "the signature is one of ours");
      if (checks_signatures) assert.ok(signature, "Function call is missing a thought_signature");
      kept = kept && is_genuine;
      ++step;
    }
    return { step, kept };
  },
  answer(_, step, url) {
    const answer = (parts, finish) => ({
      candidates: [{ content: { role: "model", parts }, index: 0, ...finish }],
      usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 9, totalTokenCount: 39 },
      modelVersion: "gemini",
      responseId: "r1",
    });
    const parts =
      step < 2
        ? [
            { text: THOUGHTS[step], thought: true },
            ...calls_of(step).map((name, index) => ({
              functionCall: { name: "find_place", args: { name } },
              ...(index === 0 && { thoughtSignature: signature_of(step) }),
            })),
          ]
        : [{ text: ANSWER }];
    if (!url.includes("alt=sse")) return answer(parts, { finishReason: "STOP" });
    return parts.map((part, at) => answer([part], at === parts.length - 1 && { finishReason: "STOP" }));
  },
};

export class ThinkingServer {
  static vendors = { openai, anthropic, google };
  asked = [];
  faults = [];
  kept = [];
  first = []; // what is answered before that: bodies, or arrays of a stream's events
  models = []; // the models of the requests, of Google's

  static async start(t, vendor, models = []) {
    const made = new ThinkingServer();
    const { path, check, answer } = ThinkingServer.vendors[vendor];
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const part of request) text += part;
      const reply = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      if (request.method === "GET") return reply(200, { object: "list", data: models.map((id) => ({ id, object: "model" })) });
      const body = JSON.parse(text);
      made.asked.push(body);
      try {
        const { step, kept } = check(body, request.url);
        made.models.push(/models\/([^:]+):/.exec(request.url)?.[1]);
        const is_first = made.first.length > 0;
        if (!is_first && step > 0) made.kept.push(kept);
        const given = is_first ? made.first.shift() : answer(body, step, request.url);
        if (!Array.isArray(given)) return reply(200, given);
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(given.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""));
      } catch (fault) {
        made.faults.push(fault.message);
        reply(400, { error: { message: fault.message } });
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    made.url = `http://127.0.0.1:${server.address().port}${path}`;
    return made;
  }

  // What has been seen since the last time: whether all reasoning came back.
  take() {
    const { faults, kept } = this;
    [this.faults, this.kept] = [[], []];
    assert.deepEqual(faults, []);
    assert.equal(kept.length, 2, "there were three steps");
    return kept.every(Boolean);
  }
}
