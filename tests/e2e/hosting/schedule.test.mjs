// Scheduled prompts from outside: the contract's four routes, and tasks that run, overlap, fail, are missed and made up.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, PASSWORD, send, until } from "../support/box.mjs";

const TASKS = "/api/scheduled-tasks";
const FIELDS = [
  "id",
  "name",
  "description",
  "cronSchedule",
  "prompt",
  "enabled",
  "lastRun",
  "nextRun",
  "agentId",
  "createdAt",
  "updatedAt",
];
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

// Ada with an agent that runs.
const ada_and_her_agent = async (t, env) => {
  const box = await Box.start(t, env);
  const ada = await box.customer("ada@example.org");
  const agentId = await box.running_agent(ada);
  const schedule = async (fields) => {
    const made = await ada.call("POST", TASKS, { name: "Morning", cronSchedule: "0 9 * * *", prompt: "good morning", agentId, ...fields });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body;
  };
  const runs = async (task) => (await ada.call("GET", `${TASKS}/${task.id}/runs`)).body.runs;
  const ended = (task, how = () => true) =>
    until(`a run of ${task.name}`, async () => (await runs(task)).find((run) => run.outcome !== "running" && how(run)));
  return { box, ada, agentId, schedule, runs, ended };
};

test("tasks are made, listed, changed and deleted as the contract says", async (t) => {
  const { box, ada, agentId, schedule } = await ada_and_her_agent(t);
  const task = await schedule({});
  for (const field of FIELDS) assert.ok(field in task, field);
  assert.deepEqual([task.description, task.enabled, task.lastRun, task.agentId], [null, true, null, agentId]);
  for (const field of ["nextRun", "createdAt", "updatedAt"]) assert.match(task[field], ISO);
  const second = await schedule({
    name: "Six",
    cronSchedule: "30 0 9 * * MON-FRI",
    description: "with seconds",
    enabled: false,
    timezone: "Asia/Tokyo",
  });
  assert.deepEqual([second.description, second.enabled, second.nextRun, second.timezone], ["with seconds", false, null, "Asia/Tokyo"]);

  const listed = (await ada.call("GET", TASKS)).body;
  assert.deepEqual([listed.count, listed.tasks.map((each) => each.id)], [2, [second.id, task.id]]);
  assert.equal((await ada.call("GET", `${TASKS}?agentId=${agentId}`)).body.count, 2);
  assert.deepEqual((await ada.call("GET", `${TASKS}?agentId=ag_nobody`)).body, { tasks: [], count: 0 });

  const changed = await ada.call("PUT", TASKS, { taskId: task.id, name: "Evening", cronSchedule: "0 21 * * *", timezone: "Europe/London" });
  assert.equal(changed.status, 200);
  assert.deepEqual([changed.body.name, changed.body.prompt, changed.body.timezone], ["Evening", "good morning", "Europe/London"]);
  assert.equal((await ada.call("PUT", TASKS, { taskId: task.id, enabled: false })).body.nextRun, null);
  assert.match((await ada.call("PUT", TASKS, { taskId: task.id, enabled: true })).body.nextRun, ISO);

  const detail = (await ada.call("GET", `${TASKS}/${task.id}`)).body;
  assert.equal(detail.nextRuns.length, 5);
  assert.equal(detail.nextRuns[0], detail.nextRun);

  const deleted = await ada.call("DELETE", TASKS, { taskId: task.id });
  assert.deepEqual([deleted.status, deleted.body], [200, { success: true, taskId: task.id }]);
  assert.equal((await ada.call("DELETE", `${TASKS}?taskId=${second.id}`)).status, 200);
  assert.equal((await ada.call("GET", TASKS)).body.count, 0);
  assert.equal((await ada.call("DELETE", TASKS, { taskId: task.id })).status, 404);

  const stranger = box.person();
  for (const method of ["GET", "POST", "PUT", "DELETE"])
    assert.equal((await stranger.call(method, TASKS, method === "GET" ? undefined : {})).status, 401, method);
});

