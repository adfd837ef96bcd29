// Signing in with the identity provider: a real OpenID provider, and ones that cheat.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { ADMIN, Box, PASSWORD, run, until } from "../support/box.mjs";
import { Browser, session_in } from "../support/browser.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { start_mail_server } from "../peers/mail_server.mjs";
import { package_named } from "../support/packages.mjs";
import { now_in_seconds, SigningKey } from "../peers/token_issuer.mjs";

const CLIENT = { id: "the-box", secret: "a secret of the box: with/odd+signs" };

// npm's oidc-provider, whose interaction page says yes for the person that `provider.person` names.
// `algorithm` signs ID tokens; `signs_userinfo` also what the userinfo endpoint answers.
const start_provider = async (t, people, { algorithm = "RS256", signs_userinfo = false } = {}) => {
  const { default: Provider } = await import(pathToFileURL(package_named.resolve("oidc-provider")));
  const started = { people, person: undefined };
  const server = createServer((request, response) => started.handle(request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  started.url = `http://127.0.0.1:${server.address().port}`;

  started.register = (redirect_uri) => {
    const provider = new Provider(started.url, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirect_uri],
          grant_types: ["authorization_code", "refresh_token"],
          id_token_signed_response_alg: algorithm,
          ...(signs_userinfo && { userinfo_signed_response_alg: algorithm }),
        },
      ],
      enabledJWA: { idTokenSigningAlgValues: [algorithm], userinfoSigningAlgValues: [algorithm] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
      features: { devInteractions: { enabled: false }, jwtUserinfo: { enabled: signs_userinfo } },
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
      cookies: { keys: ["only for the stories"] },
      pkce: { required: () => true },
      jwks: { keys: [{ ...new SigningKey("p1", algorithm).private_key.export({ format: "jwk" }), kid: "p1", use: "sig", alg: algorithm }] },
    });
    const ordinary = provider.callback();
    started.handle = async (request, response) => {
      if (!request.url.startsWith("/interaction/")) return ordinary(request, response);
      if (started.person === undefined)
        return provider.interactionFinished(request, response, { error: "access_denied" }, { mergeWithLastSubmission: false });
      const { prompt, params } = await provider.interactionDetails(request, response);
      if (prompt.name === "login") return provider.interactionFinished(request, response, { login: { accountId: started.person } });
      const grant = new provider.Grant({ accountId: started.person, clientId: params.client_id });
      grant.addOIDCScope("openid email profile offline_access");
      const consent = { consent: { grantId: await grant.save() } };
      return provider.interactionFinished(request, response, consent, { mergeWithLastSubmission: true });
    };
  };
  return started;
};

const with_provider = async (t, people, options) => {
  const provider = await start_provider(t, people, options);
  const box = await Box.start(t, {
    IDP_ISSUER: provider.url,
    IDP_CLIENT_ID: `${CLIENT.id},another-client`,
    IDP_CLIENT_SECRET: CLIENT.secret,
  });
  provider.register(`${box.web}/api/auth/idp/callback`);
  return { provider, box };
};

const sign_in = async ({ provider, box }, person, browser = new Browser()) => {
  provider.person = person;
  const way = await browser.visit(`${box.web}/api/auth/idp`);
  return { browser, way, end: way.at(-1).replace(box.web, "") };
};

test("without a configured client the browser is redirected with an error", async (t) => {
  const box = await Box.start(t);
  for (const path of ["/api/auth/idp", "/api/auth/idp/callback?code=x&state=y"]) {
    const answer = await new Browser().get(box.web + path);
    assert.deepEqual([answer.status, answer.headers.get("location")], [302, "/login?error=IdpNotConfigured"]);
  }
});

