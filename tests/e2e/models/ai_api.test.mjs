// The AI API from outside: guards, spending, and the fallbacks when a provider fails. One file, since all of it shares one
// set of fake providers.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { FAST, messages, refused, story_of } from "../support/ai_story.mjs";
import { ADMIN, Box, INTERNAL_KEY, run, send, until } from "../support/box.mjs";
import { RouterServer, failed, hangs, served } from "../peers/router_server.mjs";

// A promise, with the function that resolves it.
const pending = () => {
  const one = {};
  one.promise = new Promise((resolve) => (one.resolve = resolve));
  return one;
};

test("the gate: plan, subscription, body, model, quota, in this order", async (t) => {
  const { box, router, paying, chat, call, month } = await story_of(t);
  const nonsense = { messages: [] };
  for (const plan of [undefined, "free", "gold", ""])
    refused(await chat(nonsense, { ...paying, "x-user-plan": plan ?? "" }), 402, "PLAN_REQUIRED");
  for (const change of [{ "x-billing-subscription-id": "" }, { "x-billing-subscription-id": "sub_x" }, { "x-user-plan": "network" }])
    refused(await chat(nonsense, { ...paying, ...change }), 402, "SUBSCRIPTION_REQUIRED");
  assert.match((await chat(nonsense)).body.error, /^messages must be a non-empty array/);
  assert.equal((await chat({ model: "nobody/nothing" })).status, 400);
  const restricted = refused(await chat({ model: "openai/gpt-4.1" }), 403, "MODEL_RESTRICTED");
  assert.equal(restricted.body.allowedModels.length, 5);
  assert.deepEqual([router.asked.length, (await month()).calls], [0, 0], "nothing was asked and nothing metered");

  const answer = await chat();
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body), ["id", "model", "provider", "message", "usage", "timestamp"]);
  assert.deepEqual(answer.body.message, { role: "assistant", content: `Served by ${FAST[0]}.` });
  assert.deepEqual([answer.body.model, answer.body.provider], [FAST[0], "openrouter"]);
  assert.deepEqual(answer.body.usage, { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
  assert.deepEqual([(await month()).calls, (await month()).cost], [1, "0.00001"]);

  // An administrator needs neither, and has every model.
  const admin = { "x-user-email": ADMIN.email.toUpperCase() };
  assert.equal((await chat({ model: "openai/gpt-4.1" }, admin)).body.model, "openai/gpt-4.1");
  refused(await chat({}, { "x-user-email": "ada@example.org" }), 402, "PLAN_REQUIRED");
  await box.backend_call("PATCH", "/api/admin/users/ada@example.org", { plan: "none" });
  refused(await chat(), 402, "SUBSCRIPTION_REQUIRED");
});

test("another model answers when one does not, and the answer says which", async (t) => {
  const { box, router, chat, month } = await story_of(t, "network", { AI_MODEL_TIMEOUT_MS: "400" });
  router.answers = { [FAST[0]]: failed(500), [FAST[1]]: failed(429) };
  assert.equal((await chat({ taskType: "summarize" })).body.model, FAST[2]);
  assert.deepEqual(router.models, FAST);
  assert.deepEqual([(await month()).calls, (await month()).failed], [3, 2]);
  assert.match(box.whole_log, /model_fell_back.*openrouter\/google\/gemini-3.1-flash-lite: upstream_error/);

  // A model that is named has its provider's fallback; a request that is wrong is not asked twice.
  router.answers = { "openai/gpt-4.1": failed(503) };
  assert.equal((await chat({ model: "openai/gpt-4.1" })).body.model, FAST[0]);
  router.answers = { "openai/gpt-4.1": failed(400) };
  router.asked = [];
  assert.equal((await chat({ model: "openai/gpt-4.1" })).status, 400);
  assert.deepEqual(router.models, ["openai/gpt-4.1"]);

  router.answers = Object.fromEntries(FAST.map((model) => [model, failed(429, { "retry-after": "7" })]));
  const limited = await chat();
  assert.deepEqual([limited.status, limited.headers["retry-after"]], [429, "7"], limited.text);
});

