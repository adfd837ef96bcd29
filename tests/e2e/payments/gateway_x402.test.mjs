// The paid gateway and x402: its own client library pays, on a real chain, and every credential counts once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { wrapped } from "../peers/chain.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { body_of, from_header, MILLION, NETWORK, PaidBox, PRICE, RECEIVER, to_header, WISH } from "../support/paid_box.mjs";
import { new_wallet } from "../support/wallet.mjs";

test("a box without any way of payment says what its administrator has to set", async (t) => {
  const box = await Box.start(t);
  const buy = (wish) =>
    send(box.web, "POST", "/api/v1/gateway", { headers: { "content-type": "application/json" }, body: JSON.stringify(wish) });
  const answer = await buy(WISH);
  assert.equal(answer.status, 402);
  const body = JSON.parse(answer.text);
  assert.deepEqual([body.error, body.code, body.ways], ["Payment required", "PAYMENT_REQUIRED", []]);
  assert.match(body.setup, /PAYMENT_RECEIVER.*L2_RPC_URL/);
  assert.deepEqual(body.price, { amount: "0.001", currency: "USDC" });
  assert.equal(answer.headers["payment-required"], undefined);

  const unknown = await buy({ plugin: "weather", input: {} });
  assert.deepEqual([unknown.status, JSON.parse(unknown.text).code], [402, "PAYMENT_REQUIRED"], "before anybody looks at the plugin");
  const supported = await fetch(`${box.web}/x402/supported`).then((one) => one.json());
  assert.deepEqual(supported, { kinds: [], extensions: [], signers: {} });
  for (const [wish, message] of [
    [{ plugin: "weather", input: {}, payment: "balance" }, /plugin must be one of: summarize, extract, models/],
    [{ plugin: "models" }, /input is required/],
    [{ plugin: "models", action: "sing", input: {} }, /action must be chat/],
    [{ plugin: "models", input: { messages: [] } }, /input\.messages/],
    [{ plugin: "models", input: { ...WISH.input, stream: true } }, /input\.stream is not supported/],
    [{ plugin: "models", input: { ...WISH.input, max_tokens: 1_000_000 } }, /input\.max_tokens must be at most 16384/],
    [{ plugin: "summarize", input: {} }, /input\.url is required/],
    [{ plugin: "summarize", input: { url: "ftp://example.org" } }, /input\.url must be an http or https address/],
    [{ plugin: "extract", input: { url: "http://example.org", format: "text" } }, /input\.format is for the plugin summarize only/],
    [{ ...WISH, payment: "gold" }, /payment must be one of: balance/],
  ]) {
    const refused = await buy(wish);
    assert.equal(refused.status, 400, JSON.stringify(wish));
    assert.match(refused.body.error, message);
  }
});

test("clients of x402's own library pay with both versions, and the box settles on the chain", async (t) => {
  const paid = await PaidBox.start(t);
  const wallet = await paid.rich_wallet();
  for (const version of [2, 1]) {
    const before = await paid.earned();
    const answer = await paid.fetch_with(wallet, version)(`${paid.box.web}/api/v1/gateway`, body_of());
    const body = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(body));
    assert.match(body.result.choices[0].message.content, /./);
    assert.deepEqual(
      [body.plugin, body.action, body.payment.way, body.payment.amount, body.payment.network],
      ["models", "chat", "x402", "0.001", NETWORK],
    );
    const settled = from_header(answer.headers.get(version === 2 ? "payment-response" : "x-payment-response"));
    assert.deepEqual([settled.success, settled.network], [true, version === 2 ? NETWORK : "base"]);
    assert.equal(settled.payer.toLowerCase(), wallet.address.toLowerCase());
    assert.equal((await paid.chain.reader.getTransactionReceipt({ hash: settled.transaction })).status, "success");
    assert.equal((await paid.earned()) - before, PRICE);
  }
});

