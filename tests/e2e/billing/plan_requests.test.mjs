// Plans of new users, and requests for a plan.
import assert from "node:assert/strict";
import { test } from "node:test";
import { start_mail_server } from "../peers/mail_server.mjs";
import { ADMIN, Box, until } from "../support/box.mjs";

const registered = async (box, email) => {
  const person = box.person(),
    password = "a customer's long password";
  person.id = (await person.call("POST", "/api/register", { email, password })).body.id;
  await person.log_in(email, password);
  return person;
};

test("new users have the plan of DEFAULT_PLAN", async (t) => {
  const box = await Box.start(t, { DEFAULT_PLAN: "solo" });
  const ada = await registered(box, "ada@example.org");
  assert.equal((await ada.call("GET", "/api/billing")).body.plan, "solo");
  const made = await box.backend_call("POST", "/api/admin/users", { email: "bob@example.org", plan: "network" });
  assert.equal(made.plan, "network", "an administrator chooses another");
  const statement = (await ada.call("GET", "/api/billing/statement")).body;
  assert.deepEqual(
    statement.plans.map(({ plan }) => plan),
    ["solo"],
  );
});

test("a user asks for a plan, and an administrator approves or denies it", async (t) => {
  const box = await Box.start(t);
  const ada = await registered(box, "ada@example.org"),
    admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  assert.deepEqual((await ada.call("GET", "/api/subscriptions/request")).body, { request: null });
  for (const plan of ["free", "", "SOLO", 7]) assert.equal((await ada.call("POST", "/api/subscriptions/request", { plan })).status, 400);
  assert.equal((await box.person().call("POST", "/api/subscriptions/request", { plan: "solo" })).status, 401);

  const asked = await ada.call("POST", "/api/subscriptions/request", { plan: "solo", note: "for the lighthouse" });
  assert.deepEqual([asked.status, asked.body.request.state], [201, "pending"]);
  assert.equal(
    (await ada.call("POST", "/api/subscriptions/request", { plan: "network" })).body.request.plan,
    "network",
    "in place of the first",
  );
  assert.equal((await ada.call("GET", "/api/admin/plan-requests")).status, 403);
  const { requests, count } = (await admin.call("GET", "/api/admin/plan-requests")).body;
  assert.deepEqual([count, requests[0].userId, requests[0].email, requests[0].request.plan], [1, ada.id, "ada@example.org", "network"]);

  const decide = (act, body = {}) => admin.call("POST", `/api/admin/plan-requests/${ada.id}/${act}`, body);
  assert.equal((await decide("deny", { reason: "not yet" })).body.state, "denied");
  assert.equal((await decide("approve")).status, 404, "it is decided");
  assert.equal((await ada.call("GET", "/api/billing")).body.plan, null);
  assert.equal((await ada.call("GET", "/api/subscriptions/request")).body.request.reason, "not yet");

  await ada.call("POST", "/api/subscriptions/request", { plan: "solo" });
  const outcomes = await Promise.all([decide("approve"), decide("approve"), decide("approve")]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, 404, 404], "once");
  assert.equal((await ada.call("GET", "/api/billing")).body.plan, "solo");
  assert.equal((await ada.call("POST", "/api/subscriptions/request", { plan: "solo" })).status, 409);
  assert.equal((await admin.call("GET", "/api/admin/plan-requests")).body.count, 0);
  assert.equal((await admin.call("POST", "/api/admin/plan-requests/nobody/approve", {})).status, 404);
});

test("administrators are mailed that users wait for a plan, once for several of them", async (t) => {
  const server = await start_mail_server(t);
  const box = await Box.start(t, { SMTP_URL: server.url, SMTP_FROM: "box@example.org" });
  const ask = async (email) => {
    const person = await registered(box, email);
    assert.equal((await person.call("POST", "/api/subscriptions/request", { plan: "solo", note: "please" })).status, 201);
  };
  const notices = () => server.mails.filter(({ lines }) => lines.includes("Subject: A user has requested a plan"));
  await ask("ada@example.org");
  const [{ to, lines }] = await until("the administrator is told", () => notices().length === 1 && notices());
  assert.match(to.join(), new RegExp(ADMIN.email));
  assert.equal(to.length, 1);
  const text = lines.join("\n");
  assert.match(text, /ada@example\.org has requested the plan solo/);
  // Passkeys do not work at 127.0.0.1, so links to the console's pages lead to localhost.
  assert.ok(lines.includes(`  http://localhost:${new URL(box.web).port}/admin/requests`), text);
  assert.ok(!text.includes("please"));
  await ask("bob@example.org");
  await until("bob has his other mail", () => server.mails.some(({ to, lines }) => to.join().includes("bob@") && lines.length));
  assert.equal(notices().length, 1);
});