test("a sign-in that begins at localhost goes on at the address that the provider sends the browser back to", async (t) => {
  const world = await with_provider(t, { ada: { email: "ada@example.org", email_verified: true } });
  world.provider.person = "ada";
  const at_localhost = world.box.web.replace("127.0.0.1", "localhost");
  const begun = await new Browser().get(`${at_localhost}/api/auth/idp?inviteCode=abc`);
  assert.deepEqual([begun.status, begun.headers.get("location")], [302, `${world.box.web}/api/auth/idp?inviteCode=abc`]);
  const way = await new Browser().visit(`${at_localhost}/api/auth/idp`);
  assert.equal(way.at(-1), `${world.box.web}/dashboard`, way.join("\n"));
});

test("a person of the provider is let in, made a user once, and known by their subject from then on", async (t) => {
  const people = { ada: { email: "Ada@example.org", email_verified: true, name: "Ada Lovelace" } };
  const world = await with_provider(t, people);
  const { box, provider } = world;
  const first = await sign_in(world, "ada");
  assert.equal(first.end, "/dashboard", first.way.join("\n") + box.log);
  const asked = new URL(first.way.find((url) => url.startsWith(`${provider.url}/auth?`)));
  assert.equal(asked.searchParams.get("code_challenge_method"), "S256");
  assert.equal(asked.searchParams.get("scope"), "openid email profile offline_access");
  assert.ok(asked.searchParams.get("state") && asked.searchParams.get("nonce"));
  const user = await session_in(first.browser, box);
  assert.deepEqual([user.email, user.name], ["ada@example.org", "Ada Lovelace"]);

  people.ada.email = "new-address@example.org";
  const again = await sign_in(world, "ada");
  assert.equal((await session_in(again.browser, box)).id, user.id, "a subject is who they are, whatever their address");

  const callback = first.way.find((url) => url.startsWith(`${box.web}/api/auth/idp/callback`));
  const replayed = await first.browser.visit(callback);
  assert.equal(replayed.at(-1), `${box.web}/login?error=IdpAuthFailed`, "an answer counts once");
});

for (const algorithm of ["PS256", "ES256", "EdDSA"])
  test(`ID tokens and userinfo signed with ${algorithm} let in whom they name`, async (t) => {
    const people = { ada: { email: "ada@example.org", email_verified: true, name: "Ada Lovelace" } };
    const world = await with_provider(t, people, { algorithm, signs_userinfo: true });
    const { browser, end } = await sign_in(world, "ada");
    assert.equal(end, "/dashboard", world.box.log);
    const user = await session_in(browser, world.box);
    assert.deepEqual([user.email, user.name], ["ada@example.org", "Ada Lovelace"], "which only userinfo says");
  });

test("an answer counts in the browser that asked, and nowhere else", async (t) => {
  const world = await with_provider(t, { ada: { email: "ada@example.org", email_verified: true } });
  const { box, provider } = world;
  provider.person = "ada";
  const eve = new Browser(),
    ada = new Browser();
  const stolen = await (async () => {
    for (let url = `${box.web}/api/auth/idp`; ; ) {
      const answer = await eve.get(url);
      url = new URL(answer.headers.get("location"), url).href;
      if (url.startsWith(`${box.web}/api/auth/idp/callback`)) return url;
    }
  })();
  for (const [browser, url] of [
    [ada, stolen],
    [eve, stolen.replace(/state=[^&]*/, `state=${"0".repeat(64)}`)],
    [eve, stolen.replace(/code=[^&]*&?/, "")],
    [eve, stolen.replace(/&?state=[^&]*/, "")],
    [eve, `${stolen}&code=other`],
    [eve, stolen.replace(/iss=[^&]*/, "iss=https%3A%2F%2Fevil.example")],
  ])
    assert.equal((await browser.visit(url)).at(-1), `${box.web}/login?error=IdpAuthFailed`, url);
  const wrong_code = await eve.visit(stolen.replace(/code=[^&]*/, "code=guessed"));
  assert.equal(wrong_code.at(-1), `${box.web}/login?error=IdpTokenFailed`);
  assert.equal(await session_in(eve, box), null);
  assert.equal(await session_in(ada, box), null);
});

