// Rows of the contract from outside: what each answers at its limits, without a key, and while something is away.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { story_of } from "../support/ai_story.mjs";
import { ADMIN, Box, INTERNAL_KEY, send } from "../support/box.mjs";
import { failed } from "../peers/router_server.mjs";

const KEY = { authorization: `Bearer ${INTERNAL_KEY}` };
const JSON_TYPE = { "content-type": "application/json" };
const post = (box, path, body, headers = {}) =>
  send(box.backend, "POST", path, { headers: { ...KEY, ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });

test("lifecycle routes answer 500 with the reason while the engine is away, a repair too", async (t) => {
  const box = await Box.start(t, { AGENT_RUNTIME: "docker", DOCKER_HOST: "unix:///nonexistent/docker.sock" });
  const { id } = (await post(box, "/api/agents", { name: "Scout" })).body;
  const reason = /Docker Engine .* does not answer/;
  // Again after a start that was refused: its job waits for the engine.
  for (const action of ["repair", "start", "repair", "restart", "repair"]) {
    const { status, body } = await post(box, `/api/agents/${id}/${action}`, {});
    assert.equal(status, 500, `${action}: ${JSON.stringify(body)}`);
    assert.match(body.error, reason, action);
  }
});

test("an agent without a model gets the premium one where a provider serves it", async (t) => {
  const { ada } = await story_of(t, "network");
  const model_of = async (person, more) => {
    const { status, body } = await person.call("POST", "/api/agents/provision", { name: "Scout", tier: "enterprise", ...more });
    assert.equal(status, 201, JSON.stringify(body));
    return body.agent.model;
  };
  assert.equal(await model_of(ada), "anthropic/claude-sonnet-5");
  assert.equal(await model_of(ada, { config: { aiProvider: "auto" } }), "anthropic/claude-sonnet-5");
  assert.equal(await model_of(ada, { config: { aiProvider: "openrouter" } }), "auto", "the provider that was asked for serves its own");
  assert.equal(await model_of(ada, { config: { model: "openai/gpt-4o-mini" } }), "openai/gpt-4o-mini");
  assert.equal(await model_of(ada, { model: "custom" }), "custom");
  const plain = await Box.start(t);
  assert.equal(await model_of(await plain.customer("ada@example.org", "network")), "auto");
});

test("administrators are not held to the plan's number of agents at /api/deployments", async (t) => {
  const box = await Box.start(t);
  const admin = await box.backend_call("GET", `/api/admin/users/${ADMIN.email}`);
  const ada = await box.customer("ada@example.org", "label");
  const deploy = async (userId, name, headers) => (await post(box, "/api/deployments", { userId, name, plan: "label" }, headers)).status;
  assert.deepEqual([await deploy(admin.id, "One"), await deploy(admin.id, "Two")], [201, 201]);
  assert.deepEqual([await deploy(ada.id, "One"), await deploy(ada.id, "Two")], [201, 402]);
  assert.equal(await deploy(ada.id, "Two", { "x-user-email": "ada@example.org" }), 402);
  assert.equal(await deploy(ada.id, "Two", { "x-user-email": ADMIN.email }), 201);
});

test("a caller without a key uses up nothing of the backend's limit, and everybody else all of it", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on" });
  const ask = (path, headers) => send(box.backend, "GET", path, { headers });
  const refusals = await Promise.all(Array.from({ length: 130 }, () => ask("/api/agents", {})));
  assert.deepEqual([...new Set(refusals.map(({ status }) => status))], [401]);
  assert.equal((await ask("/api/agents", { authorization: "Bearer wrong" })).status, 403);
  const left = async (path, headers = KEY) => {
    const answer = await ask(path, headers);
    return [answer.status, answer.headers["ratelimit-limit"], answer.headers["ratelimit-remaining"]];
  };
  assert.deepEqual(await left("/api/agents"), [200, "120", "119"]);
  assert.deepEqual(await left("/api/health", {}), [200, "120", "118"], "the health of the machine counts like everything else");
  assert.deepEqual(await left("/health", {}), [200, undefined, undefined]);
  const { id } = await box.backend_call("GET", `/api/admin/users/${ADMIN.email}`);
  for (let at = 0; at < 7; ++at)
    assert.equal(
      (await post(box, "/api/provision", { userId: id, plan: "gold" })).status,
      400,
      "the web's five a minute are not the backend's",
    );
});

