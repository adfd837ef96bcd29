// What an upstream may do to a call, and what the box then says and counts.
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { FAST, story_of } from "../support/ai_story.mjs";
import { RouterServer, hangs, pings, resets, served } from "../peers/router_server.mjs";

test("implausible usage reported by an upstream is ignored", async (t) => {
  const { box, router, ada, chat, month, call } = await story_of(t, "network");
  await call("PUT", "/api/admin/caps", { userId: ada.id, scope: "user", period: "month", tokens: 100_000 });
  for (const usage of [
    [1e15, 5],
    [10, 1e15],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [-5, 5],
    [1.5, 1],
  ]) {
    for (const stream of [false, true]) {
      router.answers[FAST[0]] = served(FAST[0], { usage });
      const answer = await chat({ stream });
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, /"estimated":true/, JSON.stringify(usage));
    }
  }
  const { calls, totalTokens, cost } = await month();
  assert.equal(calls, 10);
  assert.ok(totalTokens > 0 && totalTokens < 1000, `${totalTokens}`);
  assert.match(cost, /^0\.0/);
  assert.equal((await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`)).month.totalTokens, totalTokens);
});

test("texts of an upstream are bounded and sanitised", async (t) => {
  const local = await RouterServer.start(t);
  const { box, ada, chat, call } = await story_of(t, "network", {
    OPENROUTER_API_KEY: undefined,
    LOCAL_MODEL_URL: local.url,
    LOCAL_MODEL: "here",
  });
  const answer = served("here");
  answer.body.model = `here\n${"x".repeat(100_000)}`;
  answer.body.choices[0].message.tool_calls = Array.from({ length: 1000 }, (_, at) => ({
    id: `${at}`,
    type: "function",
    function: { name: `tool-${at}-${"é".repeat(60)}`, arguments: "{}" },
  }));
  local.answers.here = answer;
  assert.deepEqual((await call("POST", "/api/ai/models/select", {})).body.model, { id: "here", provider: "local" });
  const told = await chat();
  assert.equal(told.status, 200, told.text.slice(0, 300));
  assert.match(told.body.model, /^here x{195}$/);
  const { calls } = await box.backend_call("GET", `/api/usage/calls?userId=${ada.id}`);
  assert.ok(JSON.stringify(calls[0]).length < 12_000, JSON.stringify(calls[0]).slice(0, 300));
  assert.equal(JSON.stringify(calls).includes("\ufffd"), false, "names are cut between characters");
});

test("a local server whose streams break is asked for a whole answer, and for whole ones from then on", async (t) => {
  const local = await RouterServer.start(t);
  const { chat } = await story_of(t, "network", { OPENROUTER_API_KEY: undefined, LOCAL_MODEL_URL: local.url, LOCAL_MODEL: "here" });
  local.answers.here = { ...served("here"), breaks: "no tools in streams" };
  for (let asked = 0; asked < 2; ++asked) {
    const answer = await chat({ taskType: "" });
    assert.deepEqual([answer.status, answer.body.message?.content], [200, "Served by here."], answer.text);
  }
  assert.deepEqual(
    local.asked.map((body) => body.stream ?? false),
    [true, false, false],
  );
  const streamed = await chat({ stream: true });
  assert.match(streamed.text, /no tools in streams/, "who wants a stream is told");
  assert.equal(local.asked.at(-1).stream, true);
});

test("failures count for the requested model", async (t) => {
  const local = await RouterServer.start(t);
  const { box, ada, call } = await story_of(t, "network", { OPENROUTER_API_KEY: undefined, LOCAL_MODEL_URL: local.url });
  local.answers.qwen = resets;
  assert.equal((await call("POST", "/api/ai/chat", { model: "qwen", messages: [{ role: "user", content: "Hello?" }] })).status, 500);
  const { rows } = await box.backend_call("GET", `/api/usage/by-model?userId=${ada.id}`);
  assert.deepEqual(
    rows.map((row) => [row.id, row.usage.failed]),
    [["qwen", 1]],
  );
});

test("a request is sent as often as it is counted, also on a connection that breaks", async (t) => {
  const { router, chat, month } = await story_of(t, "network");
  assert.equal((await chat()).status, 200, "a connection is kept");
  router.answers = { [FAST[0]]: resets };
  const answer = await chat({ max_tokens: 100 });
  assert.deepEqual([answer.status, answer.body.model], [200, FAST[1]]);
  assert.deepEqual(router.models, [FAST[0], FAST[0], FAST[1]]);
  const { calls, failed, outputTokens } = await month();
  assert.deepEqual([calls, failed, outputTokens], [3, 1, 5 + 100 + 5], "the one that broke may have been answered");
});

test("a connection is kept after a stream, and nobody waits for a server that does not end it", async (t) => {
  const { router, chat } = await story_of(t, "network");
  const cores = availableParallelism();
  for (let asked = 0; asked < 3 * cores; ++asked) assert.match((await chat({ stream: true })).text, /event: done/);
  assert.ok(router.connections <= cores, `${router.connections} connections`);
  router.answers = { [FAST[0]]: { ...served(FAST[0]), lingers: true } };
  const started = Date.now();
  assert.match((await chat({ stream: true })).text, /event: done/);
  assert.ok(Date.now() - started < 15_000, "it would be half a minute");
});

test("a sign of life is no answer", async (t) => {
  const { router, chat } = await story_of(t, "network", { AI_MODEL_TIMEOUT_MS: "300" });
  router.answers = { [FAST[0]]: pings };
  const answer = await chat({ stream: true });
  assert.match(answer.text, new RegExp(`Served by ${FAST[1]}`.split(" ").join(".*")), "another model answers");
  assert.deepEqual(router.models, FAST.slice(0, 2));
});

test("requests that cannot fit a model are refused before it is asked", async (t) => {
  const { router, chat, month, door } = await story_of(t, "network");
  const long = [{ role: "user", content: "x".repeat(1_000_000) }];
  const refused = await chat({ messages: long, model: "openai/gpt-4o-mini" });
  assert.deepEqual([refused.status, refused.body.code], [400, "context_too_long"]);
  assert.match(refused.body.error, /^messages must fit in the context of openai\/gpt-4o-mini, which is 128000 tokens/);
  const { ask } = await door();
  const { error } = (await ask("chat/completions", { model: "openai/gpt-4o-mini", messages: long })).body;
  assert.match(error.message, /^messages must fit/);
  assert.deepEqual([error.code, error.param], ["context_length_exceeded", "messages"], "as OpenAI's clients know it");
  const many = Array(10_000).fill({ role: "user", content: "x" });
  assert.match((await chat({ messages: many })).body.error, /^messages must have at most/);
  assert.deepEqual([router.asked.length, (await month()).calls], [0, 0]);
  assert.equal((await chat({ messages: long })).body.model, FAST[0], "one that has room for it is asked");
});

test("the router answers for a maker that does not", async (t) => {
  const maker = await RouterServer.start(t);
  maker.answers = { "gpt-5.4": hangs, "gpt-5.4-mini": hangs };
  const { router, chat } = await story_of(t, "network", {
    OPENAI_API_KEY: "sk-maker",
    OPENAI_BASE_URL: maker.url,
    AI_MODEL_TIMEOUT_MS: "300",
  });
  const answer = await chat({ model: "openai/gpt-5.4" });
  assert.deepEqual([answer.body.model, answer.body.provider], ["openai/gpt-5.4", "openrouter"], answer.text);
  assert.deepEqual([maker.models, router.models], [["gpt-5.4"], ["openai/gpt-5.4"]], "a maker that keeps one waiting is asked once");
});
