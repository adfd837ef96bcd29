// Who gets in, and what ends: disabled users, gateway tokens, registration, listed administrators, hosts, idle sessions.
import assert from "node:assert/strict";
import { get } from "node:http";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, PASSWORD, run, send, until } from "../support/box.mjs";
import { open_web_socket } from "../support/web_socket.mjs";

const NEW_PASSWORD = "another long password";
const json = { "content-type": "application/json" };
const admin = (box, method, path, body) => box.backend_call(method, `/api/admin/users/${path}`, body);
const session_of = async (person) => (await person.call("GET", "/api/auth/session")).body.user;
const register = (box, email, more = {}) => box.person().call("POST", "/api/register", { email, password: PASSWORD, ...more });

// A customer with a running agent: its host, its token, and what the host answers to one.
const with_agent = async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const { subdomain } = (await ada.call("GET", `/api/agents/${id}`)).body.agent;
  const host = `${subdomain}.localhost`;
  const token = async () => (await box.backend_call("GET", `/api/agents/${id}/token`)).token;
  const status_for = async (bearer) =>
    (await send(box.web, "GET", "/health", { headers: { host, authorization: `Bearer ${bearer}` } })).status;
  const until_running = () => until("it runs again", async () => (await box.backend_call("GET", `/api/agents/${id}`)).status === "running");
  return { box, ada, id, host, token, status_for, until_running };
};

// Follows a stream until it ends.
const follow = (t, base, path, headers) => {
  const stream = { closed: false, text: "" };
  const asked = get(new URL(path, base), { headers, agent: false });
  t.after(() => asked.destroy());
  asked.on("error", () => (stream.closed = true));
  asked.on("response", (answer) => {
    stream.status = answer.statusCode;
    answer.on("data", (bytes) => (stream.text += bytes));
    answer.on("error", () => {});
    answer.on("close", () => (stream.closed = true));
  });
  return stream;
};

test("disabling a user closes every way in, stops the agents and ends the connections", async (t) => {
  const { box, ada, id, host, token, status_for } = await with_agent(t);
  const old = await token();
  const key = (await ada.call("POST", "/api/keys", { name: "laptop" })).body.key;
  const models = () => send(box.backend, "GET", "/v1/models", { headers: { authorization: `Bearer ${key}` } });
  assert.deepEqual([await status_for(old), (await models()).status], [200, 200]);
  const { socket, status } = await open_web_socket(box.web, `/ws?token=${old}`, { host });
  assert.equal(status, 101);
  const logs = follow(t, box.web, `/api/logs/${id}/stream`, { cookie: ada.cookie });
  await until("the log is read", () => logs.text.includes("event: ready"));

  assert.equal((await admin(box, "PATCH", ada.id, { isDisabled: true })).isDisabled, true);
  assert.deepEqual([await status_for(old), (await models()).status, await session_of(ada)], [401, 401, null]);
  assert.equal((await open_web_socket(box.web, `/ws?token=${old}`, { host })).status, 401);
  const left = await token();
  assert.notEqual(left, old);
  assert.equal(await status_for(left), 401, "the new token opens nothing either");
  const agent = await until("it is stopped", async () => {
    const found = await box.backend_call("GET", `/api/agents/${id}`);
    return found.status === "stopped" && found;
  });
  assert.match(agent.statusReason, /disabled/);
  await until("the connections end", () => logs.closed, 15_000);
  await socket.closed;
  const start = await box.backend_call("POST", `/api/agents/${id}/start`, {});
  assert.match(start.error, /owner is disabled/);
  const other = await box.backend_call("POST", "/api/agents", { name: "Another", userId: ada.id });
  assert.match(other.error, /owner is disabled/);

  await admin(box, "PATCH", ada.id, { isDisabled: false });
  await ada.log_in("ada@example.org", PASSWORD);
  assert.equal((await ada.call("POST", `/api/instance/${id}/start`, {})).status, 200);
  assert.deepEqual([await status_for(old), await status_for(await token())], [401, 200]);
});

