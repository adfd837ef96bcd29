// Security events: the provider says that an account is in danger, and the box shuts the door.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Box, PASSWORD, send, until } from "../support/box.mjs";
import { Browser, session_in } from "../support/browser.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { now_in_seconds, SigningKey } from "../peers/token_issuer.mjs";

const CLIENT = "the-box",
  SECOND_CLIENT = "the-phone";
const PREFIX = "https://schemas.openid.net/secevent/";
const event_uri = (name) => `${PREFIX}${name.startsWith("token") ? "oauth" : "risc"}/event-type/${name}`;

// The provider: publishes its keys, signs people in without asking, and sends events.
const transmitter = async (t, more = {}) => {
  const world = { key: new SigningKey("t1"), keys: undefined, person: { sub: "ada", email: "ada@example.org" } };
  world.site = await serve_site(t, async ({ url }) => {
    const { origin } = new URL(world.site.url);
    const now = now_in_seconds();
    switch (url.pathname) {
      case "/.well-known/risc-configuration":
        return world.is_down ? { status: 503 } : { json: { issuer: `${origin}/`, jwks_uri: `${origin}/risc-keys` } };
      case "/risc-keys":
      case "/keys":
        return { json: { keys: world.keys ?? [world.key.jwk] } };
      case "/.well-known/openid-configuration":
        return {
          json: { issuer: origin, authorization_endpoint: `${origin}/auth`, token_endpoint: `${origin}/token`, jwks_uri: `${origin}/keys` },
        };
      case "/auth":
        world.nonce = url.searchParams.get("nonce");
        return {
          status: 302,
          headers: { location: `${url.searchParams.get("redirect_uri")}?code=c&state=${url.searchParams.get("state")}` },
        };
      case "/token":
        await world.before_token?.();
        return {
          json: {
            access_token: "at",
            refresh_token: "rt",
            id_token: world.key.token({
              iss: origin,
              aud: CLIENT,
              iat: now,
              exp: now + 300,
              nonce: world.nonce,
              email_verified: true,
              ...world.person,
            }),
          },
        };
    }
  });
  world.box = await Box.start(t, {
    IDP_ISSUER: world.site.url,
    IDP_CLIENT_ID: `${CLIENT},${SECOND_CLIENT}`,
    IDP_CLIENT_SECRET: "s",
    ...more,
  });
  world.claims = (events, more_claims = {}) => ({
    iss: `${world.site.url}/`,
    aud: CLIENT,
    iat: now_in_seconds(),
    jti: randomUUID(),
    events,
    ...more_claims,
  });
  world.event = (name, data = {}) =>
    world.claims({ [event_uri(name)]: { subject: { subject_type: "iss-sub", iss: world.site.url, sub: world.person.sub }, ...data } });
  world.post = (body, path = "/api/security/risc") =>
    send(world.box.web, "POST", path, { headers: { "content-type": "application/secevent+jwt" }, body });
  world.deliver = async (claims, path) => {
    const answer = await world.post(world.key.token(claims, { typ: "secevent+jwt" }), path);
    assert.deepEqual([answer.status, answer.text], [202, ""], answer.text + world.box.log);
  };
  world.sign_in = async (browser = new Browser()) => {
    world.end = (await browser.visit(`${world.box.web}/api/auth/idp`)).at(-1).replace(world.box.web, "");
    return browser;
  };
  world.record_of = async ({ jti }) =>
    (await world.box.backend_call("GET", "/api/admin/security-events")).events.find(
      (event) => event.jti === jti && event.progress === "done",
    );
  world.acted = (claims) => until(`event ${claims.jti}`, () => world.record_of(claims));
  return world;
};

test("the receiver publishes its configuration", async (t) => {
  const box = await Box.start(t);
  const { status, body } = await box.person().call("GET", "/api/security/risc");
  assert.deepEqual([status, body.status, body.endpoint], [200, "ok", "/api/security/risc"]);
  assert.deepEqual(body.events_supported, [
    "account-disabled",
    "account-enabled",
    "sessions-revoked",
    "tokens-revoked",
    "account-credential-change-required",
    "verification",
  ]);
});

