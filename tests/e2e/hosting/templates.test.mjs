// Templates of agents: what is in them, who may use them, and the agents that are made from them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box } from "../support/box.mjs";

test("an agent is made from a template with the answers to its questions", async (t) => {
  const box = await Box.start(t);
  const [ada, bob, eve] = await Promise.all(["ada", "bob", "eve"].map((name) => box.customer(`${name}@example.org`, "network")));
  const group = await box.backend_call("POST", "/api/admin/groups", { name: "Birds" });
  for (const person of [ada, bob]) await box.backend_call("PUT", `/api/admin/groups/${group.id}/members/${person.id}`);
  const agent = await box.running_agent(ada);
  const did = async (person, method, path, body, status = 200) => {
    const answer = await person.call(method, path, body);
    assert.equal(answer.status, status, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const config = {
    systemPrompt: "You work for {{company}}.",
    webhookSecret: "the-secret-of-ada",
    channels: { telegram: { enabled: true, botToken: "the-token-of-ada" } },
    peerTools: ["fetch_page"],
    temperature: 0.5,
  };
  await did(ada, "PUT", `/api/agents/${agent}/config`, { config });
  await did(ada, "POST", "/api/memory", { agentId: agent, text: "the safe's code is 4711" });
  await did(ada, "POST", "/api/chat", { agentId: agent, message: "the word is heron" });
  const write = (path, content) => did(ada, "POST", `/api/agents/${agent}/files/write`, { path, content });
  await write("AGENT.md", "Greet the customers of {{company}}.");
  await write("skills/greet/SKILL.md", "---\nname: greet\ndescription: greets\n---\nSay hello.");
  await write("private.txt", "of Ada");
  const task = { name: "daily", cronSchedule: "0 9 * * *", timezone: "Europe/Berlin", prompt: "Report to {{company}}.", agentId: agent };
  await did(ada, "POST", "/api/scheduled-tasks", task, 201);
  const publish = (person, more, status = 201) =>
    did(person, "POST", `/api/agents/${agent}/template`, { name: "Greeter", paths: ["AGENT.md", "skills"], ...more }, status);
  const questions = [
    { name: "company", label: "Your company" },
    { name: "motto", label: "Its motto", required: false },
  ];
  await publish(ada, {}, 403); // for all users
  await publish(ada, { groups: ["gr_aaaaaaaaaaaaaaaaaaaa"] }, 404);
  await publish(bob, { groups: [group.id] }, 404); // another's agent
  await publish(ada, { groups: [group.id], paths: ["none.txt"] }, 404);
  await publish(ada, { groups: [group.id], questions: [questions[0], questions[0]] }, 400);
  const template = await publish(ada, { groups: [group.id], questions });
  assert.deepEqual(template.files.toSorted(), ["AGENT.md", "skills/greet/SKILL.md"]);
  assert.deepEqual(template.config, { systemPrompt: "You work for {{company}}.", temperature: 0.5 });
  assert.doesNotMatch(JSON.stringify(template), /secret|token|4711|heron|private/);

  const at = `/api/templates/${template.id}`;
  assert.deepEqual((await did(eve, "GET", "/api/templates")).templates, []);
  await did(eve, "GET", at, undefined, 404);
  await did(eve, "POST", `${at}/agents`, { name: "Mine", answers: { company: "Eve's" } }, 404);
  assert.deepEqual(
    (await did(bob, "GET", "/api/templates")).templates.map(({ name, own }) => [name, own]),
    [["Greeter", false]],
  );
  await did(bob, "POST", `${at}/agents`, { name: "Mine" }, 400); // an answer is missing
  assert.equal((await did(bob, "GET", "/api/agents")).count, 0);
  const made = (await did(bob, "POST", `${at}/agents`, { name: "Mine", tier: "starter", answers: { company: "Bob's" } }, 201)).agentId;
  const read = async (path) => (await did(bob, "GET", `/api/agents/${made}/files/read?path=${path}`)).content;
  assert.equal(await read("AGENT.md"), "Greet the customers of Bob's.");
  assert.match(await read("skills/greet/SKILL.md"), /Say hello/);
  assert.equal((await bob.call("GET", `/api/agents/${made}/files/read?path=private.txt`)).status, 404);
  assert.equal((await did(bob, "GET", `/api/agents/${made}/config`)).config.systemPrompt, "You work for Bob's.");
  const [scheduled] = (await did(bob, "GET", `/api/scheduled-tasks?agentId=${made}`)).tasks;
  assert.deepEqual([scheduled.prompt, scheduled.timezone], ["Report to Bob's.", "Europe/Berlin"]);
  await box.until_status(bob, made, "running");
  assert.deepEqual((await did(bob, "GET", `/api/memory?agentId=${made}`)).memories, []);
  assert.equal((await did(bob, "GET", `/api/chat?agentId=${made}`)).count, 0);

  await did(bob, "PATCH", at, { name: "Bob's" }, 404);
  await did(ada, "PATCH", at, { groups: [] }, 403); // for all users
  await did(ada, "PATCH", at, { groups: ["gr_aaaaaaaaaaaaaaaaaaaa"] }, 404);
  await did(ada, "PATCH", at, { questions: [questions[0], questions[0]] }, 400);
  const changed = await did(ada, "PATCH", at, { description: "For those who greet.", questions: [questions[0]] });
  assert.deepEqual(changed, { ...template, description: "For those who greet.", questions: [{ ...questions[0], required: true }] });

  await did(bob, "DELETE", at, undefined, 404);
  await box.end("SIGTERM");
  await box.serve();
  assert.equal((await did(bob, "GET", "/api/templates")).count, 1, "it survives a restart");
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  await did(admin, "DELETE", at);
  assert.equal((await did(bob, "GET", "/api/templates")).count, 0);
  assert.equal(await read("AGENT.md"), "Greet the customers of Bob's.", "agents made from it stay");
});
