// The box as a facilitator: services elsewhere, on x402's own middleware, let it verify and settle their payments.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { body_of, from_header, MILLION, NETWORK, PaidBox, RECEIVER, WISH } from "../support/paid_box.mjs";
import { package_named } from "../support/packages.mjs";
import { new_wallet } from "../support/wallet.mjs";

const SHOP = "0x52908400098527886E0F7030069857D2E4169EE7";

const key_of = async (box, email = "ada@example.org") => {
  const ada = await box.customer(email);
  return (await ada.call("POST", "/api/keys", { name: "shop" })).body.key;
};

// A shop that sells at /paper, and asks the box about payments.
const open_shop = async (t, paid, key) => {
  const { paymentMiddleware, x402ResourceServer } = package_named("@x402/express");
  const { HTTPFacilitatorClient } = package_named("@x402/core/server");
  const { ExactEvmScheme } = package_named("@x402/evm/exact/server");
  const express = package_named("express");
  const headers = { Authorization: `Bearer ${key}` };
  const facilitator = new HTTPFacilitatorClient({
    url: `${paid.box.web}/x402`,
    createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: {} }),
  });
  const app = express();
  const accepts = {
    scheme: "exact",
    network: NETWORK,
    payTo: SHOP,
    price: { amount: "2500", asset: paid.token, extra: { name: "USD Coin", version: "2" } },
  };
  app.use(
    paymentMiddleware(
      { "GET /paper": { accepts, description: "The paper" } },
      new x402ResourceServer(facilitator).register(NETWORK, new ExactEvmScheme()),
    ),
  );
  app.get("/paper", (_, answer) => answer.json({ headline: "Box settles" }));
  const server = await new Promise((resolve) => {
    const one = app.listen(0, "127.0.0.1", () => resolve(one));
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
};

test("a shop on x402's own middleware is paid through the box", async (t) => {
  const paid = await PaidBox.start(t);
  const { box, chain } = paid;
  const key = await key_of(box);
  const supported = await fetch(`${box.web}/x402/supported`).then((answer) => answer.json());
  assert.deepEqual(supported.kinds, [
    { x402Version: 2, scheme: "exact", network: NETWORK },
    { x402Version: 1, scheme: "exact", network: "base" },
  ]);

  const shop = await open_shop(t, paid, key);
  const wallet = await paid.rich_wallet();
  const answer = await paid.fetch_with(wallet)(`${shop}/paper`);
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.deepEqual(await answer.json(), { headline: "Box settles" });
  const settled = from_header(answer.headers.get("payment-response"));
  assert.equal(settled.success, true);
  assert.equal(await chain.balance(paid.token, SHOP), 2500n);

  const poor = await paid.fetch_with(new_wallet())(`${shop}/paper`);
  assert.equal(poor.status, 402);
  assert.equal(await chain.balance(paid.token, SHOP), 2500n);
});

test("a shop on mppx is paid through the box", async (t) => {
  const paid = await PaidBox.start(t);
  const key = await key_of(paid.box);
  const { Mppx, evm } = await import(package_named.resolve("mppx/server"));
  const with_key = (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } });
  const method = evm.charge({
    currency: paid.token,
    recipient: SHOP,
    chainId: 8453,
    decimals: 6,
    authorization: { name: "USD Coin", version: "2" },
    x402: { facilitator: `${paid.box.web}/x402`, fetch: with_key },
  });
  const shop = Mppx.create({
    methods: [method],
    realm: "shop.example.org",
    secretKey: "a secret of the shop with more than 32 characters",
  });
  const sell = async (request) => {
    const outcome = await shop.charge({ amount: "0.0025" })(request);
    return outcome.status === 402 ? outcome.challenge : outcome.withReceipt(Response.json({ headline: "Box settles" }));
  };
  const wallet = await paid.rich_wallet();
  // Served without a listener: x402's client asks the shop by its function.
  const { wrapFetchWithPayment, x402Client } = package_named("@x402/fetch");
  const client = new x402Client().register(NETWORK, new (package_named("@x402/evm/exact/client").ExactEvmScheme)(wallet));
  client.setSpendControls(false); // this token is nobody's default
  const answer = await wrapFetchWithPayment((input, init) => sell(new Request(input, init)), client)("https://shop.example.org/paper");
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.equal(await paid.chain.balance(paid.token, SHOP), 2500n);
});

