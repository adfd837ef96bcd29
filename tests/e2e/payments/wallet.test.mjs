// Signing in with a wallet: a real wallet library, and for contract wallets a real chain.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { add_passkey } from "../support/authenticator.mjs";
import { Box, PASSWORD } from "../support/box.mjs";
import { Chain, wrapped } from "../peers/chain.mjs";
import { message_for, new_wallet, present, sign_in } from "../support/wallet.mjs";

const session_of = async (person) => (await person.call("GET", "/api/auth/session")).body.user;

const refuses = (answer, status, words) => {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.match(answer.body.error, words);
  assert.equal(answer.headers.getSetCookie().length, 0, "nobody is signed in");
};

test("a wallet signs in with no network at all, and is the same user the next time", async (t) => {
  const box = await Box.start(t),
    ada = box.person(),
    wallet = new_wallet();
  const first = await sign_in(ada, box, wallet);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.equal(first.body.ok, true);
  const user = await session_of(ada);
  assert.equal(user.email, `${wallet.address.toLowerCase()}@wallet.app`);
  assert.equal(user.id, first.body.user.id);
  assert.equal(user.isAdmin, false);

  const before = ada.cookie;
  const again = await sign_in(ada, box, wallet);
  assert.equal(again.body.user.id, user.id);
  assert.notEqual(ada.cookie, before, "each sign-in is a session of its own");
  const old = box.person();
  old.cookie = before;
  assert.equal(await session_of(old), null, "which replaces the browser's last");

  const other = box.person();
  assert.notEqual((await sign_in(other, box, new_wallet())).body.user.id, user.id);
  assert.equal((await other.log_in(user.email, PASSWORD)).status, 401, "a wallet's account has no password");
});

test("a wallet's account has no password: a fresh sign-in sets up its second factor, which the wallet is asked for from then on", async (t) => {
  const box = await Box.start(t),
    ada = box.person(),
    wallet = new_wallet();
  await sign_in(ada, box, wallet);
  assert.equal((await ada.call("GET", "/api/settings/second-factor")).body.hasPassword, false);
  const { recoveryCodes } = await add_passkey(box, ada, undefined);
  const again = box.person();
  const asked = await sign_in(again, box, wallet);
  assert.deepEqual([asked.status, asked.body.code], [401, "SECOND_FACTOR_REQUIRED"]);
  [again.cookie] = asked.headers.getSetCookie()[0].split(";");
  assert.equal((await again.call("POST", "/api/auth/second-factor", { code: recoveryCodes[0] })).status, 200);
});

test("a wallet's account moves to an address of its own by a fresh sign-in, and by its second factor once it has one", async (t) => {
  const box = await Box.start(t),
    ada = box.person(),
    wallet = new_wallet();
  const { user } = (await sign_in(ada, box, wallet)).body;
  const move_to = (email, more) => ada.call("PATCH", "/api/settings", { email, ...more });
  const signed_in_long_ago = async () => {
    await box.end("SIGTERM");
    execFileSync(join(process.env.AGENTBOX_STORY_PACKAGES, "expire"), ["sign-in", box.folder, ada.cookie.split("=")[1]]);
    await box.serve();
  };
  assert.equal((await move_to("ada@example.org")).body.email, "ada@example.org");
  await signed_in_long_ago();
  const late = await move_to("later@example.org", { currentPassword: PASSWORD });
  assert.deepEqual([late.status, late.body.code], [403, "FRESH_SIGN_IN_REQUIRED"]);
  assert.equal((await ada.call("PATCH", "/api/settings", { name: "Ada" })).status, 200, "a name asks for nothing");
  assert.equal((await ada.call("PATCH", "/api/settings", { email: "ada@example.org" })).status, 200, "nor does what one has");
  assert.equal((await sign_in(ada, box, wallet)).body.user.id, user.id, "the wallet opens it as before");
  assert.equal((await move_to("later@example.org")).status, 200);

  const { recoveryCodes } = await add_passkey(box, ada, undefined);
  const asked = await move_to("last@example.org");
  assert.deepEqual([asked.status, asked.body.code], [401, "SECOND_FACTOR_REQUIRED"]);
  assert.equal((await move_to("last@example.org", { code: "wrong" })).status, 401);
  assert.equal((await move_to("last@example.org", { code: recoveryCodes[0] })).body.email, "last@example.org");

  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=100&after=0");
  const moves = entries.filter(({ act }) => act === "email changed").map(({ subject, outcome }) => `${subject}: ${outcome.slice(0, 28)}`);
  assert.deepEqual(moves, [
    "ada@example.org: ok",
    "later@example.org: This account has no password",
    "later@example.org: ok",
    "last@example.org: Invalid credentials",
    "last@example.org: ok",
  ]);
});

