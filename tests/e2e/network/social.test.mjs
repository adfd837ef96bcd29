// Social identity, token gating, and where one is signed in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { add_passkey } from "../support/authenticator.mjs";
import { Box, PASSWORD } from "../support/box.mjs";
import { Chain } from "../peers/chain.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { now_in_seconds, SigningKey } from "../peers/token_issuer.mjs";

const session_of = async (person) => (await person.call("GET", "/api/auth/session")).body.user;

const social_issuer = async (t, more = {}) => {
  const world = { key: new SigningKey("s1", "ES256") };
  world.site = await serve_site(t, ({ url, text }) => {
    const { origin } = new URL(world.site.url);
    if (url.pathname === "/.well-known/openid-configuration")
      return {
        json: { issuer: origin, authorization_endpoint: `${origin}/auth`, token_endpoint: `${origin}/token`, jwks_uri: `${origin}/keys` },
      };
    if (url.pathname === "/keys") return { json: { keys: [world.key.jwk] } };
    if (url.pathname === "/token") {
      const form = new URLSearchParams(text);
      if (form.get("grant_type") !== "refresh_token" || form.get("refresh_token") !== "rt-1")
        return { status: 400, json: { error: "invalid_grant" } };
      return { json: { access_token: "at-2", refresh_token: "rt-2", id_token: "an.id.token", token_type: "Bearer" } };
    }
  });
  world.box = await Box.start(t, { SOCIAL_ID_ISSUER: world.site.url, SOCIAL_ID_CLIENT_ID: "the-app", ...more });
  world.token = (claims = {}) => {
    const now = now_in_seconds();
    return world.key.token({
      iss: world.site.url,
      aud: "the-app",
      sub: "human-1",
      iat: now,
      exp: now + 300,
      email: "ada@example.org",
      email_verified: true,
      ...claims,
    });
  };
  world.verify = async (person, body) => {
    const answer = await person.call("POST", "/api/auth/social-id/verify", body);
    const set = answer.headers.getSetCookie().find((line) => line.startsWith("app-session="));
    if (set) person.cookie = set.split(";")[0];
    return answer;
  };
  return world;
};

test("an ID token of the configured issuer signs in; one without an address is verified and no more", async (t) => {
  const world = await social_issuer(t),
    { box } = world;
  const about = await box.person().call("GET", "/api/auth/social-id/verify");
  assert.deepEqual([about.body.configured, about.body.issuer, about.body.clientId], [true, world.site.url, "the-app"]);

  const ada = box.person();
  const answer = await world.verify(ada, { idToken: world.token() });
  assert.deepEqual(
    [answer.status, answer.body.verified, answer.body.subject],
    [200, true, "human-1"],
    JSON.stringify(answer.body) + box.log,
  );
  assert.equal((await session_of(ada)).email, "ada@example.org");

  const nobody = box.person();
  const bare = await world.verify(nobody, { idToken: world.token({ sub: "human-2", email: undefined }) });
  assert.deepEqual([bare.status, bare.body.verified, bare.body.user], [200, true, null]);
  assert.equal(await session_of(nobody), null);

  for (const claims of [{ aud: "another-app" }, { iss: "https://evil.example" }, { exp: 1 }, { exp: undefined }, { sub: undefined }]) {
    const refused = await world.verify(nobody, { idToken: world.token(claims) });
    assert.deepEqual([refused.status, refused.headers.getSetCookie().length], [401, 0], JSON.stringify(claims));
  }
  assert.equal((await world.verify(nobody, {})).status, 400);
});

