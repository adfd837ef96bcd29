// A second factor: an authenticator app, and the codes for when it is gone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { add_passkey } from "../support/authenticator.mjs";
import { ADMIN, Box, INTERNAL_KEY, KEY_GUARDS, OPTIONAL_KEY_GUARD, PASSWORD, run, send } from "../support/box.mjs";
import { code_of } from "../support/totp.mjs";

const log_in = (box, code) =>
  box.person().call("POST", "/api/auth/login", { email: "ada@example.org", password: PASSWORD, ...(code && { code }) });
const settings = (person, step, body) => person.call("POST", `/api/settings/second-factor/${step}`, body);
const state = async (person) => (await person.call("GET", "/api/settings/second-factor")).body;

// Ada with a confirmed second factor. The code of now confirmed it; the one of the next step is still good.
const ada_with_app = async (t, env) => {
  const box = await Box.start(t, env);
  const ada = await box.customer("ada@example.org");
  const { body } = await settings(ada, "begin", { currentPassword: PASSWORD });
  const confirmed = await settings(ada, "confirm", { code: code_of(body.secret) });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  return { box, ada, secret: body.secret, url: body.otpauthUrl, codes: confirmed.body.recoveryCodes };
};

test("passkeys are refused at an address where browsers have none, before anything is proved", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const works_at = box.web.replace("127.0.0.1", "localhost");
  assert.equal((await state(ada)).passkeyOrigin, works_at);
  const begin = (origin, proof = {}) =>
    send(box.web, "POST", "/api/settings/second-factor/passkeys/begin", {
      headers: { cookie: ada.cookie, "content-type": "application/json", host: new URL(origin).host, origin },
      body: JSON.stringify(proof),
    });
  const refused = await begin(box.web, { currentPassword: PASSWORD });
  assert.deepEqual([refused.status, refused.body.code, refused.body.url], [409, "PASSKEY_ADDRESS", works_at]);
  assert.equal((await begin(works_at)).body.error, "currentPassword is required", "there the proof is asked for");
  const begun = await begin(works_at, { currentPassword: PASSWORD });
  assert.deepEqual([begun.status, begun.body.publicKey.rp.id], [200, "localhost"]);
});

test("it counts from its confirmation on, and each code of the app counts once", async (t) => {
  const { box, ada, secret, url } = await ada_with_app(t);
  assert.match(url, new RegExp(`^otpauth://totp/.*ada%40example\\.org\\?secret=${secret}&issuer=`));
  assert.deepEqual(await state(ada), {
    enabled: true,
    app: true,
    passkeys: 0,
    recoveryCodesLeft: 10,
    required: false,
    hasPassword: true,
    passkeyOrigin: box.web.replace("127.0.0.1", "localhost"),
  });
  const without = await log_in(box);
  assert.deepEqual([without.status, without.body.code, without.headers.getSetCookie().length], [401, "SECOND_FACTOR_REQUIRED", 0]);
  const code = code_of(secret, 1);
  const together = await Promise.all([log_in(box, code), log_in(box, code), log_in(box, code)]);
  assert.deepEqual(together.map((answer) => answer.status).sort(), [200, 401, 401]);
  assert.equal((await log_in(box, code_of(secret))).status, 401, "an older code after a newer one");
  assert.equal((await log_in(box, code_of(secret, 40))).status, 401);
});

test("a recovery code stands for the app once, and the factor goes with a code alone", async (t) => {
  const { box, ada, codes } = await ada_with_app(t);
  assert.equal(new Set(codes).size, 10);
  assert.equal((await log_in(box, codes[0])).status, 200);
  assert.equal((await log_in(box, codes[0])).status, 401);
  assert.equal((await state(ada)).recoveryCodesLeft, 9);
  const asked = await settings(ada, "recovery-codes", {});
  assert.deepEqual([asked.status, asked.body.code, asked.body.passkey], [401, "SECOND_FACTOR_REQUIRED", null]);
  const renewed = (await settings(ada, "recovery-codes", { code: codes[2] })).body.recoveryCodes;
  assert.equal(new Set([...codes, ...renewed]).size, 20);
  assert.equal((await log_in(box, codes[1])).status, 401, "those of before count no more");
  assert.equal((await settings(ada, "begin", { currentPassword: PASSWORD })).status, 409, "not replaced unseen");
  assert.equal((await settings(ada, "disable", { code: "000000x" })).status, 401);
  assert.deepEqual((await settings(ada, "disable", { code: renewed[1] })).body, { success: true });
  const { passkeyOrigin, ...rest } = await state(ada);
  assert.equal(passkeyOrigin, box.web.replace("127.0.0.1", "localhost"));
  assert.deepEqual(rest, { enabled: false, app: false, passkeys: 0, recoveryCodesLeft: 0, required: false, hasPassword: true });
  assert.equal((await settings(ada, "disable", {})).status, 409);
  assert.equal((await log_in(box)).status, 200);
});

