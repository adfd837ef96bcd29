// Payments on a real chain: transactions of type 2, signed by the box, that happen once.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { Box, INTERNAL_KEY, send, until } from "../support/box.mjs";
import { Chain } from "../peers/chain.mjs";
import { new_wallet } from "../support/wallet.mjs";

const MILLION = 1_000_000n;

// A box on a chain of its own, with Ada, who has a wallet with money.
const world = async (t, { env = {}, through = (url) => url } = {}) => {
  const chain = await Chain.start(t);
  const token = await chain.deploy("Usdc", ["USD Coin", "2"]);
  const box = await Box.start(t, { L2_RPC_URL: await through(chain.url), USDC_ADDRESS: token, TRANSFER_CONFIRMATIONS: "1", ...env });
  const ada = await box.customer("ada@example.org");
  ada.wallet = (await ada.call("POST", "/api/wallet", { action: "create" })).body.address;
  await chain.fund(ada.wallet);
  await chain.send("Token", token, "mint", [ada.wallet, 100n * MILLION]);
  ada.pay = (body) => ada.call("POST", "/api/wallet/transfer", body);
  ada.final = (id) =>
    until(`transfer ${id} is final`, async () => {
      const { body } = await ada.call("GET", `/api/wallet/transfers/${id}`);
      return ["confirmed", "failed"].includes(body.state) && body;
    });
  return { chain, token, box, ada };
};
// How often the account paid, whatever the box says.
const payments_of = (chain, account) => chain.reader.getTransactionCount({ address: account });

// A node that answers in place of the chain's when `meddle` has something to say; else it passes calls on.
const relay = async (t, meddle) => {
  let upstream;
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const call = JSON.parse(Buffer.concat(parts));
    const ask = async () =>
      (await fetch(upstream, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(call) })).text();
    const answer = (await meddle(call, ask)) ?? (await ask());
    if (answer === "stall") return;
    response.writeHead(200, { "content-type": answer.startsWith("<") ? "text/html" : "application/json" });
    response.end(answer);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (url) => {
    upstream = url;
    return `http://127.0.0.1:${server.address().port}`;
  };
};

test("USDC and the chain's own coin are paid, once for each key", async (t) => {
  const { chain, token, ada } = await world(t);
  const kim = new_wallet().address;
  const wallet = (await ada.call("GET", "/api/wallet")).body;
  assert.deepEqual([wallet.balance, wallet.native, wallet.network], ["100", "1", "base"]);
  const order = { to: kim, amount: "2.5", idempotencyKey: "rent" };
  const made = await Promise.all(Array.from({ length: 5 }, () => ada.pay(order)));
  assert.deepEqual([...new Set(made.map(({ body }) => body.id))].length, 1);
  const paid = await ada.final(made[0].body.id);
  assert.deepEqual([paid.state, paid.network], ["confirmed", "base"]);
  const { type, status } = await chain.reader.getTransactionReceipt({ hash: paid.transactionHash });
  assert.deepEqual([type, status], ["eip1559", "success"]);
  assert.equal(await chain.balance(token, kim), 2_500_000n);
  assert.equal(await payments_of(chain, ada.wallet), 1);

  const coin = await ada.final((await ada.pay({ to: kim, amount: "0.25", token: "native" })).body.id);
  assert.equal(coin.state, "confirmed");
  assert.equal(await chain.reader.getBalance({ address: kim }), 25n * 10n ** 16n);

  const several = await Promise.all(Array.from({ length: 6 }, (_, n) => ada.pay({ to: kim, amount: 1 + n })));
  for (const { body } of several) assert.equal((await ada.final(body.id)).state, "confirmed");
  assert.equal(await payments_of(chain, ada.wallet), 8, "one nonce after the other, without a gap");
  await until("the balance is the chain's", async () => (await ada.call("GET", "/api/wallet")).body.balance === "76.5");
  assert.equal((await ada.pay({ to: kim, amount: 77 })).body.code, "INSUFFICIENT_BALANCE");
  const too_much = await ada.final((await ada.pay({ to: kim, amount: 5, token: "native" })).body.id);
  assert.deepEqual([too_much.state, /balance/.test(too_much.reason)], ["failed", true]);
  assert.match((await ada.pay({ to: token, amount: 1 })).body.error, /^to must/);
  assert.equal(await payments_of(chain, ada.wallet), 8);
});

