// Answers as they are made: token by token from the model through the agent and the box to the client, with the agent's
// steps in between, and stopped on demand.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const { OpenAI } = package_named("openai");

// A model that says what the story makes it say, when the story makes it say it.
class SlowModel {
  asked = []; // bodies, oldest first
  gone = 0; // requests whose client has disconnected before the end
  #response;
  #server = createServer((request, response) => void this.#answer(request, response));

  static async start(t) {
    const model = new SlowModel();
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    model.url = `http://127.0.0.1:${model.#server.address().port}/v1`;
    t.after(() => {
      model.#server.closeAllConnections();
      model.#server.close();
    });
    return model;
  }

  async #answer(request, response) {
    let text = "";
    for await (const part of request) text += part;
    if (request.method === "GET") {
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify({ object: "list", data: [{ id: "tortoise", object: "model" }] }));
    }
    this.asked.push(JSON.parse(text));
    assert.ok(this.asked.at(-1).stream, "the agent asks for a stream");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    response.on("close", () => (this.gone += response.writableEnded ? 0 : 1));
    this.#response = response;
  }

  #chunk(delta, finish_reason = null) {
    const chunk = { id: "c", object: "chat.completion.chunk", model: "tortoise", choices: [{ index: 0, delta, finish_reason }] };
    this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  says(content) {
    this.#chunk({ content });
  }
  calls(id, name, args) {
    this.#chunk({ tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
    this.ends("tool_calls");
  }
  ends(reason = "stop") {
    this.#chunk({}, reason);
    this.#response.end("data: [DONE]\n\n");
  }
  asked_times(count) {
    return until(`question ${count} at the model`, () => this.asked.length === count);
  }
}

// Reads a stream of the box event by event.
class Reader {
  events = [];
  #abort = new AbortController();

  static of(box, ada, body) {
    return Reader.#open(`${box.web}/api/chat`, {
      method: "POST",
      headers: { cookie: ada.cookie, "content-type": "application/json" },
      body: JSON.stringify({ ...body, stream: true }),
    });
  }
  // Of an answer that another stream began.
  static following(box, ada, query) {
    return Reader.#open(`${box.web}/api/chat/stream?${new URLSearchParams(query)}`, { headers: { cookie: ada.cookie } });
  }
  static async #open(url, request) {
    const reader = new Reader();
    const response = await fetch(url, { ...request, signal: reader.#abort.signal });
    assert.equal(response.status, 200, `${response.status}`);
    reader.done = reader.#read(response.body).catch((cause) => cause.name);
    return reader;
  }
  async #read(body) {
    let text = "";
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
        const [, event] = /^event: (.*)$/m.exec(text.slice(0, end)) ?? [],
          [, data] = /^data: (.*)$/m.exec(text.slice(0, end)) ?? [];
        if (data) this.events.push({ event, ...JSON.parse(data) });
      }
    }
  }
  text() {
    return this.events
      .filter(({ event }) => event === "delta")
      .map(({ content }) => content)
      .join("");
  }
  named(name) {
    return this.events.find(({ event }) => event === name);
  }
  close() {
    this.#abort.abort();
    return this.done;
  }
}

const story_of = async (t) => {
  const model = await SlowModel.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const ask = (message) => Reader.of(box, ada, { agentId: agent, message });
  const history = async () => (await ada.call("GET", `/api/chat?agentId=${agent}`)).body.messages;
  const stop = () => ada.call("POST", "/api/chat/stop", { agentId: agent });
  return { box, model, ada, agent, ask, history, stop };
};