test("an address that a wallet's account gave itself is its owner's all the same", async (t) => {
  const box = await Box.start(t),
    squatter = box.person(),
    wallet = new_wallet();
  await sign_in(squatter, box, wallet);
  await squatter.call("PATCH", "/api/settings", { email: "victim@example.org" });
  await squatter.call("PUT", "/api/provider-keys/openai", { key: "sk-reads-along" });
  const { key } = (await squatter.call("POST", "/api/keys", { name: "x" })).body;
  const victim = box.person();
  await victim.call("POST", "/api/auth/forgot-password", { email: "victim@example.org" });
  const { token } = await box.mail_with("reset");
  assert.equal((await victim.call("POST", "/api/auth/reset-password", { token, password: PASSWORD })).status, 200);
  assert.equal((await victim.log_in("victim@example.org", PASSWORD)).status, 200);
  assert.equal((await victim.call("GET", "/api/provider-keys")).body.count, 0, "nobody reads along");
  assert.equal(await session_of(squatter), null);
  assert.equal((await box.person().call("POST", "/api/keys/validate", { apiKey: key })).status, 401);
  const back = await sign_in(squatter, box, wallet);
  assert.equal(back.status, 200, "the wallet is somebody");
  assert.equal((await session_of(squatter)).email, `${wallet.address.toLowerCase()}@wallet.app`, "but not the victim");
});

test("an admin who comes by wallet must set a second factor up where the box wants one, and can", async (t) => {
  const box = await Box.start(t, { ADMIN_SECOND_FACTOR: "on" }),
    ada = box.person();
  const { user } = (await sign_in(ada, box, new_wallet())).body;
  await box.backend_call("PATCH", `/api/admin/users/${user.id}`, { isAdmin: true });
  assert.equal((await ada.call("GET", "/api/settings")).body.code, "SECOND_FACTOR_SETUP_REQUIRED");
  await add_passkey(box, ada, undefined);
  assert.equal((await ada.call("GET", "/api/settings")).status, 200);
});

test("GET and POST hand out nonces; one is good for one sign-in, also when used side by side and after a restart", async (t) => {
  const box = await Box.start(t),
    wallet = new_wallet();
  for (const method of ["GET", "POST"]) {
    const { status, body } = await box.person().call(method, "/api/auth/nonce");
    assert.equal(status, 200);
    assert.match(body.nonce, /^[0-9a-f]{64}$/);
  }
  const message = await message_for(box, wallet.address);
  const proof = { address: wallet.address, message, signature: await wallet.signMessage({ message }) };
  const answers = await Promise.all(Array.from({ length: 6 }, () => present(box.person(), proof)));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 401, 401, 401, 401, 401]);
  refuses(await present(box.person(), proof), 401, /used before/);

  const kept = await message_for(box, wallet.address);
  await box.end("SIGKILL");
  await box.serve();
  refuses(await present(box.person(), proof), 401, /used before/);
  const late = await present(box.person(), { ...proof, message: kept, signature: await wallet.signMessage({ message: kept }) });
  assert.equal(late.status, 200, "a nonce that was handed out before the crash");
});

