// Administrators without a shell: what the backend offers under /api/admin is on the web too, for their sessions.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, PASSWORD, run, send } from "../support/box.mjs";
import { keep_in_folder } from "../support/story_store.mjs";
import { code_of } from "../support/totp.mjs";

const files_below = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath ?? one.path, one.name));

const administrator = async (box) => {
  const admin = box.person();
  assert.equal((await admin.log_in(ADMIN.email, ADMIN.password)).status, 200);
  return admin;
};

// As if the administrator had signed in an hour ago.
const with_old_session = async (box, person) => {
  await box.end("SIGTERM");
  execFileSync(join(process.env.AGENTBOX_STORY_PACKAGES, "expire"), ["sign-in", box.folder, person.cookie.split("=")[1]]);
  await box.serve();
};

const rows_of = async (base) => {
  const { paths } = (await send(base, "GET", "/api/openapi.json")).body;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { "x-guard": guard, description }]) => ({
      row: `${method.toUpperCase()} ${path}`,
      guard,
      description,
    })),
  );
};

test("every admin row of the backend is on the web, behind an administrator's session", async (t) => {
  const box = await Box.start(t);
  const admin_rows = async (base) => (await rows_of(base)).filter(({ row }) => row.includes(" /api/admin/"));
  const web = new Map((await admin_rows(box.web)).map((one) => [one.row, one]));
  const backend = await admin_rows(box.backend);
  assert.ok(backend.length > 25);
  for (const { row } of backend) {
    assert.ok(web.has(row), `${row} is not on the web`);
    assert.match(web.get(row).guard, /^((recent )?admin|support) session$/, row);
    assert.doesNotMatch(web.get(row).description ?? "", /perator key.* scope/, row);
  }
  for (const { row, guard, description } of web.values())
    if (guard === "recent admin session") assert.match(description, /STEP_UP_REQUIRED/, row);
  // Reading takes a session; what could harm takes a recent proof.
  assert.equal(web.get("GET /api/admin/invites").guard, "admin session");
  assert.equal(web.get("GET /api/admin/users").guard, "support session", "and the role support is enough");
  for (const row of ["PATCH /api/admin/users/{user}", "GET /api/admin/outbox", "POST /api/admin/operator-keys", "POST /api/admin/backup"])
    assert.equal(web.get(row).guard, "recent admin session", row);
});

test("an administrator manages users over the web, and the record names the administrator", async (t) => {
  const box = await Box.start(t);
  const admin = await administrator(box),
    ada = await box.customer("ada@example.org");
  const { id } = (await admin.call("GET", "/api/auth/session")).body.user;
  const found = await admin.call("GET", "/api/admin/users?limit=1");
  assert.deepEqual([found.status, found.body.users[0].email, found.body.next], [200, ADMIN.email, id]);
  assert.equal((await ada.call("GET", "/api/admin/users")).status, 403);
  assert.equal((await ada.call("PATCH", `/api/admin/users/${ada.id}`, { isAdmin: true })).status, 403);
  assert.equal((await box.person().call("GET", "/api/admin/users")).status, 401);

  const made = await admin.call("POST", "/api/admin/users", { email: "bob@example.org", password: PASSWORD, plan: "solo" });
  assert.deepEqual([made.status, made.body.plan], [201, "solo"]);
  assert.equal((await admin.call("PATCH", "/api/admin/users/ada@example.org", { isDisabled: true })).body.isDisabled, true);
  assert.equal((await ada.call("GET", "/api/settings")).status, 401);

  // Headers of the backend's callers name nobody here.
  await send(box.web, "DELETE", "/api/admin/users/bob@example.org/sessions", {
    headers: { cookie: admin.cookie, "x-agentbox-as": "mallory" },
  });
  const { entries } = (await admin.call("GET", "/api/admin/audit")).body;
  const noted = (act) => entries.find((entry) => entry.act.startsWith(act));
  assert.deepEqual([noted("created by admin").by, noted("changed by admin").by], [`admin:${id}`, `admin:${id}`]);
  assert.deepEqual([noted("signed out by admin").by, noted("signed out by admin").actingAs ?? null], [`admin:${id}`, null]);
  assert.equal((await send(box.web, "GET", "/api/admin/users", { headers: { authorization: `Bearer ${INTERNAL_KEY}` } })).status, 401);
});