test("an ID token counts once, however its signature is written, also after a restart", async (t) => {
  const world = await social_issuer(t),
    { box } = world;
  const idToken = world.token(),
    [head, claims, signature] = idToken.split(".");
  assert.equal((await world.verify(box.person(), { idToken })).status, 200);
  // ES256 has a second signature for each: s becomes n - s.
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const bytes = Buffer.from(signature, "base64url"),
    s = BigInt(`0x${bytes.subarray(32).toString("hex")}`);
  const twin = Buffer.concat([bytes.subarray(0, 32), Buffer.from((order - s).toString(16).padStart(64, "0"), "hex")]).toString("base64url");
  const replays = async () => {
    for (const again of [idToken, `${head}.${claims}.${twin}`]) {
      const thief = box.person();
      const refused = await world.verify(thief, { idToken: again });
      assert.equal(refused.status, 401);
      assert.match(refused.body.error, /used before/);
      assert.equal(await session_of(thief), null);
    }
  };
  await replays();
  await box.end("SIGKILL");
  await box.serve();
  await replays();
  assert.equal((await world.verify(box.person(), { idToken: world.token({ jti: "another" }) })).status, 200);
});

test("users with a second factor are asked for it after an ID token, too", async (t) => {
  const world = await social_issuer(t),
    { box } = world;
  const ada = box.person();
  await world.verify(ada, { idToken: world.token({ jti: "1" }) });
  const { authenticator, recoveryCodes } = await add_passkey(box, ada, undefined);
  const halfway = async (jti) => {
    const person = box.person();
    const asked = await world.verify(person, { idToken: world.token({ jti }) });
    assert.deepEqual([asked.status, asked.body.code], [401, "SECOND_FACTOR_REQUIRED"]);
    assert.ok(asked.body.passkey.challenge);
    [person.cookie] = asked.headers.getSetCookie()[0].split(";");
    assert.match(person.cookie, /^agentbox-second-factor=/);
    assert.equal(await session_of(person), null);
    return { person, options: asked.body.passkey, finish: (proof) => person.call("POST", "/api/auth/second-factor", proof) };
  };
  const by_code = await halfway("2");
  assert.equal((await by_code.finish({})).body.code, "SECOND_FACTOR_REQUIRED");
  assert.equal((await by_code.finish({ code: "000000x" })).status, 401);
  const done = await by_code.finish({ code: recoveryCodes[0] });
  assert.deepEqual([done.status, done.body.ok], [200, true], JSON.stringify(done.body));
  assert.deepEqual(
    done.headers
      .getSetCookie()
      .map((line) => line.split("=")[0])
      .sort(),
    ["agentbox-device", "agentbox-second-factor", "app-session"],
  );
  assert.equal((await by_code.finish({ code: recoveryCodes[1] })).status, 401, "once");

  const by_passkey = await halfway("3");
  assert.equal((await by_passkey.finish({ passkey: authenticator.get(by_passkey.options) })).status, 200);
  const ended = await halfway("4");
  await box.backend_call("DELETE", `/api/admin/users/${done.body.user.id}/sessions`);
  assert.equal((await ended.finish({ code: recoveryCodes[1] })).status, 401, "an ending of all sessions ends it");
  for (const cookie of [undefined, "agentbox-second-factor=1.2.3", `${by_code.person.cookie}x`]) {
    const nobody = Object.assign(box.person(), { cookie });
    assert.equal((await nobody.call("POST", "/api/auth/second-factor", { code: recoveryCodes[1] })).status, 401);
  }
});

test("tokens are refreshed at the issuer, or refused by it", async (t) => {
  const world = await social_issuer(t);
  const refresh = (refreshToken) => world.box.person().call("POST", "/api/auth/social-id/refresh", { refreshToken });
  assert.deepEqual((await refresh("rt-1")).body, { accessToken: "at-2", idToken: "an.id.token", refreshToken: "rt-2" });
  assert.equal((await refresh("stolen")).status, 401);
});

