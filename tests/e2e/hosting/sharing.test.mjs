// Agents that are shared: who may do what, who pays, and that nothing of one person is in another's prompt.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Box, PASSWORD, until } from "../support/box.mjs";
import { MODEL, ModelServer, say } from "../peers/model_server.mjs";

// A model that returns the whole prompt that it was sent.
const echo = ({ messages }) => say(messages.map(({ role, content }) => `${role}: ${content}`).join("\n"));

const story_of = async (t, env_of = (url) => ({ LOCAL_MODEL_URL: url })) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, env_of(model.url));
  const [ada, bob, eve] = await Promise.all(["ada", "bob", "eve"].map((name) => box.customer(`${name}@example.org`, "collective")));
  const agent = await box.running_agent(ada);
  const share = async (body, status = 200) => {
    const answer = await ada.call("PUT", `/api/agents/${agent}/shares`, { unverified: true, ...body });
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer.body;
  };
  const at = `/api/shared/${agent}`;
  const talk = async (person, message, conversationId) => {
    model.will(echo);
    const { status, body } = await person.call("POST", `${at}/chat`, { message, ...(conversationId && { conversationId }) });
    assert.equal(status, 200, JSON.stringify(body));
    return body.message;
  };
  const own = async (message) => {
    model.will(echo);
    const { status, body } = await ada.call("POST", "/api/chat", { agentId: agent, message });
    assert.equal(status, 200, JSON.stringify(body));
    return body.message;
  };
  return { model, box, ada, bob, eve, agent, share, talk, own, at };
};

test("a talker has own conversations, and nothing of one person is in another's prompt", async (t) => {
  const { box, ada, bob, eve, agent, share, talk, own, at } = await story_of(t);
  assert.equal((await bob.call("GET", at)).status, 404);
  assert.equal((await bob.call("POST", `${at}/chat`, { message: "hello" })).status, 404);
  await share({ email: "bob@example.org", role: "talker" });
  await share({ email: "eve@example.org", role: "talker" });
  await own("My word is heron.");
  await ada.call("POST", "/api/memory", { agentId: agent, text: "Ada's safe has the code 4711." });
  const bobs = await talk(bob, "My word is wren.");
  assert.match(bobs.content, /wren/);
  assert.doesNotMatch(bobs.content, /heron|4711/);
  const eves = await talk(eve, "My word is osprey.");
  assert.doesNotMatch(eves.content, /heron|4711|wren/);
  assert.doesNotMatch((await own("What words do you know?")).content, /wren|osprey/);
  await box.end("SIGTERM");
  await box.serve();
  await box.until_status(ada, agent, "running");
  const further = await talk(bob, "Which word?", bobs.conversationId);
  assert.match(further.content, /wren/, "the conversation goes on");
  assert.doesNotMatch(further.content, /heron|4711|osprey/);
  assert.equal(further.conversationId, bobs.conversationId);
  const second = await talk(bob, "And here?");
  assert.notEqual(second.conversationId, bobs.conversationId);
  assert.doesNotMatch(second.content, /heron|4711|osprey/);

  const { body } = await bob.call("GET", `${at}/conversations`);
  assert.deepEqual(
    body.conversations.map(({ id, own: is_own }) => [id, is_own]).toSorted(),
    [bobs.conversationId, second.conversationId].map((id) => [id, true]).toSorted(),
  );
  const messages = (person, conversation) => person.call("GET", `${at}/messages?conversationId=${conversation}`);
  assert.deepEqual(
    (await messages(bob, bobs.conversationId)).body.messages.filter(({ role }) => role === "user").map(({ content }) => content),
    ["My word is wren.", "Which word?"],
  );
  assert.equal((await messages(bob, eves.conversationId)).status, 404, "another talker's");
  const adas = (await ada.call("GET", `/api/agents/${agent}/conversations`)).body;
  assert.equal((await messages(bob, adas.current)).status, 404, "the owner's");
  assert.equal(adas.conversations.find(({ id }) => id === bobs.conversationId).audience, "peer", "the owner sees that it is there");
  for (const conversation of [eves.conversationId, adas.current]) {
    assert.equal((await bob.call("POST", `${at}/chat`, { message: "hello", conversationId: conversation })).status, 404);
    assert.equal((await bob.call("DELETE", `${at}/conversations/${conversation}`)).status, 404);
  }
  // Whatever else an owner may do is not a talker's.
  for (const [method, path] of [
    ["GET", `/api/agents/${agent}`],
    ["GET", `/api/agents/${agent}/shares`],
    ["GET", `/api/agents/${agent}/token`],
    ["GET", `/api/agents/${agent}/files/tree`],
  ])
    assert.equal((await bob.call(method, path)).status, 404, path);
  for (const [method, path] of [
    ["GET", "settings"],
    ["GET", "files/tree"],
    ["GET", "schedules"],
    ["POST", "restart"],
  ])
    assert.equal((await bob.call(method, `${at}/${path}`)).status, 403, path);

  assert.equal((await bob.call("DELETE", `${at}/conversations/${second.conversationId}`)).status, 200);
  const [{ id }] = (await ada.call("GET", `/api/agents/${agent}/shares`)).body.shares.filter(({ email }) => email === "bob@example.org");
  assert.equal((await ada.call("DELETE", `/api/agents/${agent}/shares/${id}`)).status, 200);
  assert.equal((await bob.call("GET", at)).status, 404);
  assert.equal((await bob.call("POST", `${at}/chat`, { message: "hello", conversationId: bobs.conversationId })).status, 404);
});

