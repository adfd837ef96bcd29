// Every row of both route tables with every kind of credential: exactly what the row's guard says, before anything else
// of the request is looked at.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, BACKEND_GUARDS, Box, INTERNAL_KEY, KEY_GUARDS, OPTIONAL_KEY_GUARD, PASSWORD, send } from "../support/box.mjs";

const bearer = (token) => ({ authorization: `Bearer ${token}` });

// A session whose time is over.
const expired_session = async (box) => {
  const late = await box.customer("late@example.org");
  await box.end("SIGTERM");
  const [, token] = late.cookie.split("=");
  execFileSync(join(process.env.AGENTBOX_STORY_PACKAGES, "expire"), ["session", box.folder, token]);
  await box.serve();
  return late;
};

// The credentials by name, each as headers.
const credentials_of = async (box) => {
  const late = await expired_session(box);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org"),
    admin = box.person(),
    gone = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  await gone.log_in("ada@example.org", PASSWORD);
  await gone.call("POST", "/api/auth/signout");
  const support = await box.customer("support@example.org");
  await box.backend_call("PATCH", `/api/admin/users/${support.id}`, { isSupport: true });
  const banned = await box.customer("banned@example.org"),
    banned_key = (await banned.call("POST", "/api/keys", { name: "x" })).body.key;
  const agent = await box.running_agent(ada),
    boot = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  const { key, id } = (await ada.call("POST", "/api/keys", { name: "laptop" })).body;
  const dead = (await ada.call("POST", "/api/keys", { name: "deleted" })).body;
  await ada.call("DELETE", `/api/keys/${dead.id}`);
  await box.backend_call("PATCH", `/api/admin/users/${banned.id}`, { isDisabled: true });
  const token = ada.cookie.split("=")[1];
  return {
    nothing: {},
    "an empty bearer": { authorization: "Bearer " },
    "a garbage bearer": bearer("garbage"),
    "a garbage cookie": { cookie: "app-session=garbage" },
    "basic sign-in": { authorization: `Basic ${btoa(`${ADMIN.email}:${ADMIN.password}`)}` },
    "a session": { cookie: ada.cookie },
    "somebody else's session": { cookie: eve.cookie },
    "an admin's session": { cookie: admin.cookie },
    "a session of support": { cookie: support.cookie },
    "an ended session": { cookie: gone.cookie },
    "an expired session": { cookie: late.cookie },
    "a banned user's session": { cookie: banned.cookie },
    "a session as a bearer": bearer(token),
    "a session in a cookie of another name": { cookie: `App-Session=${token}; app-session2=${token}` },
    "a session's hash": { cookie: `app-session=${"0".repeat(64)}` },
    "a user's key": bearer(key),
    "a user's key as a cookie": { cookie: `app-session=${key}` },
    "a key's public part": bearer(`sk_${id}`),
    "a deleted key": bearer(dead.key),
    "a banned user's key": bearer(banned_key),
    "the internal key": bearer(INTERNAL_KEY),
    "the internal key as a cookie": { cookie: `app-session=${INTERNAL_KEY}` },
    "the internal key and more": bearer(`${INTERNAL_KEY}x`),
    "the internal key but its end": bearer(INTERNAL_KEY.slice(0, -1)),
    "the internal key with no scheme": { authorization: INTERNAL_KEY },
    "an agent's token": bearer(boot.box_token),
    "an agent's gateway token": bearer(boot.gateway_token),
    "headers that say who one is": {
      "x-user-email": ADMIN.email,
      "x-user-id": "1",
      "x-user-role": "admin",
      "x-forwarded-user": ADMIN.email,
      "x-api-key": INTERNAL_KEY,
    },
  };
};