test("invalid input is 400 with the field's name, another user's task is 404", async (t) => {
  const { box, ada, agentId, schedule } = await ada_and_her_agent(t);
  const whole = { name: "Morning", cronSchedule: "0 9 * * *", prompt: "good morning", agentId };
  for (const field of Object.keys(whole)) {
    const { [field]: left_out, ...rest } = whole;
    const refused = await ada.call("POST", TASKS, rest);
    assert.deepEqual([refused.status, refused.body.error], [400, `${field} is required`]);
  }
  for (const cronSchedule of ["* * * *", "* * * * * * *", "60 * * * *", "0 0 30 2 *", "hourly"]) {
    const refused = await ada.call("POST", TASKS, { ...whole, cronSchedule });
    assert.equal(refused.status, 400, cronSchedule);
    assert.match(refused.body.error, /^cronSchedule/);
  }
  assert.match((await ada.call("POST", TASKS, { ...whole, timezone: "Moon/Copernicus" })).body.error, /^timezone/);
  assert.equal((await ada.call("POST", TASKS, { ...whole, catchUp: "twice" })).status, 400);
  assert.equal((await ada.call("POST", TASKS, { ...whole, agentId: "ag_nobody" })).status, 404);
  for (const method of ["PUT", "DELETE"])
    assert.deepEqual(await ada.call(method, TASKS, {}).then(({ status, body }) => [status, body.error]), [400, "taskId is required"]);

  const task = await schedule({});
  const eve = await box.customer("eve@example.org");
  const theirs = (method, path, body) => eve.call(method, path, body).then(({ status, body }) => [status, JSON.stringify(body)]);
  for (const [method, path, body] of [
    ["POST", TASKS, whole],
    ["PUT", TASKS, { taskId: task.id, enabled: false }],
    ["DELETE", TASKS, { taskId: task.id }],
    ["GET", `${TASKS}/${task.id}`],
    ["GET", `${TASKS}/${task.id}/runs`],
    ["POST", `${TASKS}/${task.id}/run`],
  ])
    assert.equal((await theirs(method, path, body))[0], 404, `${method} ${path}`);
  assert.deepEqual((await eve.call("GET", `${TASKS}?agentId=${agentId}`)).body, { tasks: [], count: 0 });
  assert.equal((await ada.call("GET", `${TASKS}/${task.id}`)).body.enabled, true);
});

test("the next runs can be previewed before a task is created", async (t) => {
  const { ada } = await ada_and_her_agent(t);
  const preview = (query) => ada.call("GET", `${TASKS}/preview?${new URLSearchParams(query)}`);
  const { body } = await preview({ cronSchedule: "0 12 29 2 *", timezone: "America/New_York" });
  assert.equal(body.timezone, "America/New_York");
  assert.equal(body.nextRuns.length, 5);
  for (const run of body.nextRuns) assert.match(run, /^\d{4}-02-29T17:00:00\.000Z$/);
  assert.equal((await preview({ cronSchedule: "@daily" })).status, 200);
  assert.equal((await preview({ cronSchedule: "@every\t90m" })).status, 200);
  const tabs = await preview({ cronSchedule: "0\t12\t29\t2\t*", timezone: "America/New_York" });
  assert.deepEqual(tabs.body, body, "as crontab files are written");
  assert.equal((await preview({ cronSchedule: "@never" })).status, 400);
});

test("a task that is due asks its agent, and keeps the answer", async (t) => {
  const { ada, agentId, schedule, ended } = await ada_and_her_agent(t);
  const task = await schedule({ name: "Every second", cronSchedule: "* * * * * *", prompt: "remember that the kettle is on" });
  const run = await ended(task);
  assert.equal(run.outcome, "succeeded", JSON.stringify(run));
  assert.equal(run.trigger, "schedule");
  assert.ok(run.answer.length > 0);
  assert.ok(run.durationMs >= 0 && Date.parse(run.startedAt) - Date.parse(run.dueAt) < 60_000);
  await ada.call("PUT", TASKS, { taskId: task.id, enabled: false });
  const { messages } = (await ada.call("GET", `/api/chat?agentId=${agentId}`)).body;
  assert.equal(messages[0].content, "remember that the kettle is on");
  assert.match((await ada.call("GET", `${TASKS}/${task.id}`)).body.lastRun, ISO);
});

test("a task runs by hand, fails with the reason, and goes with its agent", async (t) => {
  const { ada, agentId, schedule, ended } = await ada_and_her_agent(t);
  const task = await schedule({ enabled: false });
  const begun = await ada.call("POST", `${TASKS}/${task.id}/run`);
  assert.deepEqual([begun.status, begun.body.trigger], [202, "manual"]);
  assert.equal((await ended(task)).outcome, "succeeded");

  await ada.call("POST", `/api/instance/${agentId}/stop`);
  await ada.call("POST", `${TASKS}/${task.id}/run`);
  const failed = await ended(task, (run) => run.outcome === "failed");
  assert.match(failed.error, /not running/);

  assert.equal((await ada.call("DELETE", `/api/agents/${agentId}`)).body.deleted, true);
  assert.equal((await ada.call("GET", TASKS)).body.count, 0);
});

test("the prompts of a user who is disabled are not sent", async (t) => {
  const { box, ada, schedule, ended } = await ada_and_her_agent(t);
  const task = await schedule({ name: "Every second", cronSchedule: "* * * * * *" });
  assert.equal((await ended(task)).outcome, "succeeded");
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: true });
  const disabled = Date.now();
  await until("two seconds without Ada", () => Date.now() > disabled + 2_000);
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: false });
  await ada.log_in("ada@example.org", PASSWORD);
  assert.match((await ended(task, (run) => run.outcome === "failed")).error, /disabled|not running/);
});

