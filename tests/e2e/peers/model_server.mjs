// A stand-in for an OpenAI-compatible server: strict about what it is asked, and answers what a test scripted.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

export const MODEL = "openai/gpt-4o-mini"; // the catalogue has a price for it

const is_object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const parses_to_object = (text) => {
  try {
    return is_object(JSON.parse(text));
  } catch {
    return false;
  }
};

// Claude's prompt cache: some messages to it are a list of one text with a mark. The messages with the bare text instead.
const without_marks = ({ model, messages }) => {
  const marked = messages.filter(({ content }) => Array.isArray(content));
  assert.ok(marked.length <= 4, "at most four messages are marked");
  assert.ok(marked.length === 0 || model.startsWith("anthropic/"), `${model} knows no marks`);
  return messages.map((message) => {
    if (!marked.includes(message)) return message;
    const [{ text }] = message.content;
    assert.deepEqual(message.content, [{ type: "text", text, cache_control: { type: "ephemeral" } }]);
    return { ...message, content: text };
  });
};

// Calls and results, as servers check them: each call of an answer is answered right after it, once and in order.
const check_messages = (messages) => {
  assert.ok(messages.length > 0, "there are messages");
  let open = [];
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}] (${message.role})`;
    assert.equal(typeof message.content, "string", `${where}.content is text`);
    if (message.role === "tool") {
      assert.equal(message.tool_call_id, open.shift(), `${where} answers the oldest open call`);
      continue;
    }
    assert.deepEqual(open, [], `${where} comes before every call has its result`);
    if (message.role === "system") assert.equal(at, 0, `${where} comes first`);
    else if (message.role === "user") assert.notEqual(messages[at - 1]?.role, "user", `${where} follows an answer`);
    else assert.equal(message.role, "assistant", `${where} has a known role`);
    if (message.role !== "assistant") continue;
    assert.ok(message.content !== "" || message.tool_calls?.length > 0, `${where} says or calls something`);
    for (const call of message.tool_calls ?? []) {
      assert.equal(call.type, "function");
      assert.ok(typeof call.id === "string" && call.id !== "", `${where} names its calls`);
      assert.ok(parses_to_object(call.function.arguments), `${where} has arguments that parse: ${call.function.arguments}`);
      open.push(call.id);
    }
    assert.equal(new Set(open).size, open.length, `${where} gives each call an id of its own`);
  }
  assert.deepEqual(open, [], "every call has its result");
  assert.notEqual(messages.at(-1).role, "assistant", "there is something to answer");
};

const check_tools = (tools) => {
  assert.ok(Array.isArray(tools) && tools.length > 0, "tools, when given, is a list");
  assert.equal(new Set(tools.map((tool) => tool.function.name)).size, tools.length, "tools have names of their own");
  for (const { type, function: tool } of tools) {
    assert.equal(type, "function");
    assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.ok(tool.description.length > 10, `${tool.name} is described`);
    const { type: schema_type, properties, required = [] } = tool.parameters;
    assert.equal(schema_type, "object");
    assert.ok(is_object(properties), `${tool.name} lists its properties`);
    for (const name of required) assert.ok(name in properties, `${tool.name} requires ${name}, which it describes`);
    for (const property of Object.values(properties)) assert.equal(typeof property.type, "string", `${tool.name} is typed`);
  }
};

let calls_made = 0;
const usage_of = ([prompt, completion]) => ({ prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion });
const completion = (message, finish_reason, tokens) => ({
  status: 200,
  body: JSON.stringify({
    id: `chatcmpl-${calls_made}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: MODEL,
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
    usage: usage_of(tokens),
  }),
});

// What a scripted answer can be. Arguments given as text go out as they are, broken or not.
export const say = (content, tokens = [10, 5]) => completion({ content }, "stop", tokens);
export const call = (...calls) => {
  const tool_calls = calls.map(([name, given = {}]) => ({
    id: `call_${++calls_made}`,
    type: "function",
    function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given) },
  }));
  return completion({ content: null, tool_calls }, "tool_calls", [20, 10]);
};
// A whole answer as the events of a stream: text in pieces of a few words, calls with their arguments in two.
export const streamed = ({ body, ...reply }) => {
  const {
    choices: [{ message, finish_reason }],
    usage,
    ...head
  } = JSON.parse(body);
  const chunk = (delta, finish = null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const pieces = (message.content ?? "").match(/[^]{1,40}/gu) ?? [];
  const calls = (message.tool_calls ?? []).flatMap((call, index) => {
    const { name, arguments: text } = call.function,
      half = text.length >> 1;
    return [
      { tool_calls: [{ index, id: call.id, type: "function", function: { name, arguments: text.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: text.slice(half) } }] },
    ];
  });
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...pieces.map((content) => chunk({ content })),
    ...calls.map((delta) => chunk(delta)),
    chunk({}, finish_reason),
    { ...head, choices: [], usage },
  ];
  const events = [...chunks.map((each) => JSON.stringify(each)), "[DONE]"].map((data) => `data: ${data}\n\n`);
  return { ...reply, headers: { "content-type": "text/event-stream" }, body: events.join("") };
};
export const fail = (status, message, headers = {}) => ({ status, headers, body: JSON.stringify({ error: { message } }) });
export const raw = (body) => ({ status: 200, body });
export const hang = () => ({ hangs: true });

