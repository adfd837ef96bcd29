// Tasks with schedules, notices and messages to other agents.
import assert from "node:assert/strict";
import { until } from "../e2e/support/box.mjs";
import { call, say } from "../e2e/peers/model_server.mjs";
import { includes, NEW, RESTART, results_in } from "./harness.mjs";

const next_year = new Date().getUTCFullYear() + 1;
const notice_with = (world, words) =>
  until(`a notice with ${words}`, async () =>
    (await world.history()).find(({ role, content }) => role === "assistant" && words.test(content)),
  );

export const tasks = [
  {
    name: "schedules a report on the first of each month",
    say: ["On the first day of each month at 6:00 UTC, write me a report."],
    check: async (world) => {
      const [task] = await world.tasks();
      assert.match(task.cronSchedule, /^0 6 1 \* \*$/);
      assert.equal(task.timezone, "UTC");
    },
    script: () => [
      call(["schedule_prompt", { name: "Report", cronSchedule: "0 6 1 * *", prompt: "Write a report", timezone: "UTC" }]),
      say("Scheduled."),
    ],
  },
  {
    name: "moves a reminder to another day",
    say: [`Remind me on ${next_year}-03-01 at 10:00 UTC of the tax return.`, `Make that ${next_year}-03-08 instead.`],
    check: async (world) => {
      const open = (await world.tasks()).filter(({ enabled }) => enabled);
      assert.deepEqual(
        open.map(({ nextRun }) => nextRun),
        [`${next_year}-03-08T10:00:00.000Z`],
      );
    },
    script: () => [
      call([
        "schedule_once",
        { name: "Tax return", at: `${next_year}-03-01T10:00 UTC`, prompt: "Remind me of the tax return", tellOwner: true },
      ]),
      say("I will."),
      call(["list_scheduled_prompts"]),
      (request) => call(["cancel_scheduled_prompt", { taskId: results_in(request)[0].tasks[0].id }]),
      call([
        "schedule_once",
        { name: "Tax return", at: `${next_year}-03-08T10:00 UTC`, prompt: "Remind me of the tax return", tellOwner: true },
      ]),
      say("Moved."),
    ],
  },
  {
    name: "cancels one of two schedules",
    say: [
      "Ask yourself for news every day at 7:00 UTC, and for the weather every day at 8:00 UTC.",
      "Cancel the news, and keep the weather.",
    ],
    check: async (world) => {
      const tasks = await world.tasks();
      assert.equal(tasks.length, 1, JSON.stringify(tasks));
      assert.match(tasks[0].cronSchedule, /^0 8/);
    },
    script: () => [
      call(
        ["schedule_prompt", { name: "News", cronSchedule: "0 7 * * *", prompt: "News?", timezone: "UTC" }],
        ["schedule_prompt", { name: "Weather", cronSchedule: "0 8 * * *", prompt: "Weather?", timezone: "UTC" }],
      ),
      say("Scheduled."),
      call(["list_scheduled_prompts"]),
      (request) => call(["cancel_scheduled_prompt", { taskId: results_in(request)[0].tasks.find(({ name }) => name === "News").id }]),
      say("Cancelled."),
    ],
  },
  {
    name: "corrects a schedule that runs too often",
    say: ["Check the harbour every ten seconds. If that is too often, do it once a minute."],
    check: async (world) => {
      const tasks = await world.tasks();
      assert.equal(tasks.length, 1);
      assert.match(tasks[0].cronSchedule, /^(\* \* \* \* \*|@every 1m)$/);
      await world.person.call("DELETE", `/api/scheduled-tasks?taskId=${tasks[0].id}`);
    },
    script: () => [
      call(["schedule_prompt", { name: "Harbour", cronSchedule: "*/10 * * * * *", prompt: "Check the harbour" }]),
      (request) => {
        assert.match(results_in(request)[0].error, /minute/);
        return call(["schedule_prompt", { name: "Harbour", cronSchedule: "* * * * *", prompt: "Check the harbour" }]);
      },
      say("Once a minute."),
    ],
  },
  {
    name: "lists what is scheduled",
    say: ["Every Sunday at 18:00 UTC, remind me to water the plants.", NEW, "What have you scheduled? Name it."],
    check: async (world) => assert.match(world.answer, /plants/i),
    script: () => [
      call([
        "schedule_prompt",
        { name: "Plants", cronSchedule: "0 18 * * SUN", prompt: "Remind me to water the plants", timezone: "UTC", tellOwner: true },
      ]),
      say("Scheduled."),
      call(["list_scheduled_prompts"]),
      (request) => {
        assert.equal(results_in(request)[0].tasks[0].tellOwner, true);
        return say("To water the plants, on Sundays.");
      },
    ],
  },
  {
    name: "does what a schedule says and tells its owner",
    files: { "stock.csv": "item,left\nnails,0\nscrews,40\n" },
    say: ["Every day at 5:00 UTC, check stock.csv and tell me in a notice what has run out."],
    check: async (world) => {
      const [task] = await world.tasks();
      assert.equal((await world.person.call("POST", `/api/scheduled-tasks/${task.id}/run`)).status, 202);
      await notice_with(world, /nails/i);
    },
    script: () => [
      call([
        "schedule_prompt",
        { name: "Stock", cronSchedule: "0 5 * * *", prompt: "Check stock.csv: what has run out?", timezone: "UTC", tellOwner: true },
      ]),
      say("Scheduled."),
      call(["read_file", { path: "stock.csv" }]),
      say("Nails have run out."),
    ],
  },
  {
    name: "sends a message to another agent",
    say: [(world) => `Send the agent ${world.neighbour} the action GREETING with the payload {"text": "Hello from next door"}.`],
    neighbour: true,
    check: async (world) => {
      const { body } = await world.person.call("GET", `/api/underground/messages?agentId=${world.neighbour}`);
      includes(JSON.stringify(body), "Hello from next door", "GREETING");
    },
    script: (world) => [
      (request) => {
        const to = /agent (ag_\w+)/.exec(request.messages.at(-1).content)[1];
        return call(["send_message", { to, action: "GREETING", payload: { text: "Hello from next door" } }]);
      },
      (request) => {
        assert.equal(results_in(request)[0].error, undefined, world.neighbour);
        return say("Sent.");
      },
    ],
  },
  {
    name: "says that a message has no recipient",
    say: ["Send the agent ag_doesnotexist a GREETING. If that is not possible, say that there is no such agent."],
    check: async (world) => assert.match(world.answer, /no such|not|unknown/i),
    script: () => [
      call(["send_message", { to: "ag_doesnotexist", action: "GREETING" }]),
      (request) => {
        assert.equal(typeof results_in(request)[0].error, "string");
        return say("There is no such agent.");
      },
    ],
  },
  {
    name: "shows the steps of a long task",
    files: { "a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n" },
    say: ["Keep a todo list: read a.txt, b.txt and c.txt, then write their sum to sum.txt."],
    check: async (world) => assert.equal((await world.file("sum.txt"))?.trim(), "6"),
    script: () => {
      const items = (done) => ["a.txt", "b.txt", "c.txt", "sum.txt"].map((text, at) => ({ text, status: at < done ? "done" : "open" }));
      return [
        call(["todo", { items: items(0) }], ...["a", "b", "c"].map((name) => ["read_file", { path: `${name}.txt` }])),
        (request) => {
          assert.deepEqual(results_in(request)[0], { items: 4, next: "a.txt", done: 0 });
          return call(["todo", { items: items(3) }], ["write_file", { path: "sum.txt", content: "6\n" }]);
        },
        call(["todo", { items: items(4) }]),
        say("The sum is 6."),
      ];
    },
  },
  {
    name: "reminds once after a restart",
    say: [`On ${next_year}-05-05 at 12:00 UTC, ask yourself what day it is, and tell me.`, RESTART, "When will you do that?"],
    check: async (world) => {
      const [task] = await world.tasks();
      assert.equal(task.nextRun, `${next_year}-05-05T12:00:00.000Z`);
      includes(world.answer, String(next_year));
    },
    script: () => [
      call(["schedule_once", { name: "Day", at: `${next_year}-05-05T12:00 UTC`, prompt: "What day is it?", tellOwner: true }]),
      say("I will."),
      call(["list_scheduled_prompts"]),
      (request) => say(`On ${results_in(request)[0].tasks[0].nextRun}.`),
    ],
  },
].map((task) => ({ area: "schedules", ...task }));
