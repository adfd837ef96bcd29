// Turns of an agent: the guard that stops those that run in circles, long results kept in files, titles, and the model of a conversation.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { call, MODEL, ModelServer, say } from "../peers/model_server.mjs";

const story_of = async (t, { env = {}, config } = {}) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, ...env });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  if (config) {
    assert.equal((await ada.call("PUT", `/api/agents/${agent}/config`, { config })).status, 200);
    assert.equal((await ada.call("POST", `/api/instance/${agent}/restart`)).status, 200);
    await box.until_status(ada, agent, "running");
  }
  const ask = async (message, more = {}) => {
    const { status, body } = await ada.call("POST", "/api/chat", { agentId: agent, message, ...more });
    assert.equal(status, 200, `${JSON.stringify(body)} ${model.faults}`);
    return body.message;
  };
  const history = async () => (await ada.call("GET", `/api/chat?agentId=${agent}`)).body.messages;
  const conversations = async () => (await ada.call("GET", `/api/agents/${agent}/conversations`)).body.conversations;
  return { model, box, ada, agent, ask, history, conversations };
};
const REASONER = "openai/gpt-5.4-mini"; // takes an effort
const times = (number, answer) => Array.from({ length: number }, (_, i) => answer(i));

test("the guard stops a turn that repeats a call, and the owner may allow it", async (t) => {
  const { model, ask, history } = await story_of(t);
  model.will(...times(5, () => call(["list_files"])));
  const stopped = await ask("List my files.");
  assert.equal(stopped.guard, "same_calls");
  assert.match(stopped.content, /^\(Stopped: I called list_files 5 times with the same arguments\. Tell me to go on/);
  assert.ok(!stopped.stopped, "the answer itself is whole");
  assert.equal((await history()).at(-1).guard, "same_calls");

  model.will(...times(7, () => call(["list_files"])), say("Still none."));
  assert.equal((await ask("Go on.", { allow: true })).content, "Still none.");
  const { messages } = model.asked.at(-1);
  assert.ok(messages.some(({ role, content }) => role === "assistant" && content.startsWith("(Stopped: ")));

  // A call between edits is not a circle.
  model.will(...times(6, (i) => call(["write_file", { path: `${i}.txt`, content: "x" }], ["git_status"])), say("All written."));
  assert.equal((await ask("Write six files.")).content, "All written.");
  model.check();
});

test("the guard stops a turn without progress, and one that spends too fast", async (t) => {
  const { model, ask } = await story_of(t, { config: { maxTokensPerMinute: 2_000 } });
  model.will(...times(20, (i) => call(["read_file", { path: `missing-${i}.txt` }])));
  const idle = await ask("Read it.");
  assert.equal(idle.guard, "no_progress");
  assert.match(idle.content, /I made no progress in 20 rounds/);

  const spend = (request) => {
    const answer = JSON.parse(call(["list_files"]).body);
    answer.usage = { prompt_tokens: 5_000, completion_tokens: 10, total_tokens: 5_010 };
    assert.ok(request.tools.length > 0);
    return { status: 200, body: JSON.stringify(answer) };
  };
  model.will(spend);
  const fast = await ask("And now?");
  assert.equal(fast.guard, "spend_rate");
  assert.match(fast.content, /the limit is 2000/);
  model.check();
});

test("a turn that the guard stops where no owner reads it becomes a notice", async (t) => {
  const { model, ada, agent, history } = await story_of(t);
  model.lists = [MODEL, REASONER];
  const made = await ada.call("POST", "/api/scheduled-tasks", {
    name: "Check",
    agentId: agent,
    cronSchedule: "0 0 1 1 *",
    prompt: "Check the files",
    model: REASONER,
    reasoningEffort: "low",
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.deepEqual([made.body.model, made.body.reasoningEffort], [REASONER, "low"]);
  model.will(...times(5, () => call(["list_files"])));
  assert.equal((await ada.call("POST", `/api/scheduled-tasks/${made.body.id}/run`)).status, 202);
  const notice = await until("the notice", async () => (await history()).find(({ content }) => content.startsWith("I have stopped")));
  assert.match(notice.content, /^I have stopped working on "Check the files" \(schedule\): I called list_files 5 times/);
  assert.deepEqual([model.asked[0].model, model.asked[0].reasoning_effort], [REASONER, "low"]);
  assert.match(model.asked[0].messages[0].content, /This conversation's channel: schedule\./);
  for (const [field, value] of [
    ["model", "no/such-model"],
    ["reasoningEffort", "much"],
  ]) {
    const wrong = await ada.call("PUT", "/api/scheduled-tasks", { taskId: made.body.id, [field]: value });
    assert.deepEqual([wrong.status, wrong.body.error.startsWith(field)], [400, true], JSON.stringify(wrong.body));
  }
  model.check();
});

test("long results are kept in files, and the conversation has their ends", async (t) => {
  const { model, ada, agent, ask } = await story_of(t);
  const lines = times(600, (i) => `line ${i}: the herons of the harbour are counted every morning before the ferries leave`);
  const { status } = await ada.call("POST", `/api/agents/${agent}/files/write`, { path: "birds/log.txt", content: lines.join("\n") });
  assert.equal(status, 200);
  let file;
  model.will(
    call(["search_files", { text: "herons", limit: 200 }]),
    (request) => {
      const [kept] = [JSON.parse(request.messages.at(-1).content)];
      assert.match(kept.file, /^\.results\/0001-search_files\.txt$/);
      assert.match(kept.begin, /line 0:/);
      assert.doesNotMatch(JSON.stringify(kept), /line 100:/);
      assert.ok(request.messages.at(-1).content.length < 8_000);
      ({ file } = kept);
      return call(["search_files", { text: "line 100:", path: ".results" }], ["read_file", { path: file, from_line: 90, lines: 20 }]);
    },
    (request) => {
      assert.match(request.messages.at(-1).content, /line 100:/);
      return say("Counted.");
    },
  );
  assert.equal((await ask("How often are herons mentioned?")).content, "Counted.");
  const { body } = await ada.call("GET", `/api/agents/${agent}/git/status`);
  assert.doesNotMatch(JSON.stringify(body ?? {}), /\.results/, "they are not in git");
  model.check();
});

test("the model titles a conversation after its first answer, unless its owner has named it", async (t) => {
  const { model, ada, agent, ask, conversations } = await story_of(t, {
    env: { CONVERSATION_TITLES: "true" },
    config: { helperModel: REASONER },
  });
  model.lists = [MODEL, REASONER];
  model.will(say("At six."), (request) => {
    assert.equal(request.model, REASONER);
    assert.equal(request.tools, undefined);
    assert.match(request.messages[1].content, /^User: When does the harbour open\?\n\nAgent: At six\.$/);
    return say('"Opening hours of the harbour."');
  });
  await ask("When does the harbour open?");
  await until("the title", async () => (await conversations())[0].title === "Opening hours of the harbour");
  model.will(say("At eleven."));
  await ask("And when does it close?");
  model.check();

  const made = await ada.call("POST", `/api/agents/${agent}/conversations`, { title: "Mine" });
  model.will(say("Hello."));
  await ask("Hello?", { conversationId: made.body.conversation.id });
  assert.equal((await conversations())[0].title, "Mine");
  model.check();

  // The owner turns it off.
  assert.equal((await ada.call("PATCH", `/api/agents/${agent}`, { config: { titles: false } })).status, 200);
  await ada.call("POST", `/api/agents/${agent}/conversations`, {});
  model.will(say("At noon."));
  await ask("When is lunch?");
  assert.equal((await conversations())[0].title, "When is lunch?");
  model.check();
});

test("reading calls of one answer run side by side, and their results keep their order", async (t) => {
  const { model, ask } = await story_of(t, { env: { SUMMARIZER_ALLOW_PRIVATE: "true" } });
  // Each page waits until all have been asked for.
  const waiting = [];
  const site = createServer((request, response) => {
    waiting.push(() =>
      response.writeHead(200, { "content-type": "text/html" }).end(`<article><p>This is page ${request.url}.</p></article>`),
    );
    if (waiting.length === 3) for (const answer of waiting) answer();
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  t.after(() => (site.closeAllConnections(), site.close()));
  const page = (name) => ["fetch_page", { url: `http://127.0.0.1:${site.address().port}/${name}` }];
  model.will(
    call(page("one"), page("two"), page("three"), ["write_file", { path: "a.txt", content: "a" }], ["read_file", { path: "a.txt" }]),
    say("Read."),
  );
  assert.equal((await ask("Read them.")).content, "Read.");
  const results = model.results;
  for (const [at, name] of ["one", "two", "three"].entries()) assert.match(JSON.stringify(results[at]), new RegExp(`page /${name}`));
  assert.match(JSON.stringify(results[4]), /a/, "what changes files comes before what is read after it");
  model.check();
});

test("reading calls of one answer run side by side, and their results keep their order", async (t) => {
  const { model, ask } = await story_of(t, { env: { SUMMARIZER_ALLOW_PRIVATE: "true" } });
  // Each page waits until all have been asked for.
  const waiting = [];
  const site = createServer((request, response) => {
    waiting.push(() =>
      response.writeHead(200, { "content-type": "text/html" }).end(`<article><p>This is page ${request.url}.</p></article>`),
    );
    if (waiting.length === 3) for (const answer of waiting) answer();
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  t.after(() => (site.closeAllConnections(), site.close()));
  const page = (name) => ["fetch_page", { url: `http://127.0.0.1:${site.address().port}/${name}` }];
  model.will(
    call(page("one"), page("two"), page("three"), ["write_file", { path: "a.txt", content: "a" }], ["read_file", { path: "a.txt" }]),
    say("Read."),
  );
  assert.equal((await ask("Read them.")).content, "Read.");
  const results = model.results;
  for (const [at, name] of ["one", "two", "three"].entries()) assert.match(JSON.stringify(results[at]), new RegExp(`page /${name}`));
  assert.match(JSON.stringify(results[4]), /a/, "what changes files comes before what is read after it");
  model.check();
});

test("a conversation may have a model and an effort of its own", async (t) => {
  const { model, ada, agent, ask, conversations } = await story_of(t);
  model.lists = [MODEL, REASONER];
  model.will(say("Yes."), say("Yes, again."), say("As before."));
  const { conversationId } = await ask("Are you there?");
  const path = `/api/agents/${agent}/conversations/${conversationId}`;
  const changed = await ada.call("PATCH", path, { model: REASONER, reasoningEffort: "high" });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  await ask("And now?", { conversationId });
  assert.deepEqual([model.asked.at(-1).model, model.asked.at(-1).reasoning_effort], [REASONER, "high"]);
  assert.equal((await conversations())[0].reasoningEffort, "high");
  assert.ok(!(await ada.call("PATCH", path, { model: "", reasoningEffort: "" })).body.conversation.reasoningEffort);
  await ask("And then?", { conversationId });
  assert.deepEqual([model.asked.at(-1).model, model.asked.at(-1).reasoning_effort], [MODEL, undefined]);
  for (const [field, value] of [
    ["model", "no/such-model"],
    ["reasoningEffort", "much"],
  ]) {
    const wrong = await ada.call("PATCH", path, { [field]: value });
    assert.deepEqual([wrong.status, wrong.body.error.startsWith(field)], [400, true], JSON.stringify(wrong.body));
  }
  model.check();
});

test("facts are found by their meaning where the box embeds, else by their words", async (t) => {
  const embedder = "nomic-embed-text";
  const { model, ask } = await story_of(t, { config: { embeddingModel: embedder } });
  model.lists = [MODEL, embedder];
  // Two directions: animals, and everything else.
  const inputs = [];
  model.embeds = ({ model: asked, input }) => {
    assert.equal(asked, embedder);
    inputs.push(...input);
    const data = input.map((text, index) => ({ index, embedding: /cat|feline|heron/i.test(text) ? [1, 0.1] : [-1, 0.1] }));
    return { object: "list", data, model: asked, usage: { prompt_tokens: 1, total_tokens: 1 } };
  };
  let found;
  const recall = (query) => [
    call(["recall", { query }]),
    (request) => {
      found = JSON.parse(request.messages.at(-1).content).memories.map(({ text }) => text);
      return say("Found.");
    },
  ];
  model.will(call(["remember", { text: "Pixel is the cat of the owner" }], ["remember", { text: "The boat is red" }]), say("Noted."));
  await ask("My cat is Pixel, my boat is red.");
  model.will(...recall("feline"));
  await ask("What do you know about my feline?");
  assert.deepEqual(found, ["Pixel is the cat of the owner"]);
  assert.deepEqual([...inputs].sort(), ["Pixel is the cat of the owner", "The boat is red", "feline"]);
  model.will(...recall("feline"));
  await ask("Again?");
  assert.equal(inputs.filter((text) => text === "The boat is red").length, 1, "each fact is embedded once");

  model.embeds = () => ({ object: "list", data: [], model: embedder, usage: { prompt_tokens: 1, total_tokens: 1 } });
  model.will(...recall("boat"));
  await ask("And my boat?");
  assert.deepEqual(found, ["The boat is red"]);
  model.check();
});
