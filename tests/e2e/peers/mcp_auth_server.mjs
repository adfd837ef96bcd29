// An MCP server of the official SDK that wants its users to sign in, with an authority of its own (OAuth 2.1).
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { package_named } from "../support/packages.mjs";

const { McpServer } = package_named("@modelcontextprotocol/sdk/server/mcp.js");
const { StreamableHTTPServerTransport } = package_named("@modelcontextprotocol/sdk/server/streamableHttp.js");
const { mcpAuthRouter } = package_named("@modelcontextprotocol/sdk/server/auth/router.js");
const { requireBearerAuth } = package_named("@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js");
const { InvalidTokenError, InvalidGrantError } = package_named("@modelcontextprotocol/sdk/server/auth/errors.js");
const express = package_named("express");

// Says yes to everybody who comes by the browser, and keeps what it was asked.
class Authority {
  clients = new Map();
  codes = new Map();
  tokens = new Map();
  refresh = new Map();
  asked = [];
  lifetime = 3600;
  clientsStore = {
    getClient: (id) => this.clients.get(id),
    registerClient: (client) => {
      const registered = { ...client, client_id: `client-${this.clients.size}` };
      this.clients.set(registered.client_id, registered);
      return registered;
    },
  };
  async authorize(client, params, response) {
    const code = randomUUID();
    this.asked.push({ client: client.client_id, ...params, resource: params.resource?.href });
    this.codes.set(code, { client: client.client_id, ...params });
    const to = new URL(params.redirectUri);
    to.searchParams.set("code", code);
    if (params.state) to.searchParams.set("state", params.state);
    response.redirect(to.href);
  }
  async challengeForAuthorizationCode(client, code) {
    const known = this.codes.get(code);
    if (known?.client !== client.client_id) throw new InvalidGrantError("no such code");
    return known.codeChallenge;
  }
  give(client, scopes, resource) {
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    const expiresAt = Math.floor(Date.now() / 1000) + this.lifetime;
    this.tokens.set(access_token, { token: access_token, clientId: client.client_id, scopes, expiresAt, resource });
    this.refresh.set(refresh_token, { client: client.client_id, scopes, resource });
    return { access_token, refresh_token, token_type: "bearer", expires_in: this.lifetime, scope: scopes.join(" ") };
  }
  async exchangeAuthorizationCode(client, code, _verifier, redirectUri, resource) {
    const known = this.codes.get(code);
    this.codes.delete(code);
    if (!known || known.redirectUri !== redirectUri || known.resource?.href !== resource?.href) throw new InvalidGrantError("no");
    return this.give(client, known.scopes ?? [], resource);
  }
  async exchangeRefreshToken(client, token, _scopes, resource) {
    const known = this.refresh.get(token);
    this.refresh.delete(token); // counts once
    if (known?.client !== client.client_id || known.resource?.href !== resource?.href) throw new InvalidGrantError("no");
    return this.give(client, known.scopes, resource);
  }
  async verifyAccessToken(token) {
    const known = this.tokens.get(token);
    if (!known) throw new InvalidTokenError("unknown");
    return known;
  }
  async revokeToken(_client, { token }) {
    this.tokens.delete(token);
    this.refresh.delete(token);
  }
}

export const auth_server = async (t) => {
  const authority = new Authority(),
    used = [];
  const app = express();
  const server = createServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${server.address().port}`,
    url = `${origin}/mcp`;
  app.use(
    mcpAuthRouter({
      provider: authority,
      issuerUrl: new URL(origin),
      resourceServerUrl: new URL(url),
      scopesSupported: ["weather"],
      clientRegistrationOptions: { rateLimit: false },
      authorizationOptions: { rateLimit: false },
      tokenOptions: { rateLimit: false },
    }),
  );
  const guard = requireBearerAuth({
    verifier: authority,
    requiredScopes: ["weather"],
    resourceMetadataUrl: `${origin}/.well-known/oauth-protected-resource/mcp`,
  });
  app.post("/mcp", express.json(), guard, async (request, response) => {
    assert.equal(request.auth.resource.href, url, "tokens are for this server");
    used.push(request.auth.token);
    const mcp = new McpServer({ name: "weather", version: "1.0.0" });
    const tool = { description: "The weather at sea", inputSchema: {}, annotations: { readOnlyHint: true } };
    mcp.registerTool("forecast", tool, async () => ({ content: [{ type: "text", text: "Fair" }] }));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await mcp.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  return { url, origin, authority, used };
};
