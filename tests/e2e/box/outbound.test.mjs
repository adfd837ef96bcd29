// What leaves the box: EGRESS and EGRESS_ALLOW are one policy for all its parts, and GET /api/egress shows who asked.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, until } from "../support/box.mjs";

// 0.0.0.0 leads to this machine, but is not among the addresses that count as inside the box.
const OUTSIDE = "0.0.0.0";

// Says "Yes." to every model call, and serves a page.
const outside_world = async (t) => {
  const asked = [];
  const server = createServer(async (request, response) => {
    asked.push(request.url);
    for await (const part of request) void part;
    if (request.url === "/page") return response.writeHead(200, { "content-type": "text/html" }).end("<title>Tides</title><p>At six.");
    if (request.url === "/v1/models")
      return response.setHeader("content-type", "application/json").end(JSON.stringify({ data: [{ id: "m" }] }));
    const chunk = (delta, finish_reason = null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(chunk({ role: "assistant", content: "Yes." }) + chunk({}, "stop") + "data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { port: server.address().port, asked };
};

const admin_of = async (box) => {
  const admin = box.person();
  assert.equal((await admin.log_in(ADMIN.email, ADMIN.password)).status, 200);
  return admin;
};
const ledger = async (admin, query = "") => {
  const { status, body } = await admin.call("GET", `/api/egress${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const line_of = (admin, part) => until(`a line of ${part}`, async () => (await ledger(admin)).lines.find((line) => line.part === part));

const summarize = async (box, agent, url) => {
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  const answer = await fetch(`${box.summarizer}/api/summarize`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${box_token}` },
    body: JSON.stringify({ url }),
  });
  const body = await answer.json();
  return body.title ?? body.error;
};

test("with EGRESS=deny nothing leaves, and each refusal names its destination", async (t) => {
  const world = await outside_world(t);
  const box = await Box.start(t, {
    EGRESS: "deny",
    LOCAL_MODEL_URL: `http://${OUTSIDE}:${world.port}/v1`,
    LOCAL_MODEL: "m",
    SUMMARIZER_ALLOW_PRIVATE: "on",
    SMTP_URL: "smtps://mail.example.org",
    SMTP_FROM: "box@example.org",
  });
  const ada = await box.customer("ada@example.org"),
    admin = await admin_of(box);
  const agent = await box.running_agent(ada);
  const names = new RegExp(`may not connect to 0\\.0\\.0\\.0:${world.port}: EGRESS is deny`);

  const { key } = (await ada.call("POST", "/api/keys", { name: "laptop" })).body;
  const spoken = await fetch(`${box.backend}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ messages: [{ role: "user", content: "Is it so?" }] }),
  });
  assert.ok([502, 503].includes(spoken.status), String(spoken.status));
  assert.match(await spoken.text(), names);
  assert.match(await summarize(box, agent, `http://${OUTSIDE}:${world.port}/page`), names);
  await box.person().call("POST", "/api/auth/forgot-password", { email: "ada@example.org" });
  const { problem } = await until("a mail that was not sent", async () =>
    (await box.backend_call("GET", "/api/admin/outbox?limit=10")).mails.find((mail) => mail.problem),
  );
  assert.match(problem, /may not connect to mail\.example\.org:465/);
  assert.deepEqual(world.asked, [], "nothing arrived");

  const models = await line_of(admin, "models");
  assert.deepEqual([models.host, models.port, models.calls, models.bytesOut, models.userId], [OUTSIDE, world.port, 0, 0, ada.id]);
  assert.ok(models.refused > 0);
  const pages = await line_of(admin, "summarizer");
  assert.deepEqual([pages.agentId, pages.userId, pages.setting], [agent, ada.id, "EGRESS"]);
  const { lines, policy } = await ledger(admin, "?refused=true");
  assert.deepEqual(policy, { egress: "deny", allow: [] });
  assert.deepEqual([...new Set(lines.map(({ part }) => part))].sort(), ["mail", "models", "summarizer"]);
  assert.deepEqual(
    (await ledger(admin, "?host=mail.example")).lines.map(({ host }) => host),
    ["mail.example.org"],
  );
  assert.equal((await admin.call("GET", "/api/egress?limit=0")).status, 400);
  assert.equal((await ada.call("GET", "/api/egress")).status, 403, "for administrators");
  assert.deepEqual((await box.backend_call("GET", "/api/admin/egress?refused=true")).lines, lines, "the same for the backend");

  const page = await admin.call("GET", "/api/egress?limit=1");
  const rest = await ledger(admin, `?before=${encodeURIComponent(page.body.next)}`);
  assert.ok(rest.lines.length > 0 && rest.lines.every(({ id }) => id !== page.body.lines[0].id), "pages do not overlap");
});

test("what EGRESS_ALLOW lists is reached and counted, and the ledger outlives a restart", async (t) => {
  const world = await outside_world(t);
  const allowed = `${OUTSIDE}:${world.port}`;
  const box = await Box.start(t, {
    EGRESS: "deny",
    EGRESS_ALLOW: allowed,
    LOCAL_MODEL_URL: `http://${allowed}/v1`,
    SUMMARIZER_ALLOW_PRIVATE: "on",
  });
  const ada = await box.customer("ada@example.org"),
    admin = await admin_of(box);
  const agent = await box.running_agent(ada);
  assert.equal(await summarize(box, agent, `http://${allowed}/page`), "Tides");
  const spoken = await ada.call("POST", "/api/chat", { agentId: agent, message: "Is it so?" });
  assert.equal(spoken.status, 200, JSON.stringify(spoken));

  const pages = await line_of(admin, "summarizer");
  assert.deepEqual([pages.calls, pages.refused, pages.agentId, pages.setting], [1, 0, agent, `EGRESS_ALLOW ${allowed}`]);
  assert.ok(pages.bytesIn > 30 && pages.bytesOut > 30, JSON.stringify(pages));
  const models = await line_of(admin, "models");
  const asked = (await ledger(admin, `?part=models&agentId=${agent}`)).lines;
  assert.deepEqual(
    asked.map(({ userId, calls }) => [userId, calls > 0]),
    [[ada.id, true]],
  );
  assert.equal(models.refused, 0);

  assert.equal(await box.end("SIGTERM"), 0);
  await box.serve();
  const again = await admin_of(box);
  assert.deepEqual(
    (await ledger(again)).lines.find(({ part }) => part === "summarizer"),
    pages,
  );
});

test("a box that only talks to itself has an empty ledger", async (t) => {
  const world = await outside_world(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: `http://127.0.0.1:${world.port}/v1` });
  const ada = await box.customer("ada@example.org"),
    admin = await admin_of(box);
  const agent = await box.running_agent(ada);
  assert.equal((await ada.call("POST", "/api/chat", { agentId: agent, message: "Is it so?" })).status, 200);
  assert.deepEqual(await ledger(admin), { lines: [], next: null, policy: { egress: "allow", allow: [] } });
});