test("a viewer reads the conversations that are named, and only those", async (t) => {
  const { ada, bob, agent, share, own, at } = await story_of(t);
  const shown = (await own("The word is heron.")).conversationId;
  const other = (await ada.call("POST", `/api/agents/${agent}/conversations`, {})).body.conversation.id;
  await own("The word is wren.");
  await share({ email: "bob@example.org", role: "viewer", conversations: [shown] });
  const { body } = await bob.call("GET", `${at}/conversations`);
  assert.deepEqual(
    body.conversations.map(({ id, own: is_own }) => [id, is_own]),
    [[shown, false]],
  );
  const read = await bob.call("GET", `${at}/messages?conversationId=${shown}`);
  assert.match(JSON.stringify(read.body), /heron/);
  assert.doesNotMatch(JSON.stringify(read.body), /wren/);
  assert.equal((await bob.call("GET", `${at}/messages?conversationId=${other}`)).status, 404);
  for (const message of [{ message: "hello" }, { message: "hello", conversationId: shown }])
    assert.equal((await bob.call("POST", `${at}/chat`, message)).status, 403);
  assert.equal((await bob.call("DELETE", `${at}/conversations/${shown}`)).status, 403);
});

test("a builder changes settings and files and has schedules, and reaches no keys and no other person's words", async (t) => {
  const { model, box, ada, bob, agent, share, talk, own, at } = await story_of(t);
  await own("My word is heron.");
  await ada.call("PUT", `/api/agents/${agent}/config`, { config: { webhookSecret: "the-owner's-secret", systemPrompt: "Be kind." } });
  await share({ email: "bob@example.org", role: "builder" });
  const settings = await bob.call("GET", `${at}/settings`);
  assert.equal(settings.body.systemPrompt, "Be kind.");
  assert.doesNotMatch(JSON.stringify(settings.body), /secret/i);
  const changed = await bob.call("PATCH", `${at}/settings`, { name: "Heron", systemPrompt: "Be brief.", temperature: 0.5 });
  assert.deepEqual([changed.status, changed.body.name, changed.body.temperature], [200, "Heron", 0.5]);
  const { config } = (await ada.call("GET", `/api/agents/${agent}/config`)).body;
  assert.deepEqual([config.systemPrompt, config.webhookSecret], ["Be brief.", { sealed: true }], "the rest of the config stays");
  assert.equal((await bob.call("PATCH", `${at}/settings`, { peerTools: ["read_file"], plan: "network" })).status, 200);
  const after = (await ada.call("GET", `/api/agents/${agent}/config`)).body.config;
  assert.deepEqual([after.peerTools, after.plan], [undefined, undefined], "what a builder may not set is ignored");

  assert.equal((await bob.call("POST", `${at}/files/write`, { path: "notes.txt", content: "of Bob" })).status, 200);
  assert.equal((await bob.call("GET", `${at}/files/read?path=notes.txt`)).body.content, "of Bob");
  assert.equal((await ada.call("GET", `/api/agents/${agent}/files/read?path=notes.txt`)).body.content, "of Bob");
  const tree = JSON.stringify((await bob.call("GET", `${at}/files/tree?depth=9`)).body);
  assert.doesNotMatch(tree, /history\.jsonl|memory\.jsonl|boot\.json/);
  for (const path of [".agentbox/conversation.jsonl", ".agentbox/memory.jsonl"])
    assert.notEqual((await bob.call("GET", `${at}/files/read?path=${path}`)).status, 200, path);
  assert.equal((await bob.call("GET", `${at}/files/log`)).status, 404, "commits are the owner's");
  const result = join(box.folder, "agents", agent, "workspace", ".results", "0001-read_page.txt");
  mkdirSync(dirname(result), { recursive: true });
  writeFileSync(result, "heron, as a tool of the owner's turn has read it");
  assert.equal((await ada.call("GET", `/api/agents/${agent}/files/read?path=.results/0001-read_page.txt`)).status, 200);
  assert.equal((await bob.call("GET", `${at}/files/read?path=.results/0001-read_page.txt`)).status, 400);
  assert.doesNotMatch(JSON.stringify((await bob.call("GET", `${at}/files/tree?depth=9`)).body), /\.results/);
  assert.deepEqual((await bob.call("GET", `${at}/files/search?q=heron`)).body.matches, []);
  for (const [act, body] of [
    ["write", { path: ".results/0001-read_page.txt", content: "of Bob" }],
    ["write", { path: "a/../.results/0002-read_page.txt", content: "of Bob" }],
    ["mkdir", { path: ".results/mine" }],
    ["move", { from: "notes.txt", to: ".results/0003-read_page.txt" }],
    ["move", { from: ".results/0001-read_page.txt", to: "mine.txt" }],
  ])
    assert.equal((await bob.call("POST", `${at}/files/${act}`, body)).status, 400, `${act} ${JSON.stringify(body)}`);
  assert.equal((await bob.call("DELETE", `${at}/files?path=.results/0001-read_page.txt`)).status, 400);
  assert.match(readFileSync(result, "utf8"), /heron/);

  const task = { name: "daily", cronSchedule: "0 9 * * *", prompt: "What words do you know?" };
  const made = await bob.call("POST", `${at}/schedules`, task);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  model.will(echo);
  assert.ok([200, 202].includes((await ada.call("POST", `/api/scheduled-tasks/${made.body.id}/run`)).status));
  const run = await until("the run is over", async () => {
    const [one] = (await ada.call("GET", `/api/scheduled-tasks/${made.body.id}/runs`)).body.runs;
    return one?.outcome !== "running" && one;
  });
  assert.equal(run.outcome, "succeeded", JSON.stringify(run));
  assert.doesNotMatch(run.answer, /My word is heron/, "it runs for the builder, not for the owner");
  const adas = { ...task, agentId: agent };
  const { id: owners } = (await ada.call("POST", "/api/scheduled-tasks", adas)).body;
  assert.deepEqual(
    (await bob.call("GET", `${at}/schedules`)).body.tasks.map(({ id }) => id),
    [made.body.id],
  );
  for (const [method, body] of [
    ["PATCH", { prompt: "x" }],
    ["DELETE", undefined],
  ])
    assert.equal((await bob.call(method, `${at}/schedules/${owners}`, body)).status, 404);
  assert.equal((await bob.call("PATCH", `${at}/schedules/${made.body.id}`, { enabled: false })).body.enabled, false);
  assert.doesNotMatch((await talk(bob, "hello")).content, /My word is heron/);
  const entries = (await box.backend_call("GET", "/api/admin/audit?limit=1000")).entries;
  assert.ok(entries.some(({ act, userId }) => act === "shared agent changed" && String(userId) === String(bob.id)));
  await share({ email: "bob@example.org", role: "talker" });
  assert.equal((await bob.call("GET", `${at}/settings`)).status, 403, "the role was taken back");
  const refused = await ada.call("POST", `/api/scheduled-tasks/${made.body.id}/run`);
  assert.ok([200, 202].includes(refused.status));
  const last = await until("the run has failed", async () => {
    const [one] = (await ada.call("GET", `/api/scheduled-tasks/${made.body.id}/runs`)).body.runs;
    return one.id !== run.id && one.outcome !== "running" && one;
  });
  assert.match(last.error, /no longer shared/);
});

