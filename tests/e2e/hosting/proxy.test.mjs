// An agent on its own host name: who gets to it, over HTTP, streams and WebSockets, and what is answered when it is not
// there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD, send, until } from "../support/box.mjs";
import { open_web_socket } from "../support/web_socket.mjs";

const bearer = (token) => ({ authorization: `Bearer ${token}` });
const json = { "content-type": "application/json" };

// Somebody's running agent: its host, its gateway token, and requests to it.
const agent_of = async (box, person, name) => {
  const id = await box.running_agent(person, name);
  const host = new URL((await person.call("GET", `/api/agents/${id}`)).body.agent.url).host;
  const { gateway_token } = JSON.parse(readFileSync(join(box.folder, "agents", id, "run", "boot.json")));
  const on_host = (headers) => ({ host, ...headers });
  return {
    id,
    host,
    gateway_token,
    ask: (method, path, { headers, body } = {}) => send(box.web, method, path, { headers: on_host(headers), body }),
    socket: (path, headers) => open_web_socket(box.web, path, on_host(headers)),
    // The single-use link, as the console follows it: the path on the agent's host.
    link: async () => {
      const opened = await send(box.web, "GET", `/api/agents/${id}/open`, { headers: { cookie: person.cookie } });
      assert.deepEqual([opened.status, opened.headers["cache-control"]], [302, "no-store"]);
      const { host: target, pathname, search } = new URL(opened.headers.location);
      assert.equal(target, host);
      return pathname + search;
    },
    // Follows the link; the cookie of the agent's host.
    async open() {
      const redeemed = await this.ask("GET", await this.link());
      assert.deepEqual([redeemed.status, redeemed.headers.location], [302, "/"]);
      return redeemed.headers["set-cookie"][0].split(";")[0];
    },
  };
};

const two_agents = async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const eve = await box.customer("eve@example.org");
  return { box, ada, eve, scout: await agent_of(box, ada, "Scout"), spy: await agent_of(box, eve, "Spy") };
};

test("a link from the console opens an agent once, for its owner, on its own host", async (t) => {
  const { ada, scout, spy } = await two_agents(t);
  const link = await scout.link();
  assert.equal((await spy.ask("GET", link)).status, 401, "not on another agent's host");
  assert.equal((await scout.ask("GET", link)).status, 401, "and then it is spent");

  const again = await scout.link();
  const redeemed = await scout.ask("GET", again);
  const [line] = redeemed.headers["set-cookie"];
  const [cookie, ...flags] = line.split("; ");
  assert.deepEqual(flags.sort(), ["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Lax"], "of this host alone: no Domain");
  assert.equal((await scout.ask("GET", again)).status, 401, "a link works once");
  assert.equal((await scout.ask("GET", "/healthz", { headers: { cookie } })).body.status, "live");
  assert.equal((await scout.ask("GET", "/v1/models", { headers: { cookie } })).status, 200);
  assert.equal((await spy.ask("GET", "/healthz", { headers: { cookie } })).status, 401, "the cookie opens one agent");
  assert.equal((await scout.ask("GET", "/healthz", { headers: { cookie: `${cookie}; ${cookie}` } })).status, 401);
  assert.equal((await scout.ask("GET", "/healthz", { headers: { cookie: cookie.replace(/.$/, "x") } })).status, 401);

  await ada.call("POST", "/api/auth/signout");
  assert.equal((await scout.ask("GET", "/healthz", { headers: { cookie } })).status, 401, "it ends with the session");
});

test("an administrator without a required second factor cannot reach agents either", async (t) => {
  const box = await Box.start(t);
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  const scout = await agent_of(box, admin, "Scout");
  const cookie = await scout.open();
  const link = await scout.link();
  assert.equal((await scout.ask("GET", "/healthz", { headers: { cookie } })).status, 200);

  await box.end("SIGTERM");
  box.env = { ...box.env, ADMIN_SECOND_FACTOR: "on" };
  await box.serve();
  assert.equal((await scout.ask("GET", "/healthz", { headers: { cookie } })).status, 401);
  assert.equal((await scout.ask("GET", link)).status, 401);
  assert.equal((await scout.socket("/ws", { cookie, origin: `http://${scout.host}` })).status, 401);
});

// Under /v1 errors have the form of OpenAI's.
const reason_of = (path, { error }) => (path.startsWith("/v1/") ? error.message : error);

