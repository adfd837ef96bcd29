// Clones that are paid for on a chain the box can ask: only a transfer of the token to the box's receiver counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, run } from "../support/box.mjs";
import { Chain } from "../peers/chain.mjs";

const PAYMENT_CHAIN = 4217;
const RECEIVER = "0x52908400098527886e0f7030069857d2e4169ee7",
  ELSEWHERE = "0x8617e340b3d01fa5f11f306f4090fd50e238070d";
const ONE = 1_000_000n; // pathUSD has six decimals

const paid_box = async (t) => {
  const chain = await Chain.start(t, PAYMENT_CHAIN);
  const token = await chain.deploy("Token"),
    other_token = await chain.deploy("Token");
  for (const address of [token, other_token]) await chain.send("Token", address, "mint", [chain.payer.account.address, 100n * ONE]);
  const pay = (to, amount, address = token) => chain.send("Token", address, "transfer", [to, amount]);
  const env = { PAYMENT_RPC_URL: chain.url, PAYMENT_RECEIVER: RECEIVER, PAYMENT_TOKEN_ADDRESS: token };
  const box = await Box.start(t, env);
  const ada = await box.customer("ada@example.org", "collective");
  const parent = await box.running_agent(ada, "Parent");
  const from = chain.payer.account.address;
  const clone = (transactionHash, more) =>
    ada.call("POST", "/api/agents/clone", {
      parentAgentId: parent,
      name: "Child",
      paymentProof: {
        transactionHash,
        amount: "1.0",
        currency: "pathUSD",
        chainId: PAYMENT_CHAIN,
        from,
        to: RECEIVER,
        timestamp: Math.floor(Date.now() / 1000),
        ...more,
      },
    });
  return { chain, box, token, other_token, pay, clone };
};

test("a clone is made for a payment that is on its chain, and for no other", async (t) => {
  const { chain, box, token, other_token, pay, clone } = await paid_box(t);
  assert.equal((await fetch(`${box.web}/api/agents/clone`).then((answer) => answer.json())).payTo, RECEIVER);
  assert.equal(
    (await fetch(`${box.summarizer}/`).then((answer) => answer.json())).payment.payTo,
    RECEIVER,
    "the summarizer announces it, too",
  );

  const little = await pay(RECEIVER, ONE - 1n),
    elsewhere = await pay(ELSEWHERE, ONE),
    worthless = await pay(RECEIVER, ONE, other_token);
  const { hash: failed, status } = await chain.try_to_send("Token", token, "transfer", [RECEIVER, 1_000n * ONE]);
  assert.equal(status, "reverted");
  const good = await pay(RECEIVER, 2n * ONE);
  const refused = [
    ["PAYMENT_TO_ANOTHER", elsewhere, { to: ELSEWHERE }],
    ["PAYMENT_NOT_FOUND", `0x${"ab".repeat(32)}`],
    ["PAYMENT_NOT_MADE", elsewhere],
    ["PAYMENT_NOT_MADE", little],
    ["PAYMENT_NOT_MADE", worthless],
    ["PAYMENT_NOT_MADE", failed, { amount: "1000" }],
    ["PAYMENT_NOT_MADE", good, { from: ELSEWHERE }],
    ["PAYMENT_NOT_MADE", good, { amount: "2.000001" }],
  ];
  for (const [code, hash, more] of refused) {
    const answer = await clone(hash, more);
    assert.deepEqual([answer.status, answer.body.code], [402, code], `${hash} ${JSON.stringify(more)}: ${JSON.stringify(answer.body)}`);
  }
  assert.match((await clone("0xab")).body.error, /transactionHash must be 0x and 64 hex digits/);
  assert.match((await clone(good, { amount: "1.0000001" })).body.error, /amount must have at most six decimals/);

  assert.match((await clone(undefined)).body.error, /paymentProof.transactionHash/);
  // Of many at once with one payment, one.
  const many = await Promise.all(Array.from({ length: 5 }, () => clone(good, { amount: "2" })));
  assert.deepEqual(many.map(({ status }) => status).sort(), [200, 402, 402, 402, 402], JSON.stringify(many.map(({ body }) => body)));
  assert.deepEqual(many.find(({ status }) => status === 200).body.payment.verified, true);
  assert.equal(many.find(({ status }) => status === 402).body.code, "PAYMENT_ALREADY_USED");
  const spelled = good.toUpperCase().replace("0X", "0x");
  assert.equal((await clone(spelled, { amount: "2" })).body.code, "PAYMENT_ALREADY_USED", "in another spelling, too");

  await chain.stop();
  const later = await clone(`0x${"cd".repeat(32)}`);
  assert.equal(later.status, 503);
  assert.match(later.body.error, /chain's RPC endpoint is unreachable/);
});

test("a box with a payment chain needs a receiver", async (t) => {
  const box = await Box.start(t);
  await box.end("SIGTERM");
  const said = await run(["serve", "--data", box.folder], { env: { PAYMENT_RPC_URL: "http://127.0.0.1:1" } });
  assert.deepEqual([said.code, /PAYMENT_RPC_URL needs PAYMENT_RECEIVER/.test(said.err)], [2, true], said.err);
});
