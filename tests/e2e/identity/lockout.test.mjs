// Failed sign-ins: they delay the network they come from, and nobody else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, PASSWORD, run, send, until } from "../support/box.mjs";
import { code_of } from "../support/totp.mjs";

const OWNER = "198.51.100.7",
  ATTACKER = "192.0.2.1",
  NEW_PASSWORD = "another long password";
const LIMITED = { LOGIN_LIMITS: "on", TRUSTED_PROXIES: "127.0.0.1" };

// From an address, as the trusted proxy in front of the box reports it.
const call_from = (box, address, method, path, body, cookie) =>
  send(box.web, method, path, {
    headers: { "x-forwarded-for": address, "content-type": "application/json", ...(cookie && { cookie }) },
    body: JSON.stringify(body),
  });
const sign_in = (box, address, { email = "ada@example.org", password = PASSWORD, cookie, ...proof } = {}) =>
  call_from(box, address, "POST", "/api/auth/login", { email, password, ...proof }, cookie);
const guess = async (box, address, { times = 10, ...who } = {}) => {
  const statuses = new Set();
  for (let n = 0; n < times; ++n) statuses.add((await sign_in(box, address, { ...who, password: `a wrong guess ${n}` })).status);
  return [...statuses];
};
// Wrong passwords until the network has to wait for long enough to look at it.
const shut = async (box, address, who = {}) => {
  for (;;) {
    const answer = await sign_in(box, address, { ...who, password: "a wrong guess" });
    const wait = Number(answer.headers["retry-after"]);
    if (answer.status === 429 && wait > 15) return;
    if (answer.status === 429) await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
  }
};
const cookie_in = (answer, name) => (answer.headers["set-cookie"] ?? []).find((line) => line.startsWith(`${name}=`));
const pair_in = (answer, name) => cookie_in(answer, name).split(";")[0];
const admin = (box, ...words) =>
  run(["admin", ...words, "--data", box.folder], { env: { INTERNAL_API_KEY: INTERNAL_KEY, BACKEND_LISTEN: new URL(box.backend).host } });

// A box with Ada, whose sign-in is limited from then on.
const box_with_ada = async (t, env = {}) => {
  const box = await Box.start(t, { ...LIMITED, ...env });
  const ada = await box.customer("ada@example.org");
  return { box, ada };
};

test("a stranger's wrong passwords delay the stranger's network, and not the owner", async (t) => {
  const { box, ada } = await box_with_ada(t);
  assert.deepEqual(await guess(box, ATTACKER), [401]);
  const refused = await sign_in(box, ATTACKER);
  const wait = Number(refused.headers["retry-after"]);
  assert.deepEqual([refused.status, wait > 20 && wait <= 30], [429, true], `also for the right password: ${wait}`);
  assert.deepEqual(
    ["limit", "remaining", "reset"].map((name) => refused.headers[`ratelimit-${name}`]),
    ["10", "0", String(wait)],
  );
  assert.equal((await sign_in(box, OWNER)).status, 200);
  assert.equal((await sign_in(box, ATTACKER, { email: ADMIN.email, password: ADMIN.password })).status, 200, "nor others");

  assert.deepEqual(await guess(box, "2001:db8:1:2::1"), [401]);
  assert.equal((await sign_in(box, "2001:db8:1:2:ffff::99")).status, 429, "a /64 is one network");
  assert.equal((await sign_in(box, "2001:db8:1:3::1")).status, 200);

  const renamed = await ada.call("PATCH", "/api/settings", { email: "ada@example.com", currentPassword: PASSWORD });
  assert.equal(renamed.status, 200, "nor does it touch what is asked for within a session");
});

test("wrong passwords within a session delay that session only", async (t) => {
  const { box, ada } = await box_with_ada(t);
  const change = (person, currentPassword) => person.call("POST", "/api/settings/password", { currentPassword, newPassword: NEW_PASSWORD });
  const other = box.person();
  await other.log_in("ada@example.org", PASSWORD);
  for (let n = 0; n < 10; ++n) assert.equal((await change(other, `a wrong guess ${n}`)).status, 400);
  const refused = await change(other, PASSWORD);
  assert.deepEqual([refused.status, refused.headers.get("ratelimit-limit"), refused.headers.get("ratelimit-remaining")], [429, "10", "0"]);
  assert.equal((await sign_in(box, "127.0.0.1")).status, 200);
  assert.equal((await change(ada, PASSWORD)).status, 200);
});

