// The agent's mind with a model that calls tools: an OpenAI-compatible server stands in for it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as create_listener } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { call, fail, hang, MODEL, ModelServer, raw, say } from "../peers/model_server.mjs";

// A box whose model is scripted, someone with a plan, and their running agent.
class Story {
  static async start(t, env = {}) {
    const story = new Story();
    story.model = await ModelServer.start(t);
    story.box = await Box.start(t, { LOCAL_MODEL_URL: story.model.url, ...env(story.model) });
    story.ada = await story.box.customer("ada@example.org");
    story.agent = await story.box.running_agent(story.ada);
    t.after(() => story.model.check()); // last: a hook that throws keeps those after it from cleaning up
    return story;
  }

  say(message) {
    return this.ada.call("POST", "/api/chat", { agentId: this.agent, message });
  }
  // What the agent answers to `message` when the model does as scripted.
  async hears(message, ...script) {
    this.model.will(...script);
    const answer = await this.say(message);
    assert.equal(answer.status, 200, `${JSON.stringify(answer.body)} ${this.model.faults}`);
    return answer.body;
  }
  async history() {
    return (await this.ada.call("GET", `/api/chat?agentId=${this.agent}`)).body.messages;
  }
  async record() {
    return (await this.ada.call("GET", `/api/agents/${this.agent}`)).body.agent;
  }
  async restart() {
    assert.equal((await this.ada.call("POST", `/api/instance/${this.agent}/restart`)).status, 200);
    await this.box.until_status(this.ada, this.agent, "running");
  }
  usage() {
    return this.box.backend_call("GET", `/api/usage/summary?userId=${this.ada.id}`);
  }
  file(path) {
    return join(this.box.folder, "agents", this.agent, "workspace", path);
  }
}
const story_of = (t, env = () => ({})) => Story.start(t, env);

const serve_page = async (t, html) => {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(html));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
};

test("the agent works with its tools: pages, files, git and memory, across a restart", async (t) => {
  const page = await serve_page(
    t,
    `<title>The lighthouse</title><h1>Keepers</h1>
    <p>The lighthouse of Fastnet was lit for the first time on the first day of 1854.</p>`,
  );
  const story = await story_of(t, () => ({ SUMMARIZER_ALLOW_PRIVATE: "true" }));
  const { model } = story;

  const summarized = await story.hears(`Summarize ${page}`, call(["summarize_page", { url: page }]), say("Lit in 1854."));
  assert.equal(summarized.message.content, "Lit in 1854.");
  assert.equal(summarized.model, MODEL);
  assert.deepEqual(summarized.usage, { prompt_tokens: 30, completion_tokens: 15, total_tokens: 45 }, "of both rounds");
  assert.equal(model.results[0].title, "The lighthouse");
  assert.match(model.results[0].paragraphs[0], /first day of 1854/);
  assert.match(model.asked[0].messages[0].content, /You are Scout/);

  await story.hears("Write it down", call(["write_file", { path: "notes/light.txt", content: "1854\nFastnet\n" }]), say("Done."));
  assert.equal(readFileSync(story.file("notes/light.txt"), "utf8"), "1854\nFastnet\n");
  await story.hears("What did you write?", call(["read_file", { path: "notes/light.txt" }]), say("1854, Fastnet."));
  assert.equal(model.results[0].content, "1\t1854\n2\tFastnet\n");

  await story.hears(
    "All at once",
    call(
      ["list_files", { path: "notes" }],
      ["remember", { text: "Ada likes lighthouses" }],
      ["write_file", { path: "b.txt", content: "b" }],
      ["read_file", { path: "b.txt" }],
    ),
    say("All done."),
  );
  const [listed, , , read] = model.results;
  assert.deepEqual(listed.entries, [{ path: "notes/light.txt", size: 13 }]);
  assert.equal(read.content, "1\tb\n", "the calls of one answer run in their order");

  await story.hears("What changed?", call(["git_log", { limit: 10 }]), say("Two turns."));
  const subjects = model.results[0].commits.map((commit) => commit.subject);
  assert.deepEqual(subjects.slice(0, 2), ["Turn: All at once", "Turn: Write it down"]);

  await story.restart();
  await story.hears("What do I like?", call(["recall", { query: "lighthouse" }]), say("Lighthouses."));
  assert.match(model.results[0].memories[0].text, /Ada likes lighthouses/);
  const { messages } = model.asked.at(-1);
  assert.match(messages[0].content, /You remember:[^]*Ada likes lighthouses/, "facts are there without asking");
  assert.ok(
    messages.some((message) => message.content === `Summarize ${page}`),
    "the conversation is there again",
  );
});