test("a provider that is down costs one request, and comes back", async (t) => {
  const { box, router, chat, call } = await story_of(t, "network", { AI_MODEL_TIMEOUT_MS: "300" });
  const health = async () => (await call("GET", "/api/ai/health")).body;
  assert.deepEqual(
    [(await health()).status, (await health()).providers.openrouter, (await health()).providers.google],
    ["healthy", true, false],
  );
  for (const model of FAST) router.answers[model] = hangs;
  const late = await chat();
  assert.deepEqual([late.status, late.body.code], [500, "timeout"], "what has happened, not what follows from it");
  assert.deepEqual(router.models, FAST, "its fallbacks are tried in their order");
  const resting = await chat();
  assert.deepEqual([resting.status, resting.body.code], [500, "overloaded"]);
  assert.ok(Number(resting.headers["retry-after"]) >= 1);
  assert.equal(router.asked.length, 3, "it is left alone");
  assert.deepEqual(
    [(await health()).status, (await health()).providers.openrouter, (await health()).circuits.openrouter],
    ["error", false, "open"],
  );
  router.answers = {};
  await until("the provider is asked again", async () => (await chat()).status === 200);
  assert.equal((await health()).status, "healthy", box.log);
});

test("a model that does not answer in time is left alone by itself; the third of a tier is asked like the second", async (t) => {
  const { router, chat, call } = await story_of(t, "network", { AI_MODEL_TIMEOUT_MS: "300" });
  router.answers = { [FAST[0]]: hangs, [FAST[1]]: failed(500) };
  assert.equal((await chat({ taskType: "summarize" })).body.model, FAST[2]);
  assert.deepEqual(router.models, FAST);
  assert.equal((await call("GET", "/api/ai/health")).body.circuits.openrouter, "closed", "one that answers is well");

  router.asked = [];
  router.answers = { [FAST[0]]: hangs };
  assert.equal((await chat({ taskType: "summarize" })).body.model, FAST[1]);
  assert.deepEqual(router.models, [FAST[1]], "nobody waits for the slow one again");
  assert.equal((await chat({ model: "openai/gpt-4.1" })).body.model, "openai/gpt-4.1", "the others are asked as ever");
});

test("a provider that fails at once leaves its fallbacks a chance while it is left alone", async (t) => {
  const { router, chat, call } = await story_of(t, "network");
  router.answers = Object.fromEntries(FAST.map((model) => [model, failed(500)]));
  assert.equal((await chat({ taskType: "summarize" })).status, 500);
  assert.equal((await call("GET", "/api/ai/health")).body.circuits.openrouter, "open");
  router.answers = { "openai/gpt-4.1": failed(500) };
  assert.equal((await chat({ model: "openai/gpt-4.1" })).body.model, FAST[0]);
});

test("an unreachable provider costs nothing", async (t) => {
  const plain = await RouterServer.start(t);
  const { chat, month } = await story_of(t, "solo", { OPENROUTER_BASE_URL: plain.url.replace("http:", "https:") });
  const answer = await chat();
  assert.equal(answer.status, 500, answer.text);
  assert.match(answer.body.error, /no secure connection/);
  const { calls, failed, totalTokens, cost } = await month();
  assert.deepEqual([calls > 0, calls === failed, totalTokens, cost], [true, true, 0, "0.00"]);
});

test("streams: pieces as they come, and no second model once one has begun", async (t) => {
  const { router, chat } = await story_of(t, "solo", { AI_MODEL_TIMEOUT_MS: "400" });
  const events = (text) =>
    text
      .split("\n\n")
      .filter((event) => event.startsWith("event:"))
      .map((event) => {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event);
        return [name, JSON.parse(data)];
      });
  router.answers[FAST[0]] = failed(500);
  const whole = await chat({ stream: true });
  assert.equal(whole.headers["content-type"], "text/event-stream");
  const told = events(whole.text),
    deltas = told.filter(([name]) => name === "delta");
  assert.equal(deltas.map(([, { content }]) => content).join(""), `Served by ${FAST[1]}.`);
  assert.deepEqual(told.at(-1)[0], "done");
  assert.deepEqual([told.at(-1)[1].model, told.at(-1)[1].usage.total_tokens], [FAST[1], 15]);

  router.asked = [];
  router.answers = { [FAST[0]]: { ...served(FAST[0]), stalls: true } };
  const cut = events((await chat({ stream: true })).text);
  assert.deepEqual([cut[0][0], cut.at(-1)[0]], ["delta", "error"]);
  assert.match(cut.at(-1)[1].error, /stopped in the middle/);
  assert.deepEqual(router.models, [FAST[0]]);
});