test("a box that is killed again and again pays once", async (t) => {
  const { chain, token, box, ada } = await world(t);
  const kim = new_wallet().address;
  const ids = [];
  for (let round = 0; round < 6; ++round) {
    ids.push((await ada.pay({ to: kim, amount: 1, idempotencyKey: `round ${round}` })).body.id);
    await new Promise((resolve) => setTimeout(resolve, round * 60)); // another moment each time, whichever it is
    await box.end("SIGKILL");
    await box.serve();
  }
  for (const id of ids) assert.equal((await ada.final(id)).state, "confirmed");
  assert.equal(await chain.balance(token, kim), 6n * MILLION);
  assert.equal(await payments_of(chain, ada.wallet), 6);
});

test("a transaction that got stuck is replaced with a higher fee, and what a node answers wrongly loses nothing", async (t) => {
  let swallowed = 0,
    lies = true;
  const through = await relay(t, async ({ id, method }, ask) => {
    // The node takes the first form and never passes it on.
    if (method === "eth_sendRawTransaction" && swallowed++ < 1)
      return JSON.stringify({ jsonrpc: "2.0", id, result: `0x${"00".repeat(32)}` });
    if (lies && method === "eth_estimateGas") {
      lies = false;
      return "<html>Bad gateway</html>";
    }
    // Answered too late for the box: it asks again.
    if (method === "eth_sendRawTransaction" && swallowed === 2) {
      await ask();
      return "not JSON";
    }
  });
  const { chain, token, ada } = await world(t, { env: { TRANSFER_STUCK_AFTER: "1s" }, through });
  const kim = new_wallet().address;
  const { id } = (await ada.pay({ to: kim, amount: 1 })).body;
  const paid = await ada.final(id);
  assert.equal(paid.state, "confirmed");
  assert.ok(swallowed >= 2);
  assert.equal(await chain.balance(token, kim), MILLION);
  assert.equal(await payments_of(chain, ada.wallet), 1);
});

test("a payment waits for its confirmations, and survives a chain that reorganizes", async (t) => {
  const { chain, token, ada } = await world(t, { env: { TRANSFER_CONFIRMATIONS: "3" } });
  const kim = new_wallet().address,
    { provider } = chain.server;
  const before = await provider.request({ method: "evm_snapshot", params: [] });
  const { id } = (await ada.pay({ to: kim, amount: 1 })).body;
  const shown = async () => (await ada.call("GET", `/api/wallet/transfers/${id}`)).body;
  const first = await until("it is in a block", async () => {
    const one = await shown();
    return one.block && one;
  });
  assert.equal(first.state, "sent");
  await provider.request({ method: "evm_revert", params: [before] });
  assert.equal(await chain.balance(token, kim), 0n, "its block is gone");
  await until("it is in a block again", () => chain.balance(token, kim));
  assert.equal((await shown()).state, "sent", "one block is not enough");
  for (let block = 0; block < 2; ++block) await provider.request({ method: "evm_mine", params: [] });
  assert.equal((await ada.final(id)).state, "confirmed");
  assert.equal(await chain.balance(token, kim), MILLION);
  assert.equal(await payments_of(chain, ada.wallet), 1);
});

test("an unreachable chain shows the last balance with its age, and pays later", async (t) => {
  let is_away = false;
  const through = await relay(t, () => (is_away ? "<html>gone</html>" : undefined));
  const { chain, token, ada } = await world(t, { through });
  assert.equal((await ada.call("GET", "/api/wallet")).body.balance, "100");
  is_away = true;
  const wallet = await until("the balance is an old one", async () => {
    const { status, body } = await ada.call("GET", "/api/wallet");
    return status === 200 && body.balanceAge > 5 && body;
  });
  assert.equal(wallet.balance, "100");
  const kim = new_wallet().address;
  const { id, state } = (await ada.pay({ to: kim, amount: 1 })).body;
  assert.equal(state, "queued");
  is_away = false;
  assert.equal((await ada.final(id)).state, "confirmed");
  assert.equal(await chain.balance(token, kim), MILLION);
});

test("a wallet whose USDC contract does not answer is shown, with a note", async (t) => {
  const chain = await Chain.start(t);
  const box = await Box.start(t, { L2_RPC_URL: chain.url, USDC_ADDRESS: new_wallet().address });
  const ada = await box.customer("ada@example.org");
  const { address } = (await ada.call("POST", "/api/wallet", { action: "create" })).body;
  const { status, body } = await ada.call("GET", "/api/wallet");
  assert.deepEqual([status, body.address, body.hasWallet, body.balance], [200, address, true, null], JSON.stringify(body));
  assert.match(body.note, /USDC does not answer/);
});

