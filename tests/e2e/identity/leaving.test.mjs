// Users take what is theirs with them, and leave nothing behind.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD, send, until } from "../support/box.mjs";

// A person with an agent that has files, memories, a conversation and a schedule.
const settled = async (t, env) => {
  const box = await Box.start(t, env);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const workspace = join(box.folder, "agents", id, "workspace");
  await ada.call("POST", "/api/chat", { agentId: id, message: "remember that the safe's code is 4711" });
  await ada.call("POST", "/api/memory", { agentId: id, text: "the tide is high" });
  await ada.call("POST", "/api/scheduled-tasks", { name: "weekly", cronSchedule: "0 9 * * 1", prompt: "what is new?", agentId: id });
  const { key } = (await ada.call("POST", "/api/keys", { name: "laptop", scopes: ["agents:read"] })).body;
  await ada.call("PUT", "/api/provider-keys/openrouter", { key: "sk-or-a-secret-of-ada" });
  await ada.call("POST", "/api/wallet", { action: "create" });
  return { box, ada, id, workspace, key };
};

const unpacked = async (t, box, person) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-export-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const answer = await fetch(`${box.web}/api/settings/export`, { headers: { cookie: person.cookie } });
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "application/gzip"]);
  assert.match(answer.headers.get("content-disposition"), /agentbox-export\.tar\.gz/);
  writeFileSync(join(folder, "export.tar.gz"), Buffer.from(await answer.arrayBuffer()));
  execFileSync("tar", ["-xzf", "export.tar.gz"], { cwd: folder });
  return join(folder, "agentbox-export");
};
const lines = (folder, name) =>
  readFileSync(join(folder, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("the export has everything, as it is, and no secrets", async (t) => {
  const { box, ada, id, workspace, key } = await settled(t);
  const deep = join(workspace, ...Array(12).fill("a folder with a long name"));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, "größe.txt"), "a long path");
  const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => (n * 7 + (n >> 9)) % 256));
  writeFileSync(join(workspace, "film.mp4"), bytes);
  writeFileSync(join(workspace, "empty"), "");
  const eve = await box.customer("eve@example.org");
  await ada.call("POST", "/api/chat", { agentId: id, message: "hello" });

  const folder = await unpacked(t, box, ada);
  const profile = JSON.parse(readFileSync(join(folder, "profile.json"), "utf8"));
  assert.deepEqual([profile.email, String(profile.id), "password_hash" in profile], ["ada@example.org", ada.id, false]);
  assert.deepEqual(
    lines(folder, "agents").map((agent) => [agent.id, agent.name]),
    [[id, "Scout"]],
  );
  assert.ok(
    lines(folder, "messages").some((message) => message.content?.includes("4711")),
    "the conversation",
  );
  assert.deepEqual(
    lines(folder, "scheduled_tasks").map((task) => task.name),
    ["weekly"],
  );
  assert.deepEqual(
    lines(folder, "api_keys").map((one) => [one.name, "secret_hash" in one]),
    [["laptop", false]],
  );
  assert.ok(lines(folder, "usage").length > 0);
  assert.match(lines(folder, "wallets")[0].address, /^0x/);
  const files = join(folder, "workspaces", id);
  assert.ok(readFileSync(join(files, "film.mp4")).equals(bytes));
  assert.equal(readFileSync(join(files, "empty"), "utf8"), "");
  assert.equal(readFileSync(join(files, ...Array(12).fill("a folder with a long name"), "größe.txt"), "utf8"), "a long path");
  assert.match(readFileSync(join(files, ".agentbox/memory.jsonl"), "utf8"), /tide/);
  const text = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath ?? one.path, one.name), "latin1"))
    .join("\n");
  const boot = JSON.parse(readFileSync(join(box.folder, "agents", id, "run", "boot.json")));
  for (const secret of [key, key.split("_").at(-1), "sk-or-a-secret-of-ada", boot.box_token, boot.gateway_token, PASSWORD])
    assert.equal(text.includes(secret), false, secret);
  assert.equal((await send(box.web, "GET", "/api/settings/export")).status, 401);
  assert.equal(lines(await unpacked(t, box, eve), "subscriptions").length, 1, "eve has nothing of ada's");
  assert.equal(existsSync(join(await unpacked(t, box, eve), "agents.jsonl")), false);
});