test("each event has its effect", async (t) => {
  const world = await transmitter(t);
  const { box } = world;
  const act = async (name, data) => {
    const claims = world.event(name, data);
    await world.deliver(claims);
    return (await world.acted(claims)).actions.join();
  };
  for (const [name, data, words] of [
    ["sessions-revoked", {}, /sessions ended/],
    ["account-disabled", { reason: "bulk-account" }, /sessions ended/],
    ["tokens-revoked", {}, /refresh tokens forgotten, sessions ended/],
    ["token-revoked", { token_type: "refresh_token" }, /refresh tokens forgotten/],
  ]) {
    const browser = await world.sign_in();
    assert.notEqual(await session_in(browser, box), null);
    assert.match(await act(name, data), words);
    assert.equal(await session_in(browser, box), null, name);
    await world.sign_in(browser);
    assert.equal(world.end, "/dashboard", `${name} closes no door permanently`);
  }

  const browser = await world.sign_in();
  for (const name of ["account-credential-change-required", "verification", "something-new"]) {
    assert.match(await act(name, { state: "x" }), /noted/);
    assert.notEqual(await session_in(browser, box), null, name);
  }
  assert.match(await act("account-disabled", { reason: "hijacking" }), /disabled, sessions ended/);
  assert.equal(await session_in(browser, box), null);
  await world.sign_in();
  assert.equal(world.end, "/login?error=IdpAuthError", "the door is shut");
  assert.match(await act("account-enabled"), /enabled/);
  await world.sign_in();
  assert.equal(world.end, "/dashboard", "and open again");
});

test("a sign-in that has begun when the event comes does not slip in behind it", async (t) => {
  const world = await transmitter(t);
  const { box } = world;
  await world.sign_in();
  for (const [name, data] of [
    ["sessions-revoked"],
    ["tokens-revoked"],
    ["account-disabled", { reason: "bulk-account" }],
    ["account-disabled", { reason: "hijacking" }],
  ]) {
    const claims = world.event(name, data);
    world.before_token = async () => {
      world.before_token = undefined;
      await world.deliver(claims);
      await world.acted(claims);
    };
    const browser = await world.sign_in();
    assert.equal(world.end, "/login?error=IdpAuthError", name);
    assert.equal(await session_in(browser, box), null, name);
    await world.sign_in(browser);
    assert.equal(world.end, data?.reason === "hijacking" ? "/login?error=IdpAuthError" : "/dashboard", `${name}: the next one`);
  }
});

test("a blocked identity stays blocked if it is linked later", async (t) => {
  const world = await transmitter(t);
  const { box } = world;
  const ada = await box.customer("ada@example.org");
  const act = async (name, data) => {
    const subject = { subject_type: "id_token_claims", email: "ada@example.org" };
    const claims = world.claims({ [event_uri(name)]: { subject, ...data } });
    await world.deliver(claims);
    return (await world.acted(claims)).actions.join();
  };
  await act("account-disabled", { reason: "hijacking" });
  for (const sub of ["ada", "another"]) {
    world.person.sub = sub;
    await world.sign_in();
    assert.equal(world.end, "/login?error=IdpAuthError", sub);
  }
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 200, "her password is still hers");
  await act("account-enabled");
  await world.sign_in();
  assert.equal(world.end, "/dashboard");
});

test("blocking and unblocking events apply in the order of their arrival", async (t) => {
  const world = await transmitter(t);
  await world.sign_in();
  for (let round = 0; round < 8; ++round) {
    const shut = world.event("account-disabled", { reason: "hijacking" }),
      open = world.event("account-enabled");
    const order = round % 2 ? [open, shut] : [shut, open];
    for (const claims of order) await world.deliver(claims);
    for (const claims of order) await world.acted(claims);
    await world.sign_in();
    assert.equal(world.end, round % 2 ? "/login?error=IdpAuthError" : "/dashboard", `round ${round}`);
  }
});

