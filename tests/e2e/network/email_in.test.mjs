// E-mail for agents: signed by the mail service as Standard Webhooks, checked, and delivered once.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { ModelServer, say } from "../peers/model_server.mjs";
import { package_named } from "../support/packages.mjs";

const { Webhook } = package_named("standardwebhooks");
const SECRET = `whsec_${Buffer.from("a signing secret of the stories!").toString("base64")}`;
const ENV = { EMAIL_WEBHOOK_SECRET: SECRET, EMAIL_ALLOWED_SENDERS: "Ada@example.org,@friends.example.org" };

let events = 0;
const post = (
  box,
  payload,
  { secret = SECRET, id = `msg_${++events}`, at = new Date(), names = "webhook", body = JSON.stringify(payload), ...more } = {},
) => {
  const signature = more.signature ?? new Webhook(secret).sign(id, at, body);
  const headers = {
    "content-type": "application/json",
    [`${names}-id`]: id,
    [`${names}-timestamp`]: String(Math.floor(at / 1000)),
    [`${names}-signature`]: signature,
  };
  return send(box.web, "POST", "/api/webhooks/email", { headers, body: more.sent ?? body });
};
const mail_to = (to, more = {}) => ({ from: "Ada <ada@example.org>", to, subject: "Hello", text: "How are you?", ...more });

const story_of = async (t, env = ENV, plan = "solo") => {
  const box = await Box.start(t, env);
  const ada = await box.customer("ada@example.org", plan);
  const { id: agent } = (await ada.call("POST", "/api/agents/provision", { name: "Scout" })).body.agent;
  await box.until_status(ada, agent, "running");
  const { subdomain } = (await ada.call("GET", `/api/agents/${agent}`)).body.agent;
  const said = async () =>
    (await ada.call("GET", `/api/chat?agentId=${agent}`)).body.messages.filter(({ role }) => role === "user").map(({ content }) => content);
  return { box, ada, agent, address: `${subdomain}@agents.example.org`, said };
};

test("a signed mail becomes one message to the agent, with its attachments in the workspace", async (t) => {
  const { box, ada, agent, address, said } = await story_of(t);
  const attachments = [
    { filename: "../notes.txt", content: Buffer.from("of the meeting").toString("base64") },
    { filename: "later.pdf", content_type: "application/pdf" },
  ];
  const payload = { type: "email.received", data: mail_to([address, "nobody@agents.example.org"], { attachments }) };
  const first = await post(box, payload, { id: "msg_first" });
  assert.deepEqual([first.status, first.body], [200, { success: true, delivered: [agent], ignored: ["nobody@agents.example.org"] }]);
  const [text] = await until("the message is there", async () => (await said()).length && said());
  assert.match(text, /^E-mail from ada@example\.org\nSubject: Hello\n\nHow are you\?\n/);
  const [, path] = /^Attachment: (\S+notes\.txt)$/m.exec(text);
  assert.match(text, /later\.pdf": not included/);
  const { files } = (await ada.call("GET", `/api/files?agentId=${agent}`)).body;
  assert.deepEqual(files.find((file) => file.path === path)?.size, "of the meeting".length);

  const again = await post(box, payload, { id: "msg_first" });
  assert.deepEqual(again.body, first.body, "once for each id");
  const flat = await post(box, mail_to(address.replace("@", "+tag@"), { subject: "Second", from: "bob@friends.example.org" }), {
    names: "svix",
  });
  assert.deepEqual([flat.status, flat.body.delivered], [200, [agent]]);
  await until("the second message is there", async () => (await said()).length === 2);
  assert.match((await said())[1], /Second/);
  assert.deepEqual((await post(box, { type: "email.bounced", data: {} })).body, { success: true, delivered: [], ignored: [] });
  assert.ok(!box.whole_log.includes("How are you?"));
});

test("a mail is answered without the owner's conversation and tools", async (t) => {
  const model = await ModelServer.start(t);
  const { box, ada, agent, address } = await story_of(t, { ...ENV, LOCAL_MODEL_URL: model.url });
  model.will(say("I keep it."), say("Thank you for your mail."));
  await ada.call("POST", "/api/chat", { agentId: agent, message: "my secret is 4711" });
  assert.equal((await post(box, mail_to(address, { text: "What is the secret?" }))).status, 200);
  await until("the mail is answered", () => model.script.length === 0);
  const asked = model.asked.at(-1);
  assert.match(asked.messages.at(-1).content, /What is the secret/);
  assert.doesNotMatch(JSON.stringify(asked), /4711/);
  assert.ok(asked.tools.every((tool) => tool.function.name !== "send_message"));
  model.check();
});

test("what is not signed, too old, or of another sender is refused", async (t) => {
  const { box, address, said } = await story_of(t);
  const payload = mail_to(address);
  const status = async (...given) => (await post(box, ...given)).status;
  const minutes = (count) => new Date(Date.now() + count * 60_000);
  assert.equal((await send(box.web, "POST", "/api/webhooks/email", { body: JSON.stringify(payload) })).status, 401);
  assert.equal(await status(payload, { secret: `whsec_${btoa("another secret")}` }), 401);
  assert.deepEqual([await status(payload, { at: minutes(-6) }), await status(payload, { at: minutes(6) })], [401, 401]);
  assert.equal(await status(payload, { sent: `${JSON.stringify(payload)} ` }), 401, "the raw bytes are signed");
  for (const signature of ["", "v1,", "v2,aGVsbG8=", "v1,aGVsbG8=", "v1a,aGVsbG8="])
    assert.equal(await status(payload, { signature }), 401, signature);
  const body = JSON.stringify(payload),
    at = new Date();
  const right = new Webhook(SECRET).sign("msg_rotated", at, body);
  assert.equal(
    (
      await send(box.web, "POST", "/api/webhooks/email", {
        headers: { "webhook-id": "msg_moved", "webhook-timestamp": String(Math.floor(at / 1000)), "webhook-signature": right },
        body,
      })
    ).status,
    401,
    "the id is signed, too",
  );
  for (const from of ["eve@example.org", "Ada <eve@example.org>", "ada@example.org.evil.example", "eve@notfriends.example.org"])
    assert.equal(await status({ ...payload, from }), 403, from);
  for (const [broken, field] of [
    [{ ...payload, from: 7 }, /from/],
    [{ ...payload, to: [] }, /to/],
    [{ ...payload, text: 7 }, /text/],
    [{ ...payload, attachments: [{ filename: "x", content: "no base64!" }] }, /attachments\[0\]\.content/],
  ]) {
    const answer = await post(box, broken);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.error, field);
  }
  assert.deepEqual(await said(), []);
  assert.equal(await status(payload, { id: "msg_rotated", at, body, signature: `v1,aGVsbG8= ${right}` }), 200, "one of several signatures");
});