test("who leaves proves it, and nothing is left but sums and the audit log's chain", async (t) => {
  const { box, ada, id, key } = await settled(t);
  const users = async () => (await box.backend_call("GET", "/api/admin/users")).users.map((user) => user.email);
  assert.equal((await ada.call("DELETE", "/api/settings/account", {})).status, 400, "no password");
  assert.equal((await ada.call("DELETE", "/api/settings/account", { currentPassword: "a wrong password" })).status, 400);
  assert.ok((await users()).includes("ada@example.org"));

  const left = await ada.call("DELETE", "/api/settings/account", { currentPassword: PASSWORD });
  assert.deepEqual([left.status, left.body], [200, { success: true, erased: true }], JSON.stringify(left.body) + box.log);
  assert.match(left.headers.getSetCookie()[0], /^app-session=;/);
  assert.equal((await ada.call("GET", "/api/settings")).status, 401);
  assert.equal((await send(box.web, "GET", "/api/agents", { headers: { authorization: `Bearer ${key}` } })).status, 401);
  assert.equal(existsSync(join(box.folder, "agents", id)), false, "the agent's files are gone");
  assert.deepEqual((await users()).includes("ada@example.org"), false);
  assert.deepEqual(await box.backend_call("GET", "/api/agents"), []);
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000");
  assert.equal(JSON.stringify(entries).includes("ada@example.org"), false, "no entry names her");
  assert.ok(entries.some(({ act }) => act === "account deleted"));
  assert.equal((await box.person().log_in("ada@example.org", PASSWORD)).status, 401);
  const { mails } = await box.backend_call("GET", "/api/admin/outbox?limit=1000");
  assert.equal(
    mails.some(({ to }) => to === "ada@example.org"),
    false,
  );
  // The address is free again, and whoever has it now begins anew.
  const again = await box.customer("ada@example.org");
  assert.notEqual(again.id, ada.id);
  for (const [path, list] of [
    ["/api/agents", "agents"],
    ["/api/keys", "keys"],
    ["/api/scheduled-tasks", "tasks"],
    ["/api/provider-keys", "keys"],
  ])
    assert.deepEqual((await again.call("GET", path)).body[list] ?? [], [], path);
});

test("money and the last administrator stay", async (t) => {
  const { box, ada } = await settled(t);
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  const last = await admin.call("DELETE", "/api/settings/account", { currentPassword: ADMIN.password });
  assert.deepEqual([last.status, last.body.code], [409, "LAST_ADMIN"]);
  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: ada.id, amount: "5", reference: "a gift" });
  const refused = await ada.call("DELETE", "/api/settings/account", { currentPassword: PASSWORD });
  assert.deepEqual([refused.status, refused.body.code], [409, "BALANCE_LEFT"]);
  assert.match(refused.body.error, /5 USDC/);
  assert.equal((await ada.call("GET", "/api/settings")).status, 200, "nothing has happened");
  await box.backend_call("POST", "/api/admin/ledger/debit", { userId: ada.id, amount: "5", reference: "paid out" });
  assert.equal((await ada.call("DELETE", "/api/settings/account", { currentPassword: PASSWORD })).status, 200);
  await box.backend_call("PATCH", `/api/admin/users/${(await box.customer("eve@example.org")).id}`, { isAdmin: true });
  assert.equal(
    (await admin.call("DELETE", "/api/settings/account", { currentPassword: ADMIN.password })).status,
    200,
    "there is another one",
  );
});

test("an administrator exports and deletes a user", async (t) => {
  const { box, ada, id } = await settled(t);
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  const exported = await fetch(`${box.web}/api/admin/users/ada@example.org/export`, { headers: { cookie: admin.cookie } });
  assert.deepEqual([exported.status, exported.headers.get("content-type")], [200, "application/gzip"]);
  assert.ok((await exported.arrayBuffer()).byteLength > 1000);
  assert.equal((await ada.call("DELETE", `/api/admin/users/${ada.id}`)).status, 403);
  assert.deepEqual((await admin.call("DELETE", `/api/admin/users/${ada.id}`)).body, { success: true, erased: true });
  assert.equal((await ada.call("GET", "/api/settings")).status, 401);
  assert.equal(existsSync(join(box.folder, "agents", id)), false);
  assert.equal((await admin.call("DELETE", "/api/admin/users/4242")).status, 404);
  assert.equal((await admin.call("DELETE", `/api/admin/users/${ADMIN.email}`)).body.code, "LAST_ADMIN");
});

test("a departure that a crash cuts off is finished by the next start", async (t) => {
  const { box, ada, id } = await settled(t);
  const asked = ada.call("DELETE", "/api/settings/account", { currentPassword: PASSWORD }).catch(() => {});
  await until("it has begun", async () => (await ada.call("GET", "/api/settings")).status === 401);
  await box.end("SIGKILL");
  await asked;
  await box.serve();
  await until("it is over", async () => {
    const { users } = await box.backend_call("GET", "/api/admin/users");
    return !users.some((user) => user.email === "ada@example.org") && !existsSync(join(box.folder, "agents", id));
  });
});
