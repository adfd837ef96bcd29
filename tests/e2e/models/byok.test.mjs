// Own keys at providers: whose account a call goes on, what the plan sees of it, and the switch in /api/billing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAST, refused, story_of } from "../support/ai_story.mjs";
import { MODEL, ModelServer } from "../peers/model_server.mjs";
import { RouterServer, failed } from "../peers/router_server.mjs";

const SECRET = "sk-or-adas-own-key-0123456789";
const billing = (person, body) => person.call("POST", "/api/billing", body);

test("one's own key at a provider: apart from the quota, and never shown", async (t) => {
  const { box, router, ada, chat, month } = await story_of(t);
  const kept = (await ada.call("PUT", "/api/provider-keys/openrouter", { key: SECRET })).body;
  assert.deepEqual([kept.hint, kept.inUse], ["6789", true]);
  assert.equal((await ada.call("PUT", "/api/provider-keys/acme", { key: SECRET })).status, 404);
  for (const key of ["", "key", "[key]", "sk-four", "two words", "tab\tbed-key", "schlüsselbund"])
    assert.equal((await ada.call("PUT", "/api/provider-keys/openrouter", { key })).status, 400, JSON.stringify(key));
  assert.equal(JSON.stringify((await ada.call("GET", "/api/provider-keys")).body).includes(SECRET), false);
  await box.backend_call("PUT", "/api/admin/caps", { userId: ada.id, scope: "user", period: "month", tokens: 0 });
  assert.equal((await chat()).status, 200, "neither quota nor caps on the user bind");
  assert.equal((await month()).calls, 0);
  const { ownKeys } = await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`);
  assert.deepEqual([ownKeys.calls, ownKeys.totalTokens], [1, 15]);
  const models = await box.backend_call("GET", `/api/usage/by-model?userId=${ada.id}`);
  assert.deepEqual([models.rows, models.ownKeys.map((row) => [row.id, row.usage.calls])], [[], [[FAST[0], 1]]], "no report mixes them");
  const spent = (await ada.call("GET", "/api/dashboard/cost")).body;
  assert.deepEqual([spent.total, spent.byModel, spent.ownKeys.byModel.length], ["0.00", [], 1]);
  assert.equal(spent.ownKeys.total, spent.ownKeys.byModel[0].usage.cost);
  assert.equal((await ada.call("DELETE", "/api/provider-keys/openrouter")).status, 200);
  refused(await chat(), 429, "CAP_REACHED");
  assert.equal(box.whole_log.includes(SECRET), false);
  assert.deepEqual(router.keys, [SECRET]);
});

test("a refused provider key of the user is reported with the remedy", async (t) => {
  const { router, ada, chat, door } = await story_of(t);
  router.answers = Object.fromEntries(FAST.map((model) => [model, failed(401)]));
  assert.match((await chat({ model: FAST[1] })).body.error, /^The model provider 'openrouter' refused the configured key: status 401$/);
  await ada.call("PUT", "/api/provider-keys/openrouter", { key: SECRET });
  const told =
    /^The model provider 'openrouter' refused your own key: status 401\. Bring another with PUT \/api\/provider-keys\/openrouter, or DELETE it/;
  const refused_by = await chat({ model: FAST[1] });
  assert.deepEqual([refused_by.status, refused_by.body.code], [500, "bad_key"]);
  assert.match(refused_by.body.error, told);
  const { ask } = await door();
  const { error } = (await ask("chat/completions", { model: FAST[1], messages: [{ role: "user", content: "Hello?" }] })).body;
  assert.deepEqual([error.type, error.code], ["server_error", "bad_key"]);
  assert.match(error.message, told);
});

test("own keys are set aside and taken up again, and calls go on the plan meanwhile", async (t) => {
  const { box, router, ada, chat, month } = await story_of(t);
  const enabled = await billing(ada, { action: "enable-byok", provider: "openrouter", key: SECRET });
  assert.deepEqual(enabled.body, { success: true, action: "enable-byok", byok: { enabled: true, providers: ["openrouter"] } });
  await chat();
  assert.deepEqual([router.newest_key, (await month()).calls], [SECRET, 0]);

  const disabled = await billing(ada, { action: "disable-byok" });
  assert.deepEqual(disabled.body, { success: true, action: "disable-byok", byok: { enabled: false, providers: ["openrouter"] } });
  await box.end("SIGTERM");
  await box.serve();
  assert.deepEqual(
    (await ada.call("GET", "/api/provider-keys")).body.keys.map((key) => [key.provider, key.inUse]),
    [["openrouter", false]],
  );
  await chat();
  assert.deepEqual([router.newest_key, (await month()).calls], ["sk-router", 1], "the box's key, on the plan");
  assert.equal((await billing(ada, { action: "disable-byok" })).status, 200, "twice is once");

  assert.equal((await billing(ada, { action: "enable-byok" })).body.byok.enabled, true);
  await chat();
  assert.deepEqual([router.newest_key, (await month()).calls], [SECRET, 1]);
  const { usage, ownKeys, tokens } = (await billing(ada, { action: "get-usage" })).body;
  assert.deepEqual([usage.calls, usage.totalTokens, ownKeys.calls, ownKeys.totalTokens], [1, 15, 2, 30]);
  assert.deepEqual([tokens.used, tokens.limit], [15, 2_000_000]);
  assert.match(tokens.resetsAt, /^\d{4}-\d\d-01T00:00:00/);

  // A key that is brought while the others are set aside is in use; theirs is nobody else's business.
  await billing(ada, { action: "disable-byok" });
  assert.equal((await ada.call("PUT", "/api/provider-keys/openrouter", { key: `${SECRET}-2` })).body.inUse, true);
  await chat();
  assert.equal(router.newest_key, `${SECRET}-2`);
  const eve = await box.customer("eve@example.org");
  assert.deepEqual((await eve.call("GET", "/api/billing")).body.byok, { enabled: false, providers: [] });
});

test("/api/billing shows the plan and its usage, and names unsupported requests", async (t) => {
  const { box, ada, chat } = await story_of(t, "collective");
  await chat();
  const { tokens, ...info } = (await ada.call("GET", "/api/billing")).body;
  assert.deepEqual(info, { plan: "collective", status: "active", priceGbp: 199, credits: 0, byok: { enabled: false, providers: [] } });
  assert.deepEqual([tokens.used, tokens.limit], [15, 6_000_000]);
  for (const [body, field] of [
    [{}, "action"],
    [{ action: "steal" }, "action"],
    [{ action: 7 }, "action"],
    [{ action: "enable-byok" }, "key"],
    [{ action: "enable-byok", key: SECRET }, "provider"],
    [{ action: "enable-byok", provider: "openai" }, "key"],
    [{ action: "enable-byok", provider: "local", key: SECRET }, "provider"],
    [{ action: "enable-byok", provider: "openai", key: "a b" }, "key"],
  ]) {
    const answer = await billing(ada, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(answer.body.error, new RegExp(`^${field}|${field} `), JSON.stringify(body));
  }
  assert.equal((await billing(ada, { action: "create-checkout" })).status, 400, "no plan is named");
  assert.equal((await billing(ada, { action: "buy-credits" })).status, 503);
  assert.deepEqual((await ada.call("GET", "/api/provider-keys")).body, { keys: [], count: 0 });
  for (const method of ["GET", "POST"])
    assert.equal((await box.person().call(method, "/api/billing", method === "POST" ? {} : undefined)).status, 401);
  await box.backend_call("PATCH", "/api/admin/users/ada@example.org", { plan: "none" });
  const without = (await ada.call("GET", "/api/billing")).body;
  assert.deepEqual([without.plan, without.status, without.tokens.limit], [null, "none", null]);
});

test("embeddings go where the model is, with one's own key", async (t) => {
  const openai = await RouterServer.start(t);
  const { box, router, ada, door, month } = await story_of(t, "solo", { OPENAI_BASE_URL: openai.url });
  const { ask } = await door();
  const embed = async (model) =>
    assert.deepEqual(
      (await ask("embeddings", { model, input: ["a", "b"] })).body.data.map((each) => each.embedding),
      [
        [0.5, 0],
        [0.5, 1],
      ],
    );
  const own_calls = async () => (await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`)).ownKeys.calls;
  await embed("text-embedding-3-small");
  assert.deepEqual([router.newest_key, (await month()).inputTokens, await own_calls()], ["sk-router", 4, 0]);

  await billing(ada, { action: "enable-byok", provider: "openai", key: SECRET });
  await embed("text-embedding-3-small");
  assert.deepEqual([openai.newest_key, router.keys.length, (await month()).calls, await own_calls()], [SECRET, 1, 1, 1]);
  await embed("openai/text-embedding-3-small");
  assert.deepEqual([router.newest_key, openai.keys.length, (await month()).calls], ["sk-router", 1, 2], "a vendor's name is the router's");

  for (const input of [undefined, null, "", [], [""], 7, {}, ["a", null], [[]], Array(2049).fill("a")]) {
    const answer = await ask("embeddings", { model: "text-embedding-3-small", input });
    assert.equal(answer.status, 400, JSON.stringify(input)?.slice(0, 40));
    assert.match(answer.body.error.message, /^input/);
  }
  for (const input of [
    [1, 2, 3],
    [[1, 2], [3]],
  ])
    assert.equal((await ask("embeddings", { model: "text-embedding-3-small", input })).status, 200);
  assert.equal(openai.asked.length, 3);
});

test("a local server embeds with the models it lists, and others with theirs", async (t) => {
  const local = await ModelServer.start(t);
  local.embeds = (body) => ({
    object: "list",
    model: body.model,
    data: [{ object: "embedding", index: 0, embedding: [1] }],
    usage: { prompt_tokens: 2, total_tokens: 2 },
  });
  const { box, router, door } = await story_of(t, "solo", { LOCAL_MODEL_URL: local.url });
  const { ask } = await door();
  assert.deepEqual((await ask("embeddings", { model: MODEL, input: "a" })).body.data[0].embedding, [1]);
  assert.equal(router.asked.length, 0);
  assert.equal((await ask("embeddings", { model: "text-embedding-3-small", input: "a" })).body.data[0].embedding[0], 0.5);
  assert.equal(router.asked.length, 1, box.log);
});
