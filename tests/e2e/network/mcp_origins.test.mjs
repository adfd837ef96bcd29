// Pages of other sites at /mcp: those of MCP_ORIGINS may call it and get its tokens, and nobody else; a refused client
// learns where the metadata is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, run } from "../support/box.mjs";

const APP = "https://app.example.org",
  INSPECTOR = "http://inspector.example.com:6274";
const PATHS = [
  ["/mcp", "POST"],
  ["/.well-known/oauth-protected-resource", "GET"],
  ["/.well-known/oauth-authorization-server", "GET"],
  ["/oauth/register", "POST"],
  ["/oauth/token", "POST"],
];

const preflight = (base, path, method, origin) =>
  fetch(base + path, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type,mcp-protocol-version,mcp-session-id",
    },
  });
const cors = (answer) => [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));
const ping = (base, headers) =>
  fetch(`${base}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
// As a browser sends it for a page of another site.
const from_page = (origin) => ({ origin, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" });

test("pages of the configured origins call /mcp with a key, others do not", async (t) => {
  const box = await Box.start(t, { MCP_ORIGINS: `${APP}:443,${INSPECTOR.toUpperCase()}` });
  const ada = await box.customer("ada@example.org");
  const { key } = (await ada.call("POST", "/api/keys", { name: "page" })).body;

  for (const [path, method] of PATHS)
    for (const origin of [APP, INSPECTOR]) {
      const answer = await preflight(box.web, path, method, origin);
      assert.equal(answer.status, 204, path);
      assert.equal(answer.headers.get("access-control-allow-origin"), origin, path);
      assert.ok(answer.headers.get("access-control-allow-methods").split(", ").includes(method), path);
      const sent = answer.headers.get("access-control-allow-headers").toLowerCase().split(", ");
      for (const header of ["authorization", "content-type", "mcp-protocol-version", "mcp-session-id"])
        assert.ok(sent.includes(header), header);
      assert.equal(answer.headers.get("access-control-allow-credentials"), null, "without cookies");
      assert.equal(answer.headers.get("vary"), "Origin");
    }

  const strangers = [
    "https://evil.example",
    "http://app.example.org",
    "https://app.example.org:8443",
    "https://app.example.org.evil.example",
    "null",
  ];
  for (const origin of strangers)
    for (const [path, method] of PATHS) {
      const answer = await preflight(box.web, path, method, origin);
      assert.deepEqual(cors(answer), [], `${origin} ${path}`);
      assert.equal(answer.headers.get("vary"), "Origin");
    }
  for (const path of ["/api/agents", "/oauth/authorize", "/oauth/consent", "/v1/models", "/"])
    assert.deepEqual(cors(await preflight(box.web, path, "POST", APP)), [], path);
  assert.deepEqual(cors(await preflight(box.backend, "/mcp", "POST", APP)), [], "the backend is for no page");

  const authorization = `Bearer ${key}`;
  const own = await ping(box.web, { ...from_page(APP), authorization });
  assert.equal(own.status, 200);
  assert.equal(own.headers.get("access-control-allow-origin"), APP);
  assert.match(own.headers.get("access-control-expose-headers"), /Mcp-Session-Id.*WWW-Authenticate/);
  const strange = await ping(box.web, { ...from_page("https://evil.example"), authorization });
  assert.equal(strange.status, 403);
  assert.deepEqual(cors(strange), []);

  // A session's cookie opens nothing, also for a page that is let in.
  const with_cookie = await ping(box.web, { ...from_page(APP), cookie: ada.cookie });
  assert.equal(with_cookie.status, 401);
  assert.equal(with_cookie.headers.get("access-control-allow-origin"), APP, "the page reads where to sign in");
  const forged = await fetch(`${box.web}/api/keys`, {
    method: "POST",
    headers: { ...from_page(APP), cookie: ada.cookie, "content-type": "application/json" },
    body: JSON.stringify({ name: "forged" }),
  });
  assert.equal(forged.status, 403);

  // It registers, and reads the answer of the token's address.
  const registered = await fetch(`${box.web}/oauth/register`, {
    method: "POST",
    headers: { ...from_page(APP), "content-type": "application/json" },
    body: JSON.stringify({ client_name: "A page", redirect_uris: [`${APP}/callback`] }),
  });
  assert.equal(registered.status, 201, await registered.clone().text());
  assert.equal(registered.headers.get("access-control-allow-origin"), APP);
  const token = await fetch(`${box.web}/oauth/token`, {
    method: "POST",
    headers: from_page(APP),
    body: new URLSearchParams({ grant_type: "authorization_code", code: "none", client_id: (await registered.json()).client_id }),
  });
  assert.equal(token.status, 400);
  assert.equal(token.headers.get("access-control-allow-origin"), APP);
});

test("without MCP_ORIGINS no page of another site calls /mcp", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const { key } = (await ada.call("POST", "/api/keys", { name: "page" })).body;
  for (const [path, method] of PATHS) {
    const answer = await preflight(box.web, path, method, APP);
    assert.deepEqual(cors(answer), [], path);
    assert.equal(answer.headers.get("vary"), null, path);
  }
  assert.equal((await ping(box.web, { ...from_page(APP), authorization: `Bearer ${key}` })).status, 403);
  assert.equal((await ping(box.web, { authorization: `Bearer ${key}` })).status, 200);
});

test("a refused client learns where the metadata of the resource is", async (t) => {
  const box = await Box.start(t, { BASE_URL: "https://box.example.org" });
  for (const headers of [{}, { authorization: "Bearer sk_nonsense" }]) {
    const refused = await ping(box.web, { host: "box.example.org", ...headers });
    assert.equal(refused.status, 401);
    assert.equal(
      refused.headers.get("www-authenticate"),
      'Bearer resource_metadata="https://box.example.org/.well-known/oauth-protected-resource"',
    );
  }
  const metadata = await (await fetch(`${box.web}/.well-known/oauth-protected-resource`)).json();
  assert.equal(metadata.resource, "https://box.example.org/mcp", "it is about what was asked (RFC 9728, 3.3)");
  assert.deepEqual(metadata.authorization_servers, ["https://box.example.org"]);
  // What is not /mcp, and the backend, where there is nothing to sign in at, name none.
  for (const url of [`${box.web}/v1/models`, `${box.backend}/v1/models`]) {
    const refused = await fetch(url);
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  }
  assert.equal((await ping(box.backend, {})).headers.get("www-authenticate"), "Bearer");
});

test("what is no origin is refused with the setting's name", async (t) => {
  const box = await Box.start(t);
  await box.end("SIGTERM");
  for (const bad of [
    "app.example.org",
    "ftp://app.example.org",
    "https://app.example.org/path",
    "https://*",
    "https://.example.org",
    "*",
    "https://app.example.org:0",
    "null",
  ]) {
    const { code, err } = await run(["serve", "--data", box.folder], { env: { MCP_ORIGINS: bad } });
    assert.notEqual(code, 0, bad);
    assert.match(err, /MCP_ORIGINS.* is not an origin, such as https:\/\/app\.example\.org/, bad);
  }
});
