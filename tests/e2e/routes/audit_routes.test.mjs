// Every route that changes something, and whether security hangs on it. Who adds a route decides that here or in
// unaudited.mjs: one that is in neither list fails, and each that is here is used, and seen in the record.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { add_passkey } from "../support/authenticator.mjs";
import { ADMIN, Box, PASSWORD, send, until } from "../support/box.mjs";
import { people_noted } from "../support/people_acts.mjs";
import { code_of } from "../support/totp.mjs";
import { new_wallet, sign_in } from "../support/wallet.mjs";
import {
  factor,
  add_bus_key,
  add_credential,
  with_key,
  call_tool,
  let_in,
  sign_out,
  payer_of,
  decide,
  decide_referral,
} from "./audited_acts.mjs";
import { on_both, on_web, unnoted } from "./unaudited.mjs";

const NEW_PASSWORD = "another customer's long password";

// How the record's line begins for each, and what has it written; an attempt that fails counts like one that does not.
const noted = {
  ...people_noted,
  "web POST /api/register": [
    "registered",
    ({ stranger }) => stranger.call("POST", "/api/register", { email: "new@example.org", password: PASSWORD }),
  ],
  "web POST /api/auth/login": ["sign-in by password", ({ stranger }) => stranger.log_in("new@example.org", "a wrong password")],
  "web POST /api/wallet-auth": ["sign-in by wallet", ({ box, wallet, owner }) => sign_in(owner, box, wallet)],
  // The wallet alone, which is asked for more, has another outcome.
  "web POST /api/auth/second-factor": [
    "sign-in by wallet: ok",
    async ({ box, wallet, recoveryCodes }) => {
      const halfway = box.person(),
        asked = await sign_in(halfway, box, wallet);
      [halfway.cookie] = asked.headers.getSetCookie()[0].split(";");
      await halfway.call("POST", "/api/auth/second-factor", { code: recoveryCodes[0] });
    },
  ],
  "web POST /api/auth/signout": ["signed out", ({ owner }) => owner.call("POST", "/api/auth/signout")],
  "web POST /api/auth/forgot-password": [
    "password forgotten",
    ({ stranger }) => stranger.call("POST", "/api/auth/forgot-password", { email: "x@example.org" }),
  ],
  "web POST /api/auth/reset-password": [
    "password reset",
    ({ stranger }) => stranger.call("POST", "/api/auth/reset-password", { token: "guessed", password: PASSWORD }),
  ],
  "web POST /api/auth/verify-email": ["email verified", ({ ada }) => ada.call("POST", "/api/auth/verify-email", { token: "guessed" })],
  "web POST /api/auth/social-id/verify": [
    "sign-in by social identity",
    ({ stranger }) => stranger.call("POST", "/api/auth/social-id/verify", { idToken: "a.b.c" }),
  ],
  "web POST /api/security/risc": ["security event refused", ({ box }) => send(box.web, "POST", "/api/security/risc", { body: "a.b.c" })],
  "web POST /api/auth/idp/risc": ["security event refused", ({ box }) => send(box.web, "POST", "/api/auth/idp/risc", { body: "a.b.c" })],

  "web POST /api/settings": [
    "email changed",
    ({ ada }) => ada.call("POST", "/api/settings", { email: "ada2@example.org", currentPassword: PASSWORD }),
  ],
  "web PATCH /api/settings": [
    "email changed",
    ({ ada }) => ada.call("PATCH", "/api/settings", { email: "ada@example.org", currentPassword: PASSWORD }),
  ],
  "web DELETE /api/settings/account": [
    "account deleted",
    async ({ box }) => {
      const leaving = await box.customer("leaving@example.org");
      return leaving.call("DELETE", "/api/settings/account", { currentPassword: PASSWORD });
    },
  ],
  "web POST /api/settings/password": [
    "password changed",
    ({ bob }) => bob.call("POST", "/api/settings/password", { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
  ],
  "web DELETE /api/auth/sessions": ["other sessions ended", ({ ada }) => ada.call("DELETE", "/api/auth/sessions")],
  "web DELETE /api/auth/sessions/{id}": [
    "session ended",
    async ({ box, ada }) => {
      await box.person().log_in("ada@example.org", PASSWORD);
      const { sessions } = (await ada.call("GET", "/api/auth/sessions")).body;
      await ada.call("DELETE", `/api/auth/sessions/${sessions.find(({ current }) => !current).id}`);
    },
  ],

  [`web POST ${factor}/begin`]: [
    "second factor begun",
    ({ ada }) => ada.call("POST", `${factor}/begin`, { currentPassword: "a wrong password" }),
  ],
  [`web POST ${factor}/confirm`]: ["second factor set up", ({ ada }) => ada.call("POST", `${factor}/confirm`, { code: "000000" })],
  [`web DELETE ${factor}/app`]: ["second factor removed", ({ erin }) => erin.call("DELETE", `${factor}/app`, { code: "wrong" })],
  [`web POST ${factor}/recovery-codes`]: [
    "recovery codes renewed",
    ({ carol }) => carol.call("POST", `${factor}/recovery-codes`, { code: "wrong" }),
  ],
  [`web POST ${factor}/disable`]: ["second factor removed", ({ carol }) => carol.call("POST", `${factor}/disable`, { code: "wrong" })],
  [`web POST ${factor}/passkeys/begin`]: [
    "second factor begun",
    ({ ada }) => ada.call("POST", `${factor}/passkeys/begin`, { currentPassword: "a wrong password" }),
  ],
  [`web POST ${factor}/passkeys`]: ["second factor set up", ({ box, dave }) => add_passkey(box, dave, PASSWORD)],
  [`web DELETE ${factor}/passkeys/{id}`]: [
    "second factor removed",
    async ({ carol }) => {
      const [{ id }] = (await carol.call("GET", `${factor}/passkeys`)).body.passkeys;
      await carol.call("DELETE", `${factor}/passkeys/${id}`, { code: "wrong" });
    },
  ],

  "web DELETE /api/settings/identities/{id}": [
    "identity disconnected: This is the only way to sign in",
    async ({ box }) => {
      const guest = box.person();
      await sign_in(guest, box, new_wallet());
      const [{ id }] = (await guest.call("GET", "/api/settings/identities")).body.identities;
      await guest.call("DELETE", `/api/settings/identities/${id}`, {});
    },
  ],

  "web POST /api/notifications/devices": [
    "push device added: ok",
    async (world) => {
      const keys = {
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg",
      };
      world.device = await world.ada.call("POST", "/api/notifications/devices", { endpoint: "https://push.example.org/a", keys });
    },
  ],
  "web DELETE /api/notifications/devices/{id}": [
    "push device removed: ok",
    ({ ada, device }) => ada.call("DELETE", `/api/notifications/devices/${device.body.id}`),
  ],

  "web POST /api/auth/step-up": [
    "identity confirmed: currentPassword is wrong",
    ({ ada }) => ada.call("POST", "/api/auth/step-up", { currentPassword: "a wrong password" }),
  ],

  "web POST /api/keys": ["API key made", ({ ada }) => ada.call("POST", "/api/keys", { name: "laptop" })],
  "web DELETE /api/keys/{id}": [
    "API key deleted",
    async ({ ada }) => ada.call("DELETE", `/api/keys/${(await ada.call("GET", "/api/keys")).body.keys[0].id}`),
  ],
  "web POST /api/credentials": ["credential added: ok", (world) => add_credential(world)],
  "web PUT /api/credentials/{id}": [
    "credential changed: ok",
    ({ ada, credential }) =>
      ada.call("PUT", `/api/credentials/${credential}`, { name: "FORGE", hosts: ["forge.example.org"], form: "bearer" }),
  ],
  "web DELETE /api/credentials/{id}": [
    "credential removed: ok",
    ({ ada, credential }) => ada.call("DELETE", `/api/credentials/${credential}`),
  ],
  "web PUT /api/provider-keys/{provider}": [
    "provider key kept",
    ({ ada }) => ada.call("PUT", "/api/provider-keys/openai", { key: "sk-0000004711" }),
  ],
  "web POST /api/billing": ["provider keys set aside", ({ ada }) => ada.call("POST", "/api/billing", { action: "disable-byok" })],
  "web DELETE /api/provider-keys/{provider}": ["provider key removed", ({ ada }) => ada.call("DELETE", "/api/provider-keys/openai")],

  "web PUT /api/credits": ["credits pay for calls: ok", ({ ada }) => ada.call("PUT", "/api/credits", { payForCalls: true })],
  "backend POST /api/admin/credits": [
    "credits adjusted by 1.00 USD: ok",
    ({ box, ada }) => box.backend_call("POST", "/api/admin/credits", { userId: ada.id, usd: "1", reason: "why" }),
  ],
  ...Object.fromEntries(
    ["approve", "deny"].flatMap((act) =>
      ["web", "backend"].map((listener) => [
        `${listener} POST /api/admin/plan-requests/{user}/${act}`,
        [`plan network ${act === "deny" ? "denied" : "approved"}: ok`, (world) => decide(world, listener, act)],
      ]),
    ),
  ),
  ...Object.fromEntries(
    ["approve", "refuse"].flatMap((act) =>
      ["web", "backend"].map((listener) => [
        `${listener} POST /api/admin/referrals/{user}/${act}`,
        [`referral ${act === "refuse" ? "refused" : "approved"} by admin: ok`, (world) => decide_referral(world, listener, act)],
      ]),
    ),
  ),
  "backend POST /api/subscriptions/deploy": [
    "plan solo deployed",
    ({ box, ada }) => box.backend_call("POST", "/api/subscriptions/deploy", { userId: ada.id, plan: "solo" }),
  ],
  "web POST /api/agents/{id}/rotate-token": [
    "gateway token replaced: ok",
    ({ bob, agent }) => bob.call("POST", `/api/agents/${agent}/rotate-token`),
  ],
  "backend POST /api/agents/{id}/rotate-token": [
    "gateway token replaced: ok",
    ({ box, agent }) => box.backend_call("POST", `/api/agents/${agent}/rotate-token`),
  ],
  "web POST /api/underground/keys": ["bus key added: ok", (world) => add_bus_key(world.bob.call.bind(world.bob), world)],
  "web DELETE /api/underground/keys": [
    "bus key revoked: ok",
    ({ bob, agent, bus_key }) => bob.call("DELETE", "/api/underground/keys", { agentId: agent, keyId: bus_key }),
  ],
  "backend POST /api/underground/keys": [
    "bus key added: ok",
    (world) => add_bus_key(async (...call) => ({ body: await world.box.backend_call(...call) }), world),
  ],
  "backend DELETE /api/underground/keys": [
    "bus key revoked: ok",
    ({ box, agent, bus_key }) => box.backend_call("DELETE", "/api/underground/keys", { agentId: agent, keyId: bus_key }),
  ],
  "backend POST /api/admin/users": [
    "created by admin: ok",
    ({ box }) => box.backend_call("POST", "/api/admin/users", { email: `frank-${randomUUID()}@example.org` }),
  ],
  "backend PATCH /api/admin/users/{user}": [
    "changed by admin: ",
    ({ box, bob }) => box.backend_call("PATCH", `/api/admin/users/${bob.id}`, { isAdmin: true }),
  ],
  "backend DELETE /api/admin/users/{user}": [
    "account deleted",
    async ({ box }) => {
      const dismissed = await box.customer("dismissed@example.org");
      return box.backend_call("DELETE", `/api/admin/users/${dismissed.id}`);
    },
  ],
  "backend DELETE /api/admin/users/{user}/sessions": [
    "signed out by admin",
    ({ box, bob }) => box.backend_call("DELETE", `/api/admin/users/${bob.id}/sessions`),
  ],
  "backend DELETE /api/admin/users/{user}/failed-sign-ins": [
    "unlocked by admin",
    ({ box, bob }) => box.backend_call("DELETE", `/api/admin/users/${bob.id}/failed-sign-ins`),
  ],
  "backend DELETE /api/admin/users/{user}/second-factor": [
    "second factor removed by admin",
    ({ box, carol }) => box.backend_call("DELETE", `/api/admin/users/${carol.id}/second-factor`),
  ],
  "backend DELETE /api/admin/users/{user}/sessions/{id}": [
    "session ended by admin: ok",
    async ({ box, bob }) => {
      const person = box.person();
      for (const password of [NEW_PASSWORD, PASSWORD]) await person.log_in("bob@example.org", password);
      const { sessions } = await box.backend_call("GET", `/api/admin/users/${bob.id}/sessions`);
      await box.backend_call("DELETE", `/api/admin/users/${bob.id}/sessions/${sessions[0].id}`);
    },
  ],
  ...Object.fromEntries(
    [
      ["POST", "/stop", "stopped"],
      ["POST", "/start", "started"],
      ["POST", "/restart", "restarted"],
      ["DELETE", "", "deleted"],
    ].map(([method, step, past]) => [
      `backend ${method} /api/admin/agents/{id}${step}`,
      [
        `agent ${past} by admin: ok`,
        async ({ box }) => {
          const { id } = await box.backend_call("POST", "/api/agents", { name: "House" });
          await box.backend_call(method, `/api/admin/agents/${id}${step}`);
        },
      ],
    ]),
  ),
  "backend PUT /api/admin/settings": [
    "setting changed by admin: ok",
    ({ box }) => box.backend_call("PUT", "/api/admin/settings", { name: "SESSION_IDLE", value: "2h" }),
  ],
  "backend PUT /api/admin/caps": [
    "cap set by admin: ok",
    ({ box }) => box.backend_call("PUT", "/api/admin/caps", { scope: "plan", target: "label", period: "day", tokens: 1000 }),
  ],
  "backend DELETE /api/admin/caps/{id}": [
    "cap removed by admin: ok",
    async ({ box }) => {
      const { id } = await box.backend_call("PUT", "/api/admin/caps", { scope: "plan", target: "label", period: "day", tokens: 1000 });
      await box.backend_call("DELETE", `/api/admin/caps/${id}`);
    },
  ],
  ...Object.fromEntries(
    ["credit", "debit"].map((act) => [
      `backend POST /api/admin/ledger/${act}`,
      [
        `USDC ${act}ed by admin: ok`,
        ({ box, ada }) =>
          box.backend_call("POST", `/api/admin/ledger/${act}`, { userId: ada.id, amount: "1", reference: `${act}-${randomUUID()}` }),
      ],
    ]),
  ),
  "backend POST /api/admin/models/reload": [
    "model catalogue reloaded by admin: ok",
    ({ box }) => box.backend_call("POST", "/api/admin/models/reload"),
  ],
  "backend PUT /api/admin/models/providers": [
    "model provider set by admin: ok",
    ({ box }) => box.backend_call("PUT", "/api/admin/models/providers", { provider: "openai", key: "sk-0000004711" }),
  ],
  "backend DELETE /api/admin/models/providers/{name}": [
    "model provider removed by admin: ok",
    async ({ box }) => {
      await box.backend_call("PUT", "/api/admin/models/providers", { provider: "openai", key: "sk-0000004711" });
      await box.backend_call("DELETE", "/api/admin/models/providers/openai");
    },
  ],
  "backend PUT /api/admin/git-hosts": [
    "git host set by admin",
    ({ box }) => box.backend_call("PUT", "/api/admin/git-hosts", { url: "https://box@git.example.org", secret: "s" }),
  ],
  "backend DELETE /api/admin/git-hosts": [
    "git host forgotten by admin",
    ({ box }) => box.backend_call("DELETE", "/api/admin/git-hosts?url=https://git.example.org:443"),
  ],
  "backend PUT /api/admin/channel-kinds/{kind}": [
    "kind of channel switched off: ok",
    ({ box }) => box.backend_call("PUT", "/api/admin/channel-kinds/telegram", { enabled: false }),
  ],
  "web POST /api/asks/{id}/answer": [
    "question answered: refused: ok",
    async (world) => {
      const { payer, ask } = await payer_of(world, "payer");
      await payer.call("POST", `/api/asks/${ask}/answer`, { decision: "refuse" });
    },
  ],
  "web PUT /api/agents/{id}/gate": [
    "rules of an agent changed: ok",
    async (world) => {
      const { payer, agent } = await payer_of(world, "ruler");
      await payer.call("PUT", `/api/agents/${agent}/gate`, { rules: [] });
    },
  ],
  "web DELETE /api/agents/{id}/gate/marks": [
    "texts of an agent vouched for: ok",
    async (world) => {
      const { payer, agent } = await payer_of(world, "voucher");
      await payer.call("DELETE", `/api/agents/${agent}/gate/marks`);
    },
  ],
  "backend PUT /api/admin/plans/{plan}/gate": [
    "rules of a plan changed: ok",
    ({ box }) => box.backend_call("PUT", "/api/admin/plans/label/gate", { rules: [] }),
  ],
  "backend PUT /api/admin/plans/{plan}/terminals": [
    "terminals of a plan changed: ok",
    ({ box }) => box.backend_call("PUT", "/api/admin/plans/label/terminals", { included: true }),
  ],
  "backend PUT /api/admin/plans/{plan}/egress": [
    "egress of a plan bounded",
    ({ box }) => box.backend_call("PUT", "/api/admin/plans/network/egress", { egress: "web" }),
  ],
  "backend POST /api/admin/operator-keys": [
    "operator key made",
    ({ box }) => box.backend_call("POST", "/api/admin/operator-keys", { name: "ci", scopes: ["backup"] }),
  ],
  "backend DELETE /api/admin/operator-keys/{name}": [
    "operator key revoked",
    ({ box }) => box.backend_call("DELETE", "/api/admin/operator-keys/ci"),
  ],
  "backend DELETE /api/admin/audit/personal-data": [
    "personal data erased by admin: ok, 0 entries",
    ({ box }) => box.backend_call("DELETE", "/api/admin/audit/personal-data?subject=nobody"),
  ],
  "backend POST /api/admin/skills": [
    "skill set by admin: The archive is damaged",
    ({ box }) => box.backend_call("POST", "/api/admin/skills", { no: "archive" }),
  ],
  "web POST /api/skill-packages": [
    "skill installed from elsewhere: No such agent",
    ({ ada }) => ada.call("POST", `/api/skill-packages?agentId=ag_x&digest=${"a".repeat(64)}`),
  ],
  "backend PUT /api/admin/images/{image}": [
    "catalogue image set by admin: ok",
    ({ box }) => box.backend_call("PUT", "/api/admin/images/parrot", { title: "Parrot", image: "parrot:1" }),
  ],
  "backend DELETE /api/admin/images/{image}": [
    "catalogue image removed by admin",
    ({ box }) => box.backend_call("DELETE", "/api/admin/images/parrot"),
  ],
  "backend DELETE /api/admin/skills/{name}": [
    "skill removed by admin: No such skill",
    ({ box }) => box.backend_call("DELETE", "/api/admin/skills/nothing"),
  ],
  "backend PUT /api/admin/skills-on-sale/{name}": [
    "skill put on sale by admin: No such skill",
    ({ box }) => box.backend_call("PUT", "/api/admin/skills-on-sale/nothing", { agentId: "ag_x" }),
  ],
  "backend DELETE /api/admin/skills-on-sale/{name}": [
    "skill taken off sale by admin: No such skill is for sale",
    ({ box }) => box.backend_call("DELETE", "/api/admin/skills-on-sale/nothing"),
  ],
  "web POST /api/invite/generate": ["invites generated: ok", ({ box }) => with_key(box.web, "/api/invite/generate", { note: "friends" })],
  "backend POST /api/invite/generate": ["invites generated: ok", ({ box }) => box.backend_call("POST", "/api/invite/generate", {})],
  "web POST /api/invite/validate": [
    "invite used: ok",
    async ({ box, stranger }) =>
      stranger.call("POST", "/api/invite/validate", { code: (await box.backend_call("POST", "/api/invite/generate", {})).code }),
  ],
  "backend POST /api/invite/validate": [
    "invite used: This invite code is not valid",
    ({ box }) => box.backend_call("POST", "/api/invite/validate", { code: "guess" }),
  ],
  "backend POST /api/admin/invites": ["invites generated: ok", ({ box }) => box.backend_call("POST", "/api/admin/invites", {})],
  "backend DELETE /api/admin/invites/{id}": [
    "invite revoked: ok",
    async ({ box }) =>
      box.backend_call("DELETE", `/api/admin/invites/${(await box.backend_call("GET", "/api/admin/invites")).invites[0].id}`),
  ],
  "backend PUT /api/admin/data-feeds/{name}": [
    "data feed set by admin: ok",
    ({ box }) => box.backend_call("PUT", "/api/admin/data-feeds/news", { kind: "rss", url: "http://127.0.0.1:1/" }),
  ],
  "backend DELETE /api/admin/data-feeds/{name}": [
    "data feed removed by admin: ok",
    ({ box }) => box.backend_call("DELETE", "/api/admin/data-feeds/news"),
  ],
  "web POST /mcp": ["MCP tool called: ok", ({ box }) => call_tool(box, "web")],
  "backend POST /mcp": ["MCP tool called: ok", ({ box }) => call_tool(box, "backend")],
  "web POST /oauth/consent": ["MCP client let in: ok", ({ box }) => let_in(box)],
  "web DELETE /api/agents/{id}/mcp-servers/{server}/sign-in": ["signed out of an MCP server: ok", ({ box }) => sign_out(box)],
  "backend POST /api/admin/backup": [
    "backup made by admin",
    ({ box }) => box.backend_call("POST", "/api/admin/backup", { to: `${box.folder}-copy` }),
  ],
  "backend POST /api/admin/backups": ["backup made by admin: ok", ({ box }) => box.backend_call("POST", "/api/admin/backups")],
  "backend POST /api/admin/backups/{name}/pack": [
    "backup packed by admin: ok",
    async ({ box }) => {
      const { backups } = await box.backend_call("GET", "/api/admin/backups");
      await box.backend_call("POST", `/api/admin/backups/${backups[0].name}/pack`);
    },
  ],
  "backend DELETE /api/admin/backups/{name}": [
    "backup removed by admin: ok",
    async ({ box }) => {
      const { backups } = await box.backend_call("GET", "/api/admin/backups");
      await box.backend_call("DELETE", `/api/admin/backups/${backups[0].name}`);
    },
  ],
  "backend POST /api/admin/agents/{id}/export": [
    "agent exported by admin: No such agent",
    ({ box }) => box.backend_call("POST", "/api/admin/agents/ag_x/export", { file: "/x" }),
  ],
  "backend POST /api/admin/agents/import": [
    "agent imported by admin: there is no file /no/such.agent",
    ({ box }) => box.backend_call("POST", "/api/admin/agents/import", { file: "/no/such.agent" }),
  ],
};

// What the backend offers to administrators is on the web for their sessions; the record has the same line.
const over_the_web = (use) => async (world) => {
  const admin = world.box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  const backend_call = async (method, path, body) =>
    path.startsWith("/api/admin/") ? (await admin.call(method, path, body)).body : world.box.backend_call(method, path, body);
  return use({ ...world, box: Object.create(world.box, { backend_call: { value: backend_call } }) });
};
for (const [route, [line, use]] of Object.entries(noted)) if (on_both(route)) noted[on_web(route)] ??= [line, over_the_web(use)];
const entries_after = async (box, id) => (await box.backend_call("GET", `/api/admin/audit?limit=1000&after=${id}`)).entries;

test("for every route that changes something it is decided whether security hangs on it", async (t) => {
  const box = await Box.start(t);
  const changing = [];
  for (const listener of ["web", "backend"])
    for (const [path, methods] of Object.entries((await send(box[listener], "GET", "/api/openapi.json")).body.paths))
      for (const method of Object.keys(methods)) if (method !== "get") changing.push(`${listener} ${method.toUpperCase()} ${path}`);
  const decided = [...Object.keys(noted), ...Object.values(unnoted).flat()];
  assert.deepEqual(decided.toSorted(), changing.toSorted());
});

test("the audit log has every act that concerns security", async (t) => {
  const box = await Box.start(t, { SOCIAL_ID_ISSUER: "http://127.0.0.1:1", SOCIAL_ID_CLIENT_ID: "the-app" });
  t.after(() => rmSync(`${box.folder}-copy`, { recursive: true, force: true }));
  const world = { box, wallet: new_wallet(), owner: box.person(), stranger: box.person() };
  for (const name of ["ada", "bob", "carol", "dave", "erin"]) world[name] = await box.customer(`${name}@example.org`);
  await add_passkey(box, world.carol, PASSWORD);
  const { body } = await world.erin.call("POST", `${factor}/begin`, { currentPassword: PASSWORD });
  await world.erin.call("POST", `${factor}/confirm`, { code: code_of(body.secret) });
  await sign_in(world.owner, box, world.wallet);
  world.agent = (await box.backend_call("POST", "/api/agents", { name: "Scout", userId: world.bob.id })).id;
  world.recoveryCodes = (await add_passkey(box, world.owner, undefined)).recoveryCodes;
  for (const [route, [line, use]] of Object.entries(noted)) {
    const before = (await entries_after(box, 0)).at(-1).id;
    await use(world);
    const is_there = async () => (await entries_after(box, before)).some(({ act, outcome }) => `${act}: ${outcome}`.startsWith(line));
    await until(`${line} by ${route}`, is_there);
  }
});
