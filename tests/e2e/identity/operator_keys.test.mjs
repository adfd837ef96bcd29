// Keys of the operator: two internal keys while one is replaced, keys for parts of the backend, and names in the record.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { userInfo } from "node:os";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, run, send } from "../support/box.mjs";

const bearer = (token) => ({ authorization: `Bearer ${token}` });
const json = { "content-type": "application/json" };
const record = async (box) => (await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0")).entries;
const admin = (box, ...args) => run(["admin", ...args, "--data", box.folder], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
const succeeds = async (box, ...args) => {
  const ended = await admin(box, ...args);
  assert.deepEqual([ended.code, ended.err], [0, ""], JSON.stringify(ended));
  return ended.out;
};
const key_for = async (box, name, ...scopes) => {
  const printed = await succeeds(box, "operator-keys", "create", name, "--scope", scopes.join(","));
  return printed.match(/^(op_[a-z0-9]{12}_[a-z0-9]{48}) /)[1];
};

test("two internal keys are valid while one is replaced by the other", async (t) => {
  const box = await Box.start(t, { INTERNAL_API_KEY_NEXT: "the-next-internal-key" });
  const status = async (key) => (await send(box.backend, "GET", "/api/agents", { headers: bearer(key) })).status;
  assert.deepEqual([await status(INTERNAL_KEY), await status("the-next-internal-key"), await status("the-next")], [200, 200, 403]);
  await box.end("SIGTERM");
  box.env = { ...box.env, INTERNAL_API_KEY: "the-next-internal-key", INTERNAL_API_KEY_NEXT: "" };
  await box.serve();
  assert.deepEqual([await status(INTERNAL_KEY), await status("the-next-internal-key"), await status("")], [403, 200, 401]);
  const alone = await run(["serve", "--data", box.folder], { env: { INTERNAL_API_KEY: "", INTERNAL_API_KEY_NEXT: "x" } });
  assert.equal(alone.code, 2);
  assert.match(alone.err, /INTERNAL_API_KEY_NEXT needs INTERNAL_API_KEY/);
  await box.end("SIGTERM");
  box.env = { ...box.env, INTERNAL_API_KEY: INTERNAL_KEY };
  await box.serve(); // as it is asked at the end
});

test("an operator key opens what its scopes name, and the record names it", async (t) => {
  const box = await Box.start(t);
  t.after(() => rmSync(`${box.folder}-copy`, { recursive: true, force: true }));
  const ada = await box.customer("ada@example.org");
  const ask = (key, method, path, body) =>
    send(box.backend, method, path, { headers: { ...bearer(key), ...(body && json) }, body: body && JSON.stringify(body) });
  const users = await key_for(box, "helpdesk", "users"),
    files = await key_for(box, "sync", "files"),
    backup = await key_for(box, "nightly", "backup"),
    reader = await key_for(box, "monitor", "read-only"),
    agents = await key_for(box, "deployer", "agents");

  assert.equal((await ask(users, "PATCH", `/api/admin/users/${ada.id}`, { plan: "collective" })).status, 200);
  const agent = (await ask(agents, "POST", "/api/agents", { name: "Scout", userId: ada.id })).body.id;
  assert.equal((await ask(agents, "GET", `/api/agents/${agent}/token`)).status, 200);
  assert.equal((await ask(files, "GET", "/api/browse/tree")).status, 200);
  assert.equal((await ask(backup, "POST", "/api/admin/backup", { to: `${box.folder}-copy` })).status, 200);
  for (const path of ["/metrics", "/api/agents", "/api/admin/users", "/api/browse/tree", "/api/admin/audit"])
    assert.equal((await ask(reader, "GET", path)).status, 200, path);

  const refused = async (key, method, path, scope, body) => {
    const answer = await ask(key, method, path, body);
    assert.deepEqual(
      [answer.status, answer.body.code, answer.body.scope],
      [403, "SCOPE_REQUIRED", scope],
      `${method} ${path}: ${answer.text}`,
    );
    if (scope) assert.ok(answer.body.error.includes(scope), answer.body.error);
  };
  await refused(users, "GET", "/api/agents", "agents");
  await refused(users, "DELETE", `/api/agents/${agent}`, "agents");
  await refused(files, "GET", "/api/admin/users", "users");
  await refused(backup, "GET", "/api/browse/tree", "files");
  await refused(reader, "POST", "/api/admin/users", "users", { email: "eve@example.org" });
  await refused(reader, "GET", "/api/admin/outbox", "users"); // links that reset passwords
  await refused(reader, "GET", `/api/agents/${agent}/token`, "agents");
  await refused(agents, "GET", "/metrics", "read-only");
  for (const key of [users, files, backup, reader, agents]) {
    await refused(key, "GET", "/api/admin/operator-keys", undefined);
    await refused(key, "POST", "/api/admin/operator-keys", undefined, { name: "more", scopes: ["users"] });
    await refused(key, "POST", "/api/admin/models/reload", undefined);
  }
  const list = (await box.backend_call("GET", "/api/admin/operator-keys")).keys;
  assert.deepEqual(
    list.map(({ name }) => name),
    ["deployer", "helpdesk", "monitor", "nightly", "sync"],
  );
  assert.ok(!JSON.stringify(list).includes(users.slice(-48)), "shown once");
  assert.match(await succeeds(box, "operator-keys", "list"), /^helpdesk +users +- /m);

  await succeeds(box, "operator-keys", "revoke", "helpdesk");
  for (const bad of [users, `${files.slice(0, -1)}${files.at(-1) === "0" ? "1" : "0"}`])
    assert.equal((await ask(bad, "GET", "/api/admin/users")).status, 401);
  assert.match((await admin(box, "operator-keys", "revoke", "helpdesk")).err, /No such operator key/);
  const taken = await admin(box, "operator-keys", "create", "sync", "--scope", "users");
  assert.deepEqual([taken.code, /sync already/.test(taken.err)], [2, true]);
  assert.match(
    (await admin(box, "operator-keys", "create", "odd", "--scope", "all")).err,
    /scopes must be among: read-only, users, agents, files, backup, scim/,
  );

  const entries = await record(box),
    by = (act) => entries.findLast((entry) => entry.act === act)?.by;
  assert.equal(by("changed by admin: plan collective"), "operator:helpdesk");
  assert.equal(by("backup made by admin"), "operator:nightly");
  assert.equal(by("operator key made"), "internal");
  assert.equal(by("registered"), null);
});

test("a key expires", async (t) => {
  const box = await Box.start(t);
  const created = await box.backend_call("POST", "/api/admin/operator-keys", { name: "brief", scopes: ["agents"], expiresInDays: 1 });
  const left = new Date(created.expiresAt) - Date.now();
  assert.ok(left > 86_000_000 && left <= 86_400_000, created.expiresAt);
  assert.match(
    (await box.backend_call("POST", "/api/admin/operator-keys", { name: "x", scopes: ["agents"], expiresInDays: 0 })).error,
    /expiresInDays/,
  );
});

test("every backend route says which scope opens it", async (t) => {
  const box = await Box.start(t);
  const { paths } = (await send(box.backend, "GET", "/api/openapi.json")).body;
  let count = 0;
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { "x-guard": guard, description = "" }] of Object.entries(methods)) {
      if (!guard.startsWith("scope ") && guard !== "internal key") continue;
      ++count;
      assert.match(
        description,
        /Operator keys need the scope `(users|agents|files|backup)`|Operator keys do not open this|those with the scope `read-only` and no other/,
        `${method} ${path}`,
      );
    }
  assert.ok(count > 50, `${count}`);
});

