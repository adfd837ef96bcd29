// The paid gateway and MPP: mppx, another implementation, pays its challenges on Tempo and on the chain of USDC.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { body_of, PaidBox, PRICE, RECEIVER, WISH } from "../support/paid_box.mjs";
import { package_named } from "../support/packages.mjs";
import { TEMPO_ID, TempoNode } from "../peers/tempo_node.mjs";
import { new_wallet } from "../support/wallet.mjs";

const { createClient, http } = package_named("viem");
const { tempo: tempo_chain } = package_named("viem/tempo/chains");
const SECRET = "a secret of the stories with more than 32 characters";

// mppx is a library of modules, which `require` of this node cannot load.
const import_named = (name) => import(package_named.resolve(name));
const mppx = await import_named("mppx"),
  mppx_client = await import_named("mppx/client");

const tempo_box = async (t, env = {}) => {
  const node = await TempoNode.start(t);
  const box = await Box.start(t, {
    PAYMENT_RPC_URL: node.url,
    PAYMENT_RECEIVER: RECEIVER,
    PAYMENT_TOKEN_ADDRESS: node.token,
    MPP_SECRET: SECRET,
    ...env,
  });
  return { node, box };
};

const payer_on = (node, account, mode, options = {}) => {
  const chain = { ...tempo_chain, id: TEMPO_ID, rpcUrls: { default: { http: [node.url] } } };
  const client = createClient({ account, chain, transport: http(node.url), pollingInterval: 20 });
  return mppx_client.Mppx.create({
    polyfill: false,
    methods: [mppx_client.tempo.charge({ account, mode, getClient: () => client })],
    ...options,
  });
};

const ask = (box, headers = {}, wish = WISH) =>
  send(box.web, "POST", "/api/v1/gateway", { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(wish) });

test("challenges are MPP's: mppx reads them, and finds them bound by the secret", async (t) => {
  const { box, node } = await tempo_box(t);
  const answer = await ask(box);
  assert.deepEqual(
    [answer.status, answer.headers["cache-control"], answer.headers["content-type"]],
    [402, "no-store", "application/problem+json"],
  );
  assert.equal(JSON.parse(answer.text).type, "https://paymentauth.org/problems/payment-required");
  const [challenge, ...more] = mppx.Challenge.deserializeList(answer.headers["www-authenticate"]);
  assert.equal(more.length, 0);
  assert.deepEqual([challenge.method, challenge.intent, challenge.realm], ["tempo", "charge", "127.0.0.1"]);
  assert.deepEqual(
    { ...challenge.request, currency: challenge.request.currency.toLowerCase(), recipient: challenge.request.recipient },
    {
      amount: "1000",
      currency: node.token.toLowerCase(),
      recipient: RECEIVER,
      methodDetails: { chainId: TEMPO_ID, supportedModes: ["pull", "push"] },
    },
  );
  assert.equal(mppx.Challenge.verify(challenge, { secretKey: SECRET }), true);
  assert.equal(mppx.Challenge.verify(challenge, { secretKey: `${SECRET}!` }), false);
});

test("401 comes before 402, with the challenges beside it", async (t) => {
  const { box } = await tempo_box(t);
  const answer = await ask(box, {}, { ...WISH, payment: "balance" });
  assert.deepEqual([answer.status, answer.headers["cache-control"]], [401, "no-store"]);
  const [challenge] = mppx.Challenge.deserializeList(answer.headers["www-authenticate"]);
  assert.deepEqual([challenge.method, challenge.intent], ["tempo", "charge"]);
});

for (const mode of ["push", "pull"])
  test(`mppx pays on Tempo (${mode}), and a payment counts once`, async (t) => {
    const { node, box } = await tempo_box(t);
    const wallet = new_wallet();
    await node.mint(wallet.address, 1_000_000n);
    let credential;
    const payer = payer_on(node, mode === "push" ? wallet.address : wallet, mode);
    payer.onCredentialCreated((created) => {
      credential = created.credential;
    });
    const answer = await payer.fetch(`${box.web}/api/v1/gateway`, body_of());
    const body = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(body));
    assert.equal(await node.balance(RECEIVER), PRICE);
    assert.deepEqual([body.payment.way, body.payment.network], ["mpp", `eip155:${TEMPO_ID}`]);
    assert.equal(body.payment.payer, wallet.address.toLowerCase());
    assert.equal(answer.headers.get("cache-control"), "private");
    const receipt = mppx.Receipt.fromResponse(answer);
    assert.deepEqual([receipt.status, receipt.method, receipt.reference], ["success", "tempo", body.payment.transaction]);

    const again = await Promise.all(Array.from({ length: 20 }, () => ask(box, { authorization: credential })));
    for (const one of again)
      assert.deepEqual([one.status, JSON.parse(one.text).type], [402, "https://paymentauth.org/problems/verification-failed"], one.text);
    assert.equal(await node.balance(RECEIVER), PRICE);
  });