const sessions = ["a session", "somebody else's session", "an admin's session", "a session of support"];
const wrong_keys = ["a key's public part", "a deleted key", "a banned user's key"];
// Of a row that anybody may ask.
const is_open = (guard) => guard === "none" || guard.endsWith(", if any");
const has_bearer = (headers) => /^Bearer ./.test(headers.authorization ?? "");
// The status of a refusal, or undefined when the guard lets the credential pass.
const refusal = {
  none: () => undefined,
  "session, if any": (name) => (wrong_keys.includes(name) ? 401 : undefined),
  ...Object.fromEntries(
    KEY_GUARDS.map((guard) => [guard, (name) => (sessions.includes(name) ? undefined : name === "a user's key" ? 403 : 401)]),
  ),
  [OPTIONAL_KEY_GUARD]: (name, headers) => (!has_bearer(headers) ? undefined : name === "a user's key" ? 403 : 401),
  session: (name) => (sessions.includes(name) ? undefined : 401),
  "session to enrol": (name) => (sessions.includes(name) ? undefined : 401),
  "admin session": (name) => (name === "an admin's session" ? undefined : sessions.includes(name) ? 403 : 401),
  "recent admin session": (name) => refusal["admin session"](name),
  "support session": (name) => (name === "a session of support" ? undefined : refusal["admin session"](name)),
  ...Object.fromEntries(
    BACKEND_GUARDS.map((guard) => [
      guard,
      (name, headers) => (name === "the internal key" ? undefined : has_bearer(headers) && !guard.endsWith("401") ? 403 : 401),
    ]),
  ),
  "API key": (name) => (name === "a user's key" ? undefined : 401),
  "API key, with or without sk_": (name) => (name === "a user's key" ? undefined : 401),
  "agent token": (name) => (name === "an agent's token" ? undefined : 401),
  "agent token or API key": (name) => (["an agent's token", "a user's key"].includes(name) ? undefined : 401),
};

// A 401 as the row's clients read it: those of Anthropic for messages, those of Google for /v1beta, those of OpenAI for the rest
// of the model API, those of JSON-RPC under /a2a, those of SCIM under /scim.
const unauthorized = (path) =>
  /^(\/v1)+\/messages/.test(path)
    ? { type: "error", error: { type: "authentication_error", message: "Unauthorized" } }
    : path.startsWith("/v1beta/")
      ? { error: { code: 401, message: "Unauthorized", status: "UNAUTHENTICATED" } }
      : /^\/(v1|chat|responses|embeddings|models|audio|images)(\/|$)/.test(path)
        ? { error: { message: "Unauthorized", type: "authentication_error", code: "invalid_api_key", param: null } }
        : path.startsWith("/a2a")
          ? { jsonrpc: "2.0", id: null, error: { code: -32000, message: "Unauthorized" } }
          : path.startsWith("/scim")
            ? { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "401", detail: "Unauthorized" }
            : { error: "Unauthorized" };

const rows_of = async (box) => {
  const rows = [];
  for (const listener of ["web", "backend"])
    for (const [path, methods] of Object.entries((await send(box[listener], "GET", "/api/openapi.json")).body.paths))
      for (const [method, operation] of Object.entries(methods))
        rows.push({ listener, method: method.toUpperCase(), path, guard: operation["x-guard"], rate: operation["x-rate-limit"] });
  // Signing out last: it ends the sessions that the others need.
  return rows.sort((a, b) => a.path.endsWith("signout") - b.path.endsWith("signout"));
};

