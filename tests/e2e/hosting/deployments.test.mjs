// Deploying, provisioning with messaging channels, cloning against payment: who may have how many, and what is kept.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, send, until } from "../support/box.mjs";
import { free_ports } from "../support/ports.mjs";
import { agent_processes } from "../support/processes.mjs";

const post = (box, path, body) =>
  send(box.backend, "POST", path, {
    headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const limited = (answer, status, current, limit) => {
  assert.deepEqual(
    [answer.status, answer.body.code, answer.body.current, answer.body.limit],
    [status, "AGENT_LIMIT_REACHED", current, limit],
    JSON.stringify(answer.body),
  );
  const { headers } = answer;
  assert.equal(headers.get?.("retry-after") ?? headers["retry-after"], undefined, "it does not pass by waiting");
};
const agents_of = async (person) => (await person.call("GET", "/api/agents")).body.agents;

test("a deployment is made once and then found active", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const deploy = (more) => post(box, "/api/deployments", { userId: ada.id, name: "Scout", plan: "solo", ...more });
  const first = await deploy();
  assert.deepEqual([first.status, first.body.success, first.body.status, first.body.alreadyActive], [201, true, "running", false]);
  const again = await deploy();
  assert.deepEqual([again.status, again.body.id, again.body.alreadyActive], [200, first.body.id, true]);
  for (const [wrong, field] of [
    [{ aiProvider: "nonsense" }, /^aiProvider/],
    [{ config: { tools: ["dig"] } }, /^config\.tools\[0\]/],
  ])
    for (const name of ["Scout", "Fresh"]) {
      const refused = await deploy({ name, ...wrong });
      assert.equal(refused.status, 400, JSON.stringify(refused));
      assert.match(refused.body.error, field);
    }
  await ada.call("POST", `/api/instance/${first.body.id}/stop`);
  assert.deepEqual([(await deploy({ agentId: first.body.id })).status, (await agents_of(ada)).length], [201, 1]);
  assert.equal((await deploy({ name: "Second" })).status, 201);
  assert.equal((await deploy({ name: "Third" })).status, 201);
  limited(await deploy({ name: "Fourth" }), 402, 3, 3);
  limited(await deploy({ name: "Fourth", plan: undefined }), 402, 3, 1);
  assert.deepEqual((({ status, body }) => [status, body.code])(await deploy({ name: "x", plan: "free" })), [402, "PLAN_REQUIRED"]);
  assert.match((await deploy({ name: "x", plan: "gold" })).body.error, /^plan/);
  assert.match((await post(box, "/api/deployments", { name: "x" })).body.error, /^userId/);
  assert.equal((await deploy({ userId: "4242" })).status, 404);
  const eve = await box.customer("eve@example.org");
  assert.equal((await deploy({ userId: eve.id, agentId: first.body.id })).status, 404);
  assert.equal((await agents_of(ada)).length, 3);
});

test("the same deployment, asked for twenty times at once, is made once", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const together = (more) =>
    Promise.all(Array.from({ length: 20 }, () => post(box, "/api/deployments", { userId: ada.id, name: "Scout", ...more })));
  for (const more of [{ plan: "label" }, { plan: "network", name: "Second" }]) {
    const answers = await together(more);
    const made = answers.filter(({ status }) => status === 201);
    assert.deepEqual(
      [made.length, answers.filter(({ status }) => status === 200).length],
      [1, 19],
      JSON.stringify(answers.map(({ body }) => body)),
    );
    assert.deepEqual(new Set(answers.map(({ body }) => body.id)), new Set([made[0].body.id]));
    assert.ok(answers.every(({ body }) => body.status === "running"));
  }
  const agents = await agents_of(ada);
  assert.deepEqual(agents.map(({ name }) => name).sort(), ["Scout", "Second"]);
  assert.equal(agent_processes(box).length, 2);

  // Its name is free as soon as it is deleted, and taken by nobody else's of that name.
  const { id } = agents.find(({ name }) => name === "Scout");
  await ada.call("DELETE", `/api/agents/${id}`);
  const eve = await box.customer("eve@example.org");
  assert.equal((await post(box, "/api/deployments", { userId: eve.id, name: "Scout" })).status, 201);
  const again = await post(box, "/api/deployments", { userId: ada.id, name: "Scout", plan: "network" });
  assert.equal(again.status, 201, JSON.stringify(again.body));
  assert.notEqual(again.body.id, id);
});