test("without a secret everything is refused, and without allowed senders, too", async (t) => {
  const closed = await Box.start(t, { EMAIL_ALLOWED_SENDERS: "*" });
  assert.equal((await post(closed, mail_to("x@y.example"))).status, 401);
  const body = JSON.stringify(mail_to("x@y.example")),
    at = new Date();
  const with_empty_key = createHmac("sha256", "")
    .update(`msg_empty.${Math.floor(at / 1000)}.${body}`)
    .digest("base64");
  assert.equal((await post(closed, undefined, { id: "msg_empty", at, body, signature: `v1,${with_empty_key}` })).status, 401);
  const nobody = await Box.start(t, { EMAIL_WEBHOOK_SECRET: SECRET });
  assert.equal((await post(nobody, mail_to("x@y.example"))).status, 403);
});

test("a mail waits for an agent that does not run, also while the box is off", async (t) => {
  const { box, ada, agent, address, said } = await story_of(t, { ...ENV, EMAIL_WEBHOOK_SECRET: "a secret as text" });
  assert.equal((await ada.call("POST", `/api/instance/${agent}/stop`, {})).status, 200);
  await box.until_status(ada, agent, "stopped");
  const sent = await post(box, mail_to(address), { secret: Buffer.from("a secret as text").toString("base64") });
  assert.deepEqual([sent.status, sent.body.delivered], [200, [agent]]);
  await box.end("SIGKILL");
  await box.serve();
  assert.deepEqual(await said(), []);
  assert.equal((await ada.call("POST", `/api/instance/${agent}/start`, {})).status, 200);
  await until("the mail has arrived", async () => (await said()).length === 1, 60_000);
});

test("an attachment beyond the workspace's quota is left out, and the mail says so", async (t) => {
  const { box, address, said } = await story_of(t, ENV, "label");
  const content = Buffer.alloc(15 << 20, "x").toString("base64");
  const big = () => post(box, mail_to(address, { attachments: [{ filename: "big.bin", content }] }));
  for (let sent = 0; sent < 8 && !(await said()).some((text) => text.includes("no room")); ++sent) {
    assert.equal((await big()).status, 200);
    await until("the message is there", async () => (await said()).length > sent);
  }
  assert.ok((await said()).some((text) => text.includes('"big.bin": not stored, the workspace has no room')));
});