test("another address takes the second factor, too; another name takes nothing", async (t) => {
  const { ada, codes } = await ada_with_app(t);
  const change = (body) => ada.call("PATCH", "/api/settings", body);
  const move = (more) => change({ email: "new@example.org", currentPassword: PASSWORD, ...more });
  const asked = await move();
  assert.deepEqual([asked.status, asked.body.code, asked.body.passkey], [401, "SECOND_FACTOR_REQUIRED", null]);
  assert.equal((await move({ code: "wrong" })).status, 401);
  assert.equal((await move({ code: codes[0], currentPassword: "a wrong password" })).status, 400, "which spends no code");
  assert.equal((await change({ name: "Ada" })).body.email, "ada@example.org");
  assert.equal((await move({ code: codes[0] })).body.email, "new@example.org");
});

test("an unconfirmed second factor is not required", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  assert.equal((await settings(ada, "begin", { currentPassword: "a wrong password" })).status, 400);
  assert.equal((await settings(ada, "confirm", { code: "123456" })).status, 400, "nothing was begun");
  await settings(ada, "begin", { currentPassword: PASSWORD });
  assert.equal((await settings(ada, "confirm", { code: "abcdef" })).status, 400);
  assert.equal((await log_in(box)).status, 200);
});

test("attempts to guess the code are limited, even with the password", async (t) => {
  const { box, codes } = await ada_with_app(t, { RATE_LIMITS: "on" });
  const statuses = [];
  for (let n = 0; n < 12; ++n) statuses.push((await log_in(box, "abcdef")).status);
  assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
  const refused = await log_in(box, "abcdef");
  const wait = Number(refused.headers.get("retry-after"));
  assert.ok(wait > 20 && wait <= 30, `the first delay: ${wait}`);
  assert.deepEqual(
    ["limit", "remaining", "reset"].map((name) => refused.headers.get(`ratelimit-${name}`)),
    ["10", "0", String(wait)],
  );
  assert.equal((await log_in(box, codes[0])).status, 429, "not even the right one, for a while");
});

test("removing the app takes a code, and removes the recovery codes too", async (t) => {
  const { box, ada, codes } = await ada_with_app(t);
  const remove = (body) => ada.call("DELETE", "/api/settings/second-factor/app", body);
  assert.equal((await remove({})).body.code, "SECOND_FACTOR_REQUIRED");
  assert.equal((await remove({ code: "000000x" })).status, 401);
  assert.equal((await remove({ code: codes[0] })).status, 200);
  assert.equal((await remove({ code: codes[1] })).status, 404);
  assert.equal((await log_in(box)).status, 200);
});

test("the administrator can remove a second factor that is lost", async (t) => {
  const { box, ada } = await ada_with_app(t);
  const env = { INTERNAL_API_KEY: INTERNAL_KEY, BACKEND_LISTEN: new URL(box.backend).host };
  const told = await run(["admin", "forget-second-factor", "ada@example.org", "--yes", "--data", box.folder], { env });
  assert.equal(told.code, 0, told.err);
  assert.equal((await log_in(box)).status, 200);
  assert.equal((await state(ada)).enabled, false);
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0");
  assert.ok(entries.some((entry) => entry.act === "second factor removed by admin" && entry.subject === "ada@example.org"));
});

test("a reset by mail asks for the second factor and keeps it, also where nobody had verified the address", async (t) => {
  const { box, ada, codes } = await ada_with_app(t);
  const password = "a password by mail";
  const reset = async (proof) => {
    const { token } = await box.mail_with("reset", "ada@example.org");
    return box.person().call("POST", "/api/auth/reset-password", { token, password, ...proof });
  };
  await box.person().call("POST", "/api/auth/forgot-password", { email: "ada@example.org" });
  const asked = await reset({});
  assert.deepEqual([asked.status, asked.body.code, asked.body.passkey], [401, "SECOND_FACTOR_REQUIRED", null]);
  assert.equal((await reset({ code: "000000" })).status, 401);
  assert.equal((await ada.call("GET", "/api/settings")).status, 200, "nothing has changed");
  assert.equal((await reset({ code: codes[0] })).status, 200, "nor is the token spent");
  assert.equal((await ada.call("GET", "/api/settings")).status, 401);
  const sign_in = (code) => box.person().call("POST", "/api/auth/login", { email: "ada@example.org", password, ...(code && { code }) });
  assert.equal((await sign_in()).body.code, "SECOND_FACTOR_REQUIRED");
  assert.equal((await sign_in(codes[0])).status, 401, "the code is spent");
  assert.equal((await sign_in(codes[1])).status, 200);
});