test("features that are not configured say so", async (t) => {
  const box = await Box.start(t);
  const { body } = await box.person().call("GET", "/api/auth/social-id/refresh");
  assert.equal(body.configured, false);
  for (const [method, path, sent, words] of [
    ["POST", "/api/auth/social-id/verify", { idToken: "x" }, /SOCIAL_ID_ISSUER/],
    ["POST", "/api/auth/social-id/refresh", { refreshToken: "x" }, /SOCIAL_ID_ISSUER/],
    ["GET", `/api/auth/token-gating/verify?address=0x${"12".repeat(20)}`, undefined, /GATING_TOKEN_ADDRESS/],
  ]) {
    const answer = await box.person().call(method, path, sent);
    assert.equal(answer.status, 503, path);
    assert.match(answer.body.error, words);
  }
});

test("the gating token's balance is compared exactly", async (t) => {
  const chain = await Chain.start(t);
  const token = await chain.deploy("Token");
  const rich = `0x${"12".repeat(20)}`,
    poor = `0x${"34".repeat(20)}`,
    whale = `0x${"56".repeat(20)}`;
  await chain.send("Token", token, "mint", [rich, 1_250_000_000_000n]);
  await chain.send("Token", token, "mint", [poor, 1_249_999_999_999n]);
  await chain.send("Token", token, "mint", [whale, 2n ** 256n - 1n]);
  const world = await social_issuer(t, { L2_RPC_URL: chain.url, GATING_TOKEN_ADDRESS: token });
  const look = async (address) => (await world.box.person().call("GET", `/api/auth/token-gating/verify?address=${address}`)).body;
  const held = await look(rich);
  assert.deepEqual(
    [held.verified, held.balance, held.required, held.chainId],
    [true, "1250000", "1250000", 8453],
    JSON.stringify(held) + world.box.log,
  );
  assert.deepEqual([(await look(poor)).verified, (await look(poor)).balance], [false, "1249999.999999"]);
  const most = (2n ** 256n - 1n).toString();
  assert.equal((await look(whale)).balance, `${most.slice(0, -6)}.${most.slice(-6)}`);
  assert.deepEqual([(await look(`0x${"78".repeat(20)}`)).balance, (await look("0x12")).error], ["0", "address is not a wallet's address"]);

  await chain.send("Token", token, "mint", [poor, 1n]);
  assert.equal((await look(poor)).verified, false, "remembered for half a minute");
  const answer = await world.verify(world.box.person(), { idToken: world.token(), walletAddress: rich });
  assert.equal(answer.body.tokenGating.verified, true);

  const no_token = await Box.start(t, { L2_RPC_URL: chain.url, GATING_TOKEN_ADDRESS: rich });
  assert.equal((await no_token.person().call("POST", "/api/auth/token-gating/verify", { address: rich })).status, 503, "no contract there");
});

test("one sees where one is signed in, and signs out there", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    laptop = box.person(),
    eve = await box.customer("eve@example.org");
  await laptop.log_in("ada@example.org", PASSWORD);
  const listed = (await ada.call("GET", "/api/auth/sessions")).body;
  assert.equal(listed.count, 2);
  assert.deepEqual(
    listed.sessions.map((session) => session.current),
    [false, true],
    "the latest first",
  );
  const [other, own] = listed.sessions;
  assert.equal((await eve.call("DELETE", `/api/auth/sessions/${other.id}`)).status, 404, "nobody else's");
  assert.notEqual(await session_of(laptop), null);
  assert.deepEqual((await ada.call("DELETE", `/api/auth/sessions/${other.id}`)).body, { success: true });
  assert.equal(await session_of(laptop), null);
  assert.equal((await ada.call("DELETE", `/api/auth/sessions/${other.id}`)).status, 404);

  await laptop.log_in("ada@example.org", PASSWORD);
  assert.deepEqual((await laptop.call("DELETE", "/api/auth/sessions")).body, { success: true });
  assert.equal(await session_of(ada), null);
  assert.notEqual(await session_of(laptop), null);
  assert.notEqual(await session_of(eve), null);
  assert.ok(own);
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["DELETE", "/x"],
  ])
    assert.equal((await box.person().call(method, `/api/auth/sessions${path}`)).status, 401);
});