test("an identity nobody vouched for does not follow the address to its owner", async (t) => {
  const world = await transmitter(t);
  const { box } = world;
  world.person = { sub: "evil", email: "victim@example.org", email_verified: false };
  const squatter = await world.sign_in();
  assert.equal(world.end, "/dashboard");
  assert.notEqual(await session_in(squatter, box), null);

  const victim = box.person();
  await victim.call("POST", "/api/auth/forgot-password", { email: "victim@example.org" });
  const { token } = await box.mail_with("reset");
  assert.equal((await victim.call("POST", "/api/auth/reset-password", { token, password: "the owner's own password" })).status, 200);
  const again = await world.sign_in();
  assert.match(world.end, /^\/login\?error=/);
  assert.equal(await session_in(again, box), null);
  assert.equal((await victim.log_in("victim@example.org", "the owner's own password")).status, 200);
});

test("only the standard's event names have an effect", async (t) => {
  const world = await transmitter(t);
  const { box } = world;
  const browser = await world.sign_in();
  const subject = { iss: world.site.url, sub: "ada" };
  for (const uri of [
    "sessions-revoked",
    "https://evil.example/event-type/sessions-revoked",
    "https://schemas.openid.net/secevent/risc/sessions-revoked",
    "http://schemas.openid.net/secevent/risc/event-type/sessions-revoked",
    `${PREFIX}risc/event-type/x/sessions-revoked`,
    `${PREFIX}risc/event-type/Sessions-Revoked`,
  ]) {
    const claims = world.claims({ [uri]: { subject } });
    await world.deliver(claims);
    assert.match((await world.acted(claims)).actions.join(), /noted/, uri);
    assert.notEqual(await session_in(browser, box), null, uri);
  }
  const claims = world.claims({ [`${PREFIX}caep/event-type/session-revoked`]: { subject } });
  await world.deliver(claims);
  await world.acted(claims);
  assert.equal(await session_in(browser, box), null);
});

test("each event of a token is about its own subject", async (t) => {
  const world = await transmitter(t);
  const { box } = world;
  const people = {};
  for (const name of ["carl", "dora", "emil"]) people[name] = await box.customer(`${name}@example.org`);
  const is_in = async (person) => (await person.call("GET", "/api/auth/session")).body.user !== null;
  const about = (email) => ({ subject: { subject_type: "id_token_claims", email } });
  const claims = {
    ...world.claims({
      [event_uri("sessions-revoked")]: about("carl@example.org"),
      [event_uri("account-credential-change-required")]: about("dora@example.org"),
      [event_uri("tokens-revoked")]: { subject: { iss: "https://other.example", sub: "x" } },
      [event_uri("account-disabled")]: {},
    }),
    sub_id: { format: "email", email: "emil@example.org" },
  };
  await world.deliver(claims);
  const { actions, events } = await world.acted(claims);
  assert.deepEqual(actions, [
    "sessions-revoked: sessions ended",
    "account-credential-change-required: noted",
    "tokens-revoked: no matching account",
    "account-disabled: sessions ended",
  ]);
  assert.deepEqual(
    events.map((event) => event.email),
    ["carl@example.org", "dora@example.org", "", "emil@example.org"],
  );
  assert.deepEqual([await is_in(people.carl), await is_in(people.dora), await is_in(people.emil)], [false, true, false]);
});