test("/api/agent has a limit of its own beside /api/chat", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on" });
  const ada = await box.customer("ada@example.org");
  const left = async (path) => (await ada.call("GET", path)).headers.get("ratelimit-remaining");
  assert.deepEqual(
    [await left("/api/chat"), await left("/api/agent?action=list"), await left("/api/agent?action=list")],
    ["59", "59", "58"],
  );
});

test("lists have everything, or say where they go on", async (t) => {
  const COUNT = 1010;
  const box = await Box.start(t, { AGENT_PORT_RANGE: "40000-49999" });
  const ada = await box.customer("ada@example.org");
  for (
    let made = 0;
    made < COUNT;
    made += 10 // so few that no box has too much to do
  )
    await Promise.all(Array.from({ length: 10 }, () => post(box, "/api/agents", { name: "Scout", userId: ada.id })));
  const count = async (path) => {
    const { body } = await send(box.backend, "GET", path, { headers: KEY });
    return (Array.isArray(body) ? body : body.instances).length;
  };
  assert.equal((await ada.call("GET", "/api/agents")).body.agents.length, COUNT);
  assert.deepEqual(
    [await count("/api/agents"), await count(`/api/agents?userId=${ada.id}`), await count("/api/agents?limit=5")],
    [COUNT, COUNT, 5],
  );
  assert.equal(await count("/api/runtime/instances"), COUNT);

  const people = [];
  for (const name of ["a", "b", "c"]) people.push(String((await box.customer(`${name}@example.org`)).id));
  people.sort();
  for (const userId of people.toReversed()) assert.equal((await post(box, "/api/register-home", { userId })).status, 200);
  const installations = async (query) => {
    const { body } = await send(box.backend, "GET", `/api/installations${query}`, { headers: KEY });
    return [body.installations.map(({ userId }) => userId), body.count, body.next];
  };
  assert.deepEqual(await installations(""), [people, 3, null]);
  assert.deepEqual(await installations("?limit=2"), [people.slice(0, 2), 2, people[1]]);
  assert.deepEqual(await installations(`?limit=2&after=${people[1]}`), [people.slice(2), 1, null]);
  assert.deepEqual(await installations("?limit=3"), [people, 3, null]);
  assert.equal((await send(box.backend, "GET", "/api/installations?limit=0", { headers: KEY })).status, 400);
  await box.end("SIGKILL"); // sooner than a thousand deletions
});

test("a body without Content-Type: application/json is 415, none at all is not", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const login = (headers) => send(box.web, "POST", "/api/auth/login", { headers, body: JSON.stringify(ADMIN) });
  for (const headers of [
    {},
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/jsonp" },
  ]) {
    const refused = await login(headers);
    assert.deepEqual([refused.status, refused.body], [415, { error: "Content-Type must be application/json" }], JSON.stringify(headers));
  }
  for (const type of ["application/json", "Application/JSON; charset=UTF-8"])
    assert.equal((await login({ "content-type": type })).status, 200, type);
  assert.equal((await send(box.web, "POST", "/api/auth/signout", {})).status, 200);
  const { id } = (await post(box, "/api/agents", { name: "Scout" })).body;
  assert.equal((await send(box.backend, "POST", `/api/agents/${id}/stop`, { headers: KEY })).status, 200, "its body is optional");
  assert.equal((await send(box.backend, "POST", `/api/agents/${id}/stop`, { headers: KEY, body: "{}" })).status, 415);
  assert.equal((await send(box.backend, "POST", "/api/agents", { body: "{}" })).status, 401, "the guard comes first");
  const cookie = { cookie: ada.cookie };
  assert.equal((await send(box.web, "POST", "/api/chat", { headers: cookie, body: "{}" })).status, 415);
  assert.equal((await send(box.web, "POST", "/api/chat", { headers: cookie })).status, 400);
  const { paths } = (await send(box.web, "GET", "/api/openapi.json")).body;
  assert.ok(paths["/api/auth/login"].post.responses["415"] && !paths["/api/auth/signout"].post.responses["415"]);
});