test("a passkey proves who resets a password, over a challenge of its own", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const { authenticator } = await add_passkey(box, ada, PASSWORD);
  await box.person().call("POST", "/api/auth/forgot-password", { email: "ada@example.org" });
  const { token } = await box.mail_with("reset");
  const reset = (passkey) =>
    box.person().call("POST", "/api/auth/reset-password", { token, password: "a password by mail", ...(passkey && { passkey }) });
  const for_sign_in = (await log_in(box)).body.passkey;
  assert.equal((await reset(authenticator.get(for_sign_in))).status, 401, "what was made to sign in resets nothing");
  assert.equal((await reset(authenticator.get((await reset()).body.passkey))).status, 200);
  assert.equal((await state(ada)).error, "Unauthorized");
  const asked = await box.person().log_in("ada@example.org", "a password by mail");
  assert.equal(asked.body.code, "SECOND_FACTOR_REQUIRED");
});

test("an administrator of a box that wants a second factor can do nothing before having one", async (t) => {
  const box = await Box.start(t, { ADMIN_SECOND_FACTOR: "on" });
  const admin = box.person(),
    ada = await box.customer("ada@example.org");
  assert.equal((await admin.log_in(ADMIN.email, ADMIN.password)).status, 200);
  const { paths } = (await send(box.web, "GET", "/api/openapi.json")).body;
  const answers = async (person) => {
    const refused = {};
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { "x-guard": guard }] of Object.entries(methods))
        if (guard !== "none") {
          const headers = { cookie: person.cookie };
          const answer = await send(box.web, method.toUpperCase(), path.replace(/{\w+}/g, "x"), { headers });
          (refused[guard] ??= new Set()).add(answer.status === 403 ? answer.body.code : "passed");
        }
    return Object.fromEntries(Object.entries(refused).map(([guard, seen]) => [guard, [...seen]]));
  };
  const of_key_guards = (seen) => Object.fromEntries([...KEY_GUARDS, OPTIONAL_KEY_GUARD].map((guard) => [guard, seen]));
  const open = {
    session: ["passed"],
    "session, if any": ["passed"],
    "session to enrol": ["passed"],
    "admin session": ["passed"],
    "recent admin session": ["passed"],
    "support session": ["passed"],
    "agent token or API key": ["passed"],
    "API key": ["passed"],
    "internal key": ["passed"],
    "scope scim or 401": ["passed"],
    ...of_key_guards(["passed"]),
  };
  const closed = ["SECOND_FACTOR_SETUP_REQUIRED"];
  assert.deepEqual(
    await answers(ada),
    { ...open, "admin session": ["ADMIN_REQUIRED"], "recent admin session": ["ADMIN_REQUIRED"], "support session": ["SUPPORT_REQUIRED"] },
    "customers are asked for nothing",
  );
  assert.deepEqual(await answers(admin), {
    ...open,
    ...of_key_guards(closed),
    session: closed,
    "session, if any": closed,
    "admin session": closed,
    "recent admin session": closed,
    "support session": closed,
  });
  assert.equal((await state(admin)).required, true);
  assert.match((await admin.call("GET", "/api/settings")).body.error, /requires a second factor/);

  const { body } = await settings(admin, "begin", { currentPassword: ADMIN.password });
  const { recoveryCodes } = (await settings(admin, "confirm", { code: code_of(body.secret) })).body;
  assert.deepEqual(await answers(admin), open);
  assert.equal((await state(admin)).required, false);
  assert.equal((await settings(admin, "disable", { code: recoveryCodes[0] })).status, 200);
  assert.deepEqual((await answers(admin)).session, closed, "and without it again");
});