test("an answer arrives while the model still writes it, with the agent's steps", async (t) => {
  const { model, ask, history } = await story_of(t);
  const reader = await ask("Write a poem");
  await model.asked_times(1);
  model.says("Let me see. ");
  await until("the first words", () => reader.text() === "Let me see. ");
  model.calls("call_1", "write_file", { path: "poem.txt", content: "Roses" });
  const called = await until("the call", () => reader.named("tool_call"));
  assert.deepEqual(
    [called.id, called.name, JSON.parse(called.arguments)],
    ["call_1", "write_file", { path: "poem.txt", content: "Roses" }],
  );
  const result = await until("its result", () => reader.named("tool_result"));
  assert.deepEqual([result.id, result.name, result.failed], ["call_1", "write_file", false]);
  assert.ok(Number.isInteger(result.durationMs) && result.durationMs >= 0, JSON.stringify(result));
  assert.equal(JSON.parse(result.result).path, "poem.txt");
  await model.asked_times(2);
  for (const word of ["Roses ", "are ", "red."]) {
    model.says(word);
    await until(`the word ${word}`, () => reader.text().endsWith(word));
  }
  model.ends();
  await reader.done;
  const done = reader.named("done");
  assert.equal(done.message.content, "Let me see. \n\nRoses are red.", "all that was said, and no more");
  assert.equal(reader.text(), done.message.content);
  assert.equal(done.model, "tortoise");
  const [question, answer] = await history();
  assert.deepEqual([question.delivery, answer.content, answer.model, answer.stopped], ["answered", done.message.content, "tortoise", null]);
});

test("an answer that is stopped keeps what has arrived, and the agent goes on", async (t) => {
  const { model, ask, history, stop } = await story_of(t);
  const reader = await ask("Count to a million");
  await model.asked_times(1);
  model.says("One, two");
  await until("the first words", () => reader.text() === "One, two");
  assert.deepEqual((await stop()).body, { success: true, stopped: 1 });
  await reader.done;
  assert.equal(reader.named("done").message.stopped, true);
  await until("the model is left alone", () => model.gone === 1);
  const [question, answer] = await history();
  assert.deepEqual([question.delivery, answer.content, answer.stopped], ["answered", "One, two", true]);

  assert.deepEqual((await stop()).body, { success: true, stopped: 0 }, "nothing is left to stop");
  const next = await ask("And now?");
  await model.asked_times(2);
  const said = model.asked[1].messages.map(({ content }) => content);
  assert.match(said.at(-2), /^One, two\n\n\(Broken off: The turn was stopped\.\)$/, "the agent knows how far it came");
  model.says("Three.");
  model.ends();
  await next.done;
  assert.equal(next.named("done").message.content, "Three.");
});

test("an answer that a stop of the box cuts off keeps what has arrived, and says so", async (t) => {
  const { box, model, ask, history } = await story_of(t);
  const reader = await ask("Count to a million");
  await model.asked_times(1);
  model.says("One, two");
  await until("the first words", () => reader.text() === "One, two");
  assert.equal(await box.end("SIGTERM"), 0);
  await reader.done;
  await box.serve();
  const [question, answer] = await history();
  assert.deepEqual(
    [question.delivery, answer.content, answer.stopped, answer.error],
    ["answered", "One, two", true, "The box was stopped while the agent answered."],
  );
});