test("a browser that has signed in before gets through, until all sessions end", async (t) => {
  const { box } = await box_with_ada(t);
  const first = await sign_in(box, OWNER);
  assert.deepEqual(cookie_in(first, "agentbox-device").split("; ").slice(1).sort(), [
    "HttpOnly",
    "Max-Age=15552000",
    "Path=/",
    "SameSite=Lax",
  ]);
  const secure = await send(box.web, "POST", "/api/auth/login", {
    headers: { "x-forwarded-for": OWNER, "x-forwarded-proto": "https", "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.org", password: PASSWORD }),
  });
  assert.match(cookie_in(secure, "agentbox-device"), /; Secure/);
  const device = pair_in(first, "agentbox-device"),
    session = pair_in(first, "app-session");
  const admins = pair_in(await sign_in(box, OWNER, { email: ADMIN.email, password: ADMIN.password }), "agentbox-device");

  await shut(box, OWNER);
  const status = async (cookie) => (await sign_in(box, OWNER, { cookie })).status;
  assert.equal(await status(undefined), 429);
  assert.equal(await status(admins), 429, "it is bound to an account");
  const [name, value] = device.split("=");
  assert.equal(await status(`${name}=${value.slice(0, -1)}${value.endsWith("0") ? "1" : "0"}`), 429, "and signed");
  assert.equal(await status(`${device}; ${admins}`), 429, "of two, one may have been planted");
  assert.equal(await status(device), 200);
  assert.deepEqual(await guess(box, "192.0.2.9", { cookie: device }), [401]);
  assert.equal(await status(device), 429, "a stolen one is no way to guess without end");
  await shut(box, OWNER);

  const changed = await call_from(
    box,
    OWNER,
    "POST",
    "/api/settings/password",
    { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
    `${session}; ${device}`,
  );
  assert.equal(changed.status, 200);
  const after = (cookie) => sign_in(box, OWNER, { password: NEW_PASSWORD, cookie }).then((answer) => answer.status);
  assert.equal(await after(device), 429, "a new password ends it");
  const renewed = pair_in(changed, "agentbox-device");
  assert.equal(await after(renewed), 200, "but this browser's is renewed");
  await box.backend_call("DELETE", "/api/admin/users/ada@example.org/sessions");
  assert.equal(await after(renewed), 429, "so does signing out everywhere");
});

test("the administrator unlocks a user, by name or with a new password", async (t) => {
  const { box } = await box_with_ada(t);
  await shut(box, OWNER);
  assert.equal((await sign_in(box, OWNER)).status, 429);
  const unlocked = await admin(box, "unlock", "ada@example.org");
  assert.equal(unlocked.code, 0, unlocked.err);
  assert.equal((await sign_in(box, OWNER)).status, 200);
  await shut(box, OWNER);
  assert.equal((await admin(box, "password", "ada@example.org", "--password", NEW_PASSWORD)).code, 0);
  assert.equal((await sign_in(box, OWNER, { password: NEW_PASSWORD })).status, 200);
  assert.notEqual((await admin(box, "unlock", "nobody@example.org")).code, 0);
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0");
  assert.equal(entries.filter((entry) => entry.act === "unlocked by admin" && entry.subject === "ada@example.org").length, 1);
});

test("a new password by mail ends the delay, too", async (t) => {
  const { box } = await box_with_ada(t);
  await call_from(box, OWNER, "POST", "/api/auth/forgot-password", { email: "ada@example.org" });
  const { token } = await box.mail_with("reset");
  await shut(box, OWNER);
  assert.equal((await sign_in(box, OWNER)).status, 429);
  assert.equal((await call_from(box, OWNER, "POST", "/api/auth/reset-password", { token, password: NEW_PASSWORD })).status, 200);
  assert.equal((await sign_in(box, OWNER, { password: NEW_PASSWORD })).status, 200);
});