test("people are found by subject or address, and in the old receiver by address alone", async (t) => {
  const world = await transmitter(t);
  const { box } = world;
  const carl = await box.customer("carl@example.org");
  const is_in = async () => (await carl.call("GET", "/api/auth/session")).body.user !== null;
  const by_email = (email) => world.claims({ [event_uri("sessions-revoked")]: { subject: { subject_type: "id_token_claims", email } } });
  const by_sub = world.event("sessions-revoked");

  const browser = await world.sign_in();
  await world.deliver(by_sub, "/api/auth/idp/risc");
  assert.match((await world.acted(by_sub)).actions.join(), /no matching account/);
  assert.notEqual(await session_in(browser, box), null, "the old receiver knows no subjects");

  for (const path of ["/api/security/risc", "/api/auth/idp/risc"]) {
    assert.ok(await is_in());
    const claims = by_email("Carl@Example.org");
    await world.deliver(claims, path);
    await world.acted(claims);
    assert.ok(!(await is_in()), path);
    await carl.log_in("carl@example.org", PASSWORD);
  }
  const shared = {
    ...world.claims({ [event_uri("sessions-revoked")]: {} }),
    sub_id: { format: "iss_sub", iss: world.site.url, sub: "ada" },
  };
  await world.deliver(shared);
  await world.acted(shared);
  assert.equal(await session_in(browser, box), null, "a subject beside the events");

  const stranger = await world.sign_in();
  const elsewhere = world.claims({ [event_uri("sessions-revoked")]: { subject: { iss: "https://other.example", sub: "ada" } } });
  await world.deliver(elsewhere);
  assert.match((await world.acted(elsewhere)).actions.join(), /no matching account/);
  assert.notEqual(await session_in(stranger, box), null);
  assert.ok(await is_in());
});

test("an event counts once, in either receiver, before and after a crash", async (t) => {
  const world = await transmitter(t);
  const { box } = world;
  const claims = world.event("sessions-revoked");
  await world.deliver(claims);
  await world.acted(claims);
  const browser = await world.sign_in();
  await Promise.all([world.deliver(claims), world.deliver(claims), world.deliver(claims, "/api/auth/idp/risc")]);
  await box.end("SIGKILL");
  await box.serve();
  await world.deliver(claims);
  const last = world.event("verification");
  await world.deliver(last);
  await world.acted(last);
  assert.notEqual(await session_in(browser, box), null, "what was done before is not done again");
});

test("acknowledged events are processed, also after a crash", async (t) => {
  const world = await transmitter(t);
  const { box } = world;
  const browser = await world.sign_in();
  const events = Array.from({ length: 20 }, () => world.event("sessions-revoked"));
  await Promise.all(events.map((claims) => world.deliver(claims)));
  await box.end("SIGKILL");
  await box.serve();
  for (const claims of events) await world.acted(claims);
  assert.equal(await session_in(browser, box), null);
});

test("everything that is not the provider's word is refused, with the reason in RFC 8935's terms", async (t) => {
  const world = await transmitter(t);
  const good = world.event("sessions-revoked");
  const browser = await world.sign_in();
  const { key } = world;
  const stranger = new SigningKey("t1"),
    unknown = new SigningKey("t2"),
    now = now_in_seconds();
  const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const [head, body] = key.token(good).split(".");
  for (const [err, token] of [
    ["invalid_request", ""],
    ["invalid_request", "not a token"],
    ["invalid_request", "a.b.c"],
    ["invalid_request", `${encoded({ alg: "none" })}.${encoded(good)}.`],
    ["invalid_request", `${encoded({ alg: "HS256", kid: "t1" })}.${encoded(good)}.${encoded("x")}`],
    ["invalid_request", key.token(good, { crit: ["exp"] })],
    ["invalid_request", key.token(good, { jku: "https://evil.example/keys" })],
    ["invalid_request", key.token(good, { typ: "at+jwt" })],
    ["invalid_request", "x".repeat(70_000)],
    ["invalid_issuer", key.token({ ...good, iss: "https://evil.example" })],
    ["invalid_issuer", key.token({ ...good, iss: undefined })],
    ["invalid_audience", key.token({ ...good, aud: "another-client" })],
    ["invalid_audience", key.token({ ...good, aud: [] })],
    ["invalid_audience", key.token({ ...good, aud: undefined })],
    ["invalid_key", unknown.token(good)],
    ["invalid_key", key.token(good, { kid: "../t1" })],
    ["invalid_key", key.token(good, { kid: undefined })],
    ["authentication_failed", stranger.token(good)],
    ["authentication_failed", `${head}.${encoded({ ...good, jti: "other" })}.${stranger.token(good).split(".")[2]}`],
    ["invalid_request", key.token({ ...good, jti: undefined })],
    ["invalid_request", key.token({ ...good, events: undefined })],
    ["invalid_request", key.token({ ...good, events: {} })],
    ["invalid_request", key.token({ ...good, events: [event_uri("sessions-revoked")] })],
    ["invalid_request", key.token({ iss: world.site.url, aud: CLIENT, sub: "ada", iat: now, exp: now + 300, jti: "an ID token" })],
  ])
    for (const path of ["/api/security/risc", "/api/auth/idp/risc"]) {
      const answer = await world.post(token, path);
      assert.deepEqual([answer.status, answer.body?.err], [400, err], `${token.slice(0, 200)} ${answer.text}`);
      assert.equal(answer.body.error, answer.body.description);
    }
  assert.notEqual(await session_in(browser, world.box), null);
  await world.deliver({ ...good, aud: ["another-client", SECOND_CLIENT], exp: now - 1000 });
  await world.acted(good);
  assert.equal(await session_in(browser, world.box), null, "any of our clients may be meant, and events do not expire");
  assert.ok(body);
});

