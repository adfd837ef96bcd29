// Where the box sends browsers: to itself, and to the providers that its settings name. Every row of the web listener is
// asked for as somebody would who wants to have people sent elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";

const EVIL = "evil.example";
const targets = [
  `https://${EVIL}`,
  `//${EVIL}`,
  `/\\${EVIL}`,
  `https:${EVIL}`,
  `/%09/${EVIL}`,
  `@${EVIL}`,
  `.${EVIL}`,
  `javascript:alert(1)//${EVIL}`,
];
// What applications call the place to go on to, and what these routes read themselves.
const names = [
  "next",
  "redirect",
  "redirect_uri",
  "redirect_url",
  "return",
  "returnTo",
  "return_to",
  "url",
  "continue",
  "callbackUrl",
  "state",
  "iss",
  "code",
  "error",
];
const headers = [
  {},
  { host: EVIL },
  { "x-forwarded-host": EVIL },
  { forwarded: `host=${EVIL};proto=https` },
  { "x-original-url": `https://${EVIL}/` },
  { referer: `https://${EVIL}/` },
  { origin: `https://${EVIL}` },
];

// A provider that is asked for nothing but where its pages are.
const start_provider = async (t) => {
  const site = await serve_site(t, ({ url }) => {
    const { url: own } = site;
    if (url.pathname === "/.well-known/openid-configuration")
      return {
        json: {
          issuer: own,
          authorization_endpoint: `${own}/auth`,
          token_endpoint: `${own}/token`,
          userinfo_endpoint: `${own}/me`,
          jwks_uri: `${own}/keys`,
        },
      };
  });
  return site.url;
};

test("no route sends a browser where a stranger wants it", async (t) => {
  const provider = await start_provider(t);
  const box = await Box.start(t, {
    IDP_ISSUER: provider,
    IDP_CLIENT_ID: "box",
    IDP_CLIENT_SECRET: "s",
    CODEHOST_CLIENT_ID: "box",
    CODEHOST_CLIENT_SECRET: "s",
    CODEHOST_BASE_URL: provider,
    CODEHOST_API_URL: provider,
    BASE_URL: "https://box.example.org",
  });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const { paths } = (await send(box.web, "GET", "/api/openapi.json")).body;
  const redirecting = new Set();
  const judge = (what, path, { status, headers: { location } }) => {
    if (status < 300 || status > 399 || status === 304) return;
    redirecting.add(path);
    const to = new URL(location, "https://box.example.org");
    const back = to.searchParams.get("redirect_uri");
    if (to.origin === provider) assert.equal(new URL(back).origin, "https://box.example.org", what);
    else if (path.startsWith("/api/agents/{id}/")) assert.match(to.host, /^[a-z0-9-]+\.localhost(:\d+)?$/, what);
    else if (path === "/api/mcp-servers/callback") assert.match(location, /^\/\?signInFailed=[\w%.-]+$/, what);
    else assert.match(location, /^\/(dashboard|login\?error=[A-Za-z]+)$/, what);
    assert.ok(!location.replace(/[?&]state=[^&]*/, "").includes(EVIL), `${what}: ${location}`);
  };
  for (const pattern of Object.keys(paths).filter((path) => paths[path].get)) {
    const path = pattern.replace(/{\w+}/g, agent);
    const ask = async (target, more) => {
      const answer = await send(box.web, "GET", target, { headers: { cookie: ada.cookie, ...more }, head_only: true });
      judge(`${target} ${JSON.stringify(more)}`, pattern, answer);
    };
    for (const more of headers) await ask(path, more);
    for (const target of targets) {
      await ask(`${path}?${names.map((name) => `${name}=${encodeURIComponent(target)}`).join("&")}`, {});
      await ask(`${path}/${target.replace(/[\\%]/g, encodeURIComponent)}`, {});
    }
  }
  assert.deepEqual([...redirecting].sort(), [
    "/api/agents/{id}/open",
    "/api/auth/codehost",
    "/api/auth/codehost/callback",
    "/api/auth/idp",
    "/api/auth/idp/callback",
    "/api/mcp-servers/callback",
  ]);
});

test("an answer of one provider is nothing at the other's callback", async (t) => {
  const provider = await start_provider(t);
  const box = await Box.start(t, {
    IDP_ISSUER: provider,
    IDP_CLIENT_ID: "box",
    IDP_CLIENT_SECRET: "s",
    CODEHOST_CLIENT_ID: "box",
    CODEHOST_CLIENT_SECRET: "s",
    CODEHOST_BASE_URL: provider,
    CODEHOST_API_URL: provider,
  });
  const begin = async (name) => {
    const answer = await send(box.web, "GET", `/api/auth/${name}`);
    return { cookie: answer.headers["set-cookie"][0].split(";")[0], state: new URL(answer.headers.location).searchParams.get("state") };
  };
  const [idp, codehost] = [await begin("idp"), await begin("codehost")];
  const finish = (name, { state }, more = "") =>
    send(box.web, "GET", `/api/auth/${name}/callback?code=c&state=${state}${more}`, {
      headers: { cookie: `${idp.cookie}; ${codehost.cookie}` },
    });
  for (const answer of [await finish("idp", codehost), await finish("codehost", idp), await finish("idp", idp, `&iss=https://${EVIL}`)])
    assert.match(answer.headers.location, /^\/login\?error=(Idp|Codehost)AuthFailed$|AuthError$/);
});