test("a gateway token is replaced on request, with the password, and by signing out everywhere", async (t) => {
  const { box, ada, id, host, token, status_for, until_running } = await with_agent(t);
  const eve = await box.customer("eve@example.org");
  assert.equal((await eve.call("POST", `/api/agents/${id}/rotate-token`)).status, 404);
  assert.equal((await send(box.web, "POST", `/api/agents/${id}/rotate-token`)).status, 401);

  const replaced = async (how) => {
    const old = await token();
    assert.equal(await status_for(old), 200);
    const { socket } = await open_web_socket(box.web, `/ws?token=${old}`, { host });
    await how(old);
    assert.equal(await status_for(old), 401, "at once");
    await socket.closed;
    assert.notEqual(await token(), old);
    await until_running();
    assert.equal(await status_for(await token()), 200);
  };
  await replaced(async (old) => {
    const answer = await ada.call("POST", `/api/agents/${id}/rotate-token`);
    assert.deepEqual([answer.status, answer.body.id, answer.body.status], [200, id, "provisioning"]);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.notEqual(answer.body.token, old);
  });
  await replaced(async () => {
    const answer = await box.backend_call("POST", `/api/agents/${id}/rotate-token`);
    assert.equal(answer.token, await token());
  });
  await replaced(async () => {
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    assert.equal((await ada.call("POST", "/api/settings/password", change)).status, 200);
  });
  await replaced(async () => assert.equal((await ada.call("DELETE", "/api/auth/sessions")).status, 200));
  await replaced(() => admin(box, "DELETE", `${ada.id}/sessions`));
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000");
  const noted = entries.filter(({ act }) => act === "gateway token replaced");
  assert.deepEqual(
    noted.map(({ subject }) => subject),
    [id, id],
    "those that somebody asked for",
  );
});

test("a stopped agent gets its new token without a start, also if the box crashes before", async (t) => {
  const { box, ada, id, token, status_for } = await with_agent(t);
  await ada.call("POST", `/api/instance/${id}/stop`, {});
  const old = await token();
  const answer = await ada.call("POST", `/api/agents/${id}/rotate-token`);
  assert.deepEqual([answer.body.status, answer.body.token === old], ["stopped", false]);
  await ada.call("DELETE", "/api/auth/sessions");
  await box.end("SIGKILL");
  await box.serve();
  assert.notEqual(await token(), answer.body.token);
  assert.deepEqual([await status_for(old), await status_for(answer.body.token)], [401, 401]);
  assert.equal((await ada.call("POST", `/api/instance/${id}/start`, {})).status, 200);
  assert.equal(await status_for(await token()), 200);
});

test("registration is open, by invitation or closed; administrators create users anyway", async (t) => {
  for (const [mode, code] of [
    ["invite", "INVITATION_REQUIRED"],
    ["closed", "REGISTRATION_CLOSED"],
  ]) {
    const box = await Box.start(t, { REGISTRATION: mode });
    for (const more of [{}, { inviteCode: "guess" }]) {
      const refused = await register(box, "ada@example.org", more);
      assert.deepEqual([refused.status, refused.body.code], [403, code]);
      assert.match(refused.body.error, mode === "invite" ? /inviteCode/ : /closed/);
    }
    const taken = await register(box, ADMIN.email);
    assert.equal(taken.status, 403, "nobody learns who has an account");

    const at = { env: { INTERNAL_API_KEY: INTERNAL_KEY, BACKEND_LISTEN: new URL(box.backend).host } };
    const created = await run(["admin", "create-user", "Ada@example.org", "--plan", "solo", "--data", box.folder], at);
    assert.equal(created.code, 0, created.err);
    const password = /^password +(\S+)/m.exec(created.out)[1];
    const ada = box.person();
    assert.equal((await ada.log_in("ada@example.org", password)).status, 200);
    assert.equal((await ada.call("GET", "/api/settings")).body.plan, "solo");
    const again = await run(["admin", "create-user", "ada@example.org", "--data", box.folder], at);
    assert.deepEqual([again.code === 0, /already exists/.test(again.err)], [false, true]);
    const boss = await box.backend_call("POST", "/api/admin/users", {
      email: "boss@example.org",
      password: PASSWORD,
      isAdmin: true,
      name: "Boss",
    });
    assert.deepEqual([boss.isAdmin, boss.emailVerified, boss.name], [true, false, "Boss"]);
    const bad = await box.backend_call("POST", "/api/admin/users", { email: "c@example.org", plan: "gold" });
    assert.match(bad.error, /plan/);
    assert.equal((await admin(box, "GET", "c@example.org")).error, "No such user", "all or nothing");
    assert.doesNotMatch(box.whole_log, /registration_is_open/);
  }
});

test("a box that others reach says loudly that anybody can register", async (t) => {
  const box = await Box.start(t, { BASE_URL: "https://box.example.org" });
  await until("it says so", () => /"level":"warning".*registration_is_open.*ANYBODY/.test(box.whole_log));
  await box.end("SIGTERM");
  box.env = { ...box.env, REGISTRATION: "closed" };
  box.whole_log = "";
  await box.serve();
  assert.doesNotMatch(box.whole_log, /registration_is_open/);
  assert.doesNotMatch((await Box.start(t)).whole_log, /registration_is_open/);
});

