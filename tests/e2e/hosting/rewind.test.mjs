// Going back to before a message of the owner, and branches of a conversation.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, run, until } from "../support/box.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";

const workspace_of = (box, agent) => join(box.folder, "agents", agent, "workspace");

const story_of = async (t) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const workspace = join(box.folder, "agents", agent, "workspace");
  const ask = async (message, more = {}) => {
    const { status, body } = await ada.call("POST", "/api/chat", { agentId: agent, message, ...more });
    assert.equal(status, 200, `${JSON.stringify(body)} ${model.faults}`);
    return body.message;
  };
  const messages = async (conversation) =>
    (await ada.call("GET", `/api/chat?agentId=${agent}${conversation ? `&conversationId=${conversation}` : ""}`)).body.messages;
  const memories = async () => (await ada.call("GET", `/api/memory?agentId=${agent}`)).body.memories.map(({ text }) => text);
  const said = () =>
    model.asked
      .at(-1)
      .messages.filter(({ role }) => role !== "system")
      .map(({ content }) => content);
  return { model, box, ada, agent, workspace, ask, messages, memories, said, path: `/api/agents/${agent}` };
};

test("the owner goes back to before a message: files, memory and conversation", async (t) => {
  const { model, box, ada, agent, workspace, ask, messages, memories, said, path } = await story_of(t);
  model.will(call(["write_file", { path: "plan.txt", content: "one\n" }], ["remember", { text: "The plan is one" }]), say("Kept."));
  await ask("The plan is one.");
  await ada.call("POST", `${path}/files/write`, { path: "own.txt", content: "by the owner\n" });
  model.will(
    call(
      ["write_file", { path: "plan.txt", content: "two\n" }],
      ["write_file", { path: "extra.txt", content: "x\n" }],
      ["remember", { text: "The plan is two" }],
      ["notify_owner", { text: "The plan has changed" }],
    ),
    say("Changed."),
  );
  await ask("The plan is two.");
  model.will(call(["delete_file", { path: "own.txt" }]), say("Deleted."));
  await ask("Delete own.txt.");

  const target = (await messages()).find(({ content }) => content === "The plan is two.");
  const notified = () => ada.call("POST", `${path}/rewind`, { message: target.id, preview: true });
  const preview = await until("the trace", async () => {
    const answer = await notified();
    return answer.body.notUndone?.length > 0 && answer;
  });
  assert.equal(preview.status, 200, JSON.stringify(preview.body));
  assert.deepEqual(preview.body.files.sort(), ["extra.txt", "own.txt", "plan.txt"]);
  assert.deepEqual([preview.body.preview, preview.body.turns], [true, 2]);
  assert.deepEqual(
    preview.body.notUndone.map(({ tool }) => tool),
    ["notify_owner"],
  );
  assert.ok(existsSync(join(workspace, "extra.txt")), "a preview changes nothing");
  assert.equal((await messages()).length, 7);

  const undone = await ada.call("POST", `${path}/rewind`, { message: target.id });
  assert.equal(undone.status, 200, JSON.stringify(undone.body));
  assert.deepEqual([undone.body.messages, undone.body.turns], [5, 2]);
  assert.equal(readFileSync(join(workspace, "plan.txt"), "utf8"), "one\n");
  assert.equal(readFileSync(join(workspace, "own.txt"), "utf8"), "by the owner\n", "what the owner added before the message stays");
  assert.ok(!existsSync(join(workspace, "extra.txt")));
  assert.deepEqual(await memories(), ["The plan is one"]);
  assert.deepEqual(
    (await messages()).map(({ content }) => content),
    ["The plan is one.", "Kept."],
  );
  model.will(say("It is one."));
  await ask("What is the plan?");
  assert.doesNotMatch(JSON.stringify(model.asked.at(-1).messages), /two/);
  assert.equal(said().at(-1), "What is the plan?");
  model.check();

  // Not twice, not of an answer, not for another user, not while the agent is stopped.
  const of = (message) => ada.call("POST", `${path}/rewind`, { message });
  assert.equal((await of(target.id)).status, 404);
  const [first, answer] = await messages();
  assert.equal((await of(answer.id)).status, 400);
  const eve = await box.customer("eve@example.org");
  assert.equal((await eve.call("POST", `${path}/rewind`, { message: first.id })).status, 404);

  // The first turn of all, over a crash, by the command.
  box.child.kill("SIGKILL");
  await box.ended;
  await box.serve();
  await box.until_status(ada, agent, "running");
  const env = { BACKEND_LISTEN: new URL(box.backend).host, INTERNAL_API_KEY: "internal-key-of-the-stories" };
  const shown = await run(["admin", "agent", "rewind", agent, first.id, "--preview", "--data", box.folder], { env });
  assert.equal(shown.code, 0, shown.err);
  assert.match(shown.out, /plan\.txt/);
  const done = await run(["admin", "agent", "rewind", agent, first.id, "--data", box.folder], { env });
  assert.equal(done.code, 0, done.err);
  assert.ok(!existsSync(join(workspace, "plan.txt")));
  assert.deepEqual(await messages(), []);
  assert.deepEqual(await memories(), []);
  await ada.call("POST", `/api/instance/${agent}/stop`);
  await box.until_status(ada, agent, "stopped");
  assert.ok(ADMIN.email);
});

