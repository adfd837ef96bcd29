// Owners who sign in at MCP servers for their agents: the official SDK's server with an authority of its own, npm's
// oidc-provider as the authority of another, and those whose metadata is not to be trusted.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";
import { auth_server } from "../peers/mcp_auth_server.mjs";
import { package_named } from "../support/packages.mjs";

const story_of = async (t, env = { SUMMARIZER_ALLOW_PRIVATE: "true" }) => {
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, ...env });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const configured = async (mcpServers) => {
    const { status, body } = await ada.call("PUT", `/api/agents/${agent}/config`, { config: { mcpServers } });
    assert.equal(status, 200, JSON.stringify(body));
    return body.config;
  };
  const server = async (name = "sky") =>
    (await ada.call("GET", `/api/agents/${agent}/mcp-servers`)).body.servers.find((one) => one.name === name);
  const begin = (name = "sky") => ada.call("POST", `/api/agents/${agent}/mcp-servers/${name}/sign-in`);
  // What the browser does with the address: the authority sends it back to the box, with a cookie of its session.
  const follow = async (url, person = ada) => {
    const there = await fetch(url, { redirect: "manual" });
    const back = there.headers.get("location") ?? "";
    return { back, landed: await visit(back, person) };
  };
  const visit = async (back, person = ada) => {
    const answer = await fetch(back, { redirect: "manual", headers: { cookie: person.cookie } });
    return { status: answer.status, to: answer.headers.get("location") };
  };
  const hears = async (message, ...script) => {
    model.will(...script);
    const answer = await ada.call("POST", "/api/chat", { agentId: agent, message });
    assert.equal(answer.status, 200, `${JSON.stringify(answer.body)} ${model.faults}`);
  };
  return { box, model, ada, agent, configured, server, begin, follow, visit, hears };
};

test("an owner signs in, the agent uses the tools, and the tokens are renewed, forgotten and never shown", async (t) => {
  const story = await story_of(t);
  const weather = await auth_server(t);
  await story.configured({ sky: { url: weather.url } });
  const before = await story.server();
  assert.match(before.error, /^The MCP server sky answered with status 401: its user has to sign in/);
  assert.equal(before.signIn, "needed");

  const begun = await story.begin();
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  const query = new URL(begun.body.url).searchParams;
  assert.deepEqual(
    ["response_type", "code_challenge_method", "resource", "scope", "redirect_uri"].map((name) => query.get(name)),
    ["code", "S256", weather.url, "weather", `${story.box.web}/api/mcp-servers/callback`],
  );
  const { landed } = await story.follow(begun.body.url);
  assert.deepEqual(landed, { status: 303, to: `/agents/${story.agent}/settings?signedIn=sky` });
  await story.hears("weather?", call(["sky__forecast"]), say("Fair."));
  assert.equal(story.model.results[0].content, "Fair");
  assert.equal((await story.server()).signIn, "done");

  // A token that the server forgets is renewed once, for all that call at the same time.
  weather.authority.tokens.clear();
  const clients = weather.authority.clients.size;
  await story.hears("and now?", call(["sky__forecast"], ["sky__forecast"]), say("Fair."));
  assert.deepEqual(
    story.model.results.map(({ content }) => content),
    ["Fair", "Fair"],
  );
  assert.equal(weather.authority.refresh.size, 1, "each refresh token counted once");
  // One that is about to end is renewed before it is used.
  weather.authority.lifetime = 30;
  weather.authority.tokens.clear();
  await story.hears("still?", call(["sky__forecast"]), say("Fair."));
  const last = weather.used.at(-1);
  await story.hears("still?", call(["sky__forecast"]), say("Fair."));
  assert.notEqual(weather.used.at(-1), last);

  // Tokens are the box's: neither the API, nor the agent, nor the log has them.
  const shown = JSON.stringify([await story.ada.call("GET", `/api/agents/${story.agent}/config`), await story.server(), story.model.asked]);
  assert.doesNotMatch(shown + story.box.whole_log, /(access|refresh)-[0-9a-f]{8}/);

  // The same client again; another person's browser cannot finish it; and each answer counts once.
  weather.authority.lifetime = 3600;
  const again = await story.begin();
  assert.equal(weather.authority.clients.size, clients, "the box is registered once");
  const eve = await story.box.customer("eve@example.org");
  const { back, landed: eves } = await story.follow(again.body.url, eve);
  assert.match(eves.to, /^\/\?signInFailed=This%20sign-in%20is%20unknown/);
  assert.equal((await story.visit(back)).to, `/agents/${story.agent}/settings?signedIn=sky`);
  assert.match((await story.visit(back)).to, /signInFailed=This%20sign-in%20is%20unknown/);
  assert.equal((await story.visit(back, { cookie: "" })).status, 401);

  // What the authority has revoked needs a new sign-in; signing out revokes it there.
  assert.equal((await story.ada.call("DELETE", `/api/agents/${story.agent}/mcp-servers/sky/sign-in`)).status, 200);
  assert.equal(weather.authority.refresh.size <= 3, true);
  assert.equal((await story.server()).signIn, "needed");
  assert.equal((await eve.call("POST", `/api/agents/${story.agent}/mcp-servers/sky/sign-in`)).status, 404);
});