test("runs cut off by a crash fail and are repeated once", async (t) => {
  const { box, ada, agentId, schedule, runs, ended } = await ada_and_her_agent(t);
  const { pid } = JSON.parse(readFileSync(join(box.folder, "agents", agentId, "run", "agent.pid")));
  const once = await schedule({ name: "Once", cronSchedule: "* * * * * *" });
  const skip = await schedule({ name: "Skip", enabled: false, catchUp: "skip" });
  process.kill(pid, "SIGSTOP");
  try {
    const hung = Date.now();
    await until("a run at work", async () =>
      (await runs(once)).some((run) => run.outcome === "running" && Date.parse(run.startedAt) >= hung),
    );
    assert.equal((await ada.call("POST", `${TASKS}/${skip.id}/run`)).status, 202);
    assert.equal((await ada.call("POST", `${TASKS}/${skip.id}/run`)).status, 409);
    await box.end("SIGKILL");
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await box.serve();
  await box.until_status(ada, agentId, "running");
  const cut_off = await ended(once, (run) => run.outcome === "failed");
  assert.equal(cut_off.error, "The box was interrupted before the agent answered.");
  const made_up = await ended(once, (run) => run.trigger === "makeup");
  assert.equal(made_up.outcome, "succeeded", JSON.stringify(made_up));
  assert.deepEqual(
    (await runs(skip)).map((run) => run.outcome),
    ["failed"],
  );
});

test("runs due while the box was off are made up once, or skipped", async (t) => {
  const { box, ada, agentId, schedule, runs, ended } = await ada_and_her_agent(t);
  const once = await schedule({ name: "Once", cronSchedule: "* * * * * *", enabled: false });
  const skip = await schedule({ name: "Skip", cronSchedule: "* * * * * *", catchUp: "skip", enabled: false });
  for (const { id } of [once, skip]) await ada.call("PUT", TASKS, { taskId: id, enabled: true });
  await ended(once);
  assert.equal(await box.end("SIGTERM"), 0);
  const ran_before = Date.now();
  await until("a second without the box", () => Date.now() > ran_before + 1_500);
  await box.serve();
  await box.until_status(ada, agentId, "running");
  const made_up = await ended(once, (run) => run.trigger === "makeup");
  assert.equal(made_up.outcome, "succeeded");
  const left_out = await ended(skip, (run) => run.outcome === "skipped");
  assert.match(left_out.error, /not able to run it/);
  assert.equal((await runs(once)).filter((run) => run.trigger === "makeup").length, 1);
});

test("an agent schedules prompts for itself, and sees no others", async (t) => {
  const { box, ada, agentId, schedule } = await ada_and_her_agent(t);
  const door_of = (agent) => {
    // while its boot file is there, for half a minute
    const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
    return (method, path, body) =>
      send(box.backend, method, `/api/agent-tasks${path}`, {
        headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
        body: body && JSON.stringify(body),
      });
  };
  const agent = door_of(agentId);
  const eve = await box.customer("eve@example.org");
  const other = door_of(await box.running_agent(eve));
  const made = await agent("POST", "", { name: "News", cronSchedule: "0 9 * * MON", prompt: "What is new?", agentId: "ag_nobody" });
  assert.deepEqual([made.status, made.body.agentId, made.body.enabled], [201, agentId, true], made.text);
  assert.equal((await agent("POST", "", { name: "News", cronSchedule: "0 9 * *", prompt: "What is new?" })).status, 400);
  await schedule({});
  assert.equal((await agent("GET", "")).body.count, 2);
  assert.equal((await ada.call("GET", TASKS)).body.count, 2);

  // How many, and how often, is a setting of the plan.
  const often = { name: "Watch", cronSchedule: "*/30 * * * * *", prompt: "Anything new?" };
  const refused = await agent("POST", "", often);
  assert.deepEqual([refused.status, refused.body.error], [400, "cronSchedule: tasks that an agent makes are at least a minute apart"]);
  const limits = (plan, body) => box.backend_call("PUT", `/api/admin/plans/${plan}/gate`, body);
  assert.match((await limits("solo", { ownTasks: { tasks: 2 } })).error, /^ownTasks\.secondsApart/);
  assert.match((await limits("solo", { ownTasks: { tasks: 2, secondsApart: 0 } })).error, /^ownTasks\.secondsApart/);
  assert.match((await limits("solo", {})).error, /^rules or ownTasks/);
  const set = await limits("solo", { ownTasks: { tasks: 2, secondsApart: 30 } });
  assert.deepEqual(set.ownTasks, { tasks: 2, secondsApart: 30 });
  const watch = await agent("POST", "", often);
  assert.equal(watch.status, 201, watch.text);
  const beyond = await agent("POST", "", { ...often, cronSchedule: "@hourly" });
  assert.deepEqual([beyond.status, beyond.body.limit], [429, 2], beyond.text);
  await limits("solo", { rules: [] });
  assert.deepEqual((await box.backend_call("GET", "/api/admin/plans/solo/gate")).ownTasks, { tasks: 2, secondsApart: 30 });
  assert.deepEqual((await box.backend_call("GET", "/api/admin/plans/label/gate")).ownTasks, { tasks: 20, secondsApart: 60 });
  assert.equal((await agent("DELETE", `/${watch.body.id}`)).status, 200);

  assert.deepEqual((await other("GET", "")).body, { tasks: [], count: 0 });
  assert.equal((await other("DELETE", `/${made.body.id}`)).status, 404);
  assert.equal((await agent("DELETE", `/${made.body.id}`)).status, 200);
  assert.equal((await ada.call("GET", TASKS)).body.count, 1);
});