// Who adds a row that asks nobody who they are adds it here, too.
const open_doors = [
  "web GET /",
  "web GET /login",
  "web GET /dashboard",
  "web GET /settings",
  "web GET /settings/{page}",
  "web GET /worker.js",
  "web GET /usage",
  "web GET /usage/{tab}",
  "web GET /.well-known/oauth-protected-resource",
  "web GET /.well-known/oauth-authorization-server",
  "web GET /oauth/authorize",
  "web POST /oauth/register",
  "web POST /oauth/token", // by the code or refresh token
  "web GET /asks",
  "web GET /ask",
  "web GET /feeds",
  "web GET /feeds/{id}",
  "web GET /fleet",
  "web GET /fleet/{tab}",
  "web GET /fleet/{tab}/{id}",
  "web GET /media",
  "web GET /media/{tab}",
  "web GET /images",
  "web GET /skills",
  "web GET /skills/{id}",
  "web GET /wallet",
  "web GET /wallet/{tab}",
  "web GET /chats",
  "web GET /schedules",
  "web GET /credentials",
  "web GET /shared",
  "web GET /shared/{id}",
  "web GET /shared/{id}/{page}",
  "web GET /templates",
  "web GET /admin",
  "web GET /agents/{id}",
  "web GET /agents/{id}/{page}",
  "web GET /admin/{page}",
  "web GET /health",
  "web GET /healthz",
  "web GET /readyz",
  "web GET /api/health",
  "web GET /.well-known/security.txt",
  "web GET /ca.crt",
  "web GET /status",
  "web GET /api/status",
  "web GET /playground",
  "web GET /api/auth/session",
  "web POST /api/register",
  "web POST /api/auth/login",
  "web POST /api/auth/signout",
  "web POST /api/auth/second-factor",
  "web GET /api/auth/nonce",
  "web POST /api/auth/nonce",
  "web POST /api/wallet-auth",
  "web GET /api/auth/idp",
  "web GET /api/auth/idp/callback",
  "web GET /api/auth/codehost",
  "web GET /api/auth/codehost/callback",
  "web GET /api/auth/social-id/verify",
  "web POST /api/auth/social-id/verify",
  "web GET /api/auth/social-id/refresh",
  "web POST /api/auth/social-id/refresh",
  "web GET /api/auth/token-gating/verify",
  "web POST /api/auth/token-gating/verify",
  "web POST /api/auth/forgot-password",
  "web POST /api/auth/reset-password",
  "web POST /api/keys/validate",
  "web GET /api/security/risc",
  "web POST /api/security/risc",
  "web POST /api/auth/idp/risc",
  "web GET /api/registration",
  "web GET /api/auth/methods",
  "web POST /api/invite/validate",
  "backend POST /api/invite/validate",
  "web POST /api/webhooks/email",
  "web GET /api/channel-events/{channel}", // answered by a token that the owner has entered at the provider
  "web POST /api/channel-events/{channel}", // signed as the channel's provider signs
  "web GET /api/agents",
  "web GET /api/agents/clone",
  "web GET /api/demo/chat",
  "web POST /api/demo/chat",
  "web POST /api/v1/gateway",
  "web GET /x402/supported",
  "web GET /api/wallet",
  "web GET /api/wallet/address",
  "web GET /api/wallet/cdp",
  "web GET /api/stripe/prices",
  "web POST /api/webhooks/stripe",
  "backend GET /health",
  "backend GET /healthz",
  "backend GET /readyz",
  "backend GET /api/health",
  "backend GET /api/runtime/version",
  "backend POST /api/heartbeat",
  "web GET /api/radio/live",
  "web POST /api/ask-links/show", // the token of a mailed link
  "web POST /api/ask-links/answer", // the same
  "web POST /api/radio/streams",
  "web POST /api/radio/streams/{streamId}/rotate-key",
  "web DELETE /api/radio/streams/{streamId}",
  "web POST /api/webhooks/stream",
  "web GET /live/{playbackId}",
  "web GET /live/{playbackId}/{file}",
  "web GET /videos/{file}",
  "backend POST /api/stream-callbacks/{secret}/{event}",
  "backend POST /api/underground/bus/send", // the message is signed
  ...["web", "backend"].flatMap((listener) => [
    `${listener} GET /a2a/jwks.json`,
    `${listener} GET /a2a/{agentId}/.well-known/agent-card.json`,
    `${listener} GET /a2a/{agentId}/.well-known/agent.json`,
  ]),
  "web GET /.well-known/agent-card.json",
  "web GET /.well-known/agent.json",
];

