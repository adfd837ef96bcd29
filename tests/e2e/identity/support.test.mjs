// The role support: it sees users, states of agents, usage, events and metrics, no contents, and can change nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD, send } from "../support/box.mjs";

// Every row that support may call, of those that are for administrators or the backend. A new row is closed unless it is
// added here.
const open_to_support = [
  "web GET /api/admin/agents",
  "web GET /api/admin/metrics",
  "web GET /api/admin/security-events",
  "web GET /api/admin/statement",
  "web GET /api/admin/users",
  "web GET /api/admin/users/{user}",
];

const rows_of = async (box) => {
  const rows = [];
  for (const listener of ["web", "backend"])
    for (const [path, methods] of Object.entries((await send(box[listener], "GET", "/api/openapi.json")).body.paths))
      for (const [method, operation] of Object.entries(methods))
        rows.push({ listener, method: method.toUpperCase(), path, guard: operation["x-guard"], success: operation.responses });
  return rows;
};

const with_support = async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const sam = await box.customer("sam@example.org");
  const granted = await box.backend_call("PATCH", `/api/admin/users/${sam.id}`, { isSupport: true });
  assert.deepEqual([granted.isSupport, granted.isAdmin], [true, false]);
  return { box, ada, sam };
};

test("every row of administrators and of the backend says whether support may call it", async (t) => {
  const { box, ada, sam } = await with_support(t);
  const rows = (await rows_of(box)).filter(
    ({ listener, path, guard }) =>
      (listener === "backend" && guard !== "none" && !guard.endsWith(", if any")) ||
      path.startsWith("/api/admin/") ||
      guard.endsWith("admin session") ||
      guard === "support session",
  );
  assert.ok(rows.length > 150, "all of them are looked at");
  const passed = async (person, { listener, method, path }) => {
    const answer = await send(box[listener], method, path.replace(/{\w+}/g, "x"), { headers: { cookie: person.cookie } });
    return ![401, 403].includes(answer.status);
  };
  const open = [];
  for (const row of rows) {
    assert.equal(await passed(ada, row), false, `${row.listener} ${row.method} ${row.path} is open to customers`);
    if (await passed(sam, row)) open.push(`${row.listener} ${row.method} ${row.path}`);
  }
  assert.deepEqual(open.sort(), open_to_support);
});

test("support sees states and no contents; the role is granted and withdrawn by administrators alone, and audited", async (t) => {
  const { box, ada, sam } = await with_support(t);
  const agent = await box.running_agent(ada, "Scout");
  const { agents } = (await sam.call("GET", "/api/admin/agents")).body;
  assert.deepEqual([agents.length, agents[0].name, agents[0].status], [1, "Scout", "running"]);
  assert.deepEqual((await sam.call("GET", "/api/admin/users/ada@example.org")).body.email, "ada@example.org");
  const contents = [
    `/api/agents/${agent}`,
    `/api/agents/${agent}/conversations`,
    `/api/chat?agentId=${agent}`,
    `/api/logs/${agent}/history`,
    ...["tree", "read?path=notes.md", "raw?path=notes.md", "search?q=x", "status", "diff"].map(
      (call) => `/api/agents/${agent}/files/${call}`,
    ),
  ];
  const written = await ada.call("POST", `/api/agents/${agent}/files/write`, { path: "notes.md", content: "mine" });
  assert.equal(written.status, 200);
  for (const path of contents) {
    assert.equal((await sam.call("GET", path)).status, 404, path);
    const { status } = await send(box.web, "GET", path, { headers: { cookie: ada.cookie } });
    assert.notEqual(status, 404, `${path} is there for its owner`);
  }

  assert.deepEqual((await sam.call("GET", "/api/auth/session")).body.user.isSupport, true);
  const itself = await sam.call("PATCH", `/api/admin/users/${sam.id}`, { isAdmin: true });
  assert.deepEqual([itself.status, itself.body.code], [403, "ADMIN_REQUIRED"]);

  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  assert.equal((await admin.call("PATCH", `/api/admin/users/${sam.id}`, { isSupport: false })).body.isSupport, false);
  const closed = await sam.call("GET", "/api/admin/users");
  assert.deepEqual([closed.status, closed.body.code], [403, "SUPPORT_REQUIRED"]);
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=20");
  const acts = entries.filter(({ subject }) => subject === "sam@example.org").map(({ act }) => act);
  assert.ok(acts.includes("changed by admin: support granted") && acts.includes("changed by admin: support revoked"), acts.join());
  assert.equal((await box.person().log_in("sam@example.org", PASSWORD)).status, 200);
});
