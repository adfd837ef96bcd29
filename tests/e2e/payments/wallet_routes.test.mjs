// The contract's wallet rows, on a box without a chain.
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { createServer } from "node:http";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const { generatePrivateKey, privateKeyToAccount } = package_named("viem/accounts");
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

test("a user creates one wallet, sees it, and never its key", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    stranger = box.person();
  assert.equal((await stranger.call("GET", "/api/wallet")).status, 401);
  assert.deepEqual((await ada.call("GET", "/api/wallet")).body, {
    address: null,
    balance: "0",
    network: "ledger",
    hasWallet: false,
    createdAt: null,
    native: null,
    balanceAge: 0,
    note: null,
  });
  const act = (action) => ada.call("POST", "/api/wallet", { action });
  assert.equal((await act("get_seed")).status, 404);
  const made = await Promise.all(Array.from({ length: 8 }, () => act("create")));
  assert.deepEqual(made.map(({ status }) => status).sort(), [200, ...Array(7).fill(400)], "one wallet, whoever asks at once");
  const { address, network, message } = made.find(({ status }) => status === 200).body;
  assert.match(address, ADDRESS);
  assert.deepEqual([network, typeof message], ["ledger", "string"]);
  const wallet = (await ada.call("GET", "/api/wallet")).body;
  assert.deepEqual([wallet.address, wallet.hasWallet, wallet.balance], [address, true, "0"]);
  const seed = (await act("get_seed")).body;
  assert.deepEqual([seed.address, typeof seed.warning], [address, "string"]);
  assert.equal((await act("export_seed")).status, 403);
  assert.match((await act("steal")).body.error, /^action/);
  assert.doesNotMatch(JSON.stringify([made, wallet, seed]), /[0-9a-f]{64}/i);
  assert.deepEqual((await ada.call("GET", "/api/wallet/address")).body, { authenticated: true, address });
  const { body } = await stranger.call("GET", "/api/wallet/address");
  assert.deepEqual([body.authenticated, body.needsAuth, typeof body.message], [false, true, "string"]);
  await box.end("SIGKILL");
  await box.serve();
  assert.equal((await ada.call("GET", "/api/wallet")).body.address, address);
});

test("the test wallet is generated or imported, once", async (t) => {
  const box = await Box.start(t);
  const [ada, eve] = [await box.customer("ada@example.org"), await box.customer("eve@example.org")];
  assert.deepEqual((await box.person().call("GET", "/api/wallet/cdp")).body, {
    status: "ok",
    type: "evm_wallet",
    supportedChains: [8453, 84532],
  });
  const obtain = (person, privateKey) => person.call("POST", "/api/wallet/cdp", privateKey === undefined ? {} : { privateKey });
  assert.equal((await obtain(box.person())).status, 401);
  const first = (await obtain(ada)).body;
  assert.deepEqual([first.success, first.network], [true, "base-sepolia"]);
  assert.deepEqual((await obtain(ada)).body, first);
  const key = generatePrivateKey(),
    order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
  for (const bad of [`0x${"0".repeat(64)}`, `0x${order}`, key.slice(2), key.slice(0, -1), `${key}0`, "0x", "x"])
    assert.match((await obtain(eve, bad)).body.error, /^privateKey/, bad);
  assert.equal((await obtain(eve, key)).body.address, privateKeyToAccount(key).address);
  assert.equal((await obtain(eve, key)).status, 200, "again");
  assert.equal((await obtain(eve, generatePrivateKey())).status, 409, "another key");
  assert.equal((await obtain(await box.customer("kim@example.org"), key)).status, 409, "the key of somebody else");
  assert.equal(box.whole_log.includes(key.slice(2)), false);
});

test("without Coinbase's platform nothing is created there, and the answer says what to set", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const create = (body) => ada.call("POST", "/api/wallet/create", body);
  assert.deepEqual([(await create({})).status, (await create({})).body.error], [400, "email is required"]);
  assert.match((await create({ email: "nobody" })).body.error, /^email/);
  const { status, body } = await create({ email: "ada@example.org" });
  assert.deepEqual([status, /CDP_API_KEY_ID/.test(body.setup)], [500, true]);
});

