// Credits: what they pay for, and when.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAST, refused, story_of } from "../support/ai_story.mjs";
import { served } from "../peers/router_server.mjs";

const QUOTA = 2_000_000; // of the plan solo

// Ada, whose quota of this month is used up.
const beyond_the_quota = async (t, env) => {
  const story = await story_of(t, "solo", env);
  const { box, router, ada, chat } = story;
  const credits = async () => (await ada.call("GET", "/api/credits")).body;
  const grant = (usd, reason = "welcome") => box.backend_call("POST", "/api/admin/credits", { userId: ada.id, usd, reason });
  router.answers[FAST[0]] = served(FAST[0], { usage: [QUOTA, 0] });
  assert.equal((await chat()).status, 200);
  delete router.answers[FAST[0]];
  refused(await chat(), 429, "QUOTA_EXCEEDED");
  return { ...story, credits, grant };
};

test("credits pay for calls beyond the quota once the user says so, exactly", async (t) => {
  const { box, ada, chat, credits, grant } = await beyond_the_quota(t);
  assert.deepEqual((await grant("1")).account, { credits: 100, balance: "1.00", reserved: "0.00", currency: "USD", payForCalls: false });
  refused(await chat(), 429, "QUOTA_EXCEEDED");
  assert.equal((await ada.call("PUT", "/api/credits", { payForCalls: true })).body.payForCalls, true);
  const answer = await chat({ max_tokens: 100 });
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.body.model, new RegExp(`^${FAST[0]}`), "with the same model");

  const [spent, granted] = (await ada.call("GET", "/api/credits/entries")).body.entries;
  assert.deepEqual([granted.kind, granted.amount, granted.note], ["adjusted", "1.00", "welcome"]);
  const [call] = (await ada.call("GET", "/api/dashboard/calls?limit=1")).body.calls;
  assert.deepEqual([spent.kind, spent.amount, spent.id, call.credits], ["spent", `-${call.cost}`, call.id, call.cost]);
  const left = await credits();
  assert.equal(left.reserved, "0.00");
  assert.equal(Number(left.balance).toFixed(12), (1 - Number(call.cost)).toFixed(12));
  const { tokens } = (await ada.call("GET", "/api/billing")).body;
  assert.deepEqual([tokens.used, tokens.limit], [QUOTA, QUOTA], "the plan's quota is what the plan paid for");

  // Every sum of the statement is the counters'.
  const statement = (await ada.call("GET", "/api/billing/statement")).body;
  assert.equal(statement.usage.total.calls, 2);
  assert.equal(statement.usage.total.cost, (await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`)).month.cost);
  assert.deepEqual(
    statement.usage.models.map(({ id }) => id),
    [FAST[0]],
  );
  assert.deepEqual(statement.usage.models[0].usage, statement.usage.total);
  assert.deepEqual([statement.usage.paidByCredits.cost, statement.usage.paidByCredits.totalTokens], [call.cost, 15]);
  assert.deepEqual([statement.credits.spent, statement.credits.closing], [`-${call.cost}`, left.balance]);

  assert.equal((await ada.call("PUT", "/api/credits", { payForCalls: false })).status, 200);
  refused(await chat(), 429, "QUOTA_EXCEEDED");
});

test("a call that the credits cannot pay is shortened or refused, and nothing is owed", async (t) => {
  const { router, ada, chat, credits, grant } = await beyond_the_quota(t);
  await ada.call("PUT", "/api/credits", { payForCalls: true });
  const empty = refused(await chat({ max_tokens: 100 }), 429, "QUOTA_EXCEEDED");
  assert.deepEqual([empty.body.credits, empty.body.limit, empty.body.used], ["0.00", QUOTA, QUOTA]);
  assert.match(empty.body.error, /credits that are left, 0\.00 USD/);
  await grant("0.0005");
  const asked = router.asked.length;
  refused(await chat({ max_tokens: 4000 }), 429, "QUOTA_EXCEEDED");
  assert.equal(router.asked.length, asked, "no provider was asked");
  const answer = await chat();
  assert.equal(answer.status, 200, answer.text);
  assert.ok(router.asked.at(-1).max_tokens < 4000, "the answer's limit is what the credits can pay");

  // Many at once never spend more than there is.
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => chat({ max_tokens: 200 })));
  const counts = outcomes.reduce((sum, { status }) => ({ ...sum, [status]: (sum[status] ?? 0) + 1 }), {});
  assert.deepEqual(
    Object.keys(counts).filter((status) => !["200", "429"].includes(status)),
    [],
  );
  const { balance, reserved } = await credits();
  assert.equal(reserved, "0.00");
  assert.ok(Number(balance) >= 0, balance);
  const { entries } = (await ada.call("GET", "/api/credits/entries?limit=1000")).body;
  const sum = entries.reduce((total, { amount }) => total + BigInt(Math.round(Number(amount) * 1e12)), 0n);
  assert.equal(sum, BigInt(Math.round(Number(balance) * 1e12)));
});

test("a failed call costs no credits, and caps hold for what credits pay", async (t) => {
  const { router, ada, chat, credits, grant } = await beyond_the_quota(t);
  await grant("5");
  await ada.call("PUT", "/api/credits", { payForCalls: true });
  for (const model of FAST) router.answers[model] = { status: 400, body: { error: { message: "no" } } };
  assert.notEqual((await chat({ max_tokens: 100 })).status, 200);
  assert.deepEqual([(await credits()).balance, (await credits()).reserved], ["5.00", "0.00"]);
  for (const model of FAST) delete router.answers[model];
  const { body } = await ada.call("PUT", "/api/caps", { scope: "user", period: "month", tokens: QUOTA + 5 });
  assert.equal(body.tokens, QUOTA + 5);
  refused(await chat({ max_tokens: 100 }), 429, "CAP_REACHED");
});

test("adjustments need an amount, a reason and a balance", async (t) => {
  const { box, ada } = await story_of(t);
  const adjust = (body) => box.backend_call("POST", "/api/admin/credits", { userId: ada.id, usd: "1", reason: "why", ...body });
  for (const usd of ["", "0", "-0", "1e3", "0x10", "NaN", "1,5", "99999999999999999999", "0.0000000000001", " 1"])
    assert.match((await adjust({ usd })).error, /^usd /, usd);
  assert.match((await adjust({ reason: "" })).error, /^reason /);
  assert.match((await adjust({ userId: "0" })).error, /^userId /);
  assert.match((await adjust({ userId: "99999" })).error, /No such user/);
  assert.match((await adjust({ usd: "-0.01" })).error, /balance of 0\.00 USD/);
  assert.equal((await adjust({ usd: "0.005" })).account.credits, 0, "half a credit is not one");
  assert.equal((await ada.call("GET", "/api/credits")).body.balance, "0.005");
  const [entry] = (await box.backend_call("GET", `/api/admin/credits?userId=${ada.id}`)).entries;
  assert.deepEqual([entry.kind, entry.note, entry.by], ["adjusted", "why", "internal"]);
});
