// Web connectors of MCP clients: they find the box's authorization server, register, send the user to the page of
// consent, and get short tokens that open /mcp alone. The client is the official SDK's.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const { Client } = package_named("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = package_named("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { UnauthorizedError } = package_named("@modelcontextprotocol/sdk/client/auth.js");

const REDIRECT = "https://connector.example.org/callback";

// What the SDK keeps for a client, and where it sends the user's browser.
class Provider {
  constructor(scope) {
    this.scope = scope;
  }
  redirectUrl = REDIRECT;
  get clientMetadata() {
    return {
      client_name: "A connector",
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(this.scope && { scope: this.scope }),
    };
  }
  state = () => "the-state";
  clientInformation = () => this.information;
  saveClientInformation = (information) => (this.information = information);
  tokens = () => this.given;
  saveTokens = (tokens) => (this.given = tokens);
  redirectToAuthorization = (url) => (this.sent = url);
  saveCodeVerifier = (verifier) => (this.verifier = verifier);
  codeVerifier = () => this.verifier;
}

// The page of consent, as its script asks the box.
const consent = (person, url, decision) => {
  const { searchParams: query } = new URL(url);
  return person.call("POST", "/oauth/consent", {
    clientId: query.get("client_id"),
    redirectUri: query.get("redirect_uri"),
    responseType: query.get("response_type"),
    codeChallenge: query.get("code_challenge"),
    codeChallengeMethod: query.get("code_challenge_method"),
    ...(query.get("scope") && { scope: query.get("scope") }),
    ...(query.get("state") && { state: query.get("state") }),
    ...(query.get("resource") && { resource: query.get("resource") }),
    ...(decision && { decision }),
  });
};

const connect = async (box, provider) => {
  const transport = new StreamableHTTPClientTransport(new URL(`${box.web}/mcp`), { authProvider: provider });
  const client = new Client({ name: "connector", version: "1.0.0" });
  try {
    await client.connect(transport);
  } catch (error) {
    assert.ok(error instanceof UnauthorizedError, error.stack);
    return { client, transport, needs_sign_in: true };
  }
  return { client, transport, needs_sign_in: false };
};

const post = async (box, path, values) => {
  const answer = await fetch(box.web + path, { method: "POST", body: new URLSearchParams(values) });
  return { status: answer.status, body: await answer.json(), headers: answer.headers };
};

