// Swarms from outside: with the builtin model and with one that plans, limits, events, stops, and restarts of the box.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { fail, hang, MODEL, ModelServer, say } from "../peers/model_server.mjs";

const SWARMS = "/api/swarms";

// Ada with agents that run, whose model is scripted if there is a script.
class Story {
  static async start(t, { agents = ["Anna", "Ben"], scripted = false, paid = false } = {}) {
    const story = new Story();
    if (scripted) story.model = await ModelServer.start(t);
    const local = () => ({ LOCAL_MODEL_URL: story.model.url });
    const router = () => ({ OPENROUTER_BASE_URL: story.model.url, OPENROUTER_API_KEY: "sk-or-story", OPENROUTER_MODEL: MODEL });
    story.box = await Box.start(t, scripted ? (paid ? router() : local()) : {});
    story.ada = await story.box.customer("ada@example.org", "network");
    story.agents = [];
    for (const name of agents) story.agents.push(await story.box.running_agent(story.ada, name, "enterprise"));
    if (scripted) t.after(() => story.model.check());
    return story;
  }
  create(fields) {
    return this.ada.call("POST", SWARMS, { goal: "What is new?", agents: this.agents, ...fields });
  }
  async created(fields) {
    const { status, body } = await this.create(fields);
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  }
  async show(id) {
    return (await this.ada.call("GET", `${SWARMS}/${id}`)).body;
  }
  ended(id) {
    return until(`swarm ${id} ends`, async () => {
      const swarm = await this.show(id);
      return ["done", "failed", "stopped"].includes(swarm.state) && swarm;
    });
  }
  // The stream of events to its end, as [name, data] pairs.
  async events(id, headers = {}) {
    const answer = await fetch(`${this.box.web}${SWARMS}/${id}/events`, { headers: { cookie: this.ada.cookie, ...headers } });
    assert.equal(answer.status, 200);
    const text = await answer.text();
    return text
      .split("\n\n")
      .filter((block) => block.includes("data: "))
      .map((block) => {
        const line = (name) =>
          block
            .split("\n")
            .find((each) => each.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        return [line("event"), JSON.parse(line("data")), line("id")];
      });
  }
  // Answers by what is asked: the model does not know who asks first.
  answers(count, answer) {
    this.model.will(
      ...Array.from(
        { length: count },
        () =>
          ({ messages }) =>
            answer(messages.at(-1).content, messages),
      ),
    );
  }
}

test("with the builtin model, one question goes to every member, and the answers are joined", async (t) => {
  const story = await Story.start(t);
  for (const [index, agent] of story.agents.entries())
    writeFileSync(
      join(story.box.folder, "agents", agent, "workspace", "notes.txt"),
      `The harbour of station ${index + 1} is closed until noon.`,
    );
  const swarm = await story.created({ goal: "read file notes.txt", name: "Harbours" });
  assert.deepEqual(
    [swarm.state, swarm.name, swarm.agents, swarm.orchestrator, swarm.maxCostUsd, swarm.result],
    ["planning", "Harbours", story.agents, story.agents[0], null, null],
  );
  const seen = await story.events(swarm.id);
  assert.deepEqual(seen.map(([name]) => name).toSorted(), [
    "created",
    "done",
    "joining",
    "planned",
    "ready",
    "task_done",
    "task_done",
    "task_started",
    "task_started",
  ]);
  assert.deepEqual([seen[0][0], seen[1][0], seen.at(-1)[0]], ["ready", "created", "done"]);
  assert.deepEqual(
    seen.slice(1).map(([, { number }]) => number),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  assert.equal(seen.find(([name]) => name === "planned")[1].by, "box");

  const done = await story.ended(swarm.id);
  assert.deepEqual([done.state, done.plannedBy, done.tasks, done.reason], ["done", "box", 2, null]);
  assert.match(done.result, /^## Anna\n\n[^]*station 1[^]*\n\n## Ben\n\n[^]*station 2/);
  assert.deepEqual(
    done.taskList.map(({ number, agentId, task, state }) => [number, agentId, task, state]),
    story.agents.map((agent, index) => [index + 1, agent, "read file notes.txt", "done"]),
  );
  // What was missed is sent again, after the event that was last seen.
  assert.deepEqual(
    (await story.events(swarm.id, { "last-event-id": "6" })).map(([name, , id]) => [name, id]),
    [
      ["ready", undefined],
      [seen[7][0], "7"],
      ["done", "8"],
    ],
  );
  assert.equal(
    (await fetch(`${story.box.web}${SWARMS}/${swarm.id}/events`, { headers: { cookie: story.ada.cookie, "last-event-id": "x" } })).status,
    400,
  );

  const listed = (await story.ada.call("GET", SWARMS)).body;
  assert.deepEqual([listed.count, listed.swarms[0].id, "taskList" in listed.swarms[0]], [1, swarm.id, false]);
  assert.equal((await story.ada.call("GET", `${SWARMS}?state=failed`)).body.count, 0);
  assert.equal((await story.ada.call("POST", `${SWARMS}/${swarm.id}/stop`)).status, 409);
  assert.deepEqual((await story.ada.call("DELETE", `${SWARMS}/${swarm.id}`)).body, { success: true, id: swarm.id });
  assert.equal((await story.ada.call("GET", `${SWARMS}/${swarm.id}`)).status, 404);
});

test("the orchestrator plans, tasks wait for those before them, and it joins the answers", async (t) => {
  const story = await Story.start(t, { scripted: true, agents: ["Anna", "Ben", "Cleo"] });
  const [anna, ben, cleo] = story.agents;
  const plan = {
    tasks: [
      { agent: anna, task: "Find the numbers" },
      { agent: "Ben", task: "Find the names" },
      { agent: cleo, task: "Write the report", after: [1, 2] },
    ],
  };
  await story.ada.call("PUT", `/api/agents/${cleo}/config`, { config: { role: "orchestrator" } });
  story.answers(5, (asked) => {
    if (asked.startsWith("You are the orchestrator")) return say(`Here it is:\n\`\`\`json\n${JSON.stringify(plan)}\n\`\`\``);
    if (asked.includes("Find the numbers\n\nAnswer")) return say("Numbers: 1, 2, 3.");
    if (asked.includes("Find the names\n\nAnswer")) return say("Names: Fastnet.");
    if (asked.includes("Write the report")) {
      if (asked.startsWith("The swarm has finished")) return say("The result: 1, 2, 3 at Fastnet.");
      assert.match(asked, /Task 1:\nNumbers: 1, 2, 3\.[^]*Task 2:\nNames: Fastnet\./);
      return say("A report.");
    }
    return fail(400, `unexpected: ${asked}`);
  });
  const swarm = await story.created({ goal: "Report on the lighthouses" });
  assert.equal(swarm.orchestrator, cleo, "by the role in its config");
  const done = await story.ended(swarm.id);
  assert.deepEqual([done.state, done.plannedBy, done.result], ["done", "agent", "The result: 1, 2, 3 at Fastnet."], JSON.stringify(done));
  assert.deepEqual(
    done.taskList.map(({ agentId, after, answer }) => [agentId, after, answer]),
    [
      [anna, [], "Numbers: 1, 2, 3."],
      [ben, [], "Names: Fastnet."],
      [cleo, [1, 2], "A report."],
    ],
  );
  const [first, second, third] = done.taskList;
  assert.ok(third.startedAt >= first.finishedAt && third.startedAt >= second.finishedAt);
});

test("a task that fails is told, and the swarm goes on; without any answer it has failed", async (t) => {
  const story = await Story.start(t, { scripted: true });
  const refuse = (asked, wrong) => (asked.startsWith("You are the orchestrator") ? say("I have no plan.") : wrong(asked));
  story.answers(3, (asked, messages) =>
    refuse(asked, () => (messages[0].content.includes("Anna") ? fail(400, "no") : say("Nothing is new."))),
  );
  const half = await story.ended((await story.created({})).id);
  assert.deepEqual([half.state, half.taskList.map(({ state }) => state)], ["done", ["failed", "done"]], JSON.stringify(half));
  assert.match(half.result, /## Anna\n\n\(No answer: [^]*## Ben\n\nNothing is new\./);
  await story.ada.call("POST", `/api/instance/${story.agents[1]}/stop`);
  story.answers(2, (asked) => refuse(asked, () => fail(400, "no")));
  const none = await story.ended((await story.created({})).id);
  assert.deepEqual([none.state, none.result], ["failed", null]);
  assert.match(none.reason, /^No task was finished\./);
});

test("a swarm is stopped by its owner, and keeps the answers so far", async (t) => {
  const story = await Story.start(t, { scripted: true });
  story.answers(1, () => say("I have no plan."));
  story.answers(1, () => say("Nothing is new."));
  story.model.will(hang());
  const swarm = await story.created({});
  await until(
    "one task is done, the other hangs",
    async () => (await story.show(swarm.id)).taskList.some(({ state }) => state === "done") && story.model.script.length === 0,
  );
  const stopped = await story.ada.call("POST", `${SWARMS}/${swarm.id}/stop`);
  assert.deepEqual([stopped.status, stopped.body.state, stopped.body.reason], [200, "stopped", "Its owner stopped it."]);
  assert.match(stopped.body.result, /Nothing is new\./);
  assert.deepEqual((await story.show(swarm.id)).taskList.map(({ state }) => state).toSorted(), ["cancelled", "done"]);
  assert.deepEqual((await story.events(swarm.id)).at(-1)[0], "stopped");
  story.model.answer_hanging(say("Too late."));
});

test("a swarm is stopped once its agents have spent its cost", async (t) => {
  const story = await Story.start(t, { scripted: true, paid: true });
  story.model.lists.push("anthropic/claude-sonnet-5"); // the premium model, which agents of this tier get
  story.answers(1, () => say("I have no plan."));
  story.model.will(hang(), hang());
  const stopped = await story.ended((await story.created({ maxCostUsd: "0.000001" })).id);
  assert.equal(stopped.state, "stopped", JSON.stringify(stopped));
  assert.equal(stopped.reason, `Its agents have spent ${stopped.spentUsd} USD: the limit is 0.000001 USD.`);
  assert.ok(Number(stopped.spentUsd) > 0.000001);
  story.model.script.length = 0; // it may have been stopped before its tasks began
});

test("the caps limit the cost of a swarm", async (t) => {
  const story = await Story.start(t);
  await story.ada.call("PUT", "/api/caps", { scope: "user", period: "month", usd: "0.50" });
  const limited = await story.created({ maxCostUsd: "2" });
  assert.equal(limited.maxCostUsd, "0.50");
  await story.ended(limited.id);
  const lower = await story.created({ maxCostUsd: "0.10" });
  assert.equal(lower.maxCostUsd, "0.10");
  await story.ended(lower.id);
});

test("invalid input is 400 with the field's name, and what is another's is 404", async (t) => {
  const story = await Story.start(t);
  const {
    box,
    agents: [anna, ben],
  } = story;
  const refused = async (fields) => {
    const { status, body } = await story.create(fields);
    return [status, body.error];
  };
  assert.equal((await refused({ agents: [anna] }))[0], 400);
  assert.deepEqual(await refused({ agents: [anna, anna] }), [400, "agents[0] occurs twice"]);
  assert.deepEqual(await refused({ agents: [anna, "ag_nobody"] }), [404, "agents[1]: no such agent"]);
  assert.deepEqual(await refused({ orchestrator: "ag_nobody" }), [400, "orchestrator must be one of agents"]);
  for (const maxCostUsd of ["0", "-1", "1e3", "much"]) assert.match((await refused({ maxCostUsd }))[1], /^maxCostUsd/, maxCostUsd);
  for (const maxMinutes of [0, 1441, 1.5]) assert.match((await refused({ maxMinutes }))[1], /^maxMinutes/);
  assert.match((await refused({ goal: " " }))[1], /^goal/);

  const { id } = await story.created({ goal: "list files" });
  const eve = await box.customer("eve@example.org");
  for (const [method, path, body] of [
    ["GET", `/${id}`],
    ["GET", `/${id}/events`],
    ["POST", `/${id}/stop`],
    ["DELETE", `/${id}`],
    ["POST", "", { goal: "x", agents: [anna, ben] }],
  ])
    assert.equal((await eve.call(method, SWARMS + path, body)).status, 404, `${method} ${path}`);
  assert.equal((await eve.call("GET", SWARMS)).body.count, 0);
  const unpaid = box.person();
  await unpaid.call("POST", "/api/register", { email: "una@example.org", password: "a customer's long password" });
  await unpaid.log_in("una@example.org", "a customer's long password");
  assert.equal((await unpaid.call("GET", SWARMS)).status, 200);
  assert.equal((await box.person().call("GET", SWARMS)).status, 401);
  await story.ended(id);
});

test("five swarms work at once; they go on after kill -9", async (t) => {
  const story = await Story.start(t, { scripted: true });
  // All wait for their plans, which come from one agent, one after the other.
  story.model.will(hang());
  const ids = [];
  for (let made = 0; made < 5; ++made) ids.push((await story.created({ goal: `goal ${made}` })).id);
  const sixth = await story.create({});
  assert.deepEqual([sixth.status, sixth.body.current, sixth.body.limit], [429, 5, 5], JSON.stringify(sixth.body));
  await until("the first plan is asked for", () => story.model.asked.length === 1);
  for (const id of ids.slice(1)) assert.equal((await story.ada.call("POST", `${SWARMS}/${id}/stop`)).status, 200);
  await story.box.end("SIGKILL");
  story.model.answer_hanging(say("I have no plan."));
  story.model.script.length = 0;
  // What the agent still works off, of those that were stopped, and of the one that goes on.
  story.answers(40, (asked) => say(asked.startsWith("You are the orchestrator") ? "I have no plan." : `Answer to ${asked}`));
  await story.box.serve();
  const done = await story.ended(ids[0]);
  assert.deepEqual(
    [done.state, done.taskList.map(({ answer }) => answer)],
    ["done", ["Answer to goal 0", "Answer to goal 0"]],
    JSON.stringify(done),
  );
  assert.deepEqual((await story.show(ids[1])).state, "stopped");
  story.model.script.length = 0;
});