test("admin routes take an administrator's address, and none but with ADMIN_REQUIRED", async (t) => {
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  const status = async (path, headers) => {
    const answer = await send(box.backend, "GET", path, { headers: { ...bearer(INTERNAL_KEY), ...headers } });
    return answer.body.code ?? answer.status;
  };
  const as = (email) => ({ "x-user-email": email });
  assert.deepEqual(
    [
      await status("/api/admin/users", {}),
      await status("/api/admin/users", as(ADMIN.email.toUpperCase())),
      await status("/api/admin/users", as("ada@example.org")),
      await status("/api/admin/users", as("nobody")),
      await status("/api/agents", as("ada@example.org")),
    ],
    [200, 200, "ADMIN_REQUIRED", "ADMIN_REQUIRED", 200],
  );
  await box.end("SIGTERM");
  box.env = { ...box.env, ADMIN_REQUIRED: "on" };
  await box.serve();
  assert.deepEqual(
    [await status("/api/admin/users", {}), await status("/api/admin/users", as(ADMIN.email)), await status("/api/agents", {})],
    ["ADMIN_REQUIRED", 200, 200],
  );
  const refused = await admin(box, "users");
  assert.deepEqual(
    [refused.code, /x-user-email must be the address of an administrator: give it with --as/.test(refused.err)],
    [2, true],
    refused.err,
  );
  assert.match(await succeeds(box, "users", "--as", ADMIN.email), /ada@example.org/);
  t.after(() => rmSync(`${box.folder}-copy`, { recursive: true, force: true }));
  const backed_up = await run(["backup", "--data", box.folder, "--to", `${box.folder}-copy`, "--as", ADMIN.email], {
    env: { INTERNAL_API_KEY: INTERNAL_KEY },
  });
  assert.equal(backed_up.code, 0, backed_up.err);
});

test("what the command line does carries a name", async (t) => {
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  await succeeds(box, "disable", "ada@example.org", "--yes", "--as", "Grace Hopper");
  await succeeds(box, "enable", "ada@example.org");
  const changes = (await record(box)).filter(({ act }) => act.startsWith("changed by admin: "));
  assert.deepEqual(
    changes.map(({ act, by, as }) => [act, by, as]),
    [
      ["changed by admin: disabled", "internal", "Grace Hopper"],
      ["changed by admin: enabled", "internal", userInfo().username],
    ],
  );
  const odd = await admin(box, "users", "--as", "Zoë");
  assert.deepEqual([odd.code, /--as must be 1 to 100 visible ASCII characters/.test(odd.err)], [2, true], odd.err);
  const answer = await send(box.backend, "GET", "/api/agents", { headers: { ...bearer(INTERNAL_KEY), "x-agentbox-as": "x".repeat(101) } });
  assert.deepEqual([answer.status, /X-Agentbox-As/.test(answer.body.error)], [400, true]);
});

test("model calls as administrator are in the record, with what their headers say", async (t) => {
  const box = await Box.start(t);
  const chat = (headers) =>
    send(box.backend, "POST", "/api/ai/chat", {
      headers: { ...bearer(INTERNAL_KEY), ...json, ...headers },
      body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
    });
  assert.equal((await chat({ "x-user-id": "1", "x-user-role": "admin" })).body.code, "PLAN_REQUIRED", "these grant nothing");
  await chat({ "x-user-email": ADMIN.email });
  await chat({ "x-user-email": ADMIN.email, "x-user-id": "42", "x-user-role": "admin" });
  const calls = (await record(box)).filter(({ act }) => act === "model call as administrator");
  assert.deepEqual(
    calls.map(({ subject, by, as }) => [subject, by, as]),
    [
      [`${ADMIN.email}, id anonymous, role none`, "internal", ADMIN.email],
      [`${ADMIN.email}, id 42, role admin`, "internal", ADMIN.email],
    ],
  );
});
