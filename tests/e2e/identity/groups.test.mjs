// Groups: what the administrator makes of them, what they limit, and who is in them by the identity provider's claim.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, send, until } from "../support/box.mjs";
import { MODEL, ModelServer, say } from "../peers/model_server.mjs";
import { story_of } from "../support/ai_story.mjs";

test("an administrator makes, changes and removes groups, and adds and removes members", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  assert.equal((await ada.call("GET", "/api/admin/groups")).status, 403);
  assert.equal((await ada.call("POST", "/api/admin/groups", { name: "x" })).status, 403);
  const made = await admin.call("POST", "/api/admin/groups", { name: "Birds", claim: "birds", models: ["local"] });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const at = `/api/admin/groups/${made.body.id}`;
  assert.deepEqual([made.body.name, made.body.claim, made.body.models, made.body.members], ["Birds", "birds", ["local"], 0]);
  assert.equal((await admin.call("POST", "/api/admin/groups", { name: "BIRDS" })).status, 409, "the name is taken");
  assert.equal((await admin.call("POST", "/api/admin/groups", { name: "Fish", claim: "birds" })).status, 409, "the claim is taken");
  assert.equal((await admin.call("POST", "/api/admin/groups", { name: "Fish", plan: "gold" })).status, 400);
  const changed = await admin.call("PATCH", at, { claim: "", models: [], channels: ["telegram"] });
  assert.deepEqual(
    [changed.body.name, changed.body.claim, changed.body.models, changed.body.channels],
    ["Birds", null, null, ["telegram"]],
  );
  assert.equal((await admin.call("PUT", `${at}/members/ada@example.org`)).status, 200);
  assert.equal((await admin.call("PUT", `${at}/members/${ada.id}`)).status, 200, "again, by id");
  assert.equal((await admin.call("PUT", `${at}/members/nobody@example.org`)).status, 404);
  assert.deepEqual(
    (await admin.call("GET", at)).body.members.map(({ email, source }) => [email, source]),
    [["ada@example.org", "admin"]],
  );
  assert.deepEqual((await ada.call("GET", "/api/groups")).body.groups, [{ id: made.body.id, name: "Birds" }]);
  await box.end("SIGTERM");
  await box.serve();
  assert.equal((await admin.call("GET", "/api/admin/groups")).body.groups[0].members, 1, "it survives a restart");
  assert.equal((await admin.call("DELETE", `${at}/members/${ada.id}`)).status, 200);
  assert.equal((await admin.call("DELETE", `${at}/members/${ada.id}`)).status, 404);
  assert.equal((await admin.call("DELETE", at)).status, 200);
  assert.equal((await admin.call("GET", at)).status, 404);
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000");
  for (const act of ["group created", "group changed", "group member added", "group member removed", "group removed"])
    assert.ok(
      entries.some((entry) => entry.act === act && entry.outcome === "ok"),
      act,
    );
});

test("members without a plan get the group's", async (t) => {
  const box = await Box.start(t);
  const solo = await box.customer("solo@example.org", "solo");
  const { id } = await box.backend_call("POST", "/api/admin/users", { email: "new@example.org" });
  const group = await box.backend_call("POST", "/api/admin/groups", { name: "Birds", plan: "collective" });
  for (const user of [solo.id, id]) await box.backend_call("PUT", `/api/admin/groups/${group.id}/members/${user}`);
  const plan_of = async (user) => (await box.backend_call("GET", `/api/admin/users/${user}`)).plan;
  assert.deepEqual([await plan_of(solo.id), await plan_of(id)], ["solo", "collective"]);
});

test("a group may list models of the local server, and what it lists holds for embeddings, too", async (t) => {
  const model = await ModelServer.start(t);
  model.embeds = () => ({
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: [0.5] }],
    model: "embedder",
    usage: { prompt_tokens: 1, total_tokens: 1 },
  });
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org", "network");
  const { key } = (await ada.call("POST", "/api/keys", { name: "laptop" })).body;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const ask = async (path, body) => (await send(box.backend, "POST", path, { headers, body: JSON.stringify(body) })).status;
  const chat = (name) => {
    model.will(() => say("hello"));
    return ask("/v1/chat/completions", { model: name, messages: [{ role: "user", content: "hello" }] });
  };
  const embed = (name) => ask("/v1/embeddings", { model: name, input: "hello" });
  assert.deepEqual([await chat(MODEL), await chat("auto"), await embed("embedder")], [200, 200, 200]);
  const group = await box.backend_call("POST", "/api/admin/groups", { name: "Birds", models: [MODEL] });
  await box.backend_call("PUT", `/api/admin/groups/${group.id}/members/${ada.id}`);
  assert.deepEqual([await chat(MODEL), await chat("auto"), await embed("embedder")], [200, 200, 403]);
  await box.backend_call("PATCH", `/api/admin/groups/${group.id}`, { models: ["embedder"] });
  assert.deepEqual([await chat(MODEL), await embed("embedder")], [403, 200]);
});

test("a group limits the models and the channels of its members", async (t) => {
  const { box, ada, door, chat: claimed } = await story_of(t, "network");
  const [allowed, other] = ["openai/gpt-4o-mini", "anthropic/claude-haiku-4.5"];
  const { ask } = await door();
  const chat = (model) => ask("chat/completions", { model, messages: [{ role: "user", content: "hello" }] });
  assert.equal((await chat(other)).status, 200);
  const group = await box.backend_call("POST", "/api/admin/groups", { name: "Birds", models: [allowed], channels: ["slack"] });
  await box.backend_call("PUT", `/api/admin/groups/${group.id}/members/${ada.id}`);
  assert.equal((await chat(allowed)).status, 200);
  const refused = await chat(other);
  assert.equal(refused.status, 403, refused.text);
  assert.match(refused.text, /groups allow/);
  const of_claim = await claimed({ model: other });
  assert.equal(of_claim.status, 403, "also where an application names the user");
  const chosen = await chat("auto");
  assert.deepEqual([chosen.status, chosen.body.model], [200, allowed], "the box chooses among the allowed ones");
  const listed = await send(box.backend, "GET", "/v1/models", { headers: { authorization: `Bearer ${(await door()).key}` } });
  assert.deepEqual(
    listed.body.data.map(({ id }) => id),
    [allowed],
  );
  const agent = await box.running_agent(ada, "Scout", "enterprise");
  const at = `/api/agents/${agent}/channels`;
  const add = () =>
    ada.call("POST", at, {
      kind: "webhook",
      token: `whsec_${Buffer.from("a signing secret of the stories!").toString("base64")}`,
      options: { url: "https://hooks.example.org/" },
    });
  const channel = await add();
  assert.equal(channel.status, 403, JSON.stringify(channel.body));
  assert.match(channel.body.error, /groups/);
  // Channels that are connected follow their group.
  const allow = (channels) => box.backend_call("PATCH", `/api/admin/groups/${group.id}`, { channels });
  await allow([]);
  const { id } = (await add()).body.channel;
  const until_state = (state) =>
    until(`the channel is ${state}`, async () => {
      const now = (await ada.call("GET", `${at}/${id}`)).body.channel;
      return now.state === state && now;
    });
  await until_state("connected");
  await allow(["slack"]);
  assert.match((await until_state("off")).error, /groups of the agent's owner do not include/);
  await allow([]);
  await until_state("connected");
  await box.backend_call("PATCH", `/api/admin/groups/${group.id}`, { models: [] });
  assert.equal((await chat(other)).status, 200);
});
