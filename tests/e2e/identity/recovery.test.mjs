// Forgot and reset password, with a mail server and without one.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD, run, send, until } from "../support/box.mjs";
import { start_mail_server } from "../peers/mail_server.mjs";

const NEW_PASSWORD = "another long password";
const forgot = (box, email) => box.person().call("POST", "/api/auth/forgot-password", { email });
const reset = (box, token, password = NEW_PASSWORD) => box.person().call("POST", "/api/auth/reset-password", { token, password });
const token_in = (text) => /\?reset=([A-Za-z0-9_-]{43})/.exec(text)?.[1];
// Registration sends mails, too.
const outbox = async (box) => (await box.backend_call("GET", "/api/admin/outbox?limit=1000")).mails.filter((mail) => token_in(mail.body));
const is_reset = (mail) => token_in(mail.lines.join("\n")) !== undefined;
// The token of the newest mail to an address, once there are `count` of them.
const token_for = (box, email, count = 1) =>
  until(`mail ${count} to ${email}`, async () => {
    const mails = (await outbox(box)).filter((mail) => mail.to === email);
    return mails.length >= count && token_in(mails[0].body);
  });

test("a mail brings the way back: one use, every session ends, the old password is gone", async (t) => {
  const mail_server = await start_mail_server(t);
  const box = await Box.start(t, { SMTP_URL: mail_server.url, SMTP_FROM: "box@example.org", BASE_URL: "https://box.example.org" });
  const ada = await box.customer("ada@example.org");
  const asked = await forgot(box, "ADA@example.org");
  assert.deepEqual([asked.status, asked.body.ok], [200, true]);
  const mail = await until("a mail", () => mail_server.mails.find(is_reset));
  const text = mail.lines.join("\n");
  assert.match(mail.from, /<box@example\.org>/);
  assert.deepEqual(
    mail.to.map((line) => /<(.*)>/.exec(line)[1]),
    ["ada@example.org"],
  );
  assert.match(text, /^Subject: A new password/m);
  assert.match(text, /https:\/\/box\.example\.org\/login\?reset=/);

  const token = token_in(text);
  assert.match((await reset(box, token, "short")).body.error, /password/);
  assert.equal((await reset(box, token, "password1")).status, 400, "a refused password spends nothing");
  assert.deepEqual((await reset(box, token)).body, { success: true });
  assert.equal((await ada.call("GET", "/api/auth/session")).body.user, null);
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 401);
  assert.equal((await ada.log_in("ada@example.org", NEW_PASSWORD)).status, 200);
  assert.equal((await reset(box, token)).status, 400, "once");
});

test("known and unknown addresses get the same answer, and only known ones a mail", async (t) => {
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  const answers = [];
  for (const email of ["ada@example.org", "nobody@example.org", "not an address", "0xabc@wallet.app"])
    answers.push(await forgot(box, email));
  for (const answer of answers) assert.deepEqual([answer.status, answer.body], [200, answers[0].body]);
  await token_for(box, "ada@example.org");
  assert.deepEqual(
    (await outbox(box)).map((mail) => mail.to),
    ["ada@example.org"],
  );
  assert.equal((await box.person().call("POST", "/api/auth/forgot-password", {})).status, 400);
});

test("without a mail server the administrator reads the mail; on disk it is sealed", async (t) => {
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  await forgot(box, "ada@example.org");
  const token = await token_for(box, "ada@example.org");
  const printed = await run(["admin", "outbox", "--data", box.folder], {
    env: { INTERNAL_API_KEY: "internal-key-of-the-stories", BACKEND_LISTEN: new URL(box.backend).host },
  });
  assert.equal(printed.code, 0, printed.err);
  assert.equal(token_in(printed.out), token);
  assert.equal((await reset(box, token)).status, 200);
  await box.end("SIGTERM");
  const store = join(box.folder, "store");
  for (const name of readdirSync(store)) assert.ok(!readFileSync(join(store, name)).includes(token), `${name} holds the token`);
});

test("reset tokens: three at once, all used up by one, none for a changed address or a disabled user", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  for (let n = 0; n < 3; ++n) {
    await forgot(box, "ada@example.org");
    await token_for(box, "ada@example.org", n + 1);
  }
  const tokens = (await outbox(box)).map((mail) => token_in(mail.body));
  assert.equal(new Set(tokens).size, 3);
  await forgot(box, "ada@example.org");
  await forgot(box, ADMIN.email);
  await token_for(box, ADMIN.email);
  assert.equal((await outbox(box)).length, 4, "a fourth mail to one person is not sent");
  const together = await Promise.all(tokens.map((token) => reset(box, token)));
  assert.deepEqual(together.map((answer) => answer.status).sort(), [200, 400, 400]);

  await ada.log_in("ada@example.org", NEW_PASSWORD);
  await forgot(box, "ada@example.org");
  const late = await token_for(box, "ada@example.org", 4);
  await ada.call("PATCH", "/api/settings", { email: "moved@example.org", currentPassword: NEW_PASSWORD });
  assert.equal((await reset(box, late)).status, 400, "sent to an address that is no longer the account's");

  await ada.call("PATCH", "/api/settings", { email: "ada@example.org", currentPassword: NEW_PASSWORD });
  assert.equal((await reset(box, late)).status, 400, "nor when it is the account's again");
  await forgot(box, "ada@example.org");
  const asked_before = await token_for(box, "ada@example.org", 5);
  await ada.call("POST", "/api/settings/password", { currentPassword: NEW_PASSWORD, newPassword: PASSWORD });
  assert.equal((await reset(box, asked_before)).status, 400, "the password was changed meanwhile");
  await ada.call("PATCH", "/api/settings", { email: "moved@example.org", currentPassword: PASSWORD });

  await forgot(box, "moved@example.org");
  const disabled = await token_for(box, "moved@example.org");
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: true });
  assert.equal((await reset(box, disabled)).status, 400);
  for (const wrong of ["", "x", "a".repeat(43), "../etc/passwd"]) assert.equal((await reset(box, wrong)).status, 400);
});