test("deployments have a limit of their own, and provisioning has the backend's alone", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "on" });
  const tries = async (path) => {
    const answers = [];
    for (let count = 0; count < 6; ++count) answers.push((await post(box, path, { userId: "4242", name: "x" })).status);
    return answers;
  };
  assert.deepEqual(await tries("/api/provision"), [404, 404, 404, 404, 404, 404]);
  assert.deepEqual(await tries("/api/deployments"), [404, 404, 404, 404, 404, 429]);
});

test("provisioning with channels keeps their tokens sealed and answers no more than it must", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const made = await ada.call("POST", "/api/provision", {
    name: "Scout",
    telegramToken: "4711:hidden-bot",
    config: { apiKey: "hidden-key" },
  });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  assert.deepEqual(Object.keys(made.body).sort(), ["liveStreamId", "streamKey", "subdomain", "success", "url", "userId"]);
  const [{ id }] = await agents_of(ada);
  await box.until_status(ada, id, "running");
  const { config } = (await ada.call("GET", `/api/agents/${id}/config`)).body;
  assert.deepEqual(config, { apiKey: { sealed: true }, channels: { telegram: { enabled: true, botToken: { sealed: true } } } });
  assert.equal(box.whole_log.includes("hidden-"), false);
  limited(await ada.call("POST", "/api/provision", { name: "Second" }), 429, 1, 1);
  limited(await post(box, "/api/provision", { userId: ada.id, name: "Second" }), 402, 1, 1);
  assert.equal((await ada.call("POST", "/api/provision", { plan: "network" })).status, 402, "more than is paid for");
  assert.equal((await ada.call("POST", "/api/provision", { plan: "free" })).body.code, "PLAN_REQUIRED");

  const bob = box.person();
  await bob.call("POST", "/api/register", { email: "bob@example.org", password: "a customer's long password" });
  await bob.log_in("bob@example.org", "a customer's long password");
  assert.deepEqual((({ status, body }) => [status, body.code])(await bob.call("POST", "/api/provision", {})), [
    402,
    "SUBSCRIPTION_REQUIRED",
  ]);
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  assert.equal((await admin.call("POST", "/api/provision", { name: "Admin's" })).status, 200);
});

test("each route counts by its own table", async (t) => {
  const box = await Box.start(t, { PROVISIONING_ENABLED: "true", AGENT_RUNTIME: "process" });
  const most = { label: [10, 1], collective: [3, 10] }; // by POST /api/provision, by POST /api/deployments
  for (const [plan, [provisioned, deployed]] of Object.entries(most)) {
    const person = await box.customer(`${plan}@example.org`, plan);
    const least = Math.min(provisioned, deployed);
    for (let n = 0; n < least; ++n) assert.equal((await post(box, "/api/agents", { name: `${n}`, userId: person.id })).status, 201);
    const [narrow, wide] = provisioned < deployed ? ["/api/provision", "/api/deployments"] : ["/api/deployments", "/api/provision"];
    const body = { userId: person.id, name: "one more", plan };
    limited(await post(box, narrow, body), 402, least, least);
    assert.ok([200, 201].includes((await post(box, wide, body)).status), `${wide} for ${plan}`);
  }
});

const proof = (more) => ({
  transactionHash: `0x${"ab".repeat(32)}`,
  amount: "1.0",
  currency: "pathUSD",
  chainId: 4217,
  from: `0x${"1".repeat(40)}`,
  to: `0x${"2".repeat(40)}`,
  timestamp: Math.floor(Date.now() / 1000),
  ...more,
});