test("a client that disconnects ends a streamed call upstream, which is charged for what it may have used", async (t) => {
  const { router, month, box, paying } = await story_of(t);
  const before = await month();
  for (const answers of [hangs, (body) => ({ ...served(body.model), stalls: true })]) {
    router.answers = { [FAST[0]]: answers };
    const asked = router.asked.length,
      left = router.hung_up,
      leaving = new AbortController();
    const answer = fetch(`${box.backend}/api/ai/chat`, {
      method: "POST",
      signal: leaving.signal,
      body: JSON.stringify({ messages, stream: true }),
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json", ...paying },
    });
    answer.catch(() => {});
    await until("the model is asked", () => router.asked.length === asked + 1);
    if (answers !== hangs) await (await answer).body.getReader().read();
    leaving.abort();
    await until("the upstream call is cancelled", () => router.hung_up === left + 1);
  }
  const after = await until("both are settled", async () => {
    const now = await month();
    return now.calls === before.calls + 2 && now;
  });
  assert.equal(after.failed, before.failed + 2);
  assert.ok(after.totalTokens > before.totalTokens, "what may have been used is counted");
  assert.match(box.whole_log, /"level":"info".*model_call_given_up.*the client disconnected/);
  assert.doesNotMatch(box.whole_log, /model_call_failed|request_failed/, "nothing of this is an error");
});

test("an answer that comes whole is awaited without its client, and charged at the provider's usage", async (t) => {
  const { router, month, box, paying } = await story_of(t);
  const before = await month();
  const release = pending();
  router.answers = { [FAST[0]]: release.promise };
  const leaving = new AbortController();
  const answer = fetch(`${box.backend}/api/ai/chat`, {
    method: "POST",
    signal: leaving.signal,
    body: JSON.stringify({ messages, max_tokens: 4000 }),
    headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json", ...paying },
  });
  answer.catch(() => {});
  await until("the model is asked", () => router.asked.length === 1);
  leaving.abort();
  await until("the box has noticed", () => box.whole_log.includes("model_call_unattended"));
  assert.equal(router.hung_up, 0, "the provider bills it in any case");
  release.resolve(served(FAST[0], { usage: [40, 7] }));
  const after = await until("it is settled", async () => {
    const now = await month();
    return now.calls === before.calls + 1 && now;
  });
  assert.deepEqual([after.totalTokens - before.totalTokens, after.failed - before.failed], [47, 0]);

  // No other model is asked in vain.
  const refusal = pending();
  router.answers = { [FAST[0]]: refusal.promise };
  const left = new AbortController();
  fetch(`${box.backend}/api/ai/chat`, {
    method: "POST",
    signal: left.signal,
    body: JSON.stringify({ messages }),
    headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json", ...paying },
  }).catch(() => {});
  await until("the model is asked", () => router.asked.length === 2);
  left.abort();
  await until("the box has noticed", () => box.whole_log.match(/model_call_unattended/g).length === 2);
  refusal.resolve(failed(500));
  await until("it is settled", async () => (await month()).failed === before.failed + 1);
  assert.equal(router.asked.length, 2);
});

test("a stopped answer is charged at what has arrived, or at its maximum if the provider bills it whole", async (t) => {
  const { router, month, box, paying } = await story_of(t);
  const stopped = async () => {
    const before = await month();
    router.answers = { [FAST[0]]: (body) => ({ ...served(body.model), stalls: true }) };
    const leaving = new AbortController();
    const answer = await fetch(`${box.backend}/api/ai/chat`, {
      method: "POST",
      signal: leaving.signal,
      body: JSON.stringify({ messages, stream: true, max_tokens: 4000 }),
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json", ...paying },
    });
    await answer.body.getReader().read();
    leaving.abort();
    const after = await until("it is settled", async () => {
      const now = await month();
      return now.calls === before.calls + 1 && now;
    });
    return after.totalTokens - before.totalTokens;
  };
  const charged = await stopped();
  assert.ok(charged > 5 && charged < 60, `${charged} tokens: the prompt and a few words`);
  const provider = { provider: "openrouter", billsAfterDisconnect: true };
  const put = await box.backend_call("PUT", "/api/admin/models/providers", provider);
  assert.deepEqual([put.source, put.billsAfterDisconnect], ["settings", true], JSON.stringify(put));
  assert.ok((await stopped()) > 4000, "the provider bills the whole answer");
});