test("what could harm asks for password and second factor again", async (t) => {
  const box = await Box.start(t);
  const admin = await administrator(box);
  const settings = "/api/settings/second-factor";
  const { secret } = (await admin.call("POST", `${settings}/begin`, { currentPassword: ADMIN.password })).body;
  await admin.call("POST", `${settings}/confirm`, { code: code_of(secret) });
  const create = (email) => admin.call("POST", "/api/admin/users", { email });
  assert.equal((await create("ada@example.org")).status, 201, "a fresh sign-in counts");

  await with_old_session(box, admin);
  assert.equal((await admin.call("GET", "/api/admin/users")).status, 200, "reading does not");
  const refused = await create("bob@example.org");
  assert.deepEqual([refused.status, refused.body.code], [403, "STEP_UP_REQUIRED"]);
  assert.equal((await admin.call("GET", "/api/admin/outbox")).body.code, "STEP_UP_REQUIRED", "mails hold links that sign in");

  const step_up = (proof) => admin.call("POST", "/api/auth/step-up", proof);
  assert.equal((await step_up({})).status, 400);
  assert.equal((await step_up({ currentPassword: "not the password" })).status, 400);
  const asked = await step_up({ currentPassword: ADMIN.password });
  assert.deepEqual([asked.status, asked.body.code], [401, "SECOND_FACTOR_REQUIRED"]);
  assert.equal((await create("bob@example.org")).status, 403);
  const proved = await step_up({ currentPassword: ADMIN.password, code: code_of(secret, 1) });
  assert.equal(proved.status, 200, JSON.stringify(proved.body));
  const minutes = (Date.parse(proved.body.validUntil) - Date.now()) / 60_000;
  assert.ok(minutes > 8 && minutes < 11, String(minutes));
  assert.equal((await create("bob@example.org")).status, 201);
  const other = box.person();
  other.cookie = admin.cookie;
  await admin.call("POST", "/api/auth/signout");
  assert.equal((await other.call("GET", "/api/admin/users")).status, 401);
  const { entries } = await box.backend_call("GET", "/api/admin/audit");
  assert.deepEqual(
    entries
      .filter(({ act }) => act === "identity confirmed")
      .map(({ outcome }) => outcome)
      .at(0),
    "ok",
  );
});

// Rows that change something for an administrator's session without a recent proof, and why.
const without_proof = {
  "POST /api/admin/agents/{id}/restart": "its owner sees it, and nothing is lost",
  "POST /api/admin/agents/{id}/start": "undone at once by stopping it",
  "POST /api/admin/agents/{id}/stop": "undone at once by starting it",
};

test("every admin row that changes something asks for a recent proof", async (t) => {
  const box = await Box.start(t);
  const changing = (await rows_of(box.web)).filter(
    ({ row, guard }) => (row.includes(" /api/admin/") || guard.endsWith("admin session")) && !row.startsWith("GET "),
  );
  assert.ok(changing.length > 25);
  assert.deepEqual(
    changing
      .filter(({ guard }) => guard !== "recent admin session")
      .map(({ row }) => row)
      .sort(),
    Object.keys(without_proof),
  );

  const admin = await administrator(box);
  const ada = await box.customer("ada@example.org");
  await ada.call("POST", "/api/subscriptions/request", { plan: "label", note: "For my boat." });
  await with_old_session(box, admin);
  const money = { userId: ada.id, amount: "1", reference: "r1" };
  for (const [path, body] of [
    ["/api/admin/ledger/credit", money],
    ["/api/admin/ledger/debit", money],
    [`/api/admin/plan-requests/${ada.id}/approve`, {}],
    [`/api/admin/plan-requests/${ada.id}/deny`, {}],
    ["/api/admin/credits", money],
  ]) {
    const refused = await admin.call("POST", path, body);
    assert.deepEqual([refused.status, refused.body.code], [403, "STEP_UP_REQUIRED"], path);
  }
  assert.equal((await admin.call("POST", "/api/auth/step-up", { currentPassword: ADMIN.password })).status, 200);
  assert.equal((await admin.call("POST", "/api/admin/ledger/credit", money)).status, 200);
  assert.equal((await admin.call("POST", `/api/admin/plan-requests/${ada.id}/approve`, {})).status, 200);
});