test("a connector signs its user in, reads, and renews its token", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const provider = new Provider("mcp:read");
  const first = await connect(box, provider);
  provider.sent.searchParams.set("scope", "mcp:read"); // the SDK asks for all that the box supports
  assert.equal(first.needs_sign_in, true);
  assert.equal(provider.sent.origin + provider.sent.pathname, `${box.web}/oauth/authorize`);
  assert.equal((await fetch(provider.sent)).headers.get("content-type").split(";")[0], "text/html");
  assert.equal((await consent(box.person(), provider.sent)).status, 401);
  const asked = await consent(ada, provider.sent);
  assert.deepEqual(asked.body, { clientName: "A connector", redirectHost: "connector.example.org", scopes: ["mcp:read"], redirect: null });
  const refused = await consent(ada, provider.sent, "refuse");
  const no = new URL(refused.body.redirect).searchParams;
  assert.deepEqual([no.get("error"), no.get("state"), no.get("iss")], ["access_denied", "the-state", box.web]);
  const allowed = await consent(ada, provider.sent, "allow");
  const back = new URL(allowed.body.redirect);
  assert.equal(back.origin + back.pathname, REDIRECT);
  assert.equal(back.searchParams.get("iss"), box.web);
  await first.transport.finishAuth(back.searchParams.get("code"));
  const { client } = await connect(box, provider);
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === "list_agents"));
  assert.ok(!tools.some(({ name }) => name === "send_message"), "reading only");
  const result = await client.callTool({ name: "list_agents", arguments: {} });
  assert.equal(result.isError, false);

  // The token is for /mcp alone.
  const token = provider.given.access_token;
  assert.equal(provider.given.expires_in, 3600);
  for (const [method, path] of [
    ["GET", "/api/agents"],
    ["GET", "/v1/models"],
    ["GET", "/api/keys"],
  ])
    assert.ok([401, 403].includes((await fetch(box.web + path, { method, headers: { authorization: `Bearer ${token}` } })).status), path);

  // Renewed: the old tokens end. An old refresh token that comes again ends everything.
  const { client_id } = provider.information;
  const old = provider.given;
  const renewed = await post(box, "/oauth/token", { grant_type: "refresh_token", refresh_token: old.refresh_token, client_id });
  assert.equal(renewed.status, 200, JSON.stringify(renewed.body));
  assert.equal(renewed.headers.get("cache-control"), "no-store");
  const opens = async (bearer) =>
    (
      await fetch(`${box.web}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      })
    ).status;
  assert.deepEqual([await opens(old.access_token), await opens(renewed.body.access_token)], [401, 200]);
  const stolen = await post(box, "/oauth/token", { grant_type: "refresh_token", refresh_token: old.refresh_token, client_id });
  assert.deepEqual([stolen.status, stolen.body.error], [400, "invalid_grant"]);
  assert.equal(await opens(renewed.body.access_token), 401);
  const after = await post(box, "/oauth/token", { grant_type: "refresh_token", refresh_token: renewed.body.refresh_token, client_id });
  assert.equal(after.body.error, "invalid_grant");
});

test("a connector that may act has all tools, until its user deletes its key", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const provider = new Provider("mcp:read mcp:act");
  const first = await connect(box, provider);
  assert.deepEqual((await consent(ada, provider.sent)).body.scopes, ["mcp:read", "mcp:act"]);
  const { body } = await consent(ada, provider.sent, "allow");
  await first.transport.finishAuth(new URL(body.redirect).searchParams.get("code"));
  const { client } = await connect(box, provider);
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === "send_message"));
  const { keys } = (await ada.call("GET", "/api/keys")).body;
  assert.deepEqual(
    keys.map(({ name }) => name),
    ["MCP: A connector"],
  );
  assert.equal((await ada.call("DELETE", `/api/keys/${keys[0].id}`)).status, 200);
  const gone = await post(box, "/oauth/token", {
    grant_type: "refresh_token",
    refresh_token: provider.given.refresh_token,
    client_id: provider.information.client_id,
  });
  assert.equal(gone.body.error, "invalid_grant");
});

test("clients that cheat get no code and no token", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const register = async (metadata) => {
    const answer = await fetch(`${box.web}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(metadata),
    });
    return { status: answer.status, body: await answer.json() };
  };
  for (const uris of [
    [],
    ["http://evil.example/callback"],
    ["http://127.0.0.1x.evil.example/"],
    ["http://127.0.0.1.evil.example/"],
    ["http://[::1].evil.example/"],
    ["javascript:alert(1)"],
    ["https://me:pw@evil.example"],
    ["https://a.example/#x"],
  ]) {
    const { status, body } = await register({ redirect_uris: uris });
    assert.deepEqual([status, body.error], [400, "invalid_redirect_uri"], JSON.stringify(uris));
  }
  const { body: client } = await register({ client_name: "Desk", redirect_uris: ["http://127.0.0.1:1/callback", REDIRECT] });
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const base = {
    clientId: client.client_id,
    redirectUri: "http://127.0.0.1:4711/callback",
    responseType: "code",
    codeChallenge: challenge,
    codeChallengeMethod: "S256",
    resource: `${box.web}/mcp`,
    decision: "allow",
  };
  for (const [change, why] of [
    [{ clientId: `${client.client_id}x` }, /client_id is unknown/],
    [{ redirectUri: "https://evil.example/callback" }, /redirect_uri is not one/],
    [{ redirectUri: `${REDIRECT}/deeper` }, /redirect_uri is not one/],
    [{ redirectUri: "http://127.0.0.1:1/other" }, /redirect_uri is not one/],
    [{ responseType: "token" }, /response_type must be code/],
    [{ codeChallengeMethod: "plain" }, /code_challenge is required/],
    [{ codeChallenge: "" }, /code_challenge is required/],
    [{ resource: "https://other.example/mcp" }, /resource must be/],
  ]) {
    const { status, body } = await ada.call("POST", "/oauth/consent", { ...base, ...change });
    assert.equal(status, 400, JSON.stringify(change));
    assert.match(body.error, why);
  }
  const code = async () => new URL((await ada.call("POST", "/oauth/consent", base)).body.redirect).searchParams.get("code");
  const redeem = (values) =>
    post(box, "/oauth/token", {
      grant_type: "authorization_code",
      client_id: client.client_id,
      redirect_uri: base.redirectUri,
      code_verifier: verifier,
      ...values,
    });
  for (const change of [
    { code_verifier: randomBytes(32).toString("base64url") },
    { redirect_uri: REDIRECT },
    { client_id: (await register({ redirect_uris: [REDIRECT] })).body.client_id },
  ]) {
    const one = await code();
    assert.equal((await redeem({ code: one, ...change })).body.error, "invalid_grant");
    assert.equal((await redeem({ code: one })).body.error, "invalid_grant", "a code counts once, whatever came of it");
  }
  const good = await redeem({ code: await code() });
  assert.equal(good.status, 200, JSON.stringify(good.body));
  const other = (await register({ redirect_uris: [REDIRECT] })).body.client_id;
  const taken = await post(box, "/oauth/token", { grant_type: "refresh_token", refresh_token: good.body.refresh_token, client_id: other });
  assert.equal(taken.body.error, "invalid_grant");
  assert.equal((await post(box, "/oauth/token", { grant_type: "password" })).body.error, "unsupported_grant_type");
  // Another site's page cannot have the user's browser consent.
  const forged = await fetch(`${box.web}/oauth/consent`, {
    method: "POST",
    headers: { cookie: ada.cookie, "content-type": "application/json", "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    body: JSON.stringify(base),
  });
  assert.equal(forged.status, 403);
  await until("the audit", async () =>
    JSON.stringify((await box.backend_call("GET", "/api/admin/audit?limit=50")) ?? {}).includes("MCP client let in"),
  );
});