test("a client that leaves is missed although it has sent more before", async (t) => {
  const { router, box, paying } = await story_of(t, "solo", { AI_MODEL_TIMEOUT_MS: "2000" });
  // The whole answer comes second: it is waited for until the time-out, after which the model is left alone.
  for (const stream of [true, false]) {
    router.answers = { [FAST[0]]: hangs };
    const asked = router.asked.length,
      left = router.hung_up,
      body = JSON.stringify({ messages, stream });
    const { hostname, port, host } = new URL(box.backend);
    const client = connect(Number(port), hostname);
    const headers = {
      host,
      authorization: `Bearer ${INTERNAL_KEY}`,
      "content-type": "application/json",
      "content-length": body.length,
      ...paying,
    };
    client.write(
      `POST /api/ai/chat HTTP/1.1\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}\r\n${body}`,
    );
    await until("the model is asked", () => router.asked.length === asked + 1);
    client.end("GET /health"); // of a request that it never finishes
    await until("the box has noticed", () => box.whole_log.includes(stream ? "model_call_given_up" : "model_call_unattended"));
    await until("the upstream call has ended", () => router.hung_up === left + 1);
    client.destroy();
  }
  assert.doesNotMatch(box.whole_log, /Internal error/);
});

test("the plan's quota and caps, and calls beyond them", async (t) => {
  const { box, router, ada, chat, call, month } = await story_of(t);
  const cap = (body) => call("PUT", "/api/admin/caps", body);
  router.answers[FAST[0]] = served(FAST[0], { usage: [1_999_800, 100] });
  assert.equal((await chat()).status, 200);
  router.answers = {};
  const long = { messages: [{ role: "user", content: "x".repeat(200) }] };
  refused(await chat(long), 429, "QUOTA_EXCEEDED");
  const short = await chat({ messages: [{ role: "user", content: "Hi" }] });
  assert.equal(short.status, 200, `${short.text} a shorter answer fits`);
  assert.ok(router.asked.at(-1).max_tokens < 100);
  const quota = refused(await chat({ max_tokens: 4000 }), 429, "QUOTA_EXCEEDED");
  assert.ok(Number(quota.headers["retry-after"]) > 0);
  assert.match(quota.body.resetsAt, /^\d{4}-\d\d-01T00:00:00/);
  assert.ok((await month()).totalTokens <= 2_000_000);

  // A cap on a plan binds each user who has it; money as well as tokens.
  const eve = await box.customer("eve@example.org", "network");
  const { subscriptionId } = await box.backend_call("GET", "/api/admin/users/eve@example.org");
  const as_eve = { "x-user-plan": "network", "x-billing-subscription-id": subscriptionId };
  assert.equal((await cap({ scope: "plan", target: "network", period: "day", usd: "0.001" })).status, 200);
  const dear = { model: "anthropic/claude-sonnet-5", max_tokens: 4000 };
  assert.equal(refused(await chat(dear, as_eve), 429, "CAP_REACHED").body.limit, "0.001");
  await cap({ scope: "plan", target: "network", period: "day", usd: "0.002", whenReached: "cheaper" });
  assert.equal((await chat(dear, as_eve)).body.model, "meta-llama/llama-3.3-70b-instruct", "the cheapest model has room");
  for (const body of [
    { scope: "plan", target: "gold", period: "day", tokens: 1 },
    { scope: "user", period: "day", tokens: 1 },
    { userId: ada.id, scope: "user", period: "day" },
    { userId: ada.id, scope: "user", period: "year", tokens: 1 },
    { userId: ada.id, scope: "user", period: "day", usd: "-1" },
    { userId: ada.id, scope: "agent", period: "day", tokens: 1 },
  ])
    assert.equal((await cap(body)).status, 400, JSON.stringify(body));
  assert.equal((await cap({ userId: ada.id, scope: "agent", target: "ag_x", period: "day", tokens: 1 })).status, 404);

  // The user sees the administrator's cap and cannot lift it.
  await cap({ userId: eve.id, scope: "user", period: "month", tokens: 5 });
  const [seen] = (await eve.call("GET", "/api/caps")).body.caps;
  assert.deepEqual([seen.id, seen.byAdmin, seen.tokens], ["admin-user--month", true, 5]);
  const of_plan = (await eve.call("GET", "/api/caps")).body.caps.at(-1);
  assert.deepEqual([of_plan.scope, of_plan.target, of_plan.usd, of_plan.usedUsd], ["plan", "network", "0.002", "0.0000026"]);
  assert.match((await cap({ scope: "plan", target: "solo", period: "day", usd: "9223373" })).body.error, /of less than 9223372$/);
  assert.equal((await eve.call("DELETE", `/api/caps/${seen.id}`)).status, 403);
  assert.equal((await call("DELETE", `/api/admin/caps/${seen.id}?userId=${eve.id}`)).status, 200);
});