test("a restart forgets step-up, but not a sign-in of the last ten minutes", async (t) => {
  const box = await Box.start(t);
  const old = await administrator(box);
  await with_old_session(box, old);
  const create = (admin, email) => admin.call("POST", "/api/admin/users", { email });
  assert.equal((await old.call("POST", "/api/auth/step-up", { currentPassword: ADMIN.password })).status, 200);
  assert.equal((await create(old, "ada@example.org")).status, 201);
  const young = await administrator(box);
  await box.end("SIGTERM");
  await box.serve();
  assert.equal((await create(old, "bob@example.org")).body.code, "STEP_UP_REQUIRED");
  assert.equal((await create(young, "bob@example.org")).status, 201);
});

test("users are searched and paged, and their sessions shown and ended", async (t) => {
  const box = await Box.start(t);
  const admin = await administrator(box);
  const people = {};
  for (const name of ["ada", "bob", "barbara"]) people[name] = await box.customer(`${name}@example.org`);
  await people.bob.call("PATCH", "/api/settings", { name: "Robert Lighthouse" });
  const found = async (query) => (await admin.call("GET", `/api/admin/users${query}`)).body;
  const emails = ({ users }) => users.map(({ email }) => email.split("@")[0]);
  assert.deepEqual(emails(await found("?search=BA")), ["barbara"]);
  assert.deepEqual(emails(await found("?search=lighthouse")), ["bob"]);
  assert.deepEqual(emails(await found("?admin=true")), ["admin"]);
  assert.deepEqual(emails(await found("?admin=false&limit=2")), ["ada", "bob"]);
  assert.deepEqual(emails(await found(`?admin=false&limit=2&after=${people.bob.id}`)), ["barbara"]);
  await admin.call("PATCH", `/api/admin/users/${people.ada.id}`, { isDisabled: true });
  assert.deepEqual(emails(await found("?disabled=true")), ["ada"]);

  const path = `/api/admin/users/${people.bob.id}/sessions`;
  const elsewhere = box.person();
  await elsewhere.log_in("bob@example.org", PASSWORD);
  const { sessions, count } = (await admin.call("GET", path)).body;
  assert.deepEqual([count, sessions.map(({ current }) => current)], [2, [false, false]]);
  assert.equal((await admin.call("DELETE", `${path}/${sessions[0].id}`)).status, 200);
  assert.equal((await admin.call("DELETE", `${path}/${sessions[0].id}`)).status, 404);
  const left = [people.bob, elsewhere].map((person) => person.call("GET", "/api/settings"));
  assert.deepEqual((await Promise.all(left)).map(({ status }) => status).sort(), [200, 401]);
  const mine = (await admin.call("GET", "/api/admin/users/admin@example.org/sessions")).body.sessions;
  assert.deepEqual(
    mine.map(({ current }) => current),
    [true],
  );
});

test("the last administrator is neither demoted nor disabled", async (t) => {
  const box = await Box.start(t);
  const admin = await administrator(box),
    ada = await box.customer("ada@example.org");
  const change = (person, user, what) => person.call("PATCH", `/api/admin/users/${user}`, what);
  for (const what of [{ isAdmin: false }, { isDisabled: true }]) {
    const refused = await change(admin, ADMIN.email, what);
    assert.deepEqual([refused.status, refused.body.code], [409, "LAST_ADMIN"], JSON.stringify(what));
  }
  await change(admin, ada.id, { isAdmin: true });
  await change(admin, ada.id, { isDisabled: true });
  assert.equal((await change(admin, ADMIN.email, { isAdmin: false })).status, 409, "a disabled administrator is none");
  await change(admin, ada.id, { isDisabled: false });
  await ada.log_in("ada@example.org", PASSWORD);
  // Two who demote each other at once: one of them stays.
  const outcomes = await Promise.all([change(admin, ada.id, { isAdmin: false }), change(ada, ADMIN.email, { isAdmin: false })]);
  const { users } = await box.backend_call("GET", "/api/admin/users?admin=true");
  assert.equal(users.length, 1, JSON.stringify(outcomes.map(({ status }) => status)));
});