test("the AI API's health is 503 when nothing can serve", async (t) => {
  const health = (box) => send(box.backend, "GET", "/api/ai/health", { headers: KEY });
  const none = await health(await Box.start(t, { AI_BUILTIN: "false" }));
  assert.deepEqual([none.status, none.body.status, none.body.error], [503, "error", "No provider is configured"]);
  assert.equal((await health(await Box.start(t))).status, 200, "the builtin model serves");
  const { box, router, chat } = await story_of(t, "network");
  assert.deepEqual([(await health(box)).status, (await health(box)).body.status], [200, "healthy"]);
  router.answers = new Proxy({}, { get: () => failed(500), has: () => true });
  for (let at = 0; at < 3; ++at) assert.notEqual((await chat()).status, 200);
  const away = await health(box);
  assert.deepEqual([away.status, away.body.status, away.body.providers.openrouter], [503, "error", false], away.text);
});

test("the local server's fallback model answers when its first does not", async (t) => {
  const asked = [];
  let refusal = 500;
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const reply = (status, body) => response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
    if (request.url.endsWith("/models")) return reply(200, { data: [{ id: "big" }, { id: "small" }, { id: "other" }] });
    const { model, stream } = JSON.parse(text);
    asked.push(model);
    if (model !== "small") return reply(refusal, { error: { message: "no" } });
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    if (!stream)
      return reply(200, {
        id: "1",
        model,
        choices: [{ index: 0, message: { role: "assistant", content: "By small." }, finish_reason: "stop" }],
        usage,
      });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const choices of [[{ index: 0, delta: { content: "By small." } }], [{ index: 0, delta: {}, finish_reason: "stop" }]])
      response.write(`data: ${JSON.stringify({ id: "1", model, choices })}\n\n`);
    response.end(`data: ${JSON.stringify({ id: "1", model, choices: [], usage })}\n\ndata: [DONE]\n\n`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  const { chat } = await story_of(t, "network", {
    OPENROUTER_API_KEY: undefined,
    LOCAL_MODEL_URL: `http://127.0.0.1:${server.address().port}/v1`,
    LOCAL_MODEL: "big",
    LOCAL_FALLBACK_MODEL: "small",
  });
  const whole = await chat();
  assert.deepEqual([whole.status, whole.body.message?.content, whole.body.model], [200, "By small.", "small"], whole.text);
  const streamed = await chat({ stream: true });
  assert.match(streamed.text, /event: delta\ndata: .*By small/);
  assert.deepEqual(asked.splice(0), ["big", "small", "big", "small"]);
  refusal = 404; // it does not have the model
  const other = await chat({ model: "other" });
  assert.deepEqual([other.status, other.body.model, asked.splice(0)], [200, "small", ["other", "small"]], other.text);
  assert.deepEqual([(await chat({ model: "small" })).status, asked], [200, ["small"]], "it is asked once");
});

test("a callback beyond the rate limit goes to the sign-in page", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on" });
  let last;
  for (let at = 0; at < 61; ++at) last = await send(box.web, "GET", "/api/auth/idp/callback?code=x&state=y");
  assert.deepEqual([last.status, last.headers.location], [302, "/login?error=IdpBusy"]);
  const other = await send(box.web, "GET", "/api/auth/codehost/callback?code=x&state=y");
  assert.deepEqual([other.status, other.headers.location], [302, "/login?error=CodehostBusy"]);
});

test("the demo states how much of a conversation it uses", async (t) => {
  const { box } = await story_of(t);
  const limits = { entries: 50, charactersPerEntry: 4000, characters: 16_000, answerTokens: 1024 };
  assert.deepEqual((await send(box.web, "GET", "/api/demo/chat")).body.limits, limits);
  const used = async (conversation, message = "Hello?") => {
    const { status, body } = await send(box.web, "POST", "/api/demo/chat", {
      headers: JSON_TYPE,
      body: JSON.stringify({ message, conversation }),
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.conversation.limits, limits);
    return [body.conversation.given, body.conversation.used, body.conversation.cut];
  };
  const said = (length, count) => Array.from({ length: count }, () => ({ role: "user", content: "x".repeat(length) }));
  assert.deepEqual(await used(undefined), [0, 0, 0]);
  assert.deepEqual(await used(said(10, 60)), [60, 50, 0]);
  assert.deepEqual(await used(said(5000, 6)), [6, 4, 4]);
  assert.deepEqual(await used([{ role: "assistant", content: "no" }, ...said(10, 1)], "x".repeat(4001)), [1, 1, 1]);
});