test("without a chain a clone is free within the plan's limits, and has its parent's config", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "solo");
  const parent = await box.running_agent(ada, "Parent");
  await ada.call("PUT", `/api/agents/${parent}/config`, { config: { aiProvider: "openai", apiKey: "hidden-key" } });
  const clone = (more, paid = {}) =>
    ada.call("POST", "/api/agents/clone", { parentAgentId: parent, name: "Child", paymentProof: proof(paid), ...more });
  assert.equal((await fetch(`${box.web}/api/agents/clone`).then((answer) => answer.json())).terms, "free");

  const wrong = {
    transactionHash: ["ab", "0x", "0xzz", "", 7, undefined],
    amount: ["0.99", "-1", "1e3", "", "x", 1, undefined],
    currency: ["USDC", "pathusd", "", undefined],
    chainId: [1, "4217", 4217.5, undefined],
    from: ["0x1", "", `0x${"g".repeat(40)}`, undefined],
    to: ["x", undefined],
    timestamp: ["now", 0, -1, 1, Date.now() / 1000 + 3600, Date.now() / 1000 - 31 * 86_400, undefined],
  };
  for (const [field, values] of Object.entries(wrong))
    for (const value of values) {
      const answer = await clone({}, { [field]: value });
      assert.deepEqual(
        [answer.status, answer.body.error.includes(field)],
        [400, true],
        `${field}=${value}: ${JSON.stringify(answer.body)}`,
      );
    }
  assert.match((await clone({ specialization: "cook" })).body.error, /specialization/);
  assert.equal((await clone({ parentAgentId: "ag_aaaaaaaaaaaaaaaaaaaa" })).status, 404);
  const eve = await box.customer("eve@example.org");
  assert.equal((await eve.call("POST", "/api/agents/clone", { parentAgentId: parent, name: "x", paymentProof: proof() })).status, 404);

  // No payment is asked for, and one that nobody can verify is not said to be one.
  const many = await Promise.all(
    Array.from({ length: 5 }, () => clone({ specialization: "booking", generation: 3, paymentProof: undefined })),
  );
  assert.deepEqual(many.map(({ status }) => status).sort(), [200, 200, 429, 429, 429]);
  const { agent, payment } = many.find(({ status }) => status === 200).body;
  assert.deepEqual([agent.parentAgentId, agent.specialization, agent.generation], [parent, "booking", 4]);
  assert.deepEqual(payment, { transactionHash: "", amount: "0", currency: "pathUSD", verified: false });
  await box.until_status(ada, agent.id, "running");
  const { conduct } = JSON.parse(readFileSync(join(box.folder, "agents", agent.id, "run", "boot.json")));
  assert.equal(conduct.specialization, "booking", "and is told what it is for");
  assert.deepEqual((await ada.call("GET", `/api/agents/${agent.id}/config`)).body.config, {
    aiProvider: "openai",
    apiKey: { sealed: true },
  });
  limited(await clone(), 429, 3, 3);
  await ada.call("DELETE", `/api/agents/${agent.id}`);
  const invented = await clone();
  assert.deepEqual([invented.status, invented.body.payment.verified, invented.body.payment.transactionHash], [200, false, ""]);

  await box.end("SIGTERM");
  box.env.CLONE_PAYMENTS = "off";
  await box.serve();
  assert.equal((await fetch(`${box.web}/api/agents/clone`).then((answer) => answer.json())).terms, "off");
  assert.equal((await clone()).body.code, "PAYMENTS_NOT_VERIFIED");
});

test("fifty at once each get a port and a name, and a crash in the middle loses none", async (t) => {
  const first = await free_ports(60);
  const box = await Box.start(t, { AGENT_PORT_RANGE: `${first}-${first + 59}` });
  const ada = await box.customer("ada@example.org", "network");
  const names = Array.from({ length: 50 }, (_, n) => `Scout ${n}`);
  const made = await Promise.all(names.map((name) => ada.call("POST", "/api/agents/provision", { name, tier: "enterprise" })));
  assert.deepEqual([...new Set(made.map(({ status }) => status))], [201]);
  await box.end("SIGKILL");
  await box.serve();
  await until(
    "all of them run",
    async () => {
      const agents = await agents_of(ada);
      assert.equal(agents.length, 50);
      assert.ok(
        agents.every(({ status }) => ["provisioning", "running"].includes(status)),
        JSON.stringify(agents),
      );
      return agents.every(({ status }) => status === "running");
    },
    240_000,
  );
  const agents = await agents_of(ada);
  assert.deepEqual([...new Set(agents.map(({ name }) => name))].sort(), [...names].sort());
  assert.equal(new Set(agents.map(({ websocketUrl }) => websocketUrl)).size, 50);
  const running = agent_processes(box);
  assert.deepEqual([running.length, new Set(running.map(({ id }) => id)).size], [50, 50], "one process each, and none besides");
});

test("an exhausted range of ports is reported", async (t) => {
  const port = await free_ports(1);
  const box = await Box.start(t, { AGENT_PORT_RANGE: `${port}-${port}` });
  const ada = await box.customer("ada@example.org", "network");
  await box.running_agent(ada);
  const refused = await ada.call("POST", "/api/agents/provision", { name: "Second", tier: "enterprise" });
  assert.equal(refused.status, 503);
  assert.match(refused.body.error, /AGENT_PORT_RANGE/);
});