test("an agent answers by its config from its next start on, and by none once it is taken away", async (t) => {
  const story = await story_of(t);
  const { ada, model } = story;
  const asked_after = async (config) => {
    const put = await ada.call("PUT", `/api/agents/${story.agent}/config`, { config });
    assert.deepEqual([put.status, put.body.config], [200, config]);
    await story.restart();
    await story.hears("Who are you?", say("It is me."));
    return model.asked.at(-1);
  };
  const instructions = 'Speak like a pirate.\nNever name "the treasure". ⚓';
  const asked = await asked_after({
    systemPrompt: instructions,
    temperature: 0.25,
    topP: 0.5,
    maxTokens: 321,
    tools: ["recall", "read_file"],
  });
  assert.match(asked.messages[0].content, /You are Scout/);
  assert.ok(asked.messages[0].content.includes(instructions), asked.messages[0].content);
  assert.deepEqual([asked.temperature, asked.top_p, asked.max_tokens], [0.25, 0.5, 321]);
  assert.deepEqual(
    asked.tools.map((tool) => tool.function.name),
    ["read_file", "recall"],
  );
  await story.hears("Write it down", call(["write_file", { path: "a.txt", content: "a" }]), say("I may not."));
  assert.match(model.results[0].error, /no tool named 'write_file'. The tools are: read_file, recall/);
  assert.ok(!existsSync(story.file("a.txt")));

  assert.equal((await asked_after({ tools: [] })).tools, undefined, "it may use none");
  const plain = await asked_after({});
  assert.deepEqual([plain.temperature, plain.top_p, plain.tools.length > 10], [undefined, undefined, true]);
  assert.ok(!plain.messages[0].content.includes("pirate"));
});

test("invalid tool calls are reported to the model, so that it can correct them", async (t) => {
  const story = await story_of(t);
  await story.hears(
    "Write a note",
    call(
      ["write_file", '{"path": "a.txt", "content": "hal'],
      ["write_note", { text: "a" }],
      ["write_file", { path: "a.txt" }],
      ["write_file", { path: "../../a.txt", content: "a" }],
      ["read_file", "[]"],
      ["read_file", { path: "absent.txt" }],
    ),
    call(["write_file", { path: "a.txt", content: "whole" }]),
    say("Now it is there."),
  );

  const told = story.model.asked[1].messages.slice(-6).map((message) => JSON.parse(message.content).error);
  for (const [at, sentence] of [
    /not (valid|complete) JSON/,
    /no tool named 'write_note'.*write_file/,
    /content is required/,
    /\.\./,
    /JSON object/,
    /no such file/,
  ].entries())
    assert.match(told[at], sentence);
  assert.equal(readFileSync(story.file("a.txt"), "utf8"), "whole");
  assert.ok(!existsSync(join(story.box.folder, "agents", "a.txt")));

  await story.restart();
  await story.hears("Still there?", say("Yes.")); // the model's strict eye sees the broken call again, made whole
});

test("a model that never stops calling tools is stopped, and the next message is answered", async (t) => {
  const story = await story_of(t);
  assert.equal((await story.ada.call("PUT", `/api/agents/${story.agent}/config`, { config: { maxRounds: 12 } })).status, 200);
  await story.restart();
  // Each call has other arguments: the guard stops repetitions.
  let round = 0;
  const again = (request) => call([request.tools ? "find_files" : "search_files", { pattern: `*.${++round}` }]);
  story.model.will(...Array(12).fill(again));
  const answer = await story.say("Go round");
  assert.equal(answer.status, 502);
  assert.match(answer.body.error, /gave up: the model called tools 12 times/);
  assert.equal(story.model.asked.at(-1).tools, undefined, "the last time no tools were offered");
  assert.deepEqual(
    (await story.history()).filter(({ role }) => role === "user").map((message) => message.delivery),
    ["failed"],
  );
  assert.equal((await story.hears("And now?", say("Here I am."))).message.content, "Here I am.");
});