test("backups are made, listed, verified and removed over the web", async (t) => {
  const box = await Box.start(t);
  const admin = await administrator(box),
    ada = await box.customer("ada@example.org");
  const call = async (method, path = "") => admin.call(method, `/api/admin/backups${path}`);
  assert.deepEqual((await call("GET")).body, { backups: [], count: 0, restoreDrill: null });
  assert.equal((await ada.call("POST", "/api/admin/backups")).status, 403);
  const made = await call("POST");
  assert.deepEqual([made.status, made.body.complete], [201, true], JSON.stringify(made.body));
  const { name } = made.body;
  assert.deepEqual((await call("GET")).body.backups, [made.body]);
  assert.deepEqual((await call("POST", `/${name}/verify`)).body, { name, ok: true, findings: [] });
  assert.deepEqual(readdirSync(join(box.folder, "backups")), [name], "nothing of the check stays");
  // It is the backup that the command line restores.
  const restored = `${box.folder}-restored`;
  t.after(() => rmSync(restored, { recursive: true, force: true }));
  const { code, err } = await run([
    "restore",
    "--from",
    join(box.folder, "backups", name),
    "--data",
    restored,
    "--key",
    join(box.folder, "master.key"),
  ]);
  assert.equal(code, 0, err);
  keep_in_folder(restored);
  assert.match((await run(["verify", "--data", restored])).out, /are sound/);

  // Downloaded, it is a file that the command line unpacks.
  const packed = await call("POST", `/${name}/pack`);
  assert.deepEqual([packed.status, packed.body.name], [201, name], JSON.stringify(packed.body));
  const fetched = (person) => fetch(box.web + packed.body.address, { headers: { cookie: person.cookie } });
  assert.equal((await fetched(ada)).status, 403);
  const file = `${box.folder}.agentbox`,
    unpacked = `${box.folder}-unpacked`;
  t.after(() => [file, unpacked].forEach((path) => rmSync(path, { recursive: true, force: true })));
  const answer = await fetched(admin);
  assert.match(answer.headers.get("content-disposition"), /attachment/);
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  assert.equal(statSync(file).size, packed.body.bytes);
  assert.equal((await fetched(admin)).status, 404, "it is there once");
  const opened = await run(["unpack", file, "--data", unpacked, "--key", join(box.folder, "master.key")]);
  assert.equal(opened.code, 0, opened.err);
  keep_in_folder(unpacked);
  assert.match((await run(["verify", "--data", unpacked])).out, /are sound/);

  // Bytes that have changed are found.
  const tables = files_below(join(box.folder, "backups", name, "store")).filter((file) => file.endsWith(".sst"));
  assert.ok(tables.length > 0);
  const bytes = readFileSync(tables[0]);
  bytes[bytes.length >> 1] ^= 0xff;
  writeFileSync(tables[0], bytes);
  const broken = await call("POST", `/${name}/verify`);
  assert.ok(broken.status === 500 || broken.body.ok === false, JSON.stringify(broken.body));
  for (const unknown of ["20200101T000000Z", "..", "nothing"])
    assert.equal((await call("POST", `/${encodeURIComponent(unknown)}/verify`)).status >= 400, true, unknown);
  assert.equal((await call("DELETE", `/${name}`)).status, 200);
  assert.equal((await call("DELETE", `/${name}`)).status, 404);
  assert.deepEqual((await call("GET")).body.backups, []);
});

test("the settings in force are shown with their source, and no secret", async (t) => {
  const box = await Box.start(t, { SMTP_URL: "smtps://mailer:hunter22@mail.example.org", SMTP_FROM: "box@example.org" });
  const admin = await administrator(box);
  const { settings, count } = (await admin.call("GET", "/api/admin/settings")).body;
  assert.ok(count > 100 && count === settings.length);
  const named = (name) => settings.find((one) => one.name === name);
  assert.deepEqual(
    [named("SMTP_URL").value, named("SMTP_URL").isSet, named("SMTP_URL").isSecret, named("SMTP_URL").source],
    [null, true, true, "environment"],
  );
  assert.deepEqual([named("AGENTBOX_DATA").value, named("AGENTBOX_DATA").source], [box.folder, "flag"]);
  assert.deepEqual([named("SMTP_FROM").value, named("SMTP_FROM").source], ["box@example.org", "environment"]);
  assert.deepEqual([named("SESSION_IDLE").source, named("INTERNAL_API_KEY").value], ["defaults", null]);
  for (const secret of ["hunter22", INTERNAL_KEY]) assert.equal(JSON.stringify(settings).includes(secret), false, secret);
});