test("messages for another user, site or time are refused", async (t) => {
  const box = await Box.start(t),
    eve = box.person(),
    wallet = new_wallet();
  const minutes = (count) => new Date(Date.now() + count * 60_000);
  for (const [more, words] of [
    [{ domain: "evil.example" }, /another site/],
    [{ domain: `evil.example:${new URL(box.web).port}` }, /another site/],
    [{ domain: "127.0.0.1" }, /another site/],
    [{ scheme: "https" }, /another site/],
    [{ uri: "https://evil.example/login" }, /URI of another site/],
    [{ uri: `${box.web}@evil.example/` }, /URI of another site/],
    [{ chainId: 1 }, /another chain/],
    [{ nonce: "f".repeat(64) }, /nonce/],
    [{ nonce: "12345678" }, /nonce/],
    [{ expirationTime: minutes(-1) }, /expired/],
    [{ notBefore: minutes(5) }, /not valid yet/],
    [{ issuedAt: minutes(5) }, /future/],
  ])
    refuses(await sign_in(eve, box, wallet, more), 401, words);
  assert.equal((await sign_in(eve, box, wallet, { scheme: "http", expirationTime: minutes(1), notBefore: minutes(-1) })).status, 200);
  assert.equal((await sign_in(eve, box, wallet, { domain: new URL(box.web).host.replace("127.0.0.1", "localhost") })).status, 200);
});

test("with a BASE_URL only that site counts", async (t) => {
  const box = await Box.start(t, { BASE_URL: "https://box.example.org" });
  const at = (domain, uri = `https://${domain}/`) => sign_in(box.person(), box, new_wallet(), { domain, uri });
  assert.equal((await at("box.example.org")).status, 200);
  refuses(await at(new URL(box.web).host), 401, /another site/);
  refuses(await at("box.example.org", "http://box.example.org/"), 401, /another site/);
  refuses(await at("example.org"), 401, /another site/);
});

test("signatures of others, forged ones and messages that were touched are refused", async (t) => {
  const box = await Box.start(t),
    eve = box.person();
  const wallet = new_wallet(),
    victim = new_wallet();
  const message = await message_for(box, victim.address);
  refuses(await present(eve, { address: victim.address, message, signature: await wallet.signMessage({ message }) }), 401, /not signed/);
  refuses(await present(eve, { address: wallet.address, message, signature: await wallet.signMessage({ message }) }), 400, /address/);

  const signature = await victim.signMessage({ message });
  for (const [name, forged] of Object.entries({
    "other parity": signature.slice(0, -2) + (signature.endsWith("1b") ? "1c" : "1b"),
    "no parity": signature.slice(0, -2) + "1d",
    zero: `0x${"00".repeat(64)}1b`,
    ones: `0x${"ff".repeat(64)}1b`,
  }))
    refuses(await present(eve, { address: victim.address, message, signature: forged }), 401, /not signed/, name);
  refuses(await present(eve, { address: victim.address, message: message.replace("Sign in", "Sign up"), signature }), 401, /not signed/);
  refuses(await present(eve, { address: victim.address, message: `${message}\n`, signature }), 400, /ERC-4361/);
  refuses(await present(eve, { address: victim.address, message: message.replaceAll("\n", "\r\n"), signature }), 400, /ERC-4361/);
  for (const wrong of ["", "0x", "0xzz", signature.slice(2), "0x" + "ab".repeat(17_000)])
    assert.equal((await present(eve, { address: victim.address, message, signature: wrong })).status, 400);
  assert.equal((await present(eve, { address: victim.address, message, signature })).status, 200, "nothing of all that spent the nonce");
});

test("without a chain, smart wallets get an error that names the missing setting", async (t) => {
  const box = await Box.start(t),
    wallet = new_wallet();
  const message = await message_for(box, wallet.address);
  refuses(await present(box.person(), { address: wallet.address, message, signature: `0x${"ab".repeat(96)}` }), 503, /L2_RPC_URL/);
});