test("users who decline, or have no address, get the reason", async (t) => {
  const world = await with_provider(t, { nobody: { name: "No Address" }, wallet: { email: "0xabc@wallet.app", email_verified: true } });
  assert.equal((await sign_in(world, undefined)).end, "/login?error=IdpAuthFailed");
  assert.equal((await sign_in(world, "nobody")).end, "/login?error=IdpNoEmail");
  assert.equal((await sign_in(world, "wallet")).end, "/login?error=IdpAuthError", "wallets' addresses are nobody else's");
});

test("a provider-verified address takes over its account from whoever registered it", async (t) => {
  const people = { ada: { email: "ada@example.org", email_verified: true }, eve: { email: "eve@example.org", email_verified: false } };
  const world = await with_provider(t, people);
  const { box } = world;
  const squatter = await box.customer("ada@example.org");
  const { key } = (await squatter.call("POST", "/api/keys", { name: "mine" })).body;

  const { browser, end } = await sign_in(world, "ada");
  assert.equal(end, "/dashboard", box.log);
  assert.equal((await session_in(browser, box)).id, squatter.id, "one address, one user");
  assert.equal((await squatter.call("GET", "/api/auth/session")).body.user, null);
  assert.equal((await squatter.log_in("ada@example.org", PASSWORD)).status, 401);
  assert.equal((await squatter.call("POST", "/api/keys/validate", { apiKey: key })).status, 401);

  await box.customer("eve@example.org");
  assert.equal((await sign_in(world, "eve")).end, "/login?error=IdpNoEmail", "an address nobody vouches for links to nothing");
  people.eve.email = "free@example.org";
  assert.equal((await sign_in(world, "eve")).end, "/dashboard");
});

test("a disabled user is not let in this way either", async (t) => {
  const world = await with_provider(t, { ada: { email: "ada@example.org", email_verified: true } });
  const { box } = world;
  const { browser } = await sign_in(world, "ada");
  const { id } = await session_in(browser, box);
  await box.backend_call("PATCH", `/api/admin/users/${id}`, { isDisabled: true });
  assert.equal((await sign_in(world, "ada")).end, "/login?error=IdpAuthError");
});

// A provider of our own making, which answers what the story has it answer.
const crooked_provider = async (t) => {
  const world = { key: new SigningKey("c1"), claims: {}, userinfo: undefined, token: undefined, token_status: 200 };
  world.site = await serve_site(t, ({ url, text }) => {
    const { origin } = new URL(world.site.url);
    if (url.pathname === "/.well-known/openid-configuration")
      return {
        json: {
          issuer: origin,
          authorization_endpoint: `${origin}/auth?tenant=1`,
          token_endpoint: `${origin}/token`,
          userinfo_endpoint: `${origin}/me`,
          jwks_uri: `${origin}/keys`,
          ...world.configuration,
        },
      };
    if (url.pathname === "/keys") return { json: { keys: [world.key.jwk] } };
    if (url.pathname === "/auth")
      return {
        status: 302,
        headers: { location: `${url.searchParams.get("redirect_uri")}?code=the-code&state=${url.searchParams.get("state")}` },
        body: (world.nonce = url.searchParams.get("nonce")),
      };
    if (url.pathname === "/token") {
      world.form = new URLSearchParams(text);
      const now = now_in_seconds();
      const claims = {
        iss: origin,
        aud: CLIENT.id,
        sub: "ada",
        iat: now,
        exp: now + 300,
        nonce: world.nonce,
        email: "ada@example.org",
        email_verified: true,
        ...world.claims,
      };
      return {
        status: world.token_status,
        json: { access_token: "at", token_type: "Bearer", id_token: world.token?.(claims) ?? world.key.token(claims) },
      };
    }
    if (url.pathname === "/me") return world.userinfo ? { json: world.userinfo } : { status: 500 };
  });
  world.userinfo = { sub: "ada" };
  world.box = await Box.start(t, { IDP_ISSUER: world.site.url, IDP_CLIENT_ID: CLIENT.id, IDP_CLIENT_SECRET: CLIENT.secret });
  world.end = async () => (await new Browser().visit(`${world.box.web}/api/auth/idp`)).at(-1).replace(world.box.web, "");
  return world;
};