test("a clone begins where its parent was before a message, without what peers and other conversations said", async (t) => {
  const { model, box, ada, agent, ask, messages, path } = await story_of(t);
  const answer = await ada.call("PUT", `${path}/config`, { config: { bus: { accept: "all" } } });
  assert.equal(answer.status, 200);
  const eve = await box.customer("eve@example.org");
  const key = (await eve.call("POST", "/api/keys", { name: "a2a" })).body.key;
  model.will(call(["remember", { text: "Eve likes pelicans" }]), say("Noted."));
  const said = await fetch(`${box.web}/a2a/${agent}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key.key ?? key}` },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "SendMessage",
      params: { message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "I like pelicans." }] } },
    }),
  });
  assert.match(JSON.stringify(await said.json()), /COMPLETED/);
  model.will(call(["write_file", { path: "plan.txt", content: "one\n" }], ["remember", { text: "The plan is one" }]), say("Kept."));
  await ask("The plan is one.");
  await ada.call("POST", `${path}/conversations`, { title: "Another" });
  model.will(say("A secret, then."));
  await ask("The other conversation has a secret.");
  const { conversations } = (await ada.call("GET", `${path}/conversations`)).body;
  const planning = conversations.find(({ title }) => title === "The plan is one.");
  model.will(call(["write_file", { path: "plan.txt", content: "two\n" }], ["remember", { text: "The plan is two" }]), say("Changed."));
  await ask("The plan is two.", { conversationId: planning.id });
  const target = (await messages(planning.id)).find(({ content }) => content === "The plan is two.");

  const body = { parentAgentId: agent, name: "Fork", message: target.id };
  const made = await ada.call("POST", "/api/agents/clone", body);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { id } = made.body.agent;
  await box.until_status(ada, id, "running");
  const at_clone = join(box.folder, "agents", id, "workspace");
  assert.equal(readFileSync(join(at_clone, "plan.txt"), "utf8"), "one\n");
  assert.equal(readFileSync(join(workspace_of(box, agent), "plan.txt"), "utf8"), "two\n", "the parent stays as it is");
  assert.deepEqual(
    (await ada.call("GET", `/api/memory?agentId=${id}`)).body.memories.map(({ text }) => text),
    ["The plan is one"],
  );
  const copied = (await ada.call("GET", `/api/chat?agentId=${id}`)).body.messages;
  assert.deepEqual(
    copied.map(({ content }) => content),
    ["The plan is one.", "Kept."],
  );
  assert.equal((await ada.call("GET", `/api/agents/${id}/conversations`)).body.count, 1);
  for (const one of ["peers", "conversations", "forks", "turns.jsonl"]) assert.ok(!existsSync(join(at_clone, ".agentbox", one)), one);
  model.will(say("It is one."));
  const asked = await ada.call("POST", "/api/chat", { agentId: id, message: "What is the plan?" });
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const prompt = JSON.stringify(model.asked.at(-1).messages);
  assert.match(prompt, /The plan is one/);
  assert.doesNotMatch(prompt, /two|secret|pelican/);
  model.check();

  // Marks of foreign texts go along; a message without a point, of an answer or of another user begins nothing.
  const { marks } = (await ada.call("GET", `/api/agents/${id}/gate`)).body;
  assert.ok(
    marks.every(({ what }) => !what.startsWith("c:") || what.endsWith(copied[0].conversationId)),
    JSON.stringify(marks),
  );
  assert.equal((await ada.call("POST", "/api/agents/clone", { ...body, message: copied[1].id })).status, 404);
  assert.equal((await eve.call("POST", "/api/agents/clone", body)).status, 404);
  assert.equal((await ada.call("GET", "/api/agents")).body.agents.length, 2, "a refused clone leaves nothing");

  const env = { BACKEND_LISTEN: new URL(box.backend).host, INTERNAL_API_KEY: "internal-key-of-the-stories" };
  const forked = await run(["admin", "agent", "fork", agent, target.id, "--name", "Second", "--data", box.folder], { env });
  assert.equal(forked.code, 0, forked.err);
  const [, second] = forked.out.match(/as (ag_\w+)/);
  await box.until_status(ada, second, "running");
  assert.equal(readFileSync(join(workspace_of(box, second), "plan.txt"), "utf8"), "one\n");
});