test("npm's oidc-provider signs in for a server elsewhere, with a client of the config", async (t) => {
  const story = await story_of(t);
  const listen = async (handler, path = "") => {
    const server = createServer(handler);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${server.address().port}${path}`;
  };
  let provider, say_yes;
  const issuer = await listen((request, response) =>
    request.url.startsWith("/yes/") ? say_yes(request, response) : provider.callback()(request, response),
  );
  let seen = "";
  const resource = await listen((request, response) => {
    if (request.url.startsWith("/.well-known/oauth-protected-resource"))
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ resource, authorization_servers: [issuer], scopes_supported: ["weather"] }));
    seen = request.headers.authorization ?? "";
    if (!seen) return response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    let text = "";
    request.on("data", (bytes) => (text += bytes));
    request.on("end", () => {
      const { id, method } = JSON.parse(text);
      const result = method === "server/discover" ? { capabilities: { tools: {} } } : { tools: [] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  }, "/mcp");
  const { default: Provider } = await import(pathToFileURL(package_named.resolve("oidc-provider")));
  provider = new Provider(issuer, {
    clients: [{ client_id: "the-box", client_secret: "the-client-secret", redirect_uris: [`${story.box.web}/api/mcp-servers/callback`] }],
    scopes: ["openid", "offline_access"],
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: "weather", accessTokenFormat: "opaque", accessTokenTTL: 3600 }),
      },
    },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { url: (_, interaction) => `/yes/${interaction.uid}` },
    pkce: { required: () => true },
    cookies: { keys: ["a", "b"] },
  });
  say_yes = async (request, response) => {
    const { prompt, params } = await provider.interactionDetails(request, response);
    if (prompt.name === "login") return provider.interactionFinished(request, response, { login: { accountId: "ada" } });
    const grant = new provider.Grant({ accountId: "ada", clientId: params.client_id });
    const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details;
    grant.addOIDCScope(missingOIDCScope.join(" "));
    for (const [of, scopes] of Object.entries(missingResourceScopes)) grant.addResourceScope(of, scopes.join(" "));
    const consent = { consent: { grantId: await grant.save() } };
    return provider.interactionFinished(request, response, consent, { mergeWithLastSubmission: true });
  };
  const config = await story.configured({ sky: { url: resource, oauth: { clientId: "the-box", clientSecret: "the-client-secret" } } });
  assert.doesNotMatch(JSON.stringify(config), /the-client-secret/);
  const begun = await story.begin();
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  // A browser, with cookies, from page to page until it comes back to the box.
  const jar = new Map();
  let at = begun.body.url;
  for (let step = 0; !at.startsWith(story.box.web) && step < 10; ++step) {
    const answer = await fetch(at, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      jar.set(name, value);
    }
    at = new URL(answer.headers.get("location"), at).href;
  }
  const callback = new URL(at);
  assert.equal(callback.searchParams.get("iss"), issuer);
  // An answer that says another issuer, or none, is not taken: the authority says that it always names itself.
  for (const change of [(url) => url.searchParams.set("iss", "http://127.0.0.1:1"), (url) => url.searchParams.delete("iss")]) {
    const other = new URL(callback);
    change(other);
    assert.match((await story.visit(other.href)).to, /signInFailed=(The%20answer%20is%20not%20of|This%20sign-in)/);
  }
  const second = await story.begin();
  const state = new URL(second.body.url).searchParams.get("state");
  at = second.body.url;
  for (let step = 0; !at.startsWith(story.box.web) && step < 10; ++step) {
    const answer = await fetch(at, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    at = new URL(answer.headers.get("location"), at).href;
  }
  assert.equal(new URL(at).searchParams.get("state"), state);
  assert.equal((await story.visit(at)).to, `/agents/${story.agent}/settings?signedIn=sky`);
  await until("the tools", async () => (await story.server()).error === null);
  assert.match(seen, /^Bearer ./);
});

test("metadata that is not to be trusted ends the sign-in with a sentence", async (t) => {
  const story = await story_of(t);
  let documents = {};
  const server = createServer((request, response) => {
    const document = documents[request.url];
    if (document) return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
    response.writeHead(request.url === "/mcp" ? (documents.status ?? 401) : 404, { "www-authenticate": "Bearer" }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const origin = `http://127.0.0.1:${server.address().port}`;
  await story.configured({ sky: { url: `${origin}/mcp` }, mine: { url: `${origin}/mcp`, token: "x" } });
  const resource = (more = {}) => ({ resource: `${origin}/mcp`, authorization_servers: [origin], ...more });
  const authority = (more = {}) => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    code_challenge_methods_supported: ["S256"],
    ...more,
  });
  const at = (protected_resource, authorization_server) => ({
    "/.well-known/oauth-protected-resource/mcp": protected_resource,
    "/.well-known/oauth-authorization-server": authorization_server,
  });
  for (const [what, status, why] of [
    [{ status: 200 }, 409, /asks nobody to sign in/],
    [at(resource({ resource: "http://127.0.0.1:1/mcp" }), authority()), 502, /about another resource/],
    [at(resource({ resource: `${origin}/mcp/deeper` }), authority()), 502, /about another resource/],
    [at(resource()), 502, /does not say how it signs users in/],
    [at(resource({ authorization_servers: ["ftp://127.0.0.1"] }), authority()), 502, /names no https address/],
    [at(resource(), authority({ issuer: "https://evil.example" })), 502, /names another issuer: https:\/\/evil\.example/],
    [at(resource(), authority({ code_challenge_methods_supported: ["plain"] })), 502, /does not support PKCE with S256/],
    [at(resource(), authority({ token_endpoint: "javascript:alert(1)" })), 502, /names no https endpoints/],
    [at(resource(), authority()), 502, /registers no clients by itself: set oauth\.clientId/],
    [at(resource(), authority({ registration_endpoint: `${origin}/register` })), 502, /did not register the box as a client: status 404/],
  ]) {
    documents = what;
    const { status: got, body } = await story.begin();
    assert.equal(got, status, JSON.stringify([what, body]));
    assert.match(body.error, why);
  }
  assert.equal((await story.begin("mine")).status, 409);
  assert.equal((await story.begin("none")).status, 404);
});

test("on a box for public addresses an authority on a private one is not asked", async (t) => {
  const story = await story_of(t);
  const weather = await auth_server(t);
  await story.configured({ sky: { url: weather.url } });
  await story.box.end("SIGTERM");
  story.box.env = { ...story.box.env, SUMMARIZER_ALLOW_PRIVATE: "off" };
  await story.box.serve();
  const { status, body } = await story.begin();
  assert.equal(status, 502);
  assert.match(body.error, /did not answer/);
  assert.equal(weather.authority.clients.size, 0);
});
