// The contract of accounts, from outside: registering, signing in and out, one's settings, password and API keys.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD, send } from "../support/box.mjs";
import { agent_processes } from "../support/processes.mjs";

const register = (person, email, more = {}) => person.call("POST", "/api/register", { email, password: PASSWORD, ...more });
const session_of = async (person) => (await person.call("GET", "/api/auth/session")).body.user;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const cookie_of = (answer) => answer.headers["set-cookie"].find((line) => line.startsWith("app-session="));
const json = { "content-type": "application/json" };

// Refused, with a message about `field`.
const refuses = (answer, status, field) => {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.ok(answer.body.error.includes(field), `${answer.body.error} does not speak of ${field}`);
};

const log_in_of = (body, headers = {}) => ({ headers: { ...json, ...headers }, body: JSON.stringify(body) });

test("registering: one account an address, in any spelling, with no session yet", async (t) => {
  const box = await Box.start(t),
    ada = box.person();
  const made = await register(ada, "Ada.Lovelace+box@Example.ORG");
  assert.deepEqual([made.status, Object.keys(made.body)], [200, ["id", "email", "name"]]);
  assert.equal(made.body.email, "ada.lovelace+box@example.org");
  assert.equal(made.body.name, made.body.email, "the name is the e-mail when none is given");
  assert.equal(made.headers.getSetCookie().length, 0);

  refuses(await register(ada, "ADA.lovelace+box@example.org"), 409, "email");
  for (const email of [
    "ada",
    "ada@",
    "@example.org",
    "a b@example.org",
    "ada@example",
    "ada@exa_mple.org",
    "ada@@example.org",
    "ada@example.org ",
    "ada..l@example.org",
    `${"a".repeat(65)}@example.org`,
  ])
    refuses(await register(ada, email), 400, "email");
  for (const password of ["seven77", "password1", "Password1", "other@example.org"])
    refuses(await register(ada, "other@example.org", { password }), 400, "password");
  refuses(await register(ada, "0xd8da6bf26964af9d7eed9e03e53415d37aa96045@wallet.app"), 400, "email");
  refuses(await register(ada, "someone@Wallet.App"), 400, "email");

  assert.equal((await register(ada, "robot@example.org", { website: "https://spam.example" })).status, 403);
  const no_agent = await send(box.web, "POST", "/api/register", log_in_of({ email: "robot@example.org", password: PASSWORD }));
  assert.equal(no_agent.status, 403, "a request without a User-Agent is no browser's");

  const { users } = await box.backend_call("GET", "/api/admin/users");
  assert.deepEqual(
    users.map((user) => user.email),
    [ADMIN.email, "ada.lovelace+box@example.org"],
    "what was refused left nothing",
  );
});

test("a referral code credits both, in any case; a wrong one makes no account", async (t) => {
  const box = await Box.start(t, { REFERRAL_CREDIT: "registration" });
  const ada = await box.customer("ada@example.org");
  const { referralCode } = (await ada.call("GET", "/api/settings")).body;
  assert.match(referralCode, /^[a-z0-9-]{1,20}$/);

  const bob = box.person();
  assert.equal((await register(bob, "bob@example.org", { referralCode: referralCode.toUpperCase() })).status, 200);
  await bob.log_in("bob@example.org", PASSWORD);
  assert.equal((await bob.call("GET", "/api/settings")).body.credits, 100);
  assert.equal((await ada.call("GET", "/api/settings")).body.credits, 100);
  assert.equal((await box.backend_call("GET", "/api/admin/users/ada@example.org")).credits, 100);

  for (const wrong of ["no-such-code", "with space", "ünlaut", "x".repeat(21), "", "under_score"])
    refuses(await register(box.person(), "carl@example.org", { referralCode: wrong }), 400, "referralCode");
  assert.equal((await box.backend_call("GET", "/api/admin/users")).users.length, 3);

  const together = await Promise.all(
    ["d@example.org", "e@example.org", "f@example.org"].map((email) => register(box.person(), email, { referralCode })),
  );
  assert.deepEqual(
    together.map((answer) => answer.status),
    [200, 200, 200],
  );
  assert.equal((await ada.call("GET", "/api/settings")).body.credits, 400, "credits given side by side all count");
});

