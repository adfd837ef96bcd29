// A second factor: an authenticator app, and the codes for when it is gone.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Box, PASSWORD } from "./box.mjs";

const decoded = (base32) => {
  const bits = [...base32].map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
};
// The app: RFC 6238 as an independent hand wrote it.
const code_of = (secret, steps_from_now = 0) => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps_from_now));
  const mac = createHmac("sha1", decoded(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
};

const log_in = (box, code) => box.person().call("POST", "/api/auth/login", { email: "ada@example.org", password: PASSWORD, ...(code && { code }) });
const settings = (person, step, body) => person.call("POST", `/api/settings/second-factor/${step}`, body);
const state = async (person) => (await person.call("GET", "/api/settings/second-factor")).body;

// Ada with a confirmed second factor. The code of now confirmed it; the one of the next step is still good.
const ada_with_app = async (t, env) => {
  const box = await Box.start(t, env);
  const ada = await box.customer("ada@example.org");
  const { body } = await settings(ada, "begin", { currentPassword: PASSWORD });
  const confirmed = await settings(ada, "confirm", { code: code_of(body.secret) });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  return { box, ada, secret: body.secret, url: body.otpauthUrl, codes: confirmed.body.recoveryCodes };
};

test("it counts from its confirmation on, and each code of the app counts once", async (t) => {
  const { box, ada, secret, url } = await ada_with_app(t);
  assert.match(url, new RegExp(`^otpauth://totp/.*ada%40example\\.org\\?secret=${secret}&issuer=`));
  assert.deepEqual(await state(ada), { enabled: true, recoveryCodesLeft: 10 });
  const without = await log_in(box);
  assert.deepEqual([without.status, without.body.code, without.headers.getSetCookie().length], [401, "SECOND_FACTOR_REQUIRED", 0]);
  const code = code_of(secret, 1);
  const together = await Promise.all([log_in(box, code), log_in(box, code), log_in(box, code)]);
  assert.deepEqual(together.map((answer) => answer.status).sort(), [200, 401, 401]);
  assert.equal((await log_in(box, code_of(secret))).status, 401, "an older code after a newer one");
  assert.equal((await log_in(box, code_of(secret, 40))).status, 401);
});

test("a recovery code stands for the app once, and the factor goes with a code alone", async (t) => {
  const { box, ada, codes } = await ada_with_app(t);
  assert.equal(new Set(codes).size, 10);
  assert.equal((await log_in(box, codes[0])).status, 200);
  assert.equal((await log_in(box, codes[0])).status, 401);
  assert.equal((await state(ada)).recoveryCodesLeft, 9);
  assert.equal((await settings(ada, "begin", { currentPassword: PASSWORD })).status, 409, "not replaced unseen");
  assert.equal((await settings(ada, "disable", { code: "000000x" })).status, 401);
  assert.deepEqual((await settings(ada, "disable", { code: codes[1] })).body, { success: true });
  assert.deepEqual(await state(ada), { enabled: false, recoveryCodesLeft: 0 });
  assert.equal((await log_in(box)).status, 200);
});

test("what was begun and not confirmed asks nobody for anything", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  assert.equal((await settings(ada, "begin", { currentPassword: "a wrong password" })).status, 400);
  assert.equal((await settings(ada, "confirm", { code: "123456" })).status, 400, "nothing was begun");
  await settings(ada, "begin", { currentPassword: PASSWORD });
  assert.equal((await settings(ada, "confirm", { code: "abcdef" })).status, 400);
  assert.equal((await log_in(box)).status, 200);
});

test("who knows the password does not get to guess the code", async (t) => {
  const { box, codes } = await ada_with_app(t, { RATE_LIMITS: "on" });
  const statuses = [];
  for (let n = 0; n < 12; ++n) statuses.push((await log_in(box, "abcdef")).status);
  assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
  assert.equal((await log_in(box, codes[0])).status, 429, "not even the right one, for a while");
});