test("an answer that is kept goes on without its stream, and is followed from its beginning by whoever joins", async (t) => {
  const { box, ada, agent, model, history } = await story_of(t);
  const reader = await Reader.of(box, ada, { agentId: agent, message: "Write a poem", keep: true });
  await model.asked_times(1);
  const { id: messageId } = await until("the question", () => reader.named("question"));
  model.says("Roses ");
  await until("the first word", () => reader.text() === "Roses ");
  await reader.close();
  model.calls("call_1", "write_file", { path: "poem.txt", content: "Roses" });
  await model.asked_times(2);
  model.says("are ");

  const query = { agentId: agent, messageId };
  const first = await Reader.following(box, ada, query);
  await until("what had been said", () => first.text().endsWith("are "));
  assert.ok(first.text().startsWith("Roses "));
  const second = await Reader.following(box, ada, query);
  await until("the same", () => second.text() === first.text());
  await second.close();
  model.says("red.");
  await until("the next word", () => first.text().endsWith("red."));
  model.ends();
  await first.done;
  assert.deepEqual(
    first.events.map(({ event }) => event).filter((event, at, all) => event !== all[at - 1]),
    ["delta", "tool_call", "tool_result", "delta", "end"],
  );
  const [question, answer] = await history();
  assert.deepEqual([question.delivery, answer.content, answer.stopped ?? null], ["answered", first.text(), null]);
  assert.deepEqual(
    answer.steps.map(({ name, failed }) => [name, failed]),
    [["write_file", false]],
    "the steps stay with the answer",
  );
  const late = await Reader.following(box, ada, query);
  await late.done;
  assert.deepEqual(
    late.events.map(({ event }) => event),
    ["end"],
  );
  const eve = await box.customer("eve@example.org");
  const refused = await eve.call("GET", `/api/chat/stream?${new URLSearchParams(query)}`);
  assert.equal(refused.status, 404);

  const all = (await ada.call("GET", "/api/conversations")).body.conversations;
  assert.deepEqual([all[0].agentId, all[0].conversation.title, all[0].text], [agent, "Write a poem", first.text()]);
  assert.equal((await ada.call("GET", "/api/conversations?q=ROSES")).body.count, 1);
  assert.equal((await ada.call("GET", "/api/conversations?q=violets")).body.count, 0);
  assert.equal((await eve.call("GET", "/api/conversations")).body.count, 0);
});

test("closing the stream stops the answer", async (t) => {
  const { model, ask, history } = await story_of(t);
  const reader = await ask("Count to a million");
  await model.asked_times(1);
  model.says("One, two");
  await until("the first words", () => reader.text() === "One, two");
  assert.equal(await reader.close(), "AbortError");
  await until("the model is left alone", () => model.gone === 1);
  const messages = await until("the answer", async () => {
    const found = await history();
    return found.length === 2 && found;
  });
  assert.deepEqual([messages[1].content, messages[1].stopped], ["One, two", true]);
});

test("an answer that is stopped before its first word has failed, also for one who does not stream", async (t) => {
  const { model, ada, agent, history, stop } = await story_of(t);
  const asking = ada.call("POST", "/api/chat", { agentId: agent, message: "Hello?" });
  await model.asked_times(1);
  assert.equal((await stop()).body.stopped, 1);
  const refused = await asking;
  assert.deepEqual([refused.status, refused.body.error], [409, "The answer was stopped before it began."]);
  assert.deepEqual(
    (await history()).map(({ delivery, error }) => [delivery, error]),
    [["failed", refused.body.error]],
  );
});

test("only the owner stops an agent's answers", async (t) => {
  const { box, agent } = await story_of(t);
  const eve = await box.customer("eve@example.org");
  const refused = await eve.call("POST", "/api/chat/stop", { agentId: agent });
  const missing = await eve.call("POST", "/api/chat/stop", { agentId: "ag_nobody" });
  assert.deepEqual([refused.status, refused.body], [404, missing.body]);
  assert.equal((await eve.call("POST", "/api/chat/stop", {})).status, 400);
  assert.equal((await box.person().call("POST", "/api/chat/stop", { agentId: agent })).status, 401);
});

test("OpenAI's client reads an agent's stream, steps and all", async (t) => {
  const { box, model, agent } = await story_of(t);
  const { listen, gateway_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json"), "utf8"));
  const client = new OpenAI({ apiKey: gateway_token, baseURL: `http://${listen}/v1`, maxRetries: 0 });
  const stream = await client.chat.completions.create({ model: "agent", stream: true, messages: [{ role: "user", content: "Hello" }] });
  await model.asked_times(1);
  model.calls("call_1", "git_status", {});
  await model.asked_times(2);
  model.says("All ");
  model.says("clean.");
  model.ends();
  let text = "",
    finish;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    finish = chunk.choices[0]?.finish_reason ?? finish;
  }
  assert.deepEqual([text, finish], ["All clean.", "stop"]);
});