test("a credential counts once, however many present it at once, and again after a restart", async (t) => {
  const paid = await PaidBox.start(t);
  const payment = to_header(await paid.payment(await paid.rich_wallet()));
  const answers = await Promise.all(Array.from({ length: 60 }, () => paid.pay(payment)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const { status, text } of answers)
    if (status !== 200) assert.deepEqual([status, JSON.parse(text).reason], [402, "invalid_exact_evm_nonce_already_used"]);
  assert.equal(await paid.earned(), PRICE);
  await paid.box.end("SIGKILL");
  await paid.box.serve();
  assert.equal((await paid.pay(payment)).status, 402);
  assert.equal(await paid.earned(), PRICE);
});

test("one balance pays for one sale, however many authorizations are signed for it", async (t) => {
  const paid = await PaidBox.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const served = new Set();
  const site = await serve_site(t, async ({ url }) => {
    if (/^\/\d$/.test(url.pathname)) served.add(url.pathname);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { headers: { "content-type": "text/html" }, body: "<title>Good</title><p>A page with enough words to be one.</p>" };
  });
  const wallet = await paid.rich_wallet(PRICE);
  const payments = await Promise.all(Array.from({ length: 8 }, () => paid.payment(wallet)));
  const answers = await Promise.all(
    payments.map((payment, at) => paid.pay(payment, { plugin: "extract", input: { url: `${site.url}/${at}` } })),
  );
  const refusals = answers.filter(({ status }) => status !== 200).map(({ status, text }) => [status, JSON.parse(text).code]);
  assert.equal(refusals.length, 7, JSON.stringify(answers.map(({ text }) => text)));
  for (const refusal of refusals)
    assert.ok(["429,PAYMENT_IN_PROGRESS", "402,PAYMENT_REFUSED"].includes(refusal.join()), JSON.stringify(refusals));
  assert.deepEqual([served.size, await paid.earned()], [1, PRICE]);
});

test("a dear sale is settled before it is served", async (t) => {
  const paid = await PaidBox.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on", GATEWAY_SETTLE_FIRST: "0.001" });
  let is_up = false;
  const site = await serve_site(t, () =>
    is_up
      ? { headers: { "content-type": "text/html" }, body: "<title>Good</title><p>A page with enough words to be one.</p>" }
      : { status: 404 },
  );
  const payment = to_header(await paid.payment(await paid.rich_wallet()));
  const wish = { plugin: "extract", input: { url: `${site.url}/later` } };
  const failed = await paid.pay(payment, wish);
  assert.deepEqual([failed.status, failed.body.charged, failed.body.credited], [502, true, true], failed.text);
  assert.equal(await paid.earned(), PRICE);
  is_up = true;
  const good = await paid.pay(payment, wish);
  assert.equal(good.status, 200, good.text);
  assert.equal(await paid.earned(), PRICE, "charged once");
});

test("what cannot be delivered is not settled", async (t) => {
  const paid = await PaidBox.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const site = await serve_site(t, ({ url }) =>
    url.pathname === "/good"
      ? { headers: { "content-type": "text/html" }, body: "<title>Good</title><p>A page with enough words to be one.</p>" }
      : { status: 404 },
  );
  const wallet = await paid.rich_wallet();
  const payment = to_header(await paid.payment(wallet));
  const failed = await paid.pay(payment, { plugin: "summarize", input: { url: `${site.url}/missing` } });
  assert.equal(failed.status, 502, failed.text);
  assert.equal(failed.body.charged, false);
  assert.match(failed.body.error, /You were not charged/);
  assert.equal(await paid.earned(), 0n);
  const good = await paid.pay(payment, { plugin: "summarize", input: { url: `${site.url}/good` } });
  assert.equal(good.status, 200, good.text);
  assert.equal(good.body.result.title, "Good");
  assert.equal(await paid.earned(), PRICE);
  const extracted = await paid.pay(await paid.payment(wallet), { plugin: "extract", input: { url: `${site.url}/good` } });
  assert.equal(extracted.status, 200, extracted.text);
});

test("a payment that does not pay exactly this is refused, with the reason in x402's words", async (t) => {
  const paid = await PaidBox.start(t);
  const { chain, box } = paid;
  const wallet = await paid.rich_wallet(),
    poor = new_wallet();
  const now = Math.floor(Date.now() / 1000);
  const high_s = (signature) => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, "0");
    return signature.slice(0, 66) + s + (signature.endsWith("1b") ? "1c" : "1b");
  };
  const malleable = await paid.payment(wallet);
  malleable.payload.signature = high_s(malleable.payload.signature);
  const other_signer = await paid.payment(wallet);
  other_signer.payload.authorization.from = poor.address;
  const used = await paid.payment(wallet);
  const { abi } = chain.contracts.Usdc;
  const fields = used.payload.authorization;
  await chain.payer.writeContract({
    abi,
    address: paid.token,
    functionName: "transferWithAuthorization",
    gas: 500_000n,
    args: [fields.from, fields.to, BigInt(fields.value), 0n, BigInt(fields.validBefore), fields.nonce, used.payload.signature],
  });
  const earned = await paid.earned();
  for (const [reason, payment] of [
    ["invalid_exact_evm_payload_recipient_mismatch", await paid.payment(wallet, { to: poor.address })],
    ["invalid_exact_evm_payload_authorization_value", await paid.payment(wallet, { value: `${PRICE + 1n}` })],
    ["invalid_exact_evm_payload_authorization_value", await paid.payment(wallet, { value: `${PRICE - 1n}` })],
    ["invalid_exact_evm_payload_authorization_valid_before", await paid.payment(wallet, { validBefore: `${now - 1}` })],
    ["invalid_exact_evm_payload_authorization_valid_after", await paid.payment(wallet, { validAfter: `${now + 200}` })],
    ["invalid_exact_evm_payload_signature", await paid.payment(wallet, { domain: { name: "USDC" } })],
    ["invalid_exact_evm_payload_signature", await paid.payment(wallet, { domain: { chainId: 1 } })],
    ["invalid_exact_evm_payload_signature", await paid.payment(wallet, { domain: { verifyingContract: RECEIVER } })],
    ["invalid_exact_evm_payload_signature", malleable],
    ["invalid_exact_evm_payload_signature", other_signer],
    ["insufficient_funds", await paid.payment(poor)],
    ["invalid_exact_evm_nonce_already_used", used],
    ["invalid_payment_requirements", { ...(await paid.payment(wallet)), accepted: { ...(await paid.required()), amount: "1" } }],
    ["invalid_payment_requirements", { ...(await paid.payment(wallet)), accepted: { ...(await paid.required()), network: "eip155:1" } }],
  ]) {
    const answer = await paid.pay(payment);
    assert.equal(answer.status, 402, answer.text);
    const body = JSON.parse(answer.text);
    assert.equal(body.reason, reason, answer.text);
    assert.equal(body.type, "https://paymentauth.org/problems/verification-failed");
    assert.deepEqual(from_header(answer.headers["payment-response"]), {
      success: false,
      transaction: "",
      network: NETWORK,
      errorReason: reason,
    });
    assert.ok(from_header(answer.headers["payment-required"]).accepts.length, "a refusal says again how to pay");
  }
  assert.equal(await paid.earned(), earned);
  const good = await paid.payment(wallet);
  const mangled = (edit) => {
    const copy = structuredClone(good);
    edit(copy);
    return to_header(copy);
  };
  for (const [header, message] of [
    ["%%%", /not base64/],
    [`${to_header(good)}=`, /not base64/],
    [to_header(good).replace(/.$/, " "), /not base64/],
    [Buffer.from("{").toString("base64"), /malformed/],
    [Buffer.from("[]").toString("base64"), /not a JSON object/],
    [
      mangled((one) => {
        one.x402Version = 3;
      }),
      /x402Version must be 1 or 2/,
    ],
    [
      mangled((one) => {
        one.payload.authorization.value = "1e3";
      }),
      /value must be a whole number/,
    ],
    [
      mangled((one) => {
        one.payload.authorization.value = "0x10";
      }),
      /value must be a whole number/,
    ],
    [
      mangled((one) => {
        one.payload.authorization.value = "1".repeat(79);
      }),
      /value must be a whole number/,
    ],
    [
      mangled((one) => {
        one.payload.authorization.value = 1000;
      }),
      /value must be a string/,
    ],
    [
      mangled((one) => {
        one.payload.authorization.to = one.payload.authorization.to.replace("E340", "e340");
      }),
      /to must be 0x and 40 hex digits with a valid checksum/,
    ],
    [
      mangled((one) => {
        one.payload.authorization.nonce = "0x00";
      }),
      /nonce must be 0x and 64 hex digits/,
    ],
    [
      mangled((one) => {
        one.payload.signature = "0xzz";
      }),
      /signature must be 0x and hex digits/,
    ],
    [
      mangled((one) => {
        delete one.payload.authorization;
      }),
      /authorization is required/,
    ],
  ]) {
    const answer = await paid.pay(header);
    assert.equal(answer.status, 400, `${message}: ${answer.text}`);
    assert.match(answer.body.error, message);
  }
  assert.equal((await paid.pay("A".repeat(64 * 1024))).status, 431);
  const twice = await paid.ask(WISH, { "payment-signature": to_header(good), "x-payment": to_header(good) });
  assert.equal(twice.status, 400);
  await chain.stop();
  const later = await send(box.web, "POST", "/api/v1/gateway", {
    headers: { "content-type": "application/json", "payment-signature": to_header(good) },
    body: JSON.stringify(WISH),
  });
  assert.equal(later.status, 503, later.text);
});