test("every route has its intended guard", async (t) => {
  const rows = await rows_of(await Box.start(t));
  const open = rows.filter(({ guard, path }) => is_open(guard) && !path.startsWith("/assets/"));
  assert.deepEqual(open.map(({ listener, method, path }) => `${listener} ${method} ${path}`).sort(), open_doors.toSorted());
});

// Rows whose answers hold what opens something, by the guard that this takes. Whoever adds one adds it here, with no
// weaker guard than that of the row that shows the same. API keys with scopes get no credentials, and operator keys
// with read-only none either.
const credentials_in_answers = {
  "web POST /api/keys": "session",
  "web GET /api/agents/{id}/token": "session",
  "web POST /api/agents/{id}/rotate-token": "session",
  "web POST /api/provision": "session", // a stream's key
  "web GET /api/streams": "session",
  "web POST /api/streams/{streamId}/rotate-key": "session",
  "web POST /api/underground/keys": "session",
  "web POST /api/agents/{id}/channels/{channel}/invitations": "session",
  "web POST /api/settings/second-factor/begin": "session to enrol",
  "web POST /api/settings/second-factor/confirm": "session to enrol",
  "web POST /api/settings/second-factor/recovery-codes": "session to enrol",
  "web POST /api/settings/second-factor/passkeys": "session to enrol",
  "web POST /api/admin/invites": "recent admin session",
  "web POST /api/admin/operator-keys": "recent admin session",
  "web POST /api/invite/generate": "internal key",
  "web POST /api/auth/social-id/refresh": "none", // the body's refresh token
  "web POST /oauth/token": "none", // the body's code, with its verifier, or refresh token
  "web GET /api/radio/live": "none", // the key is empty: it is its owner's secret
  "web POST /api/radio/streams": "none", // signed by the wallet
  "web POST /api/radio/streams/{streamId}/rotate-key": "none", // signed by the wallet
  "backend POST /api/admin/invites": "internal key",
  "backend POST /api/admin/operator-keys": "internal key",
  "backend POST /api/invite/generate": "internal key",
  "backend GET /api/agents/{id}/token": "scope agents not read-only",
  "backend POST /api/agents/{id}/rotate-token": "scope agents not read-only",
  "backend POST /api/provision": "scope agents not read-only",
  "backend POST /api/underground/keys": "scope agents not read-only",
};
// Fields that are called like a credential and are none: codes that users hand on, codes of errors, names of tokens that
// are money, and what a caller has sent.
const harmless_fields = [
  /referralCode$/,
  /(token-gating|social-id)\/verify token$/,
  /\/transfers?\b.* token$/,
  /agent-payments token$/,
  /invite\/validate inviteCode$/,
  /\/test code$/,
];

// The names of all text fields of a schema, and of lists of texts.
const text_fields = (document, schema, seen = new Set()) => {
  if (!schema || seen.has(schema)) return [];
  seen.add(schema);
  if (schema.$ref) {
    const target = schema.$ref
      .split("/")
      .slice(1)
      .reduce((part, name) => part[name], document);
    return text_fields(document, target, seen);
  }
  const is_text = (one) => [one?.type].flat().includes("string");
  const named = Object.entries(schema.properties ?? {});
  return [
    ...named.filter(([, one]) => is_text(one) || is_text(one.items)).map(([name]) => name),
    ...[...named.map(([, one]) => one), schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(
      (one) => text_fields(document, one, seen),
    ),
  ];
};

test("an answer that holds a credential takes the guard of the row that shows it", async (t) => {
  const box = await Box.start(t);
  const found = {};
  for (const listener of ["web", "backend"]) {
    const { body: document } = await send(box[listener], "GET", "/api/openapi.json");
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const row = `${listener} ${method.toUpperCase()} ${path}`;
        const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
        const fields = answers.flatMap(([, answer]) => text_fields(document, Object.values(answer.content ?? {})[0]?.schema));
        const secret = fields.filter(
          (name) =>
            (/(token|secret|code|codes)$/i.test(name) || /^(stream)?key$/i.test(name)) &&
            !harmless_fields.some((harmless) => harmless.test(`${row} ${name}`)),
        );
        if (secret.length > 0) found[row] = operation["x-guard"];
      }
  }
  assert.deepEqual(
    Object.entries(found).sort(([a], [b]) => a.localeCompare(b)),
    Object.entries(credentials_in_answers).sort(([a], [b]) => a.localeCompare(b)),
  );
});