test("upstream errors reach the user as a sentence with the cause", async (t) => {
  const story = await story_of(t);
  const empty_choice = JSON.stringify({ choices: [{ message: { role: "assistant", content: "" } }] });
  const failures = [
    [fail(429, "slow down", { "retry-after": "7" }), /rate limited: slow down/],
    [fail(500, "out of memory"), /status 500: out of memory/],
    [fail(503, "loading the model"), /overloaded: loading the model/],
    [fail(401, "no such key"), /refused the configured key: no such key/],
    [fail(400, "no vision here"), /refused the request \(status 400\): no vision here/],
    [raw('{"choices": [{"mess'), /not a JSON object/],
    [raw('{"choices": []}'), /without choices/],
    [raw('{"error": {"message": "upstream is gone"}}'), /upstream is gone/],
    [raw(empty_choice), /empty answer/],
  ];
  for (const [reply, cause] of failures) {
    story.model.will(reply);
    const answer = await story.say("Are you well?");
    assert.equal(answer.status, 502, JSON.stringify(answer.body));
    assert.match(answer.body.error, cause);
    assert.match(answer.body.error, /^The agent did not answer: .*\.$/);
    const last = (await story.history()).at(-1);
    assert.deepEqual([last.delivery, last.error], ["failed", answer.body.error], "the history says the same");
  }
  assert.equal((await story.hears("And now?", say("I am well again."))).message.content, "I am well again.");
  const { day } = await story.usage();
  assert.equal(day.calls, failures.length + 1, "every call is metered");
  assert.equal(day.failed, failures.length - 1, "an empty answer is paid for like any other");
});

test("an exceeded limit is reported through the agent, too, whole and streamed", async (t) => {
  const story = await story_of(t),
    { box, ada, agent } = story;
  await ada.call("PUT", "/api/caps", { scope: "agent", target: agent, period: "day", tokens: 1 });
  const whole = await story.say("Hello?");
  assert.deepEqual([whole.status, whole.body.code], [429, "CAP_REACHED"], JSON.stringify(whole.body));
  assert.deepEqual([whole.body.limit, whole.headers.get("retry-after")], [1, String(whole.body.retryAfter)], "and when it ends");
  assert.ok(Math.abs(Date.parse(whole.body.resetsAt) - Date.now() - whole.body.retryAfter * 1000) < 10_000, JSON.stringify(whole.body));
  assert.equal((await story.history()).at(-1).error, whole.body.error, "the history says the same");
  const streamed = await fetch(`${box.web}/api/chat`, {
    method: "POST",
    headers: { cookie: ada.cookie, "content-type": "application/json" },
    body: JSON.stringify({ agentId: agent, message: "Hello?", stream: true }),
  });
  assert.match(await streamed.text(), /event: error\ndata: .*"status":429,"code":"CAP_REACHED".*"retryAfter":\d+/);
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { plan: "none" });
  const unpaid = await story.say("Hello?");
  assert.deepEqual([unpaid.status, unpaid.body.code], [402, "SUBSCRIPTION_REQUIRED"], JSON.stringify(unpaid.body));
});

test("a model that times out and a missing one are distinguished", async (t) => {
  const story = await story_of(t, () => ({ AI_MODEL_TIMEOUT_MS: "1000", LOCAL_MODEL: MODEL }));
  story.model.will(hang());
  const late = await story.say("Hello?");
  assert.deepEqual([late.status, late.body.error], [504, "The agent did not answer: The model provider 'local' did not answer in time."]);
  story.model.vanish();
  await until(
    "the provider may be asked again",
    async () => (await story.box.backend_call("GET", "/api/ai/health")).circuits.local === "half_open",
  );
  const absent = await story.say("Is anybody there?");
  assert.equal(absent.status, 502);
  assert.match(absent.body.error, /'local' cannot be reached: .*connection refused\.$/);
  assert.deepEqual(
    (await story.history()).map((message) => message.delivery),
    ["failed", "failed"],
  );
});