test("the owner pays, or each talker does, within a limit for each person", async (t) => {
  const paid = (url) => ({ OPENROUTER_BASE_URL: url, OPENROUTER_API_KEY: "sk-or-story", OPENROUTER_MODEL: MODEL });
  const { model, ada, bob, eve, share, talk, at } = await story_of(t, paid);
  const calls = async (person) => (await person.call("GET", "/api/dashboard/calls")).body.calls.length;
  await share({ email: "bob@example.org", role: "talker" });
  await share({ email: "eve@example.org", role: "talker", paidBy: "talker" });
  await talk(bob, "hello");
  await until("the owner has paid", async () => (await calls(ada)) === 1);
  assert.equal(await calls(bob), 0);
  await talk(eve, "hello");
  await until("the talker has paid", async () => (await calls(eve)) === 1);
  assert.equal(await calls(ada), 1);
  await share({ email: "bob@example.org", role: "talker", monthlyUsd: "0.000001" });
  const shown = (await bob.call("GET", at)).body;
  assert.deepEqual([shown.monthlyUsd, shown.paidBy, shown.role], ["0.000001", "owner", "talker"]);
  assert.ok(Number(shown.usedUsd) > 0, "what the person has used counts");
  const asked = model.asked.length;
  const refused = await bob.call("POST", `${at}/chat`, { message: "hello" });
  assert.notEqual(refused.status, 200);
  assert.match(JSON.stringify(refused.body), /monthly budget .* with this agent/);
  assert.equal(model.asked.length, asked, "no model was asked");
  await talk(eve, "the others are not limited");
});

