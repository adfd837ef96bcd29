// Addresses are verified by a mail, from a session of their account.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, PASSWORD, until } from "../support/box.mjs";
import { start_mail_server } from "../peers/mail_server.mjs";

const verify = (person, token) => person.call("POST", "/api/auth/verify-email", { token });
const ask = (person) => person.call("POST", "/api/auth/verify-email/mail");
const is_verified = async (person) => (await person.call("GET", "/api/settings")).body.emailVerified;

test("registration sends a mail, and its link verifies the address from a session of the account only", async (t) => {
  const box = await Box.start(t, { BASE_URL: "https://box.example.org" });
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const { body, token } = await box.mail_with("verify", "ada@example.org");
  assert.match(body, /https:\/\/box\.example\.org\/settings\?verify=/);
  assert.equal(await is_verified(ada), false);
  assert.equal((await verify(box.person(), token)).status, 401, "the mail alone is not enough: its reader may not be who registered");
  assert.equal((await verify(eve, token)).status, 400);
  assert.deepEqual([await is_verified(ada), await is_verified(eve)], [false, false]);
  assert.deepEqual((await verify(ada, token)).body, { success: true, email: "ada@example.org" });
  assert.equal(await is_verified(ada), true);
  assert.equal((await box.backend_call("GET", "/api/admin/users/ada@example.org")).emailVerified, true);
  for (const wrong of [token, "x", "a".repeat(43)]) assert.equal((await verify(ada, wrong)).status, 400);
  assert.equal((await verify(ada, "")).status, 400);
  assert.equal((await ask(ada)).status, 409);
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0");
  assert.ok(entries.some((entry) => entry.act === "email verified" && entry.outcome === "ok" && entry.subject === "ada@example.org"));
});

test("with a mail server the mail goes there, again when asked for, three times an hour", async (t) => {
  const mail_server = await start_mail_server(t);
  const box = await Box.start(t, { SMTP_URL: mail_server.url, SMTP_FROM: "box@example.org" });
  const ada = await box.customer("ada@example.org");
  for (let n = 0; n < 2; ++n) assert.deepEqual((await ask(ada)).body, { success: true });
  const refused = await ask(ada);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get("retry-after")) > 3500);
  assert.deepEqual(
    ["limit", "remaining"].map((name) => refused.headers.get(`ratelimit-${name}`)),
    ["3", "0"],
  );
  assert.equal((await ask(box.person())).status, 401);
  const mail = await until("three mails", () => mail_server.mails.length === 3 && mail_server.mails[0]);
  assert.match(mail.to[0], /ada@example\.org/);
  const [, token] = /\?verify=([A-Za-z0-9_-]{43})/.exec(mail.lines.join("\n"));
  assert.equal((await verify(ada, token)).status, 200);
});

test("where mail is sent, registration does not tell who has an account; its owner gets a mail", async (t) => {
  const mail_server = await start_mail_server(t);
  const box = await Box.start(t, { SMTP_URL: mail_server.url, SMTP_FROM: "box@example.org" });
  const register = (email, more = {}) => box.person().call("POST", "/api/register", { email, password: PASSWORD, ...more });
  const first = await register("ada@example.org", { name: "Ada" });
  const again = await register("ADA@example.org", { name: "Eve", password: "another long password" });
  const other = await register("bob@example.org");
  assert.deepEqual([first.status, again.status, other.status], [200, 200, 200]);
  assert.deepEqual([again.body.email, again.body.name], ["ada@example.org", "Eve"]);
  assert.deepEqual([Number(again.body.id), Number(other.body.id)], [Number(first.body.id) + 1, Number(first.body.id) + 2]);
  const mails = await until("three mails", () => mail_server.mails.length === 3 && mail_server.mails);
  const to_ada = mails.filter(({ to }) => to[0].includes("ada@")).map(({ lines }) => lines.join("\n"));
  assert.equal(to_ada.length, 2);
  assert.ok(to_ada.some((text) => /Subject: You have an account already/.test(text) && /\/login/.test(text)));

  assert.equal((await box.person().log_in("ada@example.org", "another long password")).status, 401, "nothing was changed");
  assert.equal((await box.person().log_in("ada@example.org", PASSWORD)).status, 200);
  assert.equal((await register("ada@example.org")).status, 200);
  assert.equal((await box.backend_call("GET", "/api/admin/users")).users.length, 3);
  const { mails: sent } = await box.backend_call("GET", "/api/admin/outbox?limit=100");
  assert.equal(sent.filter(({ subject }) => subject === "You have an account already").length, 1, "one an hour");
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=100");
  assert.ok(entries.some(({ act, outcome }) => act === "registered" && /already exists/.test(outcome)));
});

test("another address is unverified, and is sent a mail of its own", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const first = await box.mail_with("verify", "ada@example.org");
  await verify(ada, first.token);
  await ada.call("PATCH", "/api/settings", { email: "moved@example.org", currentPassword: PASSWORD });
  assert.equal(await is_verified(ada), false);
  const second = await box.mail_with("verify", "moved@example.org");
  await ada.call("PATCH", "/api/settings", { email: "ada@example.org", currentPassword: PASSWORD });
  assert.equal((await verify(ada, second.token)).status, 400);
  const third = await box.mail_with("verify", "ada@example.org");
  assert.equal((await verify(ada, third.token)).status, 200);
});

test("a reset takes nothing from a verified account but its password and sessions", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  await verify(ada, (await box.mail_with("verify")).token);
  const { key } = (await ada.call("POST", "/api/keys", { name: "laptop" })).body;
  await box.person().call("POST", "/api/auth/forgot-password", { email: "ada@example.org" });
  const { token } = await box.mail_with("reset");
  assert.equal((await box.person().call("POST", "/api/auth/reset-password", { token, password: "another long password" })).status, 200);
  assert.equal((await box.person().call("POST", "/api/keys/validate", { apiKey: key })).status, 200);
  assert.equal((await ada.call("GET", "/api/settings")).status, 401);
});