test("the ledger has the usage that the model reported, and its exact cost", async (t) => {
  const router = (model) => ({
    LOCAL_MODEL_URL: undefined,
    OPENROUTER_BASE_URL: model.url,
    OPENROUTER_API_KEY: "sk-or-story",
    OPENROUTER_MODEL: MODEL,
  });
  const story = await story_of(t, router);
  const config = { maxTokensPerMinute: 10_000_000 }; // the guard takes a million of tokens in a second for a loop
  assert.equal((await story.ada.call("PUT", `/api/agents/${story.agent}/config`, { config })).status, 200);
  await story.restart();
  const spent = [
    [123_457, 89],
    [1, 1],
    [999_999, 100_003],
    [7, 13],
  ];
  for (const tokens of spent) await story.hears("Count", say("Counted.", tokens));
  await story.hears("Count with a tool", call(["git_status"]), say("Clean.", [1_000, 2]));
  const sum = (name) => story.model.reported.reduce((total, usage) => total + usage[name], 0);
  const input = sum("prompt_tokens"),
    output = sum("completion_tokens");

  const { day, month, currency } = await story.usage();
  for (const period of [day, month]) {
    assert.deepEqual([period.calls, period.failed], [6, 0]);
    assert.deepEqual([period.inputTokens, period.outputTokens, period.totalTokens], [input, output, input + output]);
    // $0.15 and $0.60 for a million tokens: 15 and 60 hundred-millionths of a dollar for each token.
    const cost = String(BigInt(input) * 15n + BigInt(output) * 60n).padStart(9, "0");
    assert.equal(period.cost, `${cost.slice(0, -8)}.${cost.slice(-8).replace(/0{1,6}$/, "")}`);
  }
  assert.equal(currency, "USD");
});

test("a user who leaves while the agent works finds the answer later", async (t) => {
  const story = await story_of(t);
  story.model.will(hang());
  const leaving = new AbortController();
  const asking = fetch(`${story.box.web}/api/chat`, {
    method: "POST",
    signal: leaving.signal,
    headers: { cookie: story.ada.cookie, "content-type": "application/json" },
    body: JSON.stringify({ agentId: story.agent, message: "Take your time" }),
  });
  await until("the model asked", () => story.model.asked.length === 1);
  leaving.abort();
  await assert.rejects(asking);
  assert.deepEqual(
    (await story.history()).map((message) => message.delivery),
    ["sent"],
  );
  story.model.answer_hanging(say("Here it is."));
  const [question, answer] = await until("the answer", async () => {
    const messages = await story.history();
    return messages.length === 2 && messages;
  });
  assert.deepEqual([question.delivery, answer.content], ["answered", "Here it is."]);
});

test("a message that was cut off with the box has failed, and says so", async (t) => {
  const story = await story_of(t);
  story.model.will(hang());
  const asking = story.say("Take your time").catch(() => undefined);
  await until("the model asked", () => story.model.asked.length === 1);
  await story.box.end("SIGKILL");
  await asking;
  await story.box.serve();
  const [question] = await story.history();
  assert.deepEqual([question.delivery, question.error], ["failed", "The box was interrupted before the agent answered."]);
  assert.equal((await story.hears("Once more", say("Now."))).message.content, "Now.", "the agent goes on");
});

test("agents of a box that comes back on another port find it", async (t) => {
  const story = await story_of(t);
  await story.hears("Before", say("Before."));
  const old = new URL(story.box.backend);
  const before = await story.record();
  await story.box.end("SIGTERM");
  const squatter = create_listener().listen(Number(old.port), old.hostname);
  await once(squatter, "listening");
  t.after(() => squatter.close());
  story.box.env = { ...story.box.env, BACKEND_LISTEN: "127.0.0.1:0" };
  await story.box.serve();
  assert.notEqual(story.box.backend, old.origin);
  await until("the agent started anew", async () => {
    const agent = await story.record();
    return agent.status === "running" && agent.updatedAt !== before.updatedAt;
  });
  assert.equal((await story.hears("After", say("After."))).message.content, "After.");
});