test("an ID token is believed when everything about it is right", async (t) => {
  const world = await crooked_provider(t);
  assert.equal(await world.end(), "/dashboard", world.box.log);
  assert.equal(world.form.get("code"), "the-code");
  const now = now_in_seconds();
  for (const claims of [
    { iss: "https://evil.example" },
    { aud: "another-client" },
    { aud: [CLIENT.id, "another-client"] },
    { azp: "another-client" },
    { nonce: "guessed" },
    { nonce: undefined },
    { exp: undefined },
    { exp: now - 120 },
    { exp: "soon" },
    { iat: now + 600 },
    { iat: undefined },
    { nbf: now + 600 },
    { sub: "" },
    { sub: undefined },
    { sub: 7 },
    { events: {} },
  ]) {
    world.claims = claims;
    assert.equal(await world.end(), "/login?error=IdpTokenFailed", JSON.stringify(claims));
  }
  world.claims = {};
  const stranger = new SigningKey("c1");
  const unsigned = (claims) =>
    `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`;
  for (const token of [
    (claims) => stranger.token(claims),
    (claims) => world.key.token(claims, { kid: "c2" }),
    unsigned,
    () => "",
    () => "a.b.c",
    (claims) => world.key.token(claims, { typ: "logout+jwt" }),
  ]) {
    world.token = token;
    assert.equal(await world.end(), "/login?error=IdpTokenFailed", token.toString());
  }
  world.token = undefined;
  world.token_status = 400;
  assert.equal(await world.end(), "/login?error=IdpTokenFailed");
  world.token_status = 200;
  world.userinfo = { sub: "somebody else", email: "admin@example.org", email_verified: true };
  assert.equal(await world.end(), "/login?error=IdpAuthError");
  world.userinfo = undefined;
  assert.equal(await world.end(), "/login?error=IdpAuthError");
  world.userinfo = { sub: "ada" };
  assert.equal(await world.end(), "/dashboard", "and after all that it still is");
});

test("a signed verification of the address holds where userinfo only repeats the address", async (t) => {
  const world = await crooked_provider(t);
  const verified = async (sub) => {
    world.claims = { sub, email: `${sub}@example.org` };
    assert.equal(await world.end(), "/dashboard", world.box.log);
    return (await world.box.backend_call("GET", `/api/admin/users/${sub}@example.org`)).emailVerified;
  };
  for (const [sub, more, is_verified] of [
    ["ann", { email: "Ann@example.org" }, true],
    ["ben", { email: "ben@example.org", email_verified: true }, true],
    ["cleo", { email: "cleo@example.org", email_verified: false }, false],
    ["dora", {}, true],
  ]) {
    world.userinfo = { sub, ...more };
    assert.equal(await verified(sub), is_verified, JSON.stringify(world.userinfo));
  }
  world.claims = { sub: "eve", email: "eve@example.org" };
  world.userinfo = { sub: "eve", email: "another@example.org" };
  assert.equal(await world.end(), "/dashboard", world.box.log);
  const another = await world.box.backend_call("GET", "/api/admin/users/another@example.org");
  assert.equal(another.emailVerified, false, "the signature says nothing about another address");
});

test("no code and no secret of the provider is in the log", async (t) => {
  const world = await crooked_provider(t);
  assert.equal(await world.end(), "/dashboard");
  assert.ok(!world.box.whole_log.includes("the-code"), "no code in the log");
  assert.ok(!world.box.whole_log.includes(CLIENT.secret));
});

test("a provider that is not the issuer it was asked as gets nobody", async (t) => {
  const world = await crooked_provider(t);
  world.configuration = { issuer: "https://evil.example" };
  assert.equal(await world.end(), "/login?error=IdpAuthError");
});