test("eight concurrent registrations of one address: one succeeds", async (t) => {
  const box = await Box.start(t);
  const answers = await Promise.all(Array.from({ length: 8 }, () => register(box.person(), "one@example.org")));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 409, 409, 409, 409, 409, 409, 409]);
  assert.equal((await box.backend_call("GET", "/api/admin/users")).users.length, 2);
});

test("the session cookie is a host's own, signs in until it is signed out, and is replaced by the next sign-in", async (t) => {
  const box = await Box.start(t),
    ada = box.person();
  await register(ada, "ada@example.org", { name: "Ada" });
  const signed_in = await ada.log_in("ADA@example.org", PASSWORD);
  assert.equal(signed_in.status, 200);
  assert.equal(signed_in.body.ok, true);
  assert.deepEqual(Object.keys(signed_in.body.user), ["id", "name"]);
  const [line] = signed_in.headers.getSetCookie();
  const [pair, ...flags] = line.split("; ");
  assert.match(pair, /^app-session=[A-Za-z0-9_-]{43}$/, "256 random bits");
  assert.deepEqual(flags.sort(), ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"]);
  assert.deepEqual(await session_of(ada), {
    id: signed_in.body.user.id,
    name: "Ada",
    email: "ada@example.org",
    isAdmin: false,
    isSupport: false,
    secondFactorDue: null,
  });

  const first = { ...ada };
  await ada.log_in("ada@example.org", PASSWORD);
  assert.notEqual(ada.cookie, first.cookie);
  assert.equal(await session_of(first), null, "the session that the browser held has ended");
  assert.equal((await session_of(ada)).name, "Ada");

  const elsewhere = box.person();
  await elsewhere.log_in("ada@example.org", PASSWORD);
  const out = await ada.call("POST", "/api/auth/signout");
  assert.deepEqual([out.status, out.body], [200, { ok: true }]);
  assert.match(out.headers.getSetCookie()[0], /^app-session=;.*Max-Age=0/);
  assert.equal(await session_of(ada), null, "the cookie is worthless even to who kept it");
  assert.equal((await ada.call("GET", "/api/settings")).status, 401);
  assert.equal((await ada.call("POST", "/api/auth/signout")).status, 200, "signing out twice is fine");
  assert.equal((await session_of(elsewhere)).name, "Ada", "other devices stay signed in");
});

test("two session cookies are an attack or an accident: neither counts", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  for (const cookie of [`${ada.cookie}; ${eve.cookie}`, `${ada.cookie}; ${ada.cookie}`, `${ada.cookie}; app-session=`]) {
    const with_both = { headers: { cookie } };
    assert.equal((await send(box.web, "GET", "/api/auth/session", with_both)).body.user, null, cookie);
    assert.equal((await send(box.web, "GET", "/api/settings", with_both)).status, 401);
    assert.equal((await send(box.web, "GET", "/api/agents", with_both)).status, 401, "not the anonymous answer either");
  }
  assert.equal((await session_of(ada)).email, "ada@example.org");
  const out = await send(box.web, "POST", "/api/auth/signout", { headers: { cookie: `${ada.cookie}; ${eve.cookie}` } });
  assert.deepEqual([out.status, out.body], [200, { ok: true }]);
  assert.deepEqual([await session_of(ada), await session_of(eve)], [null, null], "who signs out means all that was sent");
});

