// The story of the README: register, get a plan, provision an agent, talk to it, and find everything again after a crash.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box } from "../support/box.mjs";

test("someone registers, gets a plan, provisions an agent, talks to it and deletes it", async (t) => {
  const box = await Box.start(t);
  const ada = box.person();

  const registered = await ada.call("POST", "/api/register", { email: "Ada@Example.org", password: "correct horse battery" });
  assert.equal(registered.status, 200, JSON.stringify(registered.body));
  assert.equal(registered.body.email, "ada@example.org");
  assert.equal((await ada.call("GET", "/api/auth/session")).body.user, null);

  const signed_in = await ada.log_in("ada@example.org", "correct horse battery");
  assert.equal(signed_in.status, 200);
  const cookie = signed_in.headers.getSetCookie()[0];
  for (const flag of ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"]) assert.ok(cookie.includes(flag), cookie);
  assert.equal((await ada.call("GET", "/api/auth/session")).body.user.email, "ada@example.org");

  const refused = await ada.call("POST", "/api/agents/provision", { name: "Scout", tier: "starter" });
  assert.equal(refused.status, 402);
  assert.equal(refused.body.code, "SUBSCRIPTION_REQUIRED");

  const deployed = await box.backend_call("POST", "/api/subscriptions/deploy", { userId: registered.body.id, plan: "solo" });
  assert.equal(deployed.status, "active", JSON.stringify(deployed));

  const id = await box.running_agent(ada);
  const listed = (await ada.call("GET", "/api/agents")).body;
  assert.equal(listed.count, 1);
  assert.equal(listed.agents[0].id, id);
  assert.match(listed.agents[0].websocketUrl, /^ws:\/\//);

  const full = await ada.call("POST", "/api/agents/provision", { name: "Second", tier: "starter" });
  assert.equal(full.status, 429, JSON.stringify(full.body));
  assert.deepEqual([full.body.current, full.body.limit], [1, 1]);

  const answer = await ada.call("POST", "/api/chat", { agentId: id, message: "remember that the demo is on Friday" });
  assert.equal(answer.status, 200, JSON.stringify(answer.body) + box.log);
  assert.match(answer.body.model, /builtin/);
  const history = (await ada.call("GET", `/api/chat?agentId=${id}`)).body;
  assert.deepEqual(
    history.messages.map((message) => message.role),
    ["user", "assistant"],
  );
  const recalled = await ada.call("POST", "/api/chat", { agentId: id, message: "what do you remember?" });
  assert.match(recalled.body.message.content, /Friday/);

  for (const [action, status] of [
    ["stop", "stopped"],
    ["start", "running"],
    ["restart", "running"],
  ]) {
    const done = await ada.call("POST", `/api/instance/${id}/${action}`);
    assert.equal(done.status, 200, JSON.stringify(done.body));
    await box.until_status(ada, id, status);
    if (status === "stopped") assert.equal((await ada.call("POST", "/api/chat", { agentId: id, message: "hello" })).status, 409);
  }
  assert.equal((await ada.call("DELETE", `/api/agents/${id}`)).body.deleted, true);
  assert.equal((await ada.call("GET", "/api/agents")).body.count, 0);
});

for (const signal of ["SIGTERM", "SIGKILL"])
  test(`after ${signal} everything is there again, and the agent answers`, async (t) => {
    const box = await Box.start(t);
    const ada = await box.customer("ada@example.org");
    const id = await box.running_agent(ada);
    await ada.call("POST", "/api/chat", { agentId: id, message: "remember that the box was here before" });
    const code = await box.end(signal);
    if (signal === "SIGTERM") assert.equal(code, 0, box.log);

    await box.serve();
    assert.equal((await ada.call("GET", "/api/auth/session")).body.user.email, "ada@example.org");
    await box.until_status(ada, id, "running");
    assert.equal((await ada.call("GET", `/api/chat?agentId=${id}`)).body.count, 2);
    const recalled = await ada.call("POST", "/api/chat", { agentId: id, message: "what do you remember?" });
    assert.match(recalled.body.message?.content ?? "", /before/, JSON.stringify(recalled.body));
  });

test("records of one user do not exist for another", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const id = await box.running_agent(ada);
  const missing = "ag_aaaaaaaaaaaaaaaaaaaa";
  const attempts = [
    ["GET", "/api/agents/ID"],
    ["DELETE", "/api/agents/ID"],
    ["POST", "/api/instance/ID/stop"],
    ["GET", "/api/instance/ID"],
    ["GET", "/api/chat?agentId=ID"],
    ["POST", "/api/chat", { agentId: "ID", message: "hello" }],
  ];
  for (const [method, path, body] of attempts) {
    const ask = (which) => eve.call(method, path.replace("ID", which), body && JSON.parse(JSON.stringify(body).replace("ID", which)));
    const theirs = await ask(id),
      nobodys = await ask(missing);
    assert.equal(theirs.status, nobodys.status, `${method} ${path}`);
    assert.equal(JSON.stringify(theirs.body).replaceAll(id, "ID"), JSON.stringify(nobodys.body).replaceAll(missing, "ID"));
  }
  assert.equal((await ada.call("GET", `/api/agents/${id}`)).body.agent.status, "running");
});

test("both listeners describe themselves, and guards deny by default", async (t) => {
  const box = await Box.start(t);
  for (const listener of [box.web, box.backend]) {
    const document = await (await fetch(`${listener}/api/openapi.json`)).json();
    assert.equal(document.openapi, "3.1.0");
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.security.length === 0 || operation["x-guard"] === "session, if any") continue;
        const answer = await fetch(listener + path.replace(/{\w+}/g, "x"), {
          method: method.toUpperCase(),
          headers: { authorization: "Bearer wrong" },
        });
        assert.ok([401, 403].includes(answer.status), `${method} ${path} answered ${answer.status} to a wrong credential`);
      }
  }
});