test("a factor that all users need: a grace period, enrolment alone after it, and an administrator who resets one", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const key = (await ada.call("POST", "/api/keys", { name: "laptop" })).body.key;
  const restart = async (env) => {
    await box.end("SIGTERM");
    box.env = { ...box.env, SECOND_FACTOR_REQUIRED: "on", ...env };
    await box.serve();
  };
  const account = async (person) => (await person.call("GET", "/api/settings")).status;
  const with_key = async () => (await send(box.web, "GET", "/v1/models", { headers: { authorization: `Bearer ${key}` } })).status;
  const due = async (person) => (await person.call("GET", "/api/auth/session")).body.user.secondFactorDue;
  assert.equal(await due(ada), null);

  await restart({ SECOND_FACTOR_GRACE: "1h" });
  const noted = await due(ada);
  assert.ok(Date.parse(noted) > Date.now() + 3_500_000, "counted from the setting, as the account is older");
  assert.equal(await account(ada), 200, "within the grace period everything works");
  assert.equal((await box.backend_call("GET", "/api/admin/users/ada@example.org")).secondFactorDue, noted);

  await restart({ SECOND_FACTOR_GRACE: "0s" });
  assert.deepEqual([await account(ada), await with_key()], [403, 403]);
  assert.equal((await ada.call("GET", "/api/settings")).body.code, "SECOND_FACTOR_SETUP_REQUIRED");
  const again = box.person();
  assert.equal((await again.log_in("ada@example.org", PASSWORD)).status, 200, "she can sign in");
  assert.deepEqual([await account(again), (await state(again)).required], [403, true], "and only set one up");
  const { body } = await settings(again, "begin", { currentPassword: PASSWORD });
  assert.equal((await settings(again, "confirm", { code: code_of(body.secret) })).status, 200);
  assert.deepEqual([await account(again), await account(ada), await with_key(), await due(ada)], [200, 200, 200, null]);

  const reset = await box.backend_call("DELETE", "/api/admin/users/ada@example.org/second-factor");
  assert.deepEqual(reset, { success: true });
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1");
  assert.deepEqual([entries[0].act, entries[0].subject], ["second factor removed by admin", "ada@example.org"]);
  assert.deepEqual([await account(again), (await state(again)).required], [403, true]);

  await restart({ SECOND_FACTOR_REQUIRED: "off" });
  assert.equal(await account(ada), 200);
});

for (const algorithm of ["ES256", "RS256"])
  test(`a passkey of ${algorithm} is asked for, and lets in whom it belongs to`, async (t) => {
    const box = await Box.start(t);
    const ada = await box.customer("ada@example.org"),
      eve = await box.customer("eve@example.org");
    const { id, authenticator } = await add_passkey(box, ada, PASSWORD, algorithm);
    const eves = await add_passkey(box, eve, PASSWORD, algorithm);
    const sign_in = (passkey) => box.person().call("POST", "/api/auth/login", { email: "ada@example.org", password: PASSWORD, passkey });
    const asked = async () => (await log_in(box)).body.passkey;
    assert.deepEqual(
      (await asked()).allowCredentials.map((one) => one.id),
      [authenticator.id.toString("base64url")],
    );
    assert.equal((await sign_in(authenticator.get(await asked()))).status, 200);
    assert.equal((await sign_in(eves.authenticator.get(await asked()))).status, 401);
    assert.equal(
      (await box.person().log_in("ada@example.org", "a wrong password")).body.passkey,
      undefined,
      "who has no password learns of no passkey",
    );

    const remove = (passkey) => ada.call("DELETE", `/api/settings/second-factor/passkeys/${id}`, { passkey });
    const for_sign_in = authenticator.get(await asked());
    assert.equal((await remove(for_sign_in)).status, 401, "what was made to sign in removes nothing");
    const options = (await ada.call("DELETE", `/api/settings/second-factor/passkeys/${id}`, {})).body.passkey;
    assert.deepEqual((await remove(authenticator.get(options))).body, { success: true, id });
    assert.equal((await log_in(box)).status, 200);
  });

test("guesses at the passkey count like guesses at the code", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on" });
  const ada = await box.customer("ada@example.org");
  const { recoveryCodes, authenticator } = await add_passkey(box, ada, PASSWORD);
  const { passkey: options } = (await log_in(box)).body;
  authenticator.origin = "https://evil.example";
  const guess = () =>
    box.person().call("POST", "/api/auth/login", { email: "ada@example.org", password: PASSWORD, passkey: authenticator.get(options) });
  const statuses = [];
  for (let n = 0; n < 12; ++n) statuses.push((await guess()).status);
  assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
  assert.equal((await log_in(box, recoveryCodes[0])).status, 429);
});