test("a listed address gives no rights until its owner has proved it", async (t) => {
  const box = await Box.start(t, { ADMIN_EMAILS: `boss@example.org,${ADMIN.email}` });
  const squatter = box.person();
  assert.equal((await register(box, "Boss@example.org")).status, 200);
  await squatter.log_in("boss@example.org", PASSWORD);
  assert.equal((await session_of(squatter)).isAdmin, false);
  assert.equal((await squatter.call("GET", "/api/admin/audit")).status, 403);
  const ask = (email) =>
    send(box.backend, "POST", "/api/ai/chat", {
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, ...json, "x-user-email": email },
      body: JSON.stringify({ messages: [{ role: "user", content: "hi" }] }),
    });
  assert.equal((await ask("boss@example.org")).body.code, "PLAN_REQUIRED", "an unproved account is no admin for the backend");
  const ada = await box.customer("ada@example.org");
  await ada.call("PATCH", "/api/settings", { email: "boss2@example.org", currentPassword: PASSWORD });

  // The owner of the address proves it by a mail: the box's own, since no provider is set up here.
  await box.person().call("POST", "/api/auth/forgot-password", { email: "boss@example.org" });
  const token = await until("a mail", async () => {
    const { mails } = await box.backend_call("GET", "/api/admin/outbox?limit=1000");
    return mails.map(({ to, body }) => to === "boss@example.org" && /\?reset=([\w-]{43})/.exec(body)?.[1]).find(Boolean);
  });
  assert.equal((await box.person().call("POST", "/api/auth/reset-password", { token, password: NEW_PASSWORD })).status, 200);
  assert.equal(await session_of(squatter), null, "what somebody else began has ended");
  assert.equal((await squatter.log_in("boss@example.org", PASSWORD)).status, 401);
  const boss = box.person();
  await boss.log_in("boss@example.org", NEW_PASSWORD);
  assert.equal((await session_of(boss)).isAdmin, true);
  assert.equal((await ask("boss@example.org")).status, 200);

  const { id } = await session_of(boss);
  await admin(box, "PATCH", id, { isDisabled: true });
  assert.equal((await ask("boss@example.org")).body.code, "PLAN_REQUIRED", "nor is a disabled one");
  const first = box.person();
  await first.log_in(ADMIN.email, ADMIN.password);
  assert.equal((await session_of(first)).isAdmin, true, "the one of agentbox init");
});

test("the demo is off by its switch and by either limit", async (t) => {
  for (const off of [{ DEMO_CHAT: "off" }, { DEMO_DAILY_USD: "0" }, { DEMO_DAILY_USD: "0.00" }, { DEMO_DAILY_TOKENS: "0" }]) {
    const box = await Box.start(t, off);
    for (const [method, body] of [["GET"], ["POST", '{"message":"hi"}'], ["POST", "{}"]]) {
      const answer = await send(box.web, method, "/api/demo/chat", { headers: json, body });
      assert.deepEqual([answer.status, answer.body.error], [503, "The demo is off"], JSON.stringify(off));
    }
    await box.end("SIGTERM");
  }
});

test("a public https address makes cookies secure and other hosts misdirected", async (t) => {
  const box = await Box.start(t, { BASE_URL: "https://box.example.org", ALLOWED_HOSTS: "alias.example.net,.wild.example.net" });
  const at = (host, path = "/api/auth/session") => send(box.web, "GET", path, { headers: { host } });
  const ada = await box.customer("ada@example.org");
  const login = await ada.log_in("ada@example.org", PASSWORD);
  assert.match(login.headers.getSetCookie().join(), /app-session=.*; Secure/);
  assert.match(login.headers.get("strict-transport-security"), /max-age=\d{8}/);
  assert.match((await ada.call("POST", "/api/auth/signout")).headers.getSetCookie().join(), /; Secure/);

  for (const host of [
    "box.example.org",
    "BOX.example.org:443",
    "alias.example.net",
    "a.wild.example.net",
    "localhost",
    new URL(box.web).host,
  ])
    assert.equal((await at(host)).status, 200, host);
  assert.equal((await at("nobody.localhost", "/")).status, 404, "an agent's host");
  for (const host of [
    "evil.example",
    "box.example.org.evil.example",
    "evil-box.example.org",
    "wild.example.net",
    "192.168.1.7",
    "nip.io",
  ]) {
    const refused = await at(host);
    assert.equal(refused.status, 421, host);
    assert.match(refused.body.error, /ALLOWED_HOSTS/);
    assert.equal(refused.headers["x-csrf-token"], undefined);
  }
  const backend = await send(box.backend, "GET", "/health", { headers: { host: "whatever.example" } });
  assert.equal(backend.status, 200, "no browser gets past the backend's key");

  const plain = await Box.start(t);
  assert.equal((await send(plain.web, "GET", "/api/health", { headers: { host: "any.example" } })).status, 200);
  const bob = await plain.customer("bob@example.org");
  assert.doesNotMatch((await bob.log_in("bob@example.org", PASSWORD)).headers.getSetCookie().join(), /Secure/);
});