test("an edited message begins a branch of its conversation", async (t) => {
  const { model, ada, ask, messages, said, path } = await story_of(t);
  model.will(say("Noted."), say("Blue."), say("Red it is."));
  const { conversationId } = await ask("I am painting the boat.");
  await ask("Which colour?");
  await ask("Make it red.");
  const all = await messages(conversationId);
  const edited = all.find(({ content }) => content === "Make it red.");

  const made = await ada.call("POST", `${path}/conversations/${conversationId}/branch`, { before: edited.id });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const branch = made.body.conversation;
  assert.deepEqual([branch.branchOf, branch.title], [conversationId, "I am painting the boat."]);
  assert.deepEqual(
    (await messages(branch.id)).map(({ content }) => content),
    ["I am painting the boat.", "Noted.", "Which colour?", "Blue."],
  );
  // The first attempt fails; the agent is told the earlier messages again.
  model.will({ status: 400, headers: {}, body: JSON.stringify({ error: { message: "no" } }) }, say("Green it is."), say("Done."));
  const failed = await ada.call("POST", "/api/chat", {
    agentId: path.split("/").at(-1),
    message: "Make it green.",
    conversationId: branch.id,
  });
  assert.notEqual(failed.status, 200);
  assert.equal((await ask("Make it green!", { conversationId: branch.id })).content, "Green it is.");
  assert.deepEqual(said(), ["I am painting the boat.", "Noted.", "Which colour?", "Blue.", "Make it green!"]);
  await ask("Is it done?", { conversationId: branch.id });
  assert.deepEqual(said().slice(-3), ["Make it green!", "Green it is.", "Is it done?"]);
  assert.equal((await messages(conversationId)).length, 6, "the origin stays as it was");

  model.will(say("Origin."));
  await ask("Still red?", { conversationId });
  assert.doesNotMatch(JSON.stringify(said()), /green/);
  model.check();

  const wrong = await ada.call("POST", `${path}/conversations/${branch.id}/branch`, { before: edited.id });
  assert.deepEqual([wrong.status, wrong.body.error.startsWith("before")], [400, true]);
  // A branch before the first message is an empty conversation.
  const empty = await ada.call("POST", `${path}/conversations/${conversationId}/branch`, { before: all[0].id });
  model.will(say("Anew."));
  await ask("Another boat.", { conversationId: empty.body.conversation.id });
  assert.deepEqual(said(), ["Another boat."]);
});