// What Coinbase's platform checks of a request, and what it answers.
const platform = async (t, key) => {
  const seen = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const [header, claims, signature] = request.headers.authorization.split(" ")[1].split(".");
    const read = (text) => JSON.parse(Buffer.from(text, "base64url"));
    const { alg } = read(header);
    const text = Buffer.from(`${header}.${claims}`);
    const is_good = verify(
      alg === "EdDSA" ? null : "sha256",
      text,
      { key, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
    seen.push({
      path: request.url,
      header: read(header),
      claims: read(claims),
      is_good,
      id: request.headers["x-idempotency-key"],
      body: JSON.parse(Buffer.concat(parts)),
    });
    const fails = server.failing;
    response.writeHead(fails ? 402 : 201, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        fails
          ? { errorMessage: "Add a payment method" }
          : { address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", name: seen.at(-1).body.name },
      ),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { server, seen, url: `http://127.0.0.1:${server.address().port}/platform` };
};

const ed25519 = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const seed = Buffer.from(privateKey.export({ format: "jwk" }).d, "base64url"),
    point = Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url");
  return { secret: Buffer.concat([seed, point]).toString("base64"), publicKey };
};
const p256 = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { secret: privateKey.export({ type: "sec1", format: "pem" }).replaceAll("\n", "\\n"), publicKey };
};

for (const [name, make] of Object.entries({ EdDSA: ed25519, ES256: p256 }))
  test(`accounts at Coinbase's platform are made with a token signed by ${name}`, async (t) => {
    const { secret, publicKey } = make();
    const { server, seen, url } = await platform(t, createPublicKey(publicKey.export({ type: "spki", format: "pem" })));
    const box = await Box.start(t, { CDP_API_URL: url, CDP_PROJECT_ID: "project-1", CDP_API_KEY_ID: "key-1", CDP_API_KEY_SECRET: secret });
    const shown = (await box.person().call("GET", "/api/wallet")).body;
    assert.deepEqual(
      [shown.agenticWallet.status, shown.agenticWallet.projectId, Array.isArray(shown.agenticWallet.features), typeof shown.instructions],
      ["configured", "project-1", true, "string"],
    );
    const ada = await box.customer("ada@example.org");
    const create = () => ada.call("POST", "/api/wallet/create", { email: "ada@example.org" });
    server.failing = true;
    const refused = await create();
    assert.deepEqual([refused.status, /payment method/.test(refused.body.details)], [500, true]);
    server.failing = false;
    const made = await Promise.all([create(), create()]);
    for (const { status, body } of made) {
      assert.deepEqual([status, body.success, body.walletAddress], [200, true, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]);
      assert.deepEqual(body.networks, ["base", "base-sepolia"]);
    }
    assert.deepEqual(made[0].body, made[1].body);
    assert.equal(new Set(seen.map(({ id }) => id)).size, 1, "one account, however often it is asked for");
    for (const { path, header, claims, is_good, id } of seen) {
      assert.deepEqual([path, header.alg, header.kid, is_good], ["/platform/v2/evm/accounts", name, "key-1", true]);
      assert.deepEqual([claims.sub, claims.iss, claims.uris], ["key-1", "cdp", [`POST ${new URL(url).host}/platform/v2/evm/accounts`]]);
      assert.ok(claims.exp - claims.nbf <= 120 && Math.abs(claims.nbf - Date.now() / 1000) < 60);
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    const asked = seen.length;
    await create();
    assert.equal(seen.length, asked, "the box knows it by now");
    assert.equal(box.whole_log.includes(secret.slice(30, 60)), false);
  });

test("an incomplete configuration of Coinbase's platform is named", async (t) => {
  const box = await Box.start(t, { CDP_PROJECT_ID: "project-1" });
  const { status, body } = await send(box.web, "GET", "/api/wallet/address");
  assert.deepEqual(
    [status, body.authenticated, body.needsAuth, typeof body.error, /CDP_API_KEY_SECRET/.test(body.setup)],
    [200, false, true, "string", true],
  );
});