test("every route lets in whom its guard names, and nobody else", async (t) => {
  const box = await Box.start(t),
    credentials = await credentials_of(box),
    rows = await rows_of(box);
  assert.deepEqual([...new Set(rows.map((row) => row.guard))].sort(), Object.keys(refusal).sort());
  for (const { listener, method, path, guard } of rows)
    await t.test(`${method} ${path} (${listener}): ${guard}`, async () => {
      for (const [name, headers] of Object.entries(credentials)) {
        const answer = await send(box[listener], method, path.replace(/{\w+}/g, "x"), { headers });
        const expected = refusal[guard](name, headers);
        if (expected) {
          assert.equal(answer.status, expected, `${name}: ${answer.text}`);
          const [, scope] = /^session or key with ([a-z:]+)/.exec(guard) ?? [];
          const forbidden = scope
            ? { error: `This key lacks the scope ${scope}`, code: "SCOPE_REQUIRED", scope }
            : guard.endsWith("admin session")
              ? { error: "Administrators only", code: "ADMIN_REQUIRED" }
              : guard === "support session"
                ? { error: "Administrators and support only", code: "SUPPORT_REQUIRED" }
                : { error: "Forbidden" };
          assert.deepEqual(answer.body, expected === 401 ? unauthorized(path) : forbidden, name);
          if (!guard.includes("session") && expected === 401)
            assert.match(
              answer.headers["www-authenticate"],
              /^Bearer( resource_metadata="http[^"]+\/\.well-known\/oauth-protected-resource")?$/,
            );
          // Who is refused learns nothing of what the route takes, and costs nothing.
          const broken = await send(box[listener], method, path.replace(/{\w+}/g, "%00"), {
            headers: { ...headers, "content-type": "text/plain" },
            body: "{",
          });
          assert.ok([expected, 400].includes(broken.status), `${name}: ${broken.text}`);
          assert.doesNotMatch(broken.text, /Content-Type|Body/);
        } else if (path === "/api/keys/validate" && has_bearer(headers)) {
          assert.equal(answer.status, name === "a user's key" ? 200 : 401, name); // the bearer is what is asked about
        } else if (path === "/api/auth/second-factor") {
          assert.equal(answer.status, 401, name); // nobody here has begun to sign in
        } else if (path === "/api/webhooks/email") {
          assert.equal(answer.status, 401, name); // its signature says who sends
        } else if (path === "/api/webhooks/stream") {
          assert.equal(answer.status, 401, name); // none of them is a signature
        } else if (path === "/api/radio/live") {
          assert.match(answer.body.error, /not configured/, name); // 500, as the contract has it
        } else if (path === "/api/wallet" && method === "GET") {
          assert.equal(answer.status, sessions.includes(name) ? 200 : 401, name); // everybody sees the project at Coinbase, where there is one
        } else if (answer.status === 503) {
          assert.match(answer.body.error, /^(Payments are not configured|No chain is configured)/, name); // the guard has let it pass
        } else if (path === "/api/register") {
          assert.equal(answer.status, 400, name);
        } else if (path.startsWith("/api/browse/git-") && answer.status === 500) {
          assert.deepEqual(answer.body, { error: "This folder is not a git repository", code: "NO_REPOSITORY" }, name); // as the contract has it
        } else {
          assert.ok(answer.status < 500 && ![401, 403].includes(answer.status), `${name}: ${answer.status} ${answer.text}`);
        }
      }
    });
});