test("nobody else gets in: not with the box's cookie, another agent's token, or the owner's after a ban", async (t) => {
  const { box, ada, eve, scout, spy } = await two_agents(t);
  const { key } = (await ada.call("POST", "/api/keys", { name: "laptop" })).body;
  const wrong = {
    nothing: {},
    "the owner's cookie of the box": { cookie: ada.cookie },
    "another user's cookie": { cookie: eve.cookie },
    "another agent's cookie": { cookie: await spy.open() },
    "another agent's token": bearer(spy.gateway_token),
    "an API key": bearer(key),
    garbage: bearer("garbage"),
    "the token, cut": bearer(scout.gateway_token.slice(0, -1)),
    "the token behind a wrong one": { authorization: "Bearer garbage", cookie: await scout.open() },
  };
  for (const [name, headers] of Object.entries(wrong))
    for (const path of ["/", "/healthz", "/v1/models", "/ws", "/api/settings", "/api/agents"]) {
      const answer = await scout.ask("GET", path, { headers });
      assert.equal(answer.status, 401, `${path} with ${name}`);
      assert.match(reason_of(path, answer.body), /open this agent from the console/i);
    }
  const by_query = await scout.ask("GET", `/v1/models?token=${scout.gateway_token}`);
  assert.equal(by_query.status, 401, "a token in an address is for sockets only");
  assert.equal((await scout.ask("GET", "/v1/models", { headers: bearer(scout.gateway_token) })).status, 200);

  const cookie = await scout.open();
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: true });
  assert.equal((await scout.ask("GET", "/healthz", { headers: { cookie } })).status, 401);
});

test("the agent's host serves the agent and not the box, whatever its spelling", async (t) => {
  const { box, ada, scout } = await two_agents(t);
  const headers = bearer(scout.gateway_token);
  for (const path of ["/api/settings", "/api/agents", "/login", "/dashboard"]) {
    const answer = await scout.ask("GET", path, { headers: { ...headers, "x-app": ada.cookie } });
    assert.equal(answer.status, 404, `${path} is the agent's to answer`);
  }
  const on = (host) => send(box.web, "GET", "/v1/models", { headers: { ...headers, host } });
  const [name, port] = scout.host.split(":");
  for (const host of [name, name.toUpperCase(), `${name}:${port}`, `${name}:1`]) assert.equal((await on(host)).status, 200, host);
  for (const host of [`x.${name}`, `nobody-x.localhost:${port}`, `-.localhost`, `${name.replace(".localhost", "")}..localhost`])
    assert.ok([400, 404].includes((await on(host)).status), host);
  for (const host of ["localhost", name.replace(".localhost", ""), `${name}.example.org`, "127.0.0.1"])
    assert.equal((await on(host)).status, 401, `${host} is the box itself, which takes API keys there`);
  const on_backend = await send(box.backend, "GET", "/v1/models", { headers: { ...headers, host: scout.host } });
  assert.equal(on_backend.status, 401, "the backend has no agents' hosts");
});

test("messages stream through as they are made", async (t) => {
  const { scout } = await two_agents(t);
  const headers = { ...bearer(scout.gateway_token), ...json };
  const say = (more) => ({
    headers,
    body: JSON.stringify({ messages: [{ role: "user", content: "remember that the sky is blue" }], ...more }),
  });
  const whole = await scout.ask("POST", "/v1/chat/completions", say({}));
  assert.equal(whole.status, 200, whole.text);
  assert.match(whole.body.choices[0].message.content, /\S/);

  const streamed = await scout.ask("POST", "/v1/chat/completions", say({ stream: true }));
  assert.match(streamed.headers["content-type"], /^text\/event-stream/);
  const events = [...streamed.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data);
  assert.equal(events.at(-1), "[DONE]");
  const text = events.slice(0, -1).map((event) => JSON.parse(event).choices[0]?.delta?.content ?? "");
  assert.match(text.join(""), /\S/);

  const broken = await scout.ask("POST", "/v1/chat/completions", { headers, body: "{" });
  assert.equal(broken.status, 400, "errors are the agent's own");
  const large = await scout.ask("POST", "/v1/chat/completions", { headers, body: "x".repeat(2 << 20) });
  assert.equal(large.status, 413);
});