test("over https a companion cookie tells the box's own session cookie from one that a sibling host has planted", async (t) => {
  const box = await Box.start(t, { TRUSTED_PROXIES: "127.0.0.1" });
  await register(box.person(), "ada@example.org");
  const eve = await box.customer("eve@example.org");
  const https = { "x-forwarded-proto": "https", host: "box.example.org" };
  const signed_in = await send(box.web, "POST", "/api/auth/login", log_in_of({ email: "ada@example.org", password: PASSWORD }, https));
  const [own, companion] = ["app-session=", "__Host-app-session="].map((name) =>
    signed_in.headers["set-cookie"].find((line) => line.startsWith(name)),
  );
  assert.deepEqual(companion.split("; ").slice(1).sort(), own.split("; ").slice(1).sort());
  assert.match(companion, /; Path=\/; .*; Secure/);
  assert.doesNotMatch(companion, /Domain/);
  const pair = (line) => line.split(";")[0];
  const ask = (path, cookie, method = "GET") => send(box.web, method, path, { headers: { ...https, cookie } });

  for (const cookie of [`${eve.cookie}; ${pair(own)}`, `${pair(own)}; ${eve.cookie}`]) {
    const answer = await ask("/api/auth/session", `${cookie}; ${pair(companion)}`);
    assert.equal(answer.body.user.email, "ada@example.org");
    const cleared = answer.headers["set-cookie"];
    for (const [domain, path] of [
      ["box.example.org", "/"],
      ["box.example.org", "/api"],
      ["example.org", "/"],
    ])
      assert.ok(
        cleared.some((line) => line.startsWith(`app-session=; Domain=${domain}; Path=${path}; Max-Age=0;`)),
        `${domain}${path}: ${cleared}`,
      );
    assert.ok(
      cleared.every((line) => line.includes("; Domain=")),
      "the box's own cookie stays",
    );
    assert.equal((await ask("/api/settings", `${cookie}; ${pair(companion)}`)).body.email, "ada@example.org");
    assert.equal((await ask("/api/settings", cookie)).status, 401, "without the companion neither counts");
  }
  assert.equal((await ask("/api/settings", `${eve.cookie}; ${pair(companion)}`)).status, 401, "a planted one alone");
  assert.equal((await ask("/api/settings", pair(own))).status, 200, "clients that keep the contract's cookie only");
  assert.equal((await ask("/api/auth/session", pair(own))).headers["set-cookie"], undefined);

  const out = await ask("/api/auth/signout", `${pair(own)}; ${pair(companion)}`, "POST");
  for (const name of ["app-session=;", "__Host-app-session=;"])
    assert.ok(
      out.headers["set-cookie"].some((line) => line.startsWith(name)),
      name,
    );
});

test("password hashing gives way to requests, and agents to password hashing", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const niceness = (stat) => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  const nice_of = (pid, task) => niceness(readFileSync(`/proc/${pid}/task/${task}/stat`, "latin1"));
  const threads = readdirSync(`/proc/${box.child.pid}/task`).map((task) => nice_of(box.child.pid, task));
  const agent = agent_processes(box).find((one) => one.id === id).pid;
  const own = nice_of(box.child.pid, box.child.pid);
  assert.ok(threads.includes(own + 5), `sign-in: ${threads}`);
  assert.ok(threads.includes(own + 10), `registration: ${threads}`);
  assert.equal(Math.max(...threads), own + 10);
  assert.equal(nice_of(agent, agent), own + 10);
});

test("Secure stands on the cookie whenever the request came by https, and only a trusted proxy can say so", async (t) => {
  const sign_in = log_in_of({ email: ADMIN.email, password: ADMIN.password }, { "x-forwarded-proto": "https" });
  const direct = await Box.start(t);
  assert.doesNotMatch(cookie_of(await send(direct.web, "POST", "/api/auth/login", sign_in)), /Secure/);

  const behind_proxy = await Box.start(t, { TRUSTED_PROXIES: "127.0.0.1" });
  assert.match(cookie_of(await send(behind_proxy.web, "POST", "/api/auth/login", sign_in)), /; Secure/);
  assert.match(cookie_of(await send(behind_proxy.web, "POST", "/api/auth/signout", { headers: sign_in.headers })), /; Secure/);
  const plain = log_in_of({ email: ADMIN.email, password: ADMIN.password });
  assert.doesNotMatch(cookie_of(await send(behind_proxy.web, "POST", "/api/auth/login", plain)), /Secure/);
});

test("a wrong password and an unknown address get the same answer in the same time", async (t) => {
  const box = await Box.start(t),
    ada = box.person();
  await register(ada, "ada@example.org");
  const attempt = (email, password = "not the password") => ada.call("POST", "/api/auth/login", { email, password });
  const known = [],
    unknown = [];
  for (let round = 0; round < 9; ++round)
    for (const [email, times] of [
      ["ada@example.org", known],
      [`nobody${round}@example.org`, unknown],
    ]) {
      const start = performance.now();
      const answer = await attempt(email);
      times.push(performance.now() - start);
      assert.deepEqual([answer.status, answer.body], [401, { error: "Invalid credentials" }]);
      assert.equal(answer.headers.getSetCookie().length, 0);
    }
  // Without the work for nobody's password this ratio is above ten.
  const ratio = median(known) / median(unknown);
  assert.ok(ratio > 1 / 3 && ratio < 3, `known ${known}, unknown ${unknown}`);
  assert.deepEqual((await attempt("no address at all")).body, { error: "Invalid credentials" });
});