test("with SIGN_IN=provider passwords are off, but for the break-glass account, whose use is audited and mailed", async (t) => {
  const world = await with_provider(t, { ada: { email: "ada@example.org", email_verified: true, name: "Ada" } });
  const { box } = world;
  const bob = await box.customer("bob@example.org");
  const mails = await start_mail_server(t);
  await box.end("SIGTERM");
  const refused = await run(["serve", "--data", box.folder], { env: { SIGN_IN: "provider" } });
  assert.notEqual(refused.code, 0);
  assert.match(refused.err, /SIGN_IN=provider needs IDP_ISSUER and IDP_CLIENT_ID/);
  box.env = { ...box.env, SIGN_IN: "provider", BREAK_GLASS_ADMIN: ADMIN.email, SMTP_URL: mails.url, SMTP_FROM: "box@example.org" };
  await box.serve();

  const methods = (await bob.call("GET", "/api/auth/methods")).body;
  assert.deepEqual([methods.password, methods.wallet, methods.breakGlass, methods.providers.length], [false, false, true, 1]);
  assert.equal((await box.person().log_in("bob@example.org", PASSWORD)).status, 401, "as a wrong password");
  const registered = await box.person().call("POST", "/api/register", { email: "eve@example.org", password: PASSWORD });
  assert.deepEqual([registered.status, registered.body.code], [403, "PASSWORDS_OFF"]);
  const changed = await bob.call("POST", "/api/settings/password", { currentPassword: PASSWORD, newPassword: "another long password" });
  assert.deepEqual([changed.status, changed.body.code], [403, "PASSWORDS_OFF"]);
  assert.equal(
    (await box.backend_call("PATCH", "/api/admin/users/bob@example.org", { password: "another long password" })).code,
    "PASSWORDS_OFF",
  );
  assert.equal((await bob.call("POST", "/api/auth/forgot-password", { email: "bob@example.org" })).status, 200);

  const { browser, end } = await sign_in(world, "ada");
  assert.equal(end, "/dashboard", box.log);
  assert.equal((await session_in(browser, box)).email, "ada@example.org");

  const admin = box.person();
  assert.equal((await admin.log_in(ADMIN.email, "not the password")).status, 401);
  assert.equal((await admin.log_in(ADMIN.email, ADMIN.password)).status, 200);
  assert.equal((await admin.call("GET", "/api/settings")).body.code, "SECOND_FACTOR_SETUP_REQUIRED", "it needs a second factor, too");
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=20");
  assert.ok(entries.some(({ act, outcome, subject }) => act === "break-glass sign-in" && outcome === "ok" && subject === ADMIN.email));
  await until("the administrators have a mail", () => mails.mails.some(({ lines }) => lines.join("\n").includes("break-glass account")));
  assert.ok(!mails.mails.some(({ lines }) => lines.join("\n").includes("?reset=")), "no link for a new password");
});

test("the provider's claim `groups` says who is in which group, at each sign-in", async (t) => {
  const people = { heron: { email: "heron@example.org", email_verified: true, name: "Heron", groups: ["birds", "nobody's"] } };
  const story = await with_provider(t, people);
  const { box } = story;
  const make = async (name, claim) => (await box.backend_call("POST", "/api/admin/groups", { name, claim })).id;
  const [birds, waders, staff] = [await make("Birds", "birds"), await make("Waders", "waders"), await make("Staff")];
  await sign_in(story, "heron");
  const { id } = await box.backend_call("GET", "/api/admin/users/heron@example.org");
  const members = async (group) =>
    (await box.backend_call("GET", `/api/admin/groups/${group}`)).members.map(({ userId, source }) => [userId, source]);
  assert.deepEqual([await members(birds), await members(waders)], [[[id, "provider"]], []]);
  await box.backend_call("PUT", `/api/admin/groups/${staff}/members/${id}`);
  people.heron.groups = ["waders"];
  await sign_in(story, "heron");
  assert.deepEqual([await members(birds), await members(waders)], [[], [[id, "provider"]]]);
  assert.deepEqual(await members(staff), [[id, "admin"]], "the claim ends only what it has begun");
  delete people.heron.groups;
  await sign_in(story, "heron");
  assert.deepEqual(await members(waders), [[id, "provider"]], "without the claim all stays as it is");
});