test("contract wallets sign in with signatures that they accept, deployed or not", async (t) => {
  const chain = await Chain.start(t);
  const box = await Box.start(t, { L2_RPC_URL: chain.url });
  const owner = new_wallet(),
    eve = new_wallet();
  const attempt = async (address, signed) => {
    const message = await message_for(box, address);
    return present(box.person(), { address, message, signature: await signed(message) });
  };
  const by = (wallet) => (message) => wallet.signMessage({ message });

  const deployed = await chain.deploy("Wallet", [owner.address, true]);
  const signed_in = await attempt(deployed, by(owner));
  assert.equal(signed_in.status, 200, JSON.stringify(signed_in.body) + box.log);
  refuses(await attempt(deployed, by(eve)), 401, /not signed/);
  assert.equal((await attempt(owner.address, by(owner))).status, 200, "the owner's own account still is one");

  const factory = await chain.deploy("Factory");
  const salt = `0x${"07".repeat(32)}`;
  const future = chain.undeployed_wallet(factory, owner.address, salt);
  const deployment = chain.encode("Factory", "deploy", [owner.address, salt]);
  const with_deployment =
    (wallet, call = deployment) =>
    async (message) =>
      wrapped(factory, call, await wallet.signMessage({ message }));
  const before = await attempt(future, with_deployment(owner));
  assert.equal(before.status, 200, JSON.stringify(before.body) + box.log);
  assert.equal(await chain.has_code(future), undefined, "asking deploys nothing");
  refuses(await attempt(future, with_deployment(eve)), 401, /not signed/);
  refuses(await attempt(future, by(owner)), 401, /not signed/);
  const elsewhere = chain.encode("Factory", "deploy", [eve.address, salt]);
  refuses(await attempt(future, with_deployment(eve, elsewhere)), 401, /not signed/);
  refuses(await attempt(eve.address, with_deployment(owner)), 401, /not signed/);

  await chain.send("Factory", factory, "deploy", [owner.address, salt]);
  const after = await attempt(future, with_deployment(owner));
  assert.equal(after.body.user?.id, before.body.user.id, "the same wallet once it is there");
  assert.equal((await attempt(future, by(owner))).status, 200);

  const unprepared = await chain.deploy("Wallet", [owner.address, false]);
  refuses(await attempt(unprepared, by(owner)), 401, /not signed/);
  const preparation = chain.encode("Factory", "prepare", [unprepared]);
  assert.equal((await attempt(unprepared, with_deployment(owner, preparation))).status, 200);

  for (const name of ["Reverts", "AnswersShort", "AnswersPadded", "AnswersTrue", "AnswersNothing", "BurnsGas", "Echoes"]) {
    const odd = await chain.deploy(name);
    refuses(await attempt(odd, by(owner)), 401, /not signed/);
    refuses(await attempt(odd, with_deployment(owner)), 401, /not signed/);
  }
  for (const junk of ["6492".repeat(16), `${"ff".repeat(96)}${"6492".repeat(16)}`, `${"00".repeat(96)}${"6492".repeat(16)}`])
    refuses(await attempt(future, () => `0x${junk}`), 401, /not signed/);
});

test("a chain that is gone, or another one, lets nobody in", async (t) => {
  const chain = await Chain.start(t),
    other = await Chain.start(t, 1);
  const owner = new_wallet();
  const address = await chain.deploy("Wallet", [owner.address, true]);
  for (const [url, trouble] of [
    [other.url, "another chain"],
    ["http://127.0.0.1:1", "nobody there"],
  ]) {
    const box = await Box.start(t, { L2_RPC_URL: url });
    const message = await message_for(box, address);
    const proof = { address, message, signature: await owner.signMessage({ message }) };
    refuses(await present(box.person(), proof), 503, /chain/, trouble);
    assert.equal((await sign_in(box.person(), box, new_wallet())).status, 200, "plain wallets need no chain");
  }
});