export class ModelServer {
  lists = [MODEL]; // the models it says it has
  loaded = undefined; // the models that it has in memory with their sizes, as Ollama tells them
  knows_caller = true; // its messages and tools have the form of the box's own agents'
  asked = []; // the bodies of all completions, oldest first
  reported = []; // the usage of all completions that had one
  faults = []; // what was wrong with a request; there must be none at the end of the test
  script = [];
  hears = undefined; // its answer to sound
  heard = []; // the forms with the sound
  #hanging;
  #server = createServer((request, response) => void this.#answer(request, response));

  static async start(t) {
    const model = new ModelServer();
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    model.url = `http://127.0.0.1:${model.#server.address().port}/v1`;
    t.after(() => model.vanish());
    return model;
  }

  // Nobody listens on its port from now on.
  vanish() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  // What must hold at the end of a story.
  check() {
    assert.deepEqual(this.faults, [], "every request was well formed");
    assert.equal(this.script.length, 0, "every scripted answer was asked for");
  }

  // What it will answer next, in this order: answers, or functions of the request that make one.
  will(...answers) {
    this.script.push(...answers);
  }

  // The results of the tools whose calls the last request answered, parsed.
  get results() {
    const { messages } = this.asked.at(-1);
    const spoken = messages.findLastIndex((message) => message.role !== "tool");
    return messages.slice(spoken + 1).map((message) => JSON.parse(message.content));
  }

  async #answer(request, response) {
    let text = "";
    for await (const part of request) text += part;
    const { status, headers = {}, body, hangs } = this.#reply_to(request, text);
    if (hangs) this.#hanging = response;
    else response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  }

  // Answers the request that hangs.
  answer_hanging({ status, body }) {
    this.#hanging.writeHead(status, { "content-type": "application/json" }).end(body);
  }

  #reply_to(request, text) {
    const route = `${request.method} ${request.url}`;
    if (route === "GET /v1/models") return raw(JSON.stringify({ object: "list", data: this.lists.map((id) => ({ id, object: "model" })) }));
    if (route === "POST /v1/embeddings" && this.embeds) {
      const given = this.embeds(JSON.parse(text));
      return raw(typeof given === "string" ? given : JSON.stringify(given));
    }
    if (route === "POST /v1/audio/transcriptions" && this.hears) {
      this.heard.push({ type: request.headers["content-type"], body: text });
      return raw(JSON.stringify(this.hears));
    }
    if (route === "GET /api/ps" && this.loaded)
      return raw(JSON.stringify({ models: Object.entries(this.loaded).map(([model, size]) => ({ model, size })) }));
    if (["GET /api/ps", "GET /props", "GET /metrics"].includes(route)) return fail(404, "not found");
    try {
      assert.equal(route, "POST /v1/chat/completions");
      assert.equal(request.headers["content-type"], "application/json");
      const body = JSON.parse(text);
      this.asked.push(body);
      assert.ok(this.lists.includes(body.model), `${body.model} is one of its models`);
      assert.equal(typeof body.stream, "boolean");
      assert.ok(Number.isInteger(body.max_tokens) && body.max_tokens > 0, "an answer has a limit");
      if (body.stream) assert.deepEqual(body.stream_options, { include_usage: true });
      if (this.knows_caller) {
        assert.ok(Array.isArray(body.messages), "messages is a list");
        body.messages = without_marks(body);
        check_messages(body.messages);
      }
      if (this.knows_caller && body.tools !== undefined) check_tools(body.tools);
      const next = this.script.shift();
      assert.ok(next, `nothing is scripted for ${JSON.stringify(body.messages.at(-1))}`);
      const reply = typeof next === "function" ? next(body) : next;
      const { usage } = reply.status === 200 && parses_to_object(reply.body) ? JSON.parse(reply.body) : {};
      if (usage) this.reported.push(usage);
      return usage && body.stream ? streamed(reply) : reply;
    } catch (fault) {
      this.faults.push(fault.message);
      return fail(400, fault.message);
    }
  }
}
