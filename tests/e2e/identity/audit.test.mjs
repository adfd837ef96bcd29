// The record of what security hangs on: every act is in it, admins read it where they are, and nobody floods it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD, send, until } from "../support/box.mjs";

const record = async (box, query = "") => (await box.backend_call("GET", `/api/admin/audit?limit=1000&after=0${query}`)).entries;
const acts_of = async (box) => (await record(box)).map(({ act, outcome }) => `${act}: ${outcome}`);

test("changes to an account are in the audit log, failed attempts too", async (t) => {
  const box = await Box.start(t);
  const ada = box.person();
  await ada.call("POST", "/api/register", { email: "ada@example.org", password: "password1" });
  await ada.call("POST", "/api/register", { email: "ada@example.org", password: PASSWORD });
  await ada.log_in("ada@example.org", PASSWORD);
  const change = (body) => ada.call("PATCH", "/api/settings", body);
  await change({ name: "Ada" });
  await change({ email: "ada@example.org" });
  await change({ email: "new@example.org", currentPassword: "a wrong password" });
  await change({ email: "new@example.org", currentPassword: PASSWORD });
  for (const step of ["begin", "passkeys/begin"])
    await ada.call("POST", `/api/settings/second-factor/${step}`, { currentPassword: "a wrong password" });
  await ada.call("PUT", "/api/provider-keys/openai", { key: "sk-0000004711" });
  const billing = (action, more) => ada.call("POST", "/api/billing", { action, ...more });
  await billing("disable-byok");
  await billing("enable-byok", { provider: "openai", key: "sk 4711" });
  await billing("enable-byok", { provider: "openai", key: "sk-0000004711" });
  await billing("get-usage");
  await ada.call("DELETE", "/api/provider-keys/openai");
  await ada.call("DELETE", "/api/provider-keys/openai");
  await ada.call("POST", "/api/auth/signout");
  await ada.call("POST", "/api/auth/signout");
  assert.deepEqual(await acts_of(box), [
    "registered: password is one of the most used ones, please choose another",
    "registered: ok",
    "sign-in by password: ok",
    "email changed: currentPassword is wrong",
    "email changed: ok",
    "second factor begun: currentPassword is wrong",
    "second factor begun: currentPassword is wrong",
    "provider key kept: ok",
    "provider keys set aside: ok",
    "provider key kept: key must be at least 8 visible ASCII characters without spaces",
    "provider key kept: ok",
    "provider keys taken up: ok",
    "provider key removed: ok",
    "signed out: ok",
  ]);
  const entries = await record(box);
  for (const entry of entries) assert.equal(entry.address, "127.0.0.1");
  assert.ok(!JSON.stringify(entries).includes("4711"), "no secret is part of it");
});

test("changes of plans are in the audit log, whoever makes them", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  await box.backend_call("POST", "/api/subscriptions/deploy", { userId: "4242", plan: "solo" });
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { plan: "none" });
  const plans = (await record(box)).filter(({ act }) => act.includes("plan"));
  assert.deepEqual(
    plans.map(({ act, outcome, userId }) => [act, outcome === "ok", userId]),
    [
      ["plan solo deployed", true, ada.id],
      ["plan solo deployed", false, "4242"],
      ["changed by admin: plan none", true, ada.id],
    ],
  );
});

test("a wrong internal key is in it with how often it was tried, and a thousand tries are few lines", async (t) => {
  const box = await Box.start(t);
  const guess = (path) => send(box.backend, "GET", path, { headers: { authorization: "Bearer guessed" } });
  for (let round = 0; round < 50; ++round) await Promise.all(Array.from({ length: 20 }, () => guess("/api/admin/users/x")));
  await guess("/api/agents");
  const noted = await until("all tries", async () => {
    const found = (await record(box)).filter(({ act }) => act === "internal key refused");
    const tries = found.reduce((sum, { outcome }) => sum + Number(/(\d+) time/.exec(outcome)[1]), 0);
    return tries === 1001 && found;
  });
  assert.ok(noted.length <= 20, `${noted.length} lines`);
  assert.equal(noted.at(-1).subject, "GET /api/agents");
  assert.equal(noted[0].address, "127.0.0.1");
});

test("admins read it in their session, page by page and as JSON lines; nobody else does", async (t) => {
  const box = await Box.start(t);
  const admin = box.person(),
    ada = await box.customer("ada@example.org");
  await admin.log_in(ADMIN.email, ADMIN.password);
  for (let n = 0; n < 5; ++n) await box.person().log_in("ada@example.org", `a wrong password ${n}`);
  const refusals = { "/api/admin/audit": "ADMIN_REQUIRED", "/api/admin/security-events": "SUPPORT_REQUIRED" };
  for (const [path, code] of Object.entries(refusals)) {
    assert.equal((await box.person().call("GET", path)).status, 401);
    const refused = await ada.call("GET", path);
    assert.deepEqual([refused.status, refused.body.code], [403, code]);
    assert.equal((await admin.call("GET", path)).status, 200);
    assert.equal((await admin.call("GET", `${path}?format=xml`)).status, 400);
  }
  const all = await record(box);
  const pages = [];
  for (let before; ; ) {
    const { body } = await admin.call("GET", `/api/admin/audit?limit=2${before ? `&before=${before}` : ""}`);
    pages.push(...body.entries);
    if ((before = body.next) === null) break;
  }
  assert.deepEqual(pages, all.toReversed(), "newest first, and nothing is left out");
  const lines = await send(box.web, "GET", "/api/admin/audit?format=jsonl", { headers: { cookie: admin.cookie } });
  assert.equal(lines.headers["content-type"], "application/x-ndjson");
  assert.deepEqual(
    lines.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    all.toReversed(),
  );
  assert.equal((await admin.call("GET", "/api/admin/audit?before=1&after=1")).status, 400);
});

test("a closed sign-in says how long it stays so", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on" });
  for (let n = 0; n < 10; ++n) await box.person().log_in("ada@example.org", "a wrong password");
  const answer = await box.person().log_in("ada@example.org", "a wrong password");
  assert.equal(answer.status, 429);
  const wait = Number(answer.headers.get("retry-after"));
  assert.ok(wait > 20 && wait <= 30, `${wait} of 30 seconds`);
});