test("ten failures delay an account's sign-in, known or not, also for guesses made side by side", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on" }),
    ada = box.person();
  await register(ada, "ada@example.org");
  await register(ada, "bob@example.org");
  for (const email of ["ada@example.org", "nobody@example.org"]) {
    const guesses = await Promise.all(Array.from({ length: 14 }, (_, n) => ada.log_in(email, `a wrong guess ${n}`)));
    const wrong = guesses.filter((answer) => answer.status === 401),
      closed = guesses.filter((answer) => answer.status === 429);
    assert.deepEqual([wrong.length, closed.length], [10, 4], email);
    assert.match(closed[0].body.error, /try again later/);
    const wait = closed[0].headers.get("retry-after");
    assert.ok(Number(wait) > 20 && Number(wait) <= 30, `the first delay: ${wait}`);
    const fields = ["limit", "remaining", "reset"].map((name) => closed[0].headers.get(`ratelimit-${name}`));
    assert.deepEqual(fields, ["10", "0", wait], "of this limit, not of the address's minute");
    assert.equal((await ada.log_in(email, PASSWORD)).status, 429, "also for the right password");
  }
  assert.equal((await ada.log_in("bob@example.org", PASSWORD)).status, 200, "others sign in");
});

test("an address registers twenty accounts and tries sixty sign-ins a minute", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on", TRUSTED_PROXIES: "127.0.0.1" });
  const from = (address, path, body) =>
    send(box.web, "POST", path, log_in_of(body, { "x-forwarded-for": address, "user-agent": "a browser" }));
  for (const [path, limit] of [
    ["/api/register", 20],
    ["/api/auth/login", 60],
  ]) {
    // Refused before any work: what counts is the request.
    for (let left = limit - 1; left >= 0; --left) {
      const answer = await from("192.0.2.1", path, { email: "incomplete@example.org" });
      assert.equal(answer.status, 400);
      assert.equal(answer.headers["ratelimit-remaining"], String(left));
    }
    const beyond = await from("192.0.2.1", path, { email: "ada@example.org", password: PASSWORD });
    assert.equal(beyond.status, 429, path);
    assert.equal(beyond.body.error, "Too many requests, please slow down.");
    assert.equal(beyond.headers["ratelimit-limit"], String(limit));
    assert.ok(Number(beyond.headers["retry-after"]) > 0 && Number(beyond.headers["retry-after"]) <= 60);
    assert.equal((await from("192.0.2.2", path, { email: "incomplete@example.org" })).status, 400, "other addresses have their own");
  }
  assert.equal((await from("192.0.2.2", "/api/register", { email: "ada@example.org", password: PASSWORD })).status, 200);
});

test("settings: the profile, a new name, and a new address only with the password", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  await box.customer("bob@example.org");
  const profile = (await ada.call("GET", "/api/settings")).body;
  assert.deepEqual(Object.keys(profile), [
    "id",
    "name",
    "email",
    "isAdmin",
    "emailVerified",
    "plan",
    "referralCode",
    "credits",
    "createdAt",
  ]);
  assert.deepEqual([profile.id, profile.email, profile.isAdmin, profile.plan], [ada.id, "ada@example.org", false, "solo"]);

  for (const method of ["POST", "PATCH"]) {
    const renamed = await ada.call(method, "/api/settings", { name: `Ada by ${method}` });
    assert.deepEqual(renamed.body, { ...profile, name: `Ada by ${method}` });
  }
  refuses(await ada.call("PATCH", "/api/settings", {}), 400, "name or email");
  const with_password = { currentPassword: PASSWORD };
  refuses(await ada.call("PATCH", "/api/settings", { email: "new@example.org" }), 400, "currentPassword");
  refuses(await ada.call("PATCH", "/api/settings", { email: "new@example.org", currentPassword: "wrong" }), 400, "currentPassword");
  refuses(await ada.call("PATCH", "/api/settings", { email: "bob@example.org", ...with_password }), 409, "email");
  refuses(await ada.call("PATCH", "/api/settings", { email: "0xab@wallet.app", ...with_password }), 400, "email");
  refuses(await ada.call("PATCH", "/api/settings", { email: "not an address", ...with_password }), 400, "email");
  assert.equal((await ada.call("GET", "/api/settings")).body.email, "ada@example.org");
  assert.equal((await ada.call("PATCH", "/api/settings", { isAdmin: true, credits: 1e6, plan: "network", name: "Ada" })).status, 200);
  assert.deepEqual((await ada.call("GET", "/api/settings")).body, { ...profile, name: "Ada" }, "nobody edits what is not theirs to edit");

  assert.equal((await ada.call("PATCH", "/api/settings", { email: "New@example.org", ...with_password })).body.email, "new@example.org");
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 401);
  assert.equal((await ada.log_in("new@example.org", PASSWORD)).status, 200);
  assert.equal((await register(box.person(), "ada@example.org")).status, 200, "the old address is free again");
});