test("an agent is shared with a group, and with an address that has no account yet", async (t) => {
  const { box, ada, bob, eve, agent, share, talk, at } = await story_of(t);
  const group = await box.backend_call("POST", "/api/admin/groups", { name: "Birds" });
  await share({ group: group.id, role: "talker" }, 404);
  for (const person of [ada, bob]) await box.backend_call("PUT", `/api/admin/groups/${group.id}/members/${person.id}`);
  assert.deepEqual((await share({ group: group.id, role: "talker" })).groupName, "Birds");
  await talk(bob, "hello");
  assert.equal((await eve.call("GET", at)).status, 404);
  assert.deepEqual(
    (await bob.call("GET", "/api/shared")).body.agents.map(({ id, role }) => [id, role]),
    [[agent, "talker"]],
  );
  await box.backend_call("DELETE", `/api/admin/groups/${group.id}/members/${bob.id}`);
  assert.equal((await bob.call("GET", at)).status, 404);
  const known = await share({ email: "eve@example.org", role: "viewer" });
  const unknown = await share({ email: "new@example.org", role: "talker" });
  assert.deepEqual(Object.keys(known), Object.keys(unknown), "the answer does not say who has an account");
  const typed = await box.customer("new@example.org");
  assert.equal((await typed.call("GET", at)).status, 404, "an address that was only typed gives no rights");
  await share({ email: "new@example.org", role: "talker", unverified: false });
  assert.equal((await typed.call("GET", at)).status, 404, "nor afterwards");
  await box.backend_call("POST", "/api/admin/users", { email: "sure@example.org", emailVerified: true, password: PASSWORD });
  await share({ email: "sure@example.org", role: "talker", unverified: false });
  const sure = box.person();
  await sure.log_in("sure@example.org", PASSWORD);
  assert.equal((await sure.call("GET", at)).status, 200);
  await share({ email: "ada@example.org", role: "viewer" }, 400);
  await share({ role: "viewer" }, 400);
  await share({ email: "bob@example.org", role: "viewer", conversations: ["c_aaaaaaaaaaaaaaaaaaaaaaaa"] }, 400);
});

test("the shares with a group go with it", async (t) => {
  const { box, ada, bob, agent, share, at } = await story_of(t);
  const group = await box.backend_call("POST", "/api/admin/groups", { name: "Birds" });
  for (const { id } of [ada, bob]) await box.backend_call("PUT", `/api/admin/groups/${group.id}/members/${id}`);
  await share({ group: group.id, role: "talker" });
  await share({ email: "eve@example.org", role: "viewer" });
  assert.equal((await bob.call("GET", at)).status, 200);
  await box.backend_call("DELETE", `/api/admin/groups/${group.id}`);
  assert.equal((await bob.call("GET", at)).status, 404);
  const { shares } = (await ada.call("GET", `/api/agents/${agent}/shares`)).body;
  assert.deepEqual(
    shares.map(({ email }) => email),
    ["eve@example.org"],
  );
});

test("what is shared ends with the agent and with the person", async (t) => {
  const { box, ada, bob, agent, share, talk, at } = await story_of(t);
  await share({ email: "bob@example.org", role: "builder" });
  const { conversationId } = await talk(bob, "My word is wren.");
  const task = { name: "daily", cronSchedule: "0 9 * * *", prompt: "Ask Bob's friends about the wren." };
  assert.equal((await bob.call("POST", `${at}/schedules`, task)).status, 201);
  const named = { email: "named@example.org", emailVerified: true, password: PASSWORD };
  await share({ email: named.email, role: "viewer", unverified: false });
  const { id: later } = await box.backend_call("POST", "/api/admin/users", named);
  for (const id of [bob.id, later]) await box.backend_call("DELETE", `/api/admin/users/${id}`);
  const list = async () => (await ada.call("GET", `/api/agents/${agent}/conversations`)).body.conversations.map(({ id }) => id);
  await until("what the person said is gone", async () => !(await list()).includes(conversationId));
  const shares = async () => (await ada.call("GET", `/api/agents/${agent}/shares`)).body.shares.map(({ email }) => email);
  await until("nothing is shared with who has left", async () => (await shares()).length === 0);
  const tasks = async () => (await ada.call("GET", `/api/scheduled-tasks?agentId=${agent}`)).body.count;
  await until("what the builder scheduled is gone", async () => (await tasks()) === 0);
  const carol = await box.customer("carol@example.org");
  await share({ email: "carol@example.org", role: "talker" });
  await ada.call("DELETE", `/api/agents/${agent}`);
  await until("it is shared no longer", async () => (await carol.call("GET", "/api/shared")).body.count === 0);
  assert.equal((await carol.call("GET", at)).status, 404);
});