test("no spelling of a guarded path gets past its guard", async (t) => {
  const box = await Box.start(t),
    rows = (await rows_of(box)).filter((row) => !is_open(row.guard));
  assert.ok(rows.length > 25);
  for (const { listener, method, path, guard } of rows) {
    const plain = path.replace(/{\w+}/g, "1"),
      [, first, rest] = plain.match(/^(\/[^/]+)(.*)$/);
    const spellings = [
      `${plain}/`,
      `${plain}//`,
      `/${plain}`,
      `${first}/${rest}`,
      `${first}/.${rest}`,
      `${first}/x/..${rest}`,
      `/x/..${plain}`,
      `${first}%2f${rest.slice(1)}`,
      `${plain}%2f`,
      `${plain}%00`,
      `${plain}%20`,
      `${plain};x=1`,
      `${plain};.css`,
      `${plain}.json`,
      `${plain}?`,
      `${plain}%3f`,
      `${plain}#x`,
      plain.toUpperCase(),
      plain.replace(/[a-z]/g, (c) => `%${c.charCodeAt(0).toString(16)}`),
      `http://127.0.0.1${plain}`,
      `http://evil.example${plain}`,
      `${plain}\\`,
      `\\${plain}`,
      `${plain}?token=${INTERNAL_KEY}`,
    ];
    for (const spelling of spellings) {
      const answer = await send(box[listener], method, spelling).catch((failure) => ({ status: 400, text: String(failure) }));
      assert.ok(
        [400, 401, 403, 404, 405, 421].includes(answer.status),
        `${method} ${spelling} (${listener}, ${guard}): ${answer.status} ${answer.text}`,
      );
    }
  }
});

test("no method but the table's does anything", async (t) => {
  const box = await Box.start(t),
    by_path = {};
  for (const { listener, path, method } of await rows_of(box)) (by_path[`${listener} ${path}`] ??= []).push(method);
  for (const [place, known] of Object.entries(by_path)) {
    const [listener, path] = place.split(" "),
      target = path.replace(/{\w+}/g, "1");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => !known.includes(method))) {
      const answer = await send(box[listener], method, target, { headers: bearer(INTERNAL_KEY) });
      assert.equal(answer.status, 405, `${method} ${target}`);
      for (const allowed of known) assert.ok(answer.headers.allow.includes(allowed), `${method} ${target}: ${answer.headers.allow}`);
    }
    if (known.includes("GET")) {
      const [head, get] = await Promise.all(["HEAD", "GET"].map((method) => send(box[listener], method, target)));
      assert.deepEqual([head.status, head.text], [get.status, ""], `HEAD ${target}`);
    }
  }
});

test("two Authorization fields are one too many, whichever comes first", async (t) => {
  const box = await Box.start(t);
  for (const authorization of [
    [`Bearer ${INTERNAL_KEY}`, "Bearer garbage"],
    ["Bearer garbage", `Bearer ${INTERNAL_KEY}`],
  ]) {
    const answer = await send(box.backend, "GET", "/api/agents", { headers: { authorization } });
    assert.ok([400, 401, 403].includes(answer.status), `${answer.status}`);
  }
  assert.equal(
    (await send(box.backend, "GET", "/api/agents", { headers: { authorization: `bearer ${INTERNAL_KEY}` } })).status,
    200,
    "the scheme's name has no case",
  );
});

test("a backend without its key answers everything with 500 except its health", async (t) => {
  const box = await Box.start(t, { INTERNAL_API_KEY: "" });
  for (const headers of [{}, bearer(""), bearer("garbage"), bearer(INTERNAL_KEY)])
    assert.deepEqual((await send(box.backend, "GET", "/api/agents", { headers })).body, { error: "Server misconfigured" });
  assert.equal((await send(box.backend, "GET", "/health")).status, 200);
});