test("a payment on Tempo whose plugin fails is kept for its payer", async (t) => {
  const { node, box } = await tempo_box(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  let is_up = false;
  const site = await serve_site(t, () =>
    is_up ? { headers: { "content-type": "text/html" }, body: "<title>Up</title><p>Words of a page.</p>" } : { status: 500 },
  );
  const wish = { plugin: "summarize", input: { url: `${site.url}/` } };
  const wallet = new_wallet();
  await node.mint(wallet.address, 1_000_000n);
  let credential;
  const payer = payer_on(node, wallet.address, "push");
  payer.onCredentialCreated((created) => {
    credential = created.credential;
  });
  const failed = await payer.fetch(`${box.web}/api/v1/gateway`, body_of(wish));
  const body = await failed.json();
  assert.deepEqual([failed.status, body.charged, body.credited], [502, true, true], JSON.stringify(body));
  await box.end("SIGKILL");
  await box.serve();
  const other = await ask(box, { authorization: credential }, { plugin: "summarize", input: { url: `${site.url}/other` } });
  assert.equal(JSON.parse(other.text).type, "https://paymentauth.org/problems/invalid-challenge", "it was paid for another page");
  is_up = true;
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(box, { authorization: credential }, wish)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers[0].text);
  assert.equal(await node.balance(RECEIVER), PRICE);
});

test("mppx pays by an authorization on the chain of USDC", async (t) => {
  const paid = await PaidBox.start(t, { MPP_SECRET: SECRET });
  const wallet = await paid.rich_wallet();
  const method = mppx_client.evm.charge({
    account: wallet,
    authorization: { name: "USD Coin", version: "2" },
    networks: [8453],
    currencies: [paid.token],
    decimals: 6,
    maxAmount: "0.01",
  });
  const payer = mppx_client.Mppx.create({ polyfill: false, methods: [method] });
  const answer = await payer.fetch(`${paid.box.web}/api/v1/gateway`, body_of());
  const body = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  assert.equal(await paid.earned(), PRICE);
});

test("credentials that do not count are problems with a fresh challenge", async (t) => {
  const { node, box } = await tempo_box(t);
  const wallet = new_wallet();
  const fresh = async () => mppx.Challenge.deserializeList((await ask(box)).headers["www-authenticate"])[0];
  const present = (challenge, payload, more = {}) =>
    ask(box, { authorization: mppx.Credential.serialize({ challenge, payload, ...more }) });
  const some_hash = `0x${"ab".repeat(32)}`;
  const plain = await node.chain.send("Token", node.token, "mint", [RECEIVER, PRICE]);
  const forged = { ...(await fresh()), id: "A".repeat(43) };
  const cheaper = await fresh();
  cheaper.request = { ...cheaper.request, amount: "1" };
  for (const [problem, asked] of [
    ["malformed-credential", ask(box, { authorization: "Payment !!!" })],
    ["malformed-credential", ask(box, { authorization: `Payment ${Buffer.from("{}").toString("base64url")}` })],
    ["malformed-credential", present(await fresh(), { type: "cash" })],
    ["malformed-credential", present(await fresh(), { type: "hash", hash: "0x12" })],
    ["malformed-credential", present(await fresh(), { type: "transaction", signature: "0x02c0" })],
    ["malformed-credential", present(await fresh(), { type: "hash", hash: some_hash }, { source: `did:pkh:eip155:1:${wallet.address}` })],
    ["invalid-challenge", present(forged, { type: "hash", hash: some_hash })],
    ["invalid-challenge", present(cheaper, { type: "hash", hash: some_hash })],
    ["verification-failed", present(await fresh(), { type: "hash", hash: some_hash })],
    ["verification-failed", present(await fresh(), { type: "hash", hash: plain })],
  ]) {
    const answer = await asked;
    const body = JSON.parse(answer.text);
    assert.deepEqual([answer.status, body.type], [402, `https://paymentauth.org/problems/${problem}`], answer.text);
    assert.equal(mppx.Challenge.deserializeList(answer.headers["www-authenticate"]).length, 1);
  }
});