test("what a facilitator is asked is checked, and a payment is settled once", async (t) => {
  const paid = await PaidBox.start(t);
  const { box } = paid;
  const key = await key_of(box);
  const ask = (route, body, bearer = key) =>
    send(box.web, "POST", `/x402/${route}`, {
      headers: { "content-type": "application/json", ...(bearer && { authorization: `Bearer ${bearer}` }) },
      body: JSON.stringify(body),
    });
  const payment = await paid.payment(await paid.rich_wallet());
  const order = { x402Version: 2, paymentPayload: payment, paymentRequirements: payment.accepted };
  assert.equal((await ask("verify", order, "")).status, 401);
  assert.equal((await ask("settle", order, "sk_wrong")).status, 401);

  const verified = await ask("verify", order);
  assert.deepEqual([verified.body.isValid, verified.body.payer], [true, payment.payload.authorization.from]);
  for (const [reason, wrong] of [
    ["invalid_payment_requirements", { ...order, paymentRequirements: { ...payment.accepted, asset: RECEIVER } }],
    ["invalid_payment_requirements", { ...order, paymentRequirements: { ...payment.accepted, network: "eip155:1" } }],
    ["invalid_payment_requirements", { ...order, paymentRequirements: { ...payment.accepted, amount: "12.5" } }],
    ["invalid_payment_requirements", { ...order, paymentRequirements: { ...payment.accepted, amount: "999" } }],
    ["invalid_payload", { ...order, paymentPayload: {} }],
  ]) {
    const answer = await ask("verify", wrong);
    assert.deepEqual([answer.status, answer.body.isValid, answer.body.invalidReason], [200, false, reason], answer.text);
    assert.deepEqual([(await ask("settle", wrong)).body.errorReason, await paid.earned()], [reason, 0n]);
  }
  const settled = await Promise.all(Array.from({ length: 10 }, () => ask("settle", order)));
  assert.equal(settled.filter(({ body }) => body.success).length, 1);
  for (const { body } of settled) if (!body.success) assert.equal(body.errorReason, "invalid_exact_evm_nonce_already_used");
  assert.equal(await paid.earned(), 1000n);
  // What was settled here buys nothing at the gateway.
  assert.equal((await paid.pay(payment)).status, 402);
});

test("the gas of settlements is bounded: by a least amount, by plan, and by user and day", async (t) => {
  const paid = await PaidBox.start(t, { X402_SETTLE_DAILY: "2" });
  const { box } = paid;
  const key = await key_of(box);
  const settle = (payment, bearer = key) =>
    send(box.web, "POST", "/x402/settle", {
      headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
      body: JSON.stringify({ x402Version: 2, paymentPayload: payment, paymentRequirements: payment.accepted }),
    });
  const wallet = await paid.rich_wallet();
  const payment_of = async (amount) => {
    const payment = await paid.payment(wallet, { value: amount });
    return { ...payment, accepted: { ...payment.accepted, amount } };
  };
  const little = await settle(await payment_of("999"));
  assert.deepEqual([little.body.success, little.body.errorReason], [false, "invalid_payment_requirements"]);
  const eve = box.person();
  await eve.call("POST", "/api/register", { email: "eve@example.org", password: "a customer's long password" });
  await eve.log_in("eve@example.org", "a customer's long password");
  const without_plan = (await eve.call("POST", "/api/keys", { name: "shop" })).body.key;
  const refused = await settle(await payment_of("1000"), without_plan);
  assert.deepEqual([refused.status, JSON.parse(refused.text).code], [402, "PLAN_REQUIRED"]);
  for (const amount of ["1000", "2000"]) assert.equal((await settle(await payment_of(amount))).body.success, true);
  const third = await settle(await payment_of("3000"));
  assert.deepEqual([third.status, JSON.parse(third.text).code], [429, "DAILY_LIMIT_REACHED"]);
  assert.equal(await paid.earned(), 3000n);
});

test("a box whose payments another box settles", async (t) => {
  const paid = await PaidBox.start(t);
  const key = await key_of(paid.box);
  const seller = await Box.start(t, {
    L2_RPC_URL: paid.chain.url,
    USDC_ADDRESS: paid.token,
    PAYMENT_RECEIVER: SHOP,
    X402_FACILITATOR_URL: `${paid.box.web}/x402`,
    X402_FACILITATOR_KEY: key,
  });
  const wallet = await paid.rich_wallet(MILLION);
  const answer = await until("the seller sells", async () => {
    const one = await paid.fetch_with(wallet)(`${seller.web}/api/v1/gateway`, body_of(WISH));
    return one.status === 200 && one;
  });
  assert.equal(from_header(answer.headers.get("payment-response")).success, true);
  assert.equal(await paid.chain.balance(paid.token, SHOP), 1000n);
  const supported = await fetch(`${seller.web}/x402/supported`).then((one) => one.json());
  assert.deepEqual(supported.signers, {}, "it sends nothing itself");
});