test("a smart wallet pays with a signature that it checks itself", async (t) => {
  const paid = await PaidBox.start(t);
  const owner = new_wallet();
  const address = await paid.chain.deploy("Wallet", [owner.address, true]);
  await paid.mint(address, MILLION);
  const smart = { address, signer: owner };
  const answer = await paid.pay(await paid.payment(smart));
  assert.equal(answer.status, 200, answer.text);
  assert.equal(await paid.earned(), PRICE);
  // With the wrapping of ERC-6492, although it is deployed.
  const payment = await paid.payment(smart);
  const factory = await paid.chain.deploy("Factory");
  payment.payload.signature = wrapped(factory, "0x", payment.payload.signature);
  assert.equal((await paid.pay(payment)).status, 200);
  const stranger = await paid.pay(await paid.payment({ address, signer: new_wallet() }));
  assert.equal(JSON.parse(stranger.text).reason, "invalid_exact_evm_payload_signature");

  const salt = `0x${"07".repeat(32)}`,
    undeployed = paid.chain.undeployed_wallet(factory, owner.address, salt);
  await paid.mint(undeployed, MILLION);
  const early = await paid.payment({ address: undeployed, signer: owner });
  early.payload.signature = wrapped(factory, paid.chain.encode("Factory", "deploy", [owner.address, salt]), early.payload.signature);
  const refused = await paid.pay(early);
  assert.equal(JSON.parse(refused.text).reason, "invalid_exact_evm_payload_undeployed_smart_wallet", refused.text);
});