test("a box that is killed during model calls charges them at the next start", async (t) => {
  const { box, router, chat, month, ada } = await story_of(t);
  router.answers[FAST[0]] = hangs;
  const calls = [1, 2, 3].map(() => chat({ max_tokens: 100 }).catch(() => "cut off"));
  await until("three calls are under way", () => router.asked.length === 3);
  assert.equal((await month()).calls, 0);
  await box.end("SIGKILL");
  assert.deepEqual(await Promise.all(calls), Array(3).fill("cut off"));
  await box.serve();
  const after = (await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`)).month;
  assert.deepEqual([after.calls, after.failed, after.outputTokens], [3, 3, 300], "at the most they can have used");
  assert.ok(after.inputTokens >= 3 * messages[0].content.length);
  await box.end("SIGKILL");
  await box.serve();
  assert.equal((await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`)).month.calls, 3, "once");
});

test("the catalogue and the routes that tell of it", async (t) => {
  const { box, ada, call, router } = await story_of(t, "label");
  const { models, count, ...rest } = (await call("GET", "/api/ai/models")).body;
  assert.equal(models.length, count);
  assert.equal(rest.openai, models.filter((model) => model.provider === "openai").length);
  const mini = models.find((model) => model.id === "openai/gpt-4o-mini");
  assert.deepEqual([mini.inputCost, mini.outputCost, mini.contextWindow, mini.available], [0.15, 0.6, 128_000, true]);
  assert.equal((await call("GET", "/api/ai/models/google")).body.count, 3);
  assert.equal((await call("GET", "/api/ai/models/openrouter")).body.count, count);
  assert.equal((await call("GET", "/api/ai/models/acme")).status, 404);
  const select = async (body) => (await call("POST", "/api/ai/models/select", body)).body;
  assert.deepEqual((await select({})).model, { id: FAST[0], provider: "openrouter" });
  assert.deepEqual([(await select({ taskType: "coding" })).taskType, (await select({ taskType: "coding" })).model.id], ["coding", FAST[2]]);
  const estimate = (body) => call("POST", "/api/ai/estimate-cost", body);
  assert.doesNotMatch((await call("GET", "/api/ai/models")).text, /\d[eE][-+]?\d/, "prices as people write them");
  assert.match((await estimate({ model: mini.id, inputTokens: 1e10, outputTokens: 1 })).body.error, /from 0 to 1000000000$/);
  const cost = (await estimate({ model: mini.id, inputTokens: 1_000_000, outputTokens: 500_000 })).body;
  assert.deepEqual([cost.estimatedCost, cost.currency, cost.inputTokens], [0.45, "USD", 1_000_000]);
  for (const [field, body] of Object.entries({
    model: { inputTokens: 1, outputTokens: 1 },
    inputTokens: { model: mini.id, outputTokens: 1 },
    outputTokens: { model: mini.id, inputTokens: 1, outputTokens: -1 },
  })) {
    const answer = await estimate(body);
    assert.equal(answer.status, 400);
    assert.ok(answer.body.error.includes(field));
  }
  const unknown = { model: "nobody/nothing", inputTokens: 1, outputTokens: 1 };
  const by_estimate = await estimate(unknown),
    by_chat = await call("POST", "/api/ai/chat", { messages, model: unknown.model });
  assert.deepEqual([by_estimate.status, by_estimate.body], [by_chat.status, by_chat.body], "told as by chat");
  assert.deepEqual(by_estimate.body, { error: "model nobody/nothing is not one of this box's models", code: "model_not_found" });
  assert.equal((await ada.call("GET", "/api/models")).body.models.filter((model) => model.inPlan).length, 3);

  const catalogue = JSON.parse(readFileSync(new URL("../../../appliance/models/catalogue.json", import.meta.url)));
  catalogue.models[0].name = "Renamed";
  writeFileSync(join(box.folder, "catalogue.json"), JSON.stringify(catalogue));
  const reload = () => run(["admin", "models", "reload", "--data", box.folder], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
  assert.deepEqual([(await reload()).code, (await reload()).out], [0, `${count} models\n`]);
  assert.equal((await call("GET", "/api/ai/models")).body.models[0].name, "Renamed");
  catalogue.models[1].input = "free";
  writeFileSync(join(box.folder, "catalogue.json"), JSON.stringify(catalogue));
  const broken = await reload();
  assert.notEqual(broken.code, 0);
  assert.match(broken.err, /models\[1\] \(openai\/gpt-4o-mini\)\.input/);
  assert.equal(router.asked.length, 0);
});

test("each call is listed with the earlier attempts, in pages", async (t) => {
  const { box, router, ada, call, chat, door } = await story_of(t);
  router.answers = { [FAST[0]]: failed(500) };
  assert.equal((await chat()).body.model, FAST[1]);
  router.answers = {};
  const { ask, id } = await door(ada, { budgetUsd: "2.00" });
  assert.equal((await ask("chat/completions", { model: FAST[1], messages, stream: true })).status, 200);

  const { calls, count, next } = (await call("GET", `/api/usage/calls?userId=${ada.id}`)).body;
  assert.deepEqual([count, next], [3, null]);
  const [streamed, ...attempts] = calls,
    whole = attempts.find((each) => each.outcome === "ok"),
    before = attempts.find((each) => each !== whole);
  assert.deepEqual(
    [streamed, whole, before].map((each) => [each.model, each.provider, each.outcome, each.tried]),
    [
      [FAST[1], "openrouter", "ok", []],
      [FAST[1], "openrouter", "ok", [`openrouter/${FAST[0]}: upstream_error`]],
      [FAST[0], "openrouter", "upstream_error", []],
    ],
  );
  assert.deepEqual([streamed.keyId, whole.keyId, whole.agentId], [id, null, null]);
  assert.deepEqual([whole.inputTokens, whole.outputTokens, whole.cost], [10, 5, "0.0000045"]);
  assert.ok(streamed.timeToFirstTokenMs >= 1 && whole.timeToFirstTokenMs === null);
  assert.deepEqual((await ada.call("GET", "/api/dashboard/calls")).body.calls, calls, "and to oneself");
  const first = (await ada.call("GET", "/api/dashboard/calls?limit=2")).body;
  assert.deepEqual([first.calls, first.next], [calls.slice(0, 2), calls[1].id]);
  const second = (await ada.call("GET", `/api/dashboard/calls?limit=2&before=${first.next}`)).body;
  assert.deepEqual([second.calls, second.next], [calls.slice(2), null]);
  const eve = await box.customer("eve@example.org", "solo");
  assert.deepEqual((await eve.call("GET", `/api/dashboard/calls?before=${whole.id}`)).body.calls, []);
  for (const query of ["limit=0", "limit=201", "before=", "before=%00"])
    assert.equal((await ada.call("GET", `/api/dashboard/calls?${query}`)).status, 400, query);

  const [key] = (await ada.call("GET", "/api/keys")).body.keys;
  assert.deepEqual([key.budgetUsd, key.usedUsd], ["2.00", streamed.cost], "what a key has used of its budget");
});

test("monthly reports take the name of a month and refuse other texts", async (t) => {
  const { ada, call, chat } = await story_of(t);
  await chat();
  const month = new Date().toISOString().slice(0, 7),
    by_model = (await call("GET", `/api/usage/by-model?userId=${ada.id}`)).body;
  for (const path of [
    `/api/usage/by-model?userId=${ada.id}&`,
    `/api/usage/tools?userId=${ada.id}&`,
    `/api/metrics/${ada.id}/performance?`,
  ]) {
    assert.deepEqual((await call("GET", `${path}period=${month}`)).body, (await call("GET", path.slice(0, -1))).body, path);
    const old = (await call("GET", `${path}period=2001-01`)).body;
    assert.deepEqual([old.period, old.rows ?? old.calls], ["2001-01", old.rows ? [] : 0], path);
    for (const period of ["week", "2026", "2026-13", "2026-11-01", ""]) {
      const refusal = await call("GET", `${path}period=${period}`);
      assert.equal(refusal.status, 400, `${path}${period}`);
      assert.match(refusal.body.error, /^period must/);
    }
  }
  assert.deepEqual([by_model.period, by_model.rows.length], [month, 1]);
});

test("the demo, and its usage in the ledger", async (t) => {
  const { box, router, ada, chat, month, call } = await story_of(t);
  const demo = (body) =>
    send(box.web, "POST", "/api/demo/chat", { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const info = (await send(box.web, "GET", "/api/demo/chat")).body;
  assert.deepEqual([info.mode, Object.keys(info.models[0])], ["demo", ["id", "name", "provider"]]);
  const conversation = [
    { role: "user", content: "x".repeat(5000) },
    { role: "assistant", content: "no" },
    { role: "user", content: "earlier" },
  ];
  const { body } = await demo({ message: "Hello?", mode: "quick", conversation });
  const limits = { entries: 50, charactersPerEntry: 4000, characters: 16_000, answerTokens: 1024 };
  assert.deepEqual(body, {
    id: "gen-1",
    model: info.models[0].id,
    message: `Served by ${info.models[0].id}.`,
    conversation: { given: 2, used: 2, cut: 1, limits },
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    done: true,
  });
  assert.equal(router.asked[0].max_tokens, 1024);
  assert.deepEqual(
    router.asked[0].messages.map((each) => each.content.length),
    [4000, 7, 6],
  );
  assert.deepEqual([(await demo({})).status, (await demo({})).body.error], [400, "Message required"]);
  assert.equal((await demo({ message: "x", model: "openai/gpt-4.1" })).status, 400);
  for (const model of info.models) router.answers[model.id] = failed(500);
  assert.deepEqual([(await demo({ message: "x" })).status, (await demo({ message: "x" })).body.error], [500, "Failed to get response"]);
  router.answers = {};
  assert.equal((await month("demo")).inputTokens, 10);
  const by_agent = await call("GET", "/api/usage/by-agent/demo-chat?userId=demo");
  assert.equal(by_agent.body.month.calls - by_agent.body.month.failed, 1);

  await until("the provider is asked again", async () => (await chat({ model: FAST[1] })).status === 200);
  const cost = (await ada.call("GET", "/api/dashboard/cost")).body;
  assert.deepEqual([cost.currency, cost.byDay.length, cost.byModel[0].id, cost.total], ["USD", 30, FAST[1], cost.byModel[0].usage.cost]);
  const { days } = (await call("GET", `/api/usage/daily?userId=${ada.id}&days=7`)).body;
  assert.deepEqual([days.length, days.at(-1).usage.cost], [7, cost.total]);
  const speed = (await call("GET", `/api/metrics/${ada.id}/performance`)).body;
  assert.ok(speed.successRate > 0 && speed.averageLatencyMs >= 0);
  assert.equal((await call("GET", `/api/metrics/${ada.id}/summary`)).body.models, 1);
  assert.equal((await call("GET", `/api/metrics/${ada.id}/historical?days=3`)).body.days.length, 3);
});

test("the demo answers with one of its own models or not at all", async (t) => {
  const openai = await RouterServer.start(t);
  const box = await Box.start(t, { OPENAI_API_KEY: "sk-openai", OPENAI_BASE_URL: openai.url });
  const demo = (body) =>
    send(box.web, "POST", "/api/demo/chat", { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const { models } = (await send(box.web, "GET", "/api/demo/chat")).body;
  assert.deepEqual(
    models.map(({ id }) => id),
    ["openai/gpt-4o-mini"],
  );
  openai.answers = { "gpt-4o-mini": failed(500) };
  assert.equal((await demo({ message: "Hello?" })).status, 500);
  openai.answers = { "gpt-4o-mini": failed(503) };
  const away = await demo({ message: "Hello?" });
  assert.equal(away.status, 503, away.text);
  assert.match(away.body.error, /^Demo unavailable/);
  assert.deepEqual([...new Set(openai.models)], ["gpt-4o-mini"], "no model outside of its list was asked");

  // Another model of the demo takes the place of the one that fails.
  const second = await story_of(t, "solo", { OPENAI_API_KEY: "sk-openai", OPENAI_BASE_URL: openai.url });
  const ask = (body) =>
    send(second.box.web, "POST", "/api/demo/chat", { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const listed = (await send(second.box.web, "GET", "/api/demo/chat")).body.models.map(({ id }) => id);
  openai.asked = [];
  second.router.answers = { "openai/gpt-4o-mini": failed(500) };
  const other = await ask({ message: "Hello?", model: "openai/gpt-4o-mini" });
  assert.equal(other.status, 200, other.text);
  assert.ok(listed.includes(other.body.model) && other.body.model !== "openai/gpt-4o-mini", other.body.model);
  assert.deepEqual(openai.models, ["gpt-4o-mini"]);
  assert.equal(
    second.router.models.every((id) => listed.includes(id)),
    true,
    second.router.models.join(),
  );
});

test("a visitor of the demo may ask ten times a minute, and sixty times for its models", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on" });
  const limit_of = async (method) =>
    (
      await send(box.web, method, "/api/demo/chat", {
        headers: { "content-type": "application/json" },
        body: method === "POST" ? "{}" : undefined,
      })
    ).headers["ratelimit-limit"];
  assert.deepEqual([await limit_of("POST"), await limit_of("GET")], ["10", "60"]);
});

test("no visitor of the demo takes its day from the others", async (t) => {
  const { box, router, month, call } = await story_of(t, "solo", { DEMO_DAILY_TOKENS: "300000", AI_MODEL_TIMEOUT_MS: "300" });
  const demo = (localAddress, body) =>
    new Promise((resolve, reject) => {
      const asked = request(
        `${box.web}/api/demo/chat`,
        { method: "POST", localAddress, headers: { "content-type": "application/json" } },
        (answer) => {
          answer.resume().on("end", () => resolve(answer));
        },
      );
      asked.on("error", reject).end(JSON.stringify(body));
    });
  const conversation = Array.from({ length: 50 }, () => ({ role: "user", content: "灯".repeat(4000) }));
  const listed = (await send(box.web, "GET", "/api/demo/chat")).body.models.map(({ id }) => id);
  router.answers = Object.fromEntries(listed.map((model) => [model, hangs]));
  assert.equal((await demo("127.0.0.1", { message: "Hello?", conversation })).statusCode, 500);
  assert.equal(router.asked[0].messages.map(({ content }) => content).join("").length, 4 * 4000 + "Hello?".length);
  assert.ok((await month("demo")).totalTokens > 40_000, "nobody knows what was used");
  const again = await demo("127.0.0.1", { message: "Hello?", conversation });
  assert.deepEqual([again.statusCode, Number(again.headers["retry-after"]) > 0], [429, true]);
  router.answers = {};
  await until("the provider may be asked again", async () => (await call("GET", "/api/ai/health")).body.circuits.openrouter !== "open");
  assert.equal((await demo("127.0.0.2", { message: "Hello?" })).statusCode, 200);
});

test("the demo costs no more in a day than its budget, and free models go on", async (t) => {
  const { box, router, month } = await story_of(t, "solo", { DEMO_DAILY_USD: "0.000001" });
  const demo = (at) =>
    send(at.web, "POST", "/api/demo/chat", { headers: { "content-type": "application/json" }, body: '{"message":"hi"}' });
  const refused = await demo(box);
  assert.deepEqual([refused.status, refused.body.error, refused.body.limit], [429, "Too many requests", "0.000001"]);
  assert.ok(Number(refused.headers["retry-after"]) > 0);
  assert.deepEqual([router.asked.length, (await month("demo")).totalTokens ?? 0], [0, 0], "nothing was asked");
  const free = await Box.start(t, { DEMO_DAILY_USD: "0.000001" });
  assert.equal((await demo(free)).status, 200, "the builtin model costs nothing");
});

test("without any provider the demo says so, and a request for a model explains how to configure one", async (t) => {
  const box = await Box.start(t, { AI_BUILTIN: "off" });
  const none = await send(box.backend, "POST", "/api/ai/chat", {
    headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json", "x-user-email": ADMIN.email },
    body: JSON.stringify({ messages }),
  });
  assert.deepEqual([none.status, none.body.error.split(":")[0]], [404, "No model is configured"]);
  assert.match(none.body.error, /AI_BUILTIN=on$/);
  const answer = await send(box.web, "POST", "/api/demo/chat", {
    headers: { "content-type": "application/json" },
    body: '{"message":"hi"}',
  });
  assert.deepEqual([answer.status, answer.body.error], [503, "Demo unavailable — service not configured."]);
});
