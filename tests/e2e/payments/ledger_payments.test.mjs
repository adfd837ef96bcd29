// Payments and splits on the box's own ledger: a box without a chain.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, INTERNAL_KEY, send, until } from "../support/box.mjs";

const KEY = { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" };
const backend = (box, method, path, body, headers = KEY) =>
  send(box.backend, method, path, { headers, body: body && JSON.stringify(body) });
const credit = (box, userId, amount, more = {}) =>
  box.backend_call("POST", "/api/admin/ledger/credit", { userId, amount, reference: `gift ${Math.random()}`, ...more });

const rich = async (box, email, amount) => {
  const person = await box.customer(email);
  person.wallet = (await person.call("POST", "/api/wallet", { action: "create" })).body.address;
  if (amount) await credit(box, person.id, amount);
  person.pay = (body) => person.call("POST", "/api/wallet/transfer", body);
  person.balance = async () => (await person.call("GET", "/api/wallet")).body.balance;
  return person;
};
const is_balanced = async (box) =>
  assert.deepEqual(await box.backend_call("GET", "/api/admin/ledger/verify"), { ok: true, differences: [] });

test("an administrator issues money and takes it back, once for each reference", async (t) => {
  const box = await Box.start(t);
  const ada = await rich(box, "ada@example.org");
  const body = { userId: ada.id, amount: "10.5", reference: "june" };
  for (let time = 0; time < 3; ++time) assert.equal((await box.backend_call("POST", "/api/admin/ledger/credit", body)).balance, "10.5");
  assert.equal((await backend(box, "POST", "/api/admin/ledger/credit", { ...body, amount: "11" })).status, 409);
  assert.equal(
    (await backend(box, "POST", "/api/admin/ledger/debit", { userId: ada.id, amount: "11", reference: "back" })).body.code,
    "INSUFFICIENT_BALANCE",
  );
  assert.equal(
    (await box.backend_call("POST", "/api/admin/ledger/debit", { userId: ada.id, amount: "0.5", reference: "back" })).balance,
    "10",
  );
  const { entries, balance } = await box.backend_call("GET", `/api/admin/ledger?userId=${ada.id}`);
  assert.deepEqual([balance, entries.map(({ amount }) => amount)], ["10", ["-0.5", "10.5"]]);
  for (const [change, field] of [
    [{ userId: "99" }, "userId"],
    [{ amount: "1e3" }, "amount"],
    [{ amount: "0" }, "amount"],
    [{ agentId: "nobody" }, "agentId"],
  ])
    assert.match(
      (await backend(box, "POST", "/api/admin/ledger/credit", { ...body, reference: "x", ...change })).body.error,
      new RegExp(`^${field}`),
    );
  assert.equal((await ada.call("POST", "/api/admin/ledger/credit", body)).status, 403);
  await is_balanced(box);
});

test("users pay each other, once for each key, and never more than they have", async (t) => {
  const box = await Box.start(t);
  const [ada, eve] = [await rich(box, "ada@example.org", "10"), await rich(box, "eve@example.org")];
  const order = { to: eve.wallet, amount: "2.5", idempotencyKey: "lunch", memo: "lunch" };
  const paid = await Promise.all(Array.from({ length: 10 }, () => ada.pay(order)));
  assert.deepEqual(
    [...new Set(paid.map(({ status, body }) => `${status} ${body.id} ${body.state} ${body.network}`))],
    [`200 ${paid[0].body.id} confirmed ledger`],
  );
  assert.deepEqual([await ada.balance(), await eve.balance()], ["7.5", "2.5"]);
  assert.equal((await ada.pay({ ...order, amount: "3" })).body.code, "IDEMPOTENCY_KEY_ALREADY_USED");
  assert.equal((await ada.pay({ to: eve.wallet, amount: "7.500001" })).body.code, "INSUFFICIENT_BALANCE");
  const race = await Promise.all(Array.from({ length: 20 }, () => ada.pay({ to: eve.wallet, amount: 1 })));
  assert.equal(race.filter(({ status }) => status === 200).length, 7);
  assert.deepEqual([await ada.balance(), await eve.balance()], ["0.5", "9.5"]);
  const page = (await ada.call("GET", "/api/wallet/transfers?limit=5")).body;
  const rest = (await ada.call("GET", `/api/wallet/transfers?limit=5&before=${page.next}`)).body;
  assert.deepEqual([page.transfers.length, rest.transfers.length, rest.next, rest.transfers.at(-1).memo], [5, 3, null, "lunch"]);
  assert.equal((await ada.call("GET", `/api/wallet/transfers/${paid[0].body.id}`)).body.amount, "2.5");
  await box.end("SIGKILL");
  await box.serve();
  assert.deepEqual([await ada.balance(), await eve.balance()], ["0.5", "9.5"]);
  await is_balanced(box);
});

test("amounts and receivers that make no sense are refused, and named", async (t) => {
  const box = await Box.start(t);
  const [ada, eve] = [await rich(box, "ada@example.org", "10"), await rich(box, "eve@example.org")];
  for (const amount of [
    0,
    -1,
    "-0",
    -0,
    "NaN",
    "Infinity",
    "1e3",
    "0x10",
    "",
    "1,5",
    " 1",
    1e-7,
    "0.0000004",
    "9".repeat(30),
    1e30,
    null,
    true,
    {},
    [1],
    undefined,
  ]) {
    const { status, body } = await ada.pay({ to: eve.wallet, amount });
    assert.deepEqual([status, body.error?.startsWith("amount")], [400, true], `${JSON.stringify(amount)}: ${JSON.stringify(body)}`);
  }
  assert.equal((await ada.pay({ to: eve.wallet, amount: "0.0000005" })).body.amount, "0.000001", "rounded to six places");
  assert.equal((await ada.pay({ to: eve.wallet, amount: 0.1234567 })).body.amount, "0.123457");
  const other_case = `0x${eve.wallet.slice(2).replace(/[a-zA-Z]/g, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()))}`;
  for (const to of [
    "0x1",
    `0x${"0".repeat(40)}`,
    ada.wallet,
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    other_case,
    eve.wallet.slice(2),
  ])
    assert.match((await ada.pay({ to, amount: 1 })).body.error, /^to must/, to);
  assert.match((await ada.pay({ to: eve.wallet, amount: 1, token: "native" })).body.error, /^token/);
  assert.match((await ada.pay({ to: eve.wallet, amount: 1, token: "doge" })).body.error, /^token/);
  assert.equal(await ada.balance(), "9.876542");
});

test("rules: a limit for the day, receivers, and the owner's approval", async (t) => {
  const box = await Box.start(t);
  const [ada, eve, kim] = [
    await rich(box, "ada@example.org", "100"),
    await rich(box, "eve@example.org"),
    await rich(box, "kim@example.org"),
  ];
  const rules = await ada.call("PUT", "/api/wallet/rules", { dailyUsdc: "10", approvalAboveUsdc: "5", receivers: [eve.wallet] });
  assert.deepEqual(rules.body, { wallet: "user", dailyUsdc: "10", approvalAboveUsdc: "5", receivers: [eve.wallet], spentTodayUsdc: "0" });
  assert.equal((await ada.pay({ to: kim.wallet, amount: 1 })).body.code, "RECEIVER_NOT_ALLOWED");
  assert.equal((await ada.pay({ to: eve.wallet, amount: 4 })).body.state, "confirmed");
  const waiting = (await ada.pay({ to: eve.wallet, amount: 6 })).body;
  assert.equal(waiting.state, "waiting");
  const decide = (id, how) => ada.call("POST", `/api/wallet/transfers/${id}/${how}`);
  assert.equal((await eve.call("POST", `/api/wallet/transfers/${waiting.id}/approve`)).status, 404);
  const approved = await Promise.all([decide(waiting.id, "approve"), decide(waiting.id, "approve")]);
  assert.deepEqual(approved.map(({ status }) => status).sort(), [200, 409]);
  assert.equal(await eve.balance(), "10");
  const over = await ada.pay({ to: eve.wallet, amount: "0.000001" });
  assert.deepEqual([over.status, over.body.code, over.body.limit, over.body.spent], [429, "DAILY_LIMIT_REACHED", "10", "10"]);
  const declined = (await ada.pay({ to: eve.wallet, amount: 7 })).body;
  assert.equal((await decide(declined.id, "approve")).status, 429, "the limit holds for what is approved, too");
  assert.equal((await decide(declined.id, "decline")).body.state, "declined");
  assert.equal((await decide(declined.id, "approve")).status, 409);
  for (const [body, field] of [
    [{ dailyUsdc: "-1" }, "dailyUsdc"],
    [{ approvalAboveUsdc: "x" }, "approvalAboveUsdc"],
    [{ receivers: ["0x1"] }, "receivers\\[0\\]"],
  ])
    assert.match((await ada.call("PUT", "/api/wallet/rules", body)).body.error, new RegExp(`^${field}`));
  await is_balanced(box);
});

test("an agent pays from its own wallet, within its owner's rules", async (t) => {
  const box = await Box.start(t);
  const [ada, eve] = [await rich(box, "ada@example.org", "100"), await rich(box, "eve@example.org")];
  const agent = await box.running_agent(ada);
  const { address, balance } = (await ada.call("GET", `/api/wallet/agents/${agent}`)).body;
  assert.equal(balance, "0");
  await ada.pay({ to: address, amount: 20 });
  const { readFileSync } = await import("node:fs");
  const { box_token } = JSON.parse(readFileSync(`${box.folder}/agents/${agent}/run/boot.json`, "utf8"));
  const as_agent = (method, body) => backend(box, method, "/api/agent-payments", body, { ...KEY, authorization: `Bearer ${box_token}` });
  const unapproved = (await as_agent("POST", { to: eve.wallet, amount: 1 })).body;
  assert.equal(unapproved.state, "waiting", "without rules its owner approves each payment");
  assert.equal((await ada.call("POST", `/api/wallet/transfers/${unapproved.id}/approve`)).body.state, "confirmed");
  await ada.call("PUT", "/api/wallet/rules", { agentId: agent, dailyUsdc: "5" });
  const outside = (await as_agent("POST", { to: eve.wallet, amount: "0.5", memo: "outside" })).body;
  assert.equal(outside.state, "waiting", "outside of every turn of its owner it asks, whatever the wallet's rules say");
  assert.equal((await ada.call("POST", `/api/wallet/transfers/${outside.id}/decline`)).body.state, "declined");
  await ada.call("PUT", `/api/agents/${agent}/gate`, { rules: [{ effect: "money", decision: "allow" }] });
  assert.equal((await as_agent("POST", { to: eve.wallet, amount: "3.5", memo: "research", idempotencyKey: "r1" })).body.state, "confirmed");
  assert.equal(
    (await as_agent("POST", { to: eve.wallet, amount: "3.5", memo: "research", idempotencyKey: "r1" })).body.state,
    "confirmed",
    "again",
  );
  assert.equal((await as_agent("POST", { to: eve.wallet, amount: 1 })).body.code, "DAILY_LIMIT_REACHED");
  const own = (await as_agent("GET")).body;
  assert.deepEqual(
    [own.wallet.balance, own.rules.dailyUsdc, own.rules.spentTodayUsdc, own.payments.map(({ memo }) => memo)],
    ["15.5", "5", "4.5", ["research", "outside", ""]],
  );
  assert.equal(await eve.balance(), "4.5");
  const costs = (await ada.call("GET", "/api/mission-control/fleet/costs")).body;
  assert.deepEqual(costs, [{ agent_id: agent, total_spend: "4.50", category: "payment" }], "her own payment to her agent costs nothing");
  await ada.call("DELETE", `/api/agents/${agent}`);
  await until("the agent's money is back", async () => (await ada.balance()) === "95.5");
  await is_balanced(box);
});

test("wallets of agents, their balances, and splits that are settled", async (t) => {
  const box = await Box.start(t);
  const [ada, eve] = [await rich(box, "ada@example.org"), await rich(box, "eve@example.org")];
  const obtain = (agentId, userId = ada.id) => backend(box, "POST", "/api/underground/wallets", { userId, agentId });
  const { status, body: dj } = await obtain("dj");
  assert.deepEqual([status, dj.agentId, dj.userId], [201, "dj", ada.id]);
  assert.deepEqual((await obtain("dj")).body, dj, "made once");
  assert.deepEqual((await obtain("dj", Number(ada.id))).body, { ...dj, userId: Number(ada.id) });
  const others = await Promise.all(["a", "b", "c"].map(async (name) => (await obtain(name)).body.address));
  const balance = (address, userId = ada.id) => backend(box, "GET", `/api/underground/wallets/${address}/balance?userId=${userId}`);
  assert.deepEqual((await balance(dj.address)).body, { address: dj.address, balance_usdc: 0, source: "ledger" });
  assert.equal((await balance(dj.address, eve.id)).status, 404, "somebody else's");
  assert.equal((await balance("0x1")).status, 400);

  const split = (more = {}) =>
    backend(box, "POST", "/api/underground/splits", {
      userId: ada.id,
      agentId: "dj",
      fromAddress: dj.address,
      name: "gig",
      totalAmount: "10",
      recipients: others.map((address) => ({ address, share: 33.33 })),
      ...more,
    });
  const shown = async (id) => (await backend(box, "GET", `/api/underground/splits/${id}?userId=${ada.id}`)).body;
  const final = (id) =>
    until("the split is final", async () => {
      const one = await shown(id);
      return ["settled", "failed"].includes(one.status) && one;
    });
  const poor = (await split()).body;
  assert.deepEqual([poor.success, poor.splitId, poor.status], [true, 1, "queued"]);
  const failed = await final(poor.splitId);
  assert.deepEqual([failed.status, /balance/.test(failed.reason)], ["failed", true]);

  // The agent runs elsewhere: its wallet gets its money from a user's.
  await credit(box, ada.id, "25.3");
  await ada.pay({ to: dj.address, amount: 25 });
  const made = (await split()).body;
  const settled = await final(made.splitId);
  assert.deepEqual([settled.status, settled.recipients.map(({ amount }) => amount)], ["settled", ["3.333", "3.333", "3.334"]]);
  assert.deepEqual(
    (await Promise.all(others.map((one) => balance(one)))).map(({ body }) => body.balance_usdc),
    [3.333, 3.333, 3.334],
  );

  // Once for each key, and rounded as every amount is.
  const keyed = { totalAmount: "0.3000004", idempotencyKey: "gig 7" };
  const once = await Promise.all(Array.from({ length: 5 }, () => split(keyed)));
  assert.equal(new Set(once.map(({ body }) => body.splitId)).size, 1, JSON.stringify(once.map(({ body }) => body)));
  assert.equal((await final(once[0].body.splitId)).totalAmount, "0.3");
  assert.equal((await split({ ...keyed, totalAmount: "0.4" })).body.code, "IDEMPOTENCY_KEY_ALREADY_USED");
  await ada.pay({ to: dj.address, amount: "0.3" });

  // Nothing is made, and nothing reported, for a user that does not exist.
  const userId = "999999";
  const gig = { fromAddress: dj.address, name: "gig", totalAmount: "1", recipients: [{ address: others[0], share: 100 }] };
  for (const [method, path, body] of [
    ["POST", "/api/underground/wallets", { userId, agentId: "dj" }],
    ["POST", "/api/underground/splits", { userId, agentId: "dj", ...gig }],
    ["GET", `/api/underground/splits?userId=${userId}`],
    ["GET", `/api/usage/summary?userId=${userId}`],
    ["GET", `/api/usage/by-model?userId=${userId}`],
    ["GET", `/api/usage/daily?userId=${userId}`],
    ["GET", `/api/usage/calls?userId=${userId}`],
    ["GET", `/api/metrics/${userId}/summary`],
  ]) {
    const answer = await backend(box, method, path, body);
    assert.deepEqual([answer.status, answer.body.error], [404, "No such user"], path);
  }

  // Killed again and again while splits are under way, the box pays each of them once.
  const ids = [];
  for (let round = 0; round < 5; ++round) {
    ids.push((await split({ totalAmount: "3" })).body.splitId);
    await box.end("SIGKILL");
    await box.serve();
  }
  for (const id of ids) assert.equal((await final(id)).status, "settled");
  assert.equal((await balance(dj.address)).body.balance_usdc, 0);
  assert.equal((await backend(box, "GET", `/api/underground/splits?userId=${ada.id}`)).body.splits.length, 8);
  assert.equal((await backend(box, "GET", `/api/underground/splits/1?userId=${eve.id}`)).status, 404);
  const to_stranger = (
    await split({ totalAmount: "1", recipients: [{ address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", share: 100 }] })
  ).body;
  assert.match((await final(to_stranger.splitId)).reason, /not a wallet of this box/);
  await is_balanced(box);

  for (const [more, field] of [
    [{ totalAmount: "0" }, "totalAmount"],
    [{ totalAmount: "0.0000004" }, "totalAmount"],
    [{ fromAddress: "0x12" }, "fromAddress"],
    [{ userId: "x" }, "userId"],
    [{ recipients: [] }, "recipients"],
    [{ recipients: [{ address: others[0], share: 99.98 }] }, "recipients"],
    [
      {
        recipients: [
          { address: others[0], share: -1 },
          { address: others[1], share: 101 },
        ],
      },
      "recipients\\[0\\].share",
    ],
    [{ recipients: [{ address: "x", share: 100 }] }, "recipients\\[0\\].address"],
    [{ totalAmount: "0.000001", recipients: others.map((address) => ({ address, share: 33.33 })) }, "recipients\\[0\\].share"],
    [{ name: undefined }, "name"],
  ])
    assert.match((await split(more)).body.error, new RegExp(`^${field}`), JSON.stringify(more));
  assert.equal((await backend(box, "POST", "/api/underground/splits", {}, { "content-type": "application/json" })).status, 401);
});