test("what a payment's settlement did not show before a crash is delivered when its payer comes back", async (t) => {
  const paid = await PaidBox.start(t);
  const wallet = await paid.rich_wallet();
  const payment = to_header(await paid.payment(wallet));
  // No block is made: the transfer is sent and stays on its way.
  await paid.chain.server.provider.request({ method: "miner_stop", params: [] });
  const lost = paid.pay(payment).catch(() => undefined);
  const sender = await paid.sender();
  const is_sent = async () => (await paid.chain.reader.getTransactionCount({ address: sender, blockTag: "pending" })) > 0;
  for (const end = Date.now() + 20_000; Date.now() < end && !(await is_sent()); ) await new Promise((resolve) => setTimeout(resolve, 20));
  await paid.box.end("SIGKILL");
  await lost;
  await paid.chain.server.provider.request({ method: "miner_start", params: [] });
  await paid.box.serve();
  const answer = await paid.pay(payment);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(await paid.earned(), PRICE);
  assert.equal((await paid.pay(payment)).status, 402);
});

test("a node that answers nonsense sells nothing and takes nothing", async (t) => {
  const paid = await PaidBox.start(t);
  const payment = to_header(await paid.payment(await paid.rich_wallet()));
  const as_result = (result) => ({ json: { jsonrpc: "2.0", id: 1, result } });
  const node = await serve_site(t, () => ({ headers: { "content-type": "text/html" }, body: "<h1>502 Bad Gateway</h1>" }));
  const box = await Box.start(t, { L2_RPC_URL: node.url, USDC_ADDRESS: paid.token, PAYMENT_RECEIVER: RECEIVER });
  const buy = (headers = {}) =>
    send(box.web, "POST", "/api/v1/gateway", { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(WISH) });
  for (const answer of [
    node.answer,
    () => as_result("0x1"), // of another chain
    () => as_result(null),
    ({ text }) => as_result(JSON.parse(text).method === "eth_chainId" ? "0x2105" : "0x"), // a contract without a name
    ({ text }) => as_result(JSON.parse(text).method === "eth_chainId" ? "0x2105" : `0x${"ff".repeat(96)}`),
    ({ text }) => as_result(JSON.parse(text).method === "eth_chainId" ? "0x2105" : `0x${"00".repeat(31)}20${"00".repeat(64)}`), // another domain
  ]) {
    node.answer = answer;
    const offered = await buy();
    assert.equal(offered.status, 402, offered.text);
    const body = JSON.parse(offered.text);
    assert.deepEqual([body.ways, offered.headers["payment-required"]], [[], undefined]);
    assert.match(body.setup, /cannot be reached right now/);
    const refused = await buy({ "payment-signature": payment });
    assert.equal(refused.status, 503, refused.text);
  }
});