test("a changed password ends all other sessions, and the old one", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    laptop = box.person();
  await laptop.log_in("ada@example.org", PASSWORD);
  const change = (currentPassword, newPassword) => ada.call("POST", "/api/settings/password", { currentPassword, newPassword });
  refuses(await change("wrong password", "another long password"), 400, "currentPassword");
  refuses(await change(PASSWORD, "short"), 400, "newPassword");
  refuses(await change(PASSWORD, "password1"), 400, "password");
  refuses(await change(PASSWORD, "ada@example.org"), 400, "password");
  assert.notEqual(await session_of(laptop), null);

  assert.deepEqual((await change(PASSWORD, "another long password")).body, { success: true });
  assert.notEqual(await session_of(ada), null, "who changed it stays signed in");
  assert.equal(await session_of(laptop), null);
  assert.equal((await laptop.log_in("ada@example.org", PASSWORD)).status, 401);
  assert.equal((await laptop.log_in("ada@example.org", "another long password")).status, 200);
});

test("passwords are taken as they are: every character and all 256 count", async (t) => {
  const box = await Box.start(t);
  for (const [email, password] of [
    ["a@example.org", "pässwörd ключ 密码 🔑"],
    ["b@example.org", `${"x".repeat(255)}y`],
  ]) {
    const person = box.person();
    assert.equal((await register(person, email, { password })).status, 200);
    assert.equal((await person.log_in(email, password.replace(/.$/u, "z"))).status, 401);
    assert.equal((await person.log_in(email, password)).status, 200);
  }
});

test("an API key is shown once, validates until it is deleted, and dies with its user", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const made = await ada.call("POST", "/api/keys", { name: "laptop", expiresInDays: 30 });
  assert.equal(made.status, 201);
  const { id, key, prefix, expiresAt, createdAt } = made.body;
  assert.ok(key.startsWith("sk_") && key.startsWith(prefix) && key.includes(id));
  assert.equal(Math.round((new Date(expiresAt) - new Date(createdAt)) / 86_400_000), 30);
  const listed = (await ada.call("GET", "/api/keys")).body;
  assert.deepEqual([listed.count, listed.keys[0].id, listed.keys[0].lastUsedAt], [1, id, null]);
  const shown = await ada.call("GET", `/api/keys/${id}`);
  for (const answer of [listed, shown.body])
    assert.ok(!JSON.stringify(answer).includes(key.slice(prefix.length + 1)), "the secret is never shown again");

  const nobody = box.person();
  const in_body = (apiKey) => nobody.call("POST", "/api/keys/validate", { apiKey });
  const as_bearer = (apiKey) => send(box.web, "POST", "/api/keys/validate", { headers: { authorization: `Bearer ${apiKey}` } });
  for (const validate of [in_body, as_bearer]) {
    assert.deepEqual((await validate(key)).body, { valid: true, userId: ada.id, plan: "solo" });
    for (const wrong of [
      key.slice(0, -1) + (key.endsWith("a") ? "b" : "a"),
      key + "a",
      prefix,
      "sk_",
      "sk_1k_",
      key.slice(3),
      "x".repeat(200),
    ]) {
      const refused = await validate(wrong);
      assert.deepEqual([refused.status, refused.body.valid], [401, false], wrong);
    }
  }
  refuses(await nobody.call("POST", "/api/keys/validate"), 400, "apiKey");

  for (const method of ["GET", "DELETE"]) assert.equal((await eve.call(method, `/api/keys/${id}`)).status, 404);
  assert.equal((await in_body(key)).status, 200);
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: true });
  assert.equal((await in_body(key)).status, 401);
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: false });
  assert.equal((await in_body(key)).status, 200);
  await ada.log_in("ada@example.org", PASSWORD);
  assert.deepEqual((await ada.call("DELETE", `/api/keys/${id}`)).body, { success: true, id });
  assert.equal((await in_body(key)).status, 401, "from the next request on");
  assert.equal((await ada.call("DELETE", `/api/keys/${id}`)).status, 404);
});