test("a WebSocket is opened by the owner from the agent's own pages, and carries a conversation", async (t) => {
  const { box, scout, spy } = await two_agents(t);
  const cookie = await scout.open();
  const refused = [
    [401, "/ws", {}],
    [401, "/ws", { cookie: await spy.open() }],
    [401, `/ws?token=${spy.gateway_token}`, {}],
    [401, "/ws?token=", {}],
    [403, "/ws", { cookie, origin: "https://evil.example" }],
    [403, "/ws", { cookie, origin: "null" }],
    [403, "/ws", { cookie, origin: box.web }],
    [403, "/ws", { cookie, origin: `http://${spy.host}` }],
    [403, `/ws?token=${scout.gateway_token}`, { origin: "https://evil.example" }],
  ];
  for (const [status, path, headers] of refused)
    assert.equal((await scout.socket(path, headers)).status, status, `${path} ${JSON.stringify(headers)}`);

  const allowed = [
    ["/ws", { cookie, origin: `http://${scout.host}` }],
    [`/ws?token=${scout.gateway_token}`, {}],
    ["/ws", bearer(scout.gateway_token)],
  ];
  for (const [path, headers] of allowed) {
    const { status, socket } = await scout.socket(path, headers);
    assert.equal(status, 101, path);
    socket.say({ type: "message", content: "remember that the sky is blue" });
    // What ends the turn, after its pieces and steps.
    const outcome = async () => {
      let heard;
      do heard = await socket.hear();
      while (["delta", "tool_call", "tool_result"].includes(heard?.type));
      return heard?.type;
    };
    assert.equal(await outcome(), "message");
    socket.say({ type: "nonsense" });
    assert.equal((await socket.hear()).type, "error");
    socket.say({ type: "message", content: "x".repeat(60_000) });
    assert.ok(["message", "error"].includes(await outcome()), "long messages pass");
    await socket.end();
  }
  assert.ok(!box.whole_log.includes(scout.gateway_token), "a token in an address is in no log");
  const agents_log = readFileSync(join(box.folder, "agents", scout.id, "run", "agent.log"), "utf8");
  assert.ok(!agents_log.includes(scout.gateway_token));
});

test("an agent that is stopped, gone or silent is answered for, and its sockets end", async (t) => {
  const { box, ada, scout } = await two_agents(t);
  const headers = bearer(scout.gateway_token);
  const { socket } = await scout.socket("/ws", headers);
  await ada.call("POST", `/api/instance/${scout.id}/stop`);
  assert.equal(await socket.hear(), undefined, "the socket has ended");
  for (const path of ["/", "/healthz", "/v1/models"]) {
    const answer = await scout.ask("GET", path, { headers });
    assert.deepEqual([answer.status, reason_of(path, answer.body)], [503, "This agent is not running."]);
    assert.ok(Number(answer.headers["retry-after"]) > 0);
  }
  assert.equal((await scout.ask("GET", "/")).status, 401, "who may not come in does not learn that it is stopped");
  assert.equal((await scout.socket("/ws", headers)).status, 503);

  await ada.call("POST", `/api/instance/${scout.id}/start`);
  await until("the agent is back", async () => (await scout.ask("GET", "/healthz", { headers })).status === 200);
  const { pid } = JSON.parse(readFileSync(join(box.folder, "agents", scout.id, "run", "agent.pid")));
  process.kill(pid, "SIGKILL");
  // While it is down the answer is a plain failure; then the box has started it again.
  await until("the agent is started again", async () => {
    const { status } = await scout.ask("GET", "/healthz", { headers });
    assert.ok([200, 502, 503].includes(status), String(status));
    const { body } = await ada.call("GET", `/api/instance/${scout.id}`);
    return status === 200 && body.status === "running" && body.container === "running";
  });

  assert.equal((await ada.call("DELETE", `/api/agents/${scout.id}`)).body.deleted, true);
  assert.equal((await scout.ask("GET", "/", { headers })).status, 404);
});

test("a socket does not outlive the right to it", async (t) => {
  const { box, ada, scout } = await two_agents(t);
  const cookie = await scout.open();
  const { socket } = await scout.socket("/ws", { cookie, origin: `http://${scout.host}` });
  socket.say({ type: "message", content: "hello" });
  assert.notEqual(await socket.hear(), undefined);
  await ada.call("POST", "/api/auth/signout");
  assert.equal(await Promise.race([socket.closed.then(() => "ended"), until_late()]), "ended", "signed out, and the socket is gone");
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 200);
  assert.equal((await fetch(`${box.web}/health`)).status, 200);
});

const until_late = () => new Promise((resolve) => setTimeout(() => resolve("still open"), 15_000).unref());