test("security.txt says where to report, if the settings do", async (t) => {
  const path = "/.well-known/security.txt";
  const silent = await Box.start(t);
  assert.equal((await send(silent.web, "GET", path)).status, 404);
  const box = await Box.start(t, {
    BASE_URL: "https://box.example.org",
    SECURITY_CONTACT: "security@example.org,https://example.org/report",
    SECURITY_POLICY: "https://example.org/policy",
    SECURITY_LANGUAGES: "en, de",
  });
  const answer = await send(box.web, "GET", path);
  assert.deepEqual([answer.status, answer.headers["content-type"]], [200, "text/plain; charset=utf-8"]);
  const fields = answer.text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/: (.*)/).slice(0, 2));
  const { Expires, ...rest } = Object.fromEntries(fields.slice(2));
  assert.deepEqual(fields.slice(0, 2), [
    ["Contact", "mailto:security@example.org"],
    ["Contact", "https://example.org/report"],
  ]);
  assert.deepEqual(rest, {
    "Preferred-Languages": "en, de",
    Policy: "https://example.org/policy",
    Canonical: `https://box.example.org${path}`,
  });
  const days = (new Date(Expires) - Date.now()) / 86_400_000;
  assert.ok(days > 178 && days < 366, Expires);
  box.env = { ...box.env, SECURITY_EXPIRES: "2030-01-31T12:00:00Z" };
  await box.end("SIGTERM");
  await box.serve();
  assert.match((await send(box.web, "GET", path)).text, /^Expires: 2030-01-31T12:00:00(\.000)?Z$/m);
});

test("a session that nobody uses ends; one in use does not", async (t) => {
  const box = await Box.start(t, { SESSION_IDLE: "3s" });
  const idle = await box.customer("ada@example.org"),
    used = box.person();
  await used.log_in("ada@example.org", PASSWORD);
  for (const end = Date.now() + 5_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200)))
    assert.notEqual(await session_of(used), null);
  assert.equal(await session_of(idle), null);
  const { sessions } = (await used.call("GET", "/api/auth/sessions")).body;
  assert.equal(sessions.length, 1);
  assert.ok(new Date(sessions[0].expiresAt) - Date.now() < 4_000, "it would end that soon");
});

test("ADMIN_NETWORKS closes the backend and the rows of administrators to all other clients, before anything else", async (t) => {
  const box = await Box.start(t, { ADMIN_NETWORKS: "10.1.0.0/16,2001:db8::/32", TRUSTED_PROXIES: "127.0.0.1" });
  const admin_person = box.person();
  await admin_person.log_in(ADMIN.email, ADMIN.password);
  const { cookie } = admin_person;
  const status = async (listener, path, from, headers) => {
    const answer = await send(box[listener], "GET", path, { headers: { ...headers, ...(from && { "x-forwarded-for": from }) } });
    return answer.status === 403 ? answer.body.code : answer.status;
  };
  const key = { authorization: `Bearer ${INTERNAL_KEY}` };
  for (const from of ["10.1.2.3", "2001:db8::7", "::ffff:10.1.2.3"]) {
    assert.equal(await status("web", "/api/admin/users", from, { cookie }), 200, from);
    assert.equal(await status("backend", "/api/admin/users", from, key), 200, from);
  }
  for (const from of ["10.2.0.1", "2001:db9::1", "not an address"]) {
    assert.equal(await status("web", "/api/admin/users", from, { cookie }), "NETWORK_REFUSED", from);
    assert.equal(await status("web", "/api/egress", from, { cookie }), "NETWORK_REFUSED", from);
    assert.equal(await status("web", "/api/settings", from, { cookie }), 200, "all else is open");
    assert.equal(await status("backend", "/api/admin/users", from, key), "NETWORK_REFUSED", from);
    assert.equal(await status("backend", "/no/such/row", from, {}), "NETWORK_REFUSED", "before anything else");
  }
  assert.equal(await status("backend", "/api/admin/users", "", key), 200, "the box's own commands and agents come from this machine");
  assert.equal(await status("web", "/api/admin/users", "", { cookie }), "NETWORK_REFUSED");
  await until("a line in the log", () => box.whole_log.includes("client_network_refused"));

  const doctor = async (env) => {
    const { out } = await run(["doctor", "--json", "--data", box.folder], { env });
    return JSON.parse(out).findings.find(({ check }) => check === "admin networks")?.level;
  };
  assert.equal(await doctor({ ADMIN_NETWORKS: "10.1.0.0/16" }), "warning", "every client comes from the proxy on this machine");
  assert.equal(await doctor({ ADMIN_NETWORKS: "10.1.0.0/16,127.0.0.1" }), "ok");
  assert.equal(await doctor({}), undefined);
  const wrong = await run(["serve", "--data", box.folder], { env: { ADMIN_NETWORKS: "10.1.0.0/99" } });
  assert.match(wrong.err, /ADMIN_NETWORKS.*is not an address or a network/);
});