test("refused and repeated events are in the audit log, in a bounded number of lines", async (t) => {
  const world = await transmitter(t);
  const { box, key } = world;
  const claims = world.event("verification"),
    stranger = new SigningKey("t1").token(claims),
    elsewhere = key.token({ ...claims, aud: "another-client" });
  await world.deliver(claims);
  for (let round = 0; round < 5; ++round) await Promise.all(Array.from({ length: 20 }, () => world.post(stranger)));
  await world.post(elsewhere, "/api/auth/idp/risc");
  for (let round = 0; round < 3; ++round) await world.deliver(claims);
  const counted = await until("all of them", async () => {
    const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0");
    const found = entries.filter(({ act }) => ["security event refused", "security event repeated"].includes(act));
    const tries = found.reduce((sum, { outcome }) => sum + Number(/(\d+) time/.exec(outcome)[1]), 0);
    return tries === 104 && found;
  });
  assert.ok(counted.length <= 12, `${counted.length} lines`);
  const refused = counted.filter(({ act }) => act.endsWith("refused"));
  assert.match(refused.at(-1).outcome, /^The token is for another audience, \d+ times?$/);
  assert.deepEqual([refused.at(-1).subject, refused.at(-1).address], ["POST /api/auth/idp/risc", "127.0.0.1"]);
  assert.equal(counted.filter(({ act }) => act.endsWith("repeated")).at(-1).subject, "POST /api/security/risc");
});

test("a new key of the provider works at once, keys of strangers make the box ask but rarely, and ES256 is taken too", async (t) => {
  const world = await transmitter(t);
  await world.deliver(world.event("verification"));
  const asked = () => world.site.requests.filter(({ url }) => url.pathname === "/risc-keys").length;
  const before = asked();
  world.key = new SigningKey("t3", "ES256");
  await world.deliver(world.event("verification"));
  assert.equal(asked(), before + 1);
  const unknown = new SigningKey("t9");
  for (let n = 0; n < 5; ++n) assert.equal((await world.post(unknown.token(world.event("verification")))).body.err, "invalid_key");
  assert.equal(asked(), before + 1, "within a minute of the last time");
});

test("without a provider nothing is anybody's word; with one that is down the event is to come again", async (t) => {
  const key = new SigningKey("t1");
  const box = await Box.start(t);
  const answer = await send(box.web, "POST", "/api/security/risc", { body: key.token({ iss: "", aud: "", jti: "1", events: { a: {} } }) });
  assert.deepEqual([answer.status, answer.body.err], [400, "invalid_issuer"]);

  const world = await transmitter(t);
  world.is_down = true;
  assert.equal((await world.post(world.key.token(world.event("verification")))).status, 500);
});
