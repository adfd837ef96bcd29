// What may be spent, from outside: what a cap turns to when it is reached, a key's own budget, and a key's end.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FAST, messages, refused, story_of } from "../support/ai_story.mjs";
import { send } from "../support/box.mjs";
import { RouterServer, served } from "../peers/router_server.mjs";

const CHEAP = "meta-llama/llama-3.3-70b-instruct",
  SMALL = FAST[1];

// A box with the router, and a server of its own on the LAN.
const with_local = async (t, plan) => {
  const local = await RouterServer.start(t);
  const story = await story_of(t, plan, { LOCAL_MODEL_URL: local.url, LOCAL_MODEL: "llama-here" });
  const cap = async (body) => {
    const set = await story.ada.call("PUT", "/api/caps", { period: "day", ...body });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    return set.body;
  };
  return { ...story, local, cap };
};

test("a cap that is reached turns to the local model, which it does not bind", async (t) => {
  const { box, router, local, ada, chat, cap, month } = await with_local(t);
  const set = await cap({ scope: "user", tokens: 600, whenReached: "local" });
  assert.deepEqual([set.whenReached, set.usedTokens], ["local", 0]);
  assert.equal((await chat({ max_tokens: 100 })).body.provider, "openrouter", "there is room");
  for (let asked = 1; asked <= 3; ++asked) {
    const beyond = await chat({ max_tokens: 4000 });
    assert.equal(beyond.status, 200, beyond.text);
    assert.match(beyond.body.model, /^llama-here/);
    assert.deepEqual([beyond.body.provider, router.asked.length, local.asked.length], ["local", 1, asked]);
  }
  assert.equal(local.asked[0].model, "llama-here");
  assert.match(box.whole_log, /model_fell_back.*openrouter\/google\/gemini-3.1-flash-lite: cap reached/);
  assert.deepEqual([(await month()).calls, (await month()).totalTokens], [4, 60], "its tokens are counted");
  assert.equal((await ada.call("GET", "/api/dashboard/cost")).body.total, "0.00001", "and cost nothing");

  // Streamed as well; a local server that does not answer is told as that.
  const streamed = await chat({ max_tokens: 4000, stream: true });
  assert.match(streamed.text, /event: done\ndata: .*"model":"llama-here/);
  local.answers["llama-here"] = { status: 500, body: { error: { message: "out of memory" } } };
  assert.equal((await chat({ max_tokens: 4000 })).status, 500);
  assert.equal((await chat({ max_tokens: 100 })).body.provider, "openrouter", "what still fits goes where it was meant to");
});

test("an answer is limited to the room within every cap", async (t) => {
  const { router, chat, cap } = await with_local(t);
  await cap({ scope: "user", tokens: 4000 });
  await cap({ scope: "user", period: "month", tokens: 1500 });
  const answer = await chat();
  assert.equal(answer.status, 200, answer.text);
  assert.ok(router.asked[0].max_tokens < 1500, String(router.asked[0].max_tokens));
});

test("caps that refuse hold for the local model, too", async (t) => {
  const { box, router, local, ada, chat, cap } = await with_local(t);
  await cap({ scope: "user", tokens: 0, whenReached: "local" });
  assert.equal((await chat()).body.provider, "local");
  await box.backend_call("PUT", "/api/admin/caps", { userId: ada.id, scope: "user", period: "month", tokens: 10 });
  const answer = refused(await chat(), 429, "CAP_REACHED");
  assert.deepEqual([answer.body.cap, answer.body.limit, answer.body.used], ["admin-user--month", 10, 15]);
  assert.deepEqual([router.asked.length, local.asked.length], [0, 1]);
});

test("an exceeded money cap refuses paid calls only", async (t) => {
  const { local, chat, cap } = await with_local(t);
  assert.equal((await chat()).body.provider, "openrouter");
  await cap({ scope: "user", usd: "0.000001" });
  refused(await chat(), 429, "CAP_REACHED");
  assert.equal((await chat({ model: "llama-here" })).body.provider, "local", "it costs nothing");
  assert.deepEqual(local.models.filter(Boolean), ["llama-here"]); // others ask for its list
});

test("caps of her own leave the administrator's their places", async (t) => {
  const { box, ada } = await story_of(t);
  const keys = await Promise.all(Array.from({ length: 100 }, (_, at) => ada.call("POST", "/api/keys", { name: `key ${at}` })));
  const wanted = keys.flatMap(({ body: { id } }) => ["day", "month"].map((period) => ({ scope: "key", target: id, period, tokens: 1 })));
  for (const cap of wanted) assert.equal((await ada.call("PUT", "/api/caps", cap)).status, 200);
  const own = { scope: "user", period: "month", tokens: 1 },
    full = await ada.call("PUT", "/api/caps", own);
  assert.deepEqual([full.status, full.body.error], [429, "There are 200 caps already: delete one first"]);
  const by_admin = await box.backend_call("PUT", "/api/admin/caps", { userId: ada.id, scope: "user", period: "day", tokens: 7 });
  assert.equal(by_admin.id, "admin-user--day", JSON.stringify(by_admin));
  const { caps } = (await ada.call("GET", "/api/caps")).body;
  assert.deepEqual([caps.length, caps.filter((cap) => cap.byAdmin).length], [201, 1]);
  assert.equal((await ada.call("DELETE", `/api/caps/${caps.find((cap) => !cap.byAdmin).id}`)).status, 200);
  assert.equal((await ada.call("PUT", "/api/caps", own)).status, 200);
});

test("caps on agents and keys turn to the local model or to a cheaper one by themselves", async (t) => {
  const { box, router, local, ada, cap, door } = await with_local(t, "network");
  const capped = await door(),
    free = await door();
  await cap({ scope: "key", target: capped.id, usd: "0.001", whenReached: "local" });
  const dear = { model: "anthropic/claude-sonnet-5", messages, max_tokens: 4000 };
  assert.match((await capped.ask("chat/completions", dear)).body.model, /^llama-here/);
  assert.equal((await free.ask("chat/completions", dear)).body.model, dear.model, "another key of hers is not bound");
  await cap({ scope: "key", target: capped.id, usd: "0.002", whenReached: "cheaper" });
  assert.equal((await capped.ask("chat/completions", dear)).body.model, CHEAP);
  const none_left = await capped.ask("chat/completions", { ...dear, max_tokens: 8000 });
  assert.deepEqual([none_left.status, none_left.body.error.code], [429, "CAP_REACHED"], "nor has the cheapest room");

  const agent = await box.running_agent(ada);
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json"), "utf8"));
  const as_agent = (body) =>
    send(box.backend, "POST", "/v1/chat/completions", {
      headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  assert.equal((await as_agent(dear)).body.model, dear.model);
  await cap({ scope: "agent", target: agent, tokens: 20, whenReached: "local" });
  assert.match((await as_agent(dear)).body.model, /^llama-here/);
  assert.deepEqual([router.asked.length, local.asked.length], [3, 2]);
});

test("without a local model such a cap refuses", async (t) => {
  const { ada, chat, router } = await story_of(t);
  await ada.call("PUT", "/api/caps", { scope: "user", period: "day", tokens: 0, whenReached: "local" });
  refused(await chat(), 429, "CAP_REACHED");
  assert.equal(router.asked.length, 0);
});

test("a key's budget: calls beyond it are refused, other keys work, the local model is free", async (t) => {
  const { router, local, ada, door } = await with_local(t);
  const { ask, id } = await door(ada, { budgetUsd: "0.001" });
  const other = await door();
  const spend = (body, by = ask) => by("chat/completions", { model: SMALL, messages, ...body });
  assert.equal((await ada.call("GET", `/api/keys/${id}`)).body.budgetUsd, "0.001");

  const much = await spend({ max_tokens: 4000 }); // 0.6 dollars for a million: 0.0024
  assert.deepEqual([much.status, much.body.error.code, much.body.error.type], [429, "BUDGET_EXCEEDED", "insufficient_quota"], much.text);
  assert.match(much.body.error.message, /budget of 0\.001 USD/);
  assert.ok(Number(much.headers["retry-after"]) > 0);
  assert.equal(router.asked.length, 0);

  router.answers[SMALL] = served(SMALL, { usage: [2000, 1000] }); // 0.0009
  assert.equal((await spend({ max_tokens: 1000 })).status, 200);
  router.answers = {};
  assert.equal((await spend({ max_tokens: 1000 })).body.error.code, "BUDGET_EXCEEDED");
  const shorter = await spend({});
  assert.equal(shorter.status, 200, `${shorter.text} a shorter answer fits`);
  assert.ok(router.asked.at(-1).max_tokens < 200);
  assert.equal((await spend({ max_tokens: 4000 }, other.ask)).status, 200, "another key has no budget");
  assert.equal((await spend({ model: undefined })).status, 200);
  assert.equal(local.asked.length, 1);

  const nothing = await door(ada, { budgetUsd: "0" });
  assert.equal((await spend({}, nothing.ask)).body.error.code, "BUDGET_EXCEEDED");
  assert.equal(
    (await nothing.ask("embeddings", { model: "text-embedding-3-small", input: "a" })).body.error.code,
    "MODEL_RESTRICTED",
    "no price, no promise",
  );
  for (const budgetUsd of ["-1", "1e3", "NaN", "much", "0.0000000000001", 5])
    assert.equal((await ada.call("POST", "/api/keys", { name: "x", budgetUsd })).status, 400, String(budgetUsd));
});

test("many calls side by side on one key spend no more than its budget", async (t) => {
  const { box, router, ada, door } = await story_of(t);
  const { ask } = await door(ada, { budgetUsd: "0.001" });
  router.answers[SMALL] = (body) => served(SMALL, { usage: [30, body.max_tokens] });
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask("chat/completions", { model: SMALL, messages, max_tokens: 300 })));
  const statuses = answers.map((answer) => answer.status);
  assert.ok(statuses.includes(200));
  const unexpected = ({ status, text }) => ![200, 429].includes(status) && !text.includes("OVERLOADED"); // on a busy machine
  assert.deepEqual(answers.filter(unexpected), []);
  const { cost } = (await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`)).month;
  assert.ok(Number(cost) <= 0.001, `${cost} was spent`);
  assert.equal(router.asked.length, statuses.filter((status) => status === 200).length);
});

test("an expired key is refused by every API", async (t) => {
  const { box, router, ada, door } = await story_of(t);
  const { key, id, ask } = await door(ada, { expiresInDays: 1 });
  assert.equal((await ask("chat/completions", { model: SMALL, messages })).status, 200);
  await box.end("SIGTERM");
  execFileSync(join(process.env.AGENTBOX_STORY_PACKAGES, "expire"), ["key", box.folder, key]);
  await box.serve();
  for (const path of ["chat/completions", "embeddings"]) {
    const answer = await ask(path, { model: SMALL, messages, input: "a" });
    assert.equal(answer.status, 401, answer.text);
  }
  assert.equal((await send(box.backend, "GET", "/v1/models", { headers: { authorization: `Bearer ${key}` } })).status, 401);
  const validity = await send(box.web, "POST", "/api/keys/validate", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiKey: key }),
  });
  assert.deepEqual([validity.status, validity.body.valid], [401, false]);
  const shown = (await ada.call("GET", `/api/keys/${id}`)).body;
  assert.ok(new Date(shown.expiresAt) < new Date(), "its owner sees when it ended");
  assert.equal(router.asked.length, 1);
  for (const expiresInDays of [0, -1, 1.5, 5000, "1"])
    assert.equal((await ada.call("POST", "/api/keys", { name: "x", expiresInDays })).status, 400, String(expiresInDays));
});