test("a mail that the server sends away, and a crash before it goes, only delay it", async (t) => {
  const mail_server = await start_mail_server(t);
  const box = await Box.start(t, { SMTP_URL: mail_server.url, SMTP_FROM: "box@example.org" });
  mail_server.refusals = 1;
  await forgot(box, ADMIN.email);
  const tried = await until("a failed attempt", async () => (await outbox(box)).find((mail) => mail.problem));
  assert.equal(tried.delivery, "pending");
  assert.match(tried.problem, /451/);

  await box.customer("ada@example.org");
  await forgot(box, "ada@example.org");
  await box.end("SIGKILL");
  await box.serve();
  await until("the mail", () => mail_server.mails.some((mail) => is_reset(mail) && mail.to[0].includes("ada@example.org")));
});

test("a mail that arrives is the first proof of an address: keys made before it end, later ones do not", async (t) => {
  const box = await Box.start(t);
  const squatter = await box.customer("ada@example.org");
  const key_of = async (person) => (await person.call("POST", "/api/keys", { name: "laptop" })).body.key;
  const is_valid = async (apiKey) => (await box.person().call("POST", "/api/keys/validate", { apiKey })).status === 200;
  const squatted = await key_of(squatter);
  assert.ok(await is_valid(squatted));
  await forgot(box, "ada@example.org");
  assert.equal((await reset(box, await token_for(box, "ada@example.org"))).status, 200);
  assert.equal(await is_valid(squatted), false);

  const ada = box.person();
  await ada.log_in("ada@example.org", NEW_PASSWORD);
  const own = await key_of(ada);
  await forgot(box, "ada@example.org");
  assert.equal((await reset(box, await token_for(box, "ada@example.org", 2), PASSWORD)).status, 200);
  assert.ok(await is_valid(own));
});

test("agents that another person created in a claimed account are stopped with new tokens until their owner starts them", async (t) => {
  const box = await Box.start(t);
  const squatter = await box.customer("ada@example.org");
  const id = await box.running_agent(squatter, "Spy");
  const token_of = async (person) => (await person.call("GET", `/api/agents/${id}/token`)).body.token;
  const agent_of = async (person) => (await person.call("GET", `/api/agents/${id}`)).body.agent;
  const host = new URL((await agent_of(squatter)).url).host;
  const knock = (token) => send(box.web, "GET", "/healthz", { headers: { host, authorization: `Bearer ${token}` } });
  const known = await token_of(squatter);
  const channels = { telegram: { enabled: true, botToken: "of-the-squatter" } };
  await squatter.call("PUT", `/api/agents/${id}/config`, { config: { systemPrompt: "Tell me everything.", channels } });
  assert.equal((await knock(known)).status, 200);

  await forgot(box, "ada@example.org");
  assert.equal((await reset(box, await token_for(box, "ada@example.org"))).status, 200);
  assert.equal((await knock(known)).status, 401);
  const ada = box.person();
  await ada.log_in("ada@example.org", NEW_PASSWORD);
  await box.until_status(ada, id, "stopped");
  assert.match((await agent_of(ada)).statusReason, /handed to the owner of its email address/);
  const { config } = (await ada.call("GET", `/api/agents/${id}/config`)).body;
  assert.deepEqual(config, { systemPrompt: "Tell me everything.", channels: { telegram: { enabled: true } } });

  assert.equal((await ada.call("POST", `/api/instance/${id}/start`)).status, 200);
  assert.equal((await knock(known)).status, 401);
  assert.equal((await knock(await token_of(ada))).status, 200);
});

test("addresses are asked for five times a minute", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on" });
  const statuses = [];
  for (let n = 0; n < 7; ++n) statuses.push((await forgot(box, "nobody@example.org")).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429]);
});

test("the audit log has who tried what, from where, and the outcome", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const key = (await ada.call("POST", "/api/keys", { name: "laptop" })).body;
  await ada.call("DELETE", `/api/keys/${key.id}`);
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { plan: "network" });
  await box.person().log_in("ada@example.org", "a wrong password");
  await forgot(box, "ada@example.org");
  await reset(box, await token_for(box, "ada@example.org"));
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0");
  const acts = entries.map((entry) => [entry.act, entry.outcome === "ok"]);
  assert.deepEqual(acts, [
    ["registered", true],
    ["plan solo deployed", true],
    ["sign-in by password", true],
    ["API key made", true],
    ["API key deleted", true],
    ["changed by admin: plan network", true],
    ["sign-in by password", false],
    ["password forgotten", true],
    ["password reset", true],
  ]);
  for (const entry of entries) assert.equal(entry.address, "127.0.0.1");
  const theirs = entries.filter((entry) => !/^API key|^plan/.test(entry.act));
  assert.ok(theirs.every((entry) => entry.subject.includes("ada@example.org")));
  assert.ok(!JSON.stringify(entries).includes(key.key), "no secret is part of it");
  const printed = await run(["admin", "audit", "--data", box.folder], {
    env: { INTERNAL_API_KEY: "internal-key-of-the-stories", BACKEND_LISTEN: new URL(box.backend).host },
  });
  assert.deepEqual(
    printed.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id),
    entries.map((entry) => entry.id),
  );
});