test("a user holds a hundred keys, also when asked for side by side", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const answers = await Promise.all(Array.from({ length: 104 }, (_, n) => ada.call("POST", "/api/keys", { name: `key ${n}` })));
  assert.equal(answers.filter((answer) => answer.status === 201).length, 100);
  assert.equal(answers.filter((answer) => answer.status === 429).length, 4);
  assert.equal((await ada.call("GET", "/api/keys")).body.count, 100);
  await ada.call("DELETE", `/api/keys/${answers.find((answer) => answer.status === 201).body.id}`);
  assert.equal((await ada.call("POST", "/api/keys", { name: "one more" })).status, 201);
});

test("a disabled user has no session and no sign-in; the data is there when the ban ends", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: true });
  assert.equal(await session_of(ada), null);
  const refused = await ada.log_in("ada@example.org", PASSWORD);
  assert.deepEqual([refused.status, refused.body], [401, { error: "Invalid credentials" }]);
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: false });
  assert.equal(await session_of(ada), null, "the old session does not come back");
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 200);
  assert.equal((await ada.call("GET", "/api/settings")).body.plan, "solo");
});

test("other sites' pages change nothing without the session's token", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const { headers } = await ada.call("GET", "/api/auth/session");
  const rename = (more) =>
    send(box.web, "PATCH", "/api/settings", { headers: { ...json, cookie: ada.cookie, ...more }, body: '{"name":"Mallory"}' });
  for (const foreign of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example", "x-csrf-token": "guess" },
  ])
    assert.equal((await rename(foreign)).status, 403, JSON.stringify(foreign));
  assert.equal((await session_of(ada)).name, "ada@example.org");
  assert.equal((await rename({ origin: "https://evil.example", "x-csrf-token": headers.get("x-csrf-token") })).status, 200);
  assert.equal((await rename({ origin: box.web })).status, 200);
  assert.equal((await rename({ "sec-fetch-site": "same-origin" })).status, 200);
  const sign_in = log_in_of({ email: ADMIN.email, password: ADMIN.password }, { origin: "https://evil.example" });
  assert.equal((await send(box.web, "POST", "/api/auth/login", sign_in)).status, 403, "nobody is signed in as somebody else");
});

test("the subscription route gives a plan, a new one replaces it, and nobody else has one", async (t) => {
  const box = await Box.start(t),
    ada = box.person();
  const { id } = (await register(ada, "ada@example.org")).body;
  await ada.log_in("ada@example.org", PASSWORD);
  const plan = async () => (await ada.call("GET", "/api/settings")).body.plan;
  assert.equal(await plan(), null);
  for (const wanted of ["label", "solo", "collective", "network"]) {
    const deployed = await box.backend_call("POST", "/api/subscriptions/deploy", { userId: id, plan: wanted });
    assert.deepEqual([deployed.success, deployed.plan, deployed.status], [true, wanted, "active"]);
    assert.match(deployed.subscriptionId, /^sub_/);
    assert.equal(await plan(), wanted);
  }
  const free = await box.backend_call("POST", "/api/subscriptions/deploy", { userId: id, plan: "free" });
  assert.deepEqual([free.code, /paid plan is required/.test(free.error)], ["PLAN_REQUIRED", true]);
  for (const wrong of ["gold", ""])
    assert.match((await box.backend_call("POST", "/api/subscriptions/deploy", { userId: id, plan: wrong })).error, /^plan must /);
  const given = (wanted) => box.backend_call("PATCH", `/api/admin/users/${id}`, { plan: wanted });
  assert.equal((await given("free")).code, "PLAN_REQUIRED");
  assert.equal((await given("gold")).error, "plan must be one of: label, solo, collective, network, none");
  assert.match((await box.backend_call("POST", "/api/subscriptions/deploy", { userId: "999", plan: "solo" })).error, /user/);
  assert.equal(await plan(), "network");
});