test("splits are settled on the chain, each share once", async (t) => {
  const { chain, token, box, ada } = await world(t);
  const backend = (method, path, body) =>
    send(box.backend, method, path, {
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
  const { address } = (await backend("POST", "/api/underground/wallets", { userId: ada.id, agentId: "dj" })).body;
  await chain.fund(address);
  await chain.send("Token", token, "mint", [address, 10n * MILLION]);
  const balance = (await backend("GET", `/api/underground/wallets/${address}/balance?userId=${ada.id}`)).body;
  assert.deepEqual(balance, { address, balance_usdc: 10, source: "chain" });
  const people = [1, 2, 3].map(() => new_wallet().address);
  const order = {
    userId: ada.id,
    agentId: "dj",
    fromAddress: address,
    name: "gig",
    totalAmount: "10",
    recipients: people.map((one) => ({ address: one, share: 33.33 })),
  };
  const { splitId } = (await backend("POST", "/api/underground/splits", order)).body;
  const final = (id) =>
    until("the split is final", async () => {
      const { body } = await backend("GET", `/api/underground/splits/${id}?userId=${ada.id}`);
      return ["settled", "failed"].includes(body.status) && body;
    });
  await box.end("SIGKILL");
  await box.serve();
  const settled = await final(splitId);
  assert.deepEqual([settled.status, settled.transactions.length], ["settled", 3]);
  assert.deepEqual(await Promise.all(people.map((one) => chain.balance(token, one))), [3_333_000n, 3_333_000n, 3_334_000n]);
  const poor = (await backend("POST", "/api/underground/splits", order)).body;
  assert.match((await final(poor.splitId)).reason, /too low/);
});

test("test wallets pay on the test network, and on no other", async (t) => {
  const chain = await Chain.start(t, 84532);
  const token = await chain.deploy("Usdc", ["USDC", "2"]);
  const box = await Box.start(t, { TESTNET_RPC_URL: chain.url, TESTNET_USDC_ADDRESS: token, TRANSFER_CONFIRMATIONS: "1" });
  const ada = await box.customer("ada@example.org");
  assert.equal((await ada.call("GET", "/api/wallet/testnet")).status, 404);
  const { address } = (await ada.call("POST", "/api/wallet/cdp", {})).body;
  await chain.fund(address);
  await chain.send("Token", token, "mint", [address, 5n * MILLION]);
  const wallet = (await ada.call("GET", "/api/wallet/testnet")).body;
  assert.deepEqual([wallet.balance, wallet.native, wallet.network], ["5", "1", "base-sepolia"]);
  const kim = new_wallet().address;
  const { id, network } = (await ada.call("POST", "/api/wallet/transfer", { to: kim, amount: 2, testnet: true })).body;
  assert.equal(network, "base-sepolia");
  await until("it is confirmed", async () => (await ada.call("GET", `/api/wallet/transfers/${id}`)).body.state === "confirmed");
  assert.equal(await chain.balance(token, kim), 2n * MILLION);
  assert.equal((await ada.call("POST", "/api/wallet/transfer", { to: kim, amount: 2 })).status, 404, "there is no other wallet");
});

test("payment wallets pay on the payment chain", async (t) => {
  const chain = await Chain.start(t, 4217);
  const token = await chain.deploy("Token");
  const box = await Box.start(t, {
    PAYMENT_RPC_URL: chain.url,
    PAYMENT_TOKEN_ADDRESS: token,
    PAYMENT_RECEIVER: new_wallet().address,
    TRANSFER_CONFIRMATIONS: "1",
  });
  const ada = await box.customer("ada@example.org");
  const act = (body) => ada.call("POST", "/api/agent/mpp", body);
  const { wallet } = (await act({ action: "create-wallet", name: "purse" })).body;
  await chain.fund(wallet.address);
  await chain.send("Token", token, "mint", [wallet.address, 5n * MILLION]);
  const balance_of = async (id) => (await ada.call("GET", `/api/agent/mpp?action=get-balance&walletId=${id}`)).body;
  const shown = await balance_of(wallet.id);
  assert.deepEqual([shown.balance, shown.currency, shown.network, shown.address], ["5", "pathUSD", "tempo", wallet.address]);
  const kim = new_wallet().address;
  const payment = { action: "make-payment", walletId: wallet.id, to: kim, amount: "1.2500004", idempotencyKey: "one" };
  const [first, second] = [(await act(payment)).body.payment, (await act(payment)).body.payment];
  assert.equal(first.id, second.id);
  await until(
    "the payment is confirmed",
    async () => (await ada.call("GET", `/api/wallet/transfers/${first.id}`)).body.state === "confirmed",
  );
  assert.equal(await chain.balance(token, kim), 1_250_000n);
  assert.equal(await payments_of(chain, wallet.address), 1);
  const { wallet: known } = (await act({ action: "register-wallet", name: "elsewhere", address: kim })).body;
  assert.equal((await balance_of(known.id)).balance, "1.25");
  assert.equal((await act({ ...payment, walletId: known.id })).status, 409, "its key is elsewhere");
});