test("wrong codes delay the account, wherever they come from, and the right password does not help", async (t) => {
  const { box, ada } = await box_with_ada(t);
  const { body } = await ada.call("POST", "/api/settings/second-factor/begin", { currentPassword: PASSWORD });
  const { recoveryCodes } = (await ada.call("POST", "/api/settings/second-factor/confirm", { code: code_of(body.secret) })).body;
  for (let n = 0; n < 10; ++n) {
    assert.equal((await sign_in(box, `192.0.2.${n}`, { code: "abcdef" })).status, 401);
    assert.equal((await sign_in(box, `192.0.2.${n}`)).body.code, "SECOND_FACTOR_REQUIRED");
  }
  const refused = await sign_in(box, OWNER, { code: recoveryCodes[0] });
  assert.deepEqual([refused.status, refused.headers["ratelimit-limit"], refused.headers["ratelimit-remaining"]], [429, "10", "0"]);
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0");
  assert.deepEqual(
    entries.filter((entry) => entry.act === "many wrong codes").map((entry) => [entry.userId, entry.outcome]),
    [[ada.id, "10 failures within an hour"]],
  );
  assert.equal((await admin(box, "unlock", ada.id)).code, 0);
  assert.equal((await sign_in(box, OWNER, { code: recoveryCodes[0] })).status, 200);
});

test("many failures from many networks raise an alarm, and keep nobody out", async (t) => {
  const { box, ada } = await box_with_ada(t);
  for (let n = 0; n < 100; n += 10) await Promise.all(Array.from({ length: 10 }, (_, m) => guess(box, `203.0.113.${n + m}`, { times: 1 })));
  const alarms = await until("the alarm", async () => {
    const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0");
    const found = entries.filter((entry) => entry.act === "many wrong passwords");
    return found.length > 0 && found;
  });
  assert.deepEqual(
    alarms.map((entry) => [entry.userId, entry.subject, entry.outcome]),
    [[ada.id, "ada@example.org", "100 failures within an hour"]],
  );
  await until("the log has it", () => box.whole_log.includes("password_guessed_often"));
  const metrics = await (await fetch(`${box.backend}/metrics`, { headers: { authorization: `Bearer ${INTERNAL_KEY}` } })).text();
  assert.match(metrics, /agentbox_guess_alarms_total\{guessed="password"\} 1/);
  assert.equal((await sign_in(box, OWNER)).status, 200);
});

test("RATE_LIMITS=off leaves the limits of passwords, codes and tokens; LOGIN_LIMITS=off removes them and is warned of", async (t) => {
  const limited = await Box.start(t, { ...LIMITED, RATE_LIMITS: "off" });
  assert.doesNotMatch(limited.log, /LOGIN_LIMITS/);
  await guess(limited, ATTACKER);
  assert.equal((await sign_in(limited, ATTACKER)).status, 429);
  const reset = (box, address) => call_from(box, address, "POST", "/api/auth/reset-password", { token: "x", password: NEW_PASSWORD });
  const statuses = async (box) => {
    const seen = [];
    for (let n = 0; n < 11; ++n) seen.push((await reset(box, OWNER)).status);
    return seen;
  };
  assert.deepEqual(await statuses(limited), [...Array(10).fill(400), 429]);
  const names = (answer) => Object.keys(answer.headers).filter((name) => name.startsWith("ratelimit-"));
  const register = (box) => call_from(box, OWNER, "POST", "/api/register", { email: "bob@example.org" });
  assert.deepEqual(names(await register(limited)), [], "others are off");

  const open = await Box.start(t, { ...LIMITED, RATE_LIMITS: "on", LOGIN_LIMITS: "off" });
  await until("the warning", () => /LOGIN_LIMITS is off/.test(open.log));
  assert.deepEqual(await guess(open, ATTACKER, { times: 12 }), [401]);
  assert.deepEqual(await statuses(open), Array(11).fill(400));
  assert.equal(names(await register(open)).length, 3);
});
