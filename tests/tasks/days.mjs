// Tasks with memory, schedules and messages to the owner, and with the web.
import assert from "node:assert/strict";
import { until } from "../e2e/support/box.mjs";
import { call, say } from "../e2e/peers/model_server.mjs";
import { pages as further_pages } from "./documents.mjs";
import { includes, RESTART, results_in } from "./harness.mjs";

const in_a_year = `${new Date().getUTCFullYear() + 1}-06-01`;

const memory = [
  {
    name: "remembers a preference across a restart",
    say: ["I am allergic to peanuts. Keep that in mind.", RESTART, "Am I allergic to anything?"],
    check: async (world) => {
      includes(world.answer.toLowerCase(), "peanut");
      assert.ok((await world.memories()).some(({ text }) => /peanut/i.test(text)));
    },
    script: () => [
      call(["remember", { text: "The owner is allergic to peanuts" }]),
      say("Noted."),
      (request) => {
        includes(request.messages[0].content, "allergic to peanuts");
        return say("Yes, to peanuts.");
      },
    ],
  },
  {
    name: "forgets what it is told to forget",
    say: ["Remember that my code word is heron.", "Forget my code word."],
    check: async (world) => assert.ok(!(await world.memories()).some(({ text }) => /heron/i.test(text))),
    script: () => [
      call(["remember", { text: "The owner's code word is heron" }]),
      say("Noted."),
      call(["forget", { query: "heron" }]),
      say("Forgotten."),
    ],
  },
  {
    name: "follows the owner's AGENT.md",
    files: { "AGENT.md": "End every answer with the word OVER.\n" },
    say: ["Say hello."],
    check: async (world) => {
      assert.match(world.answer, /OVER\W*$/);
      assert.equal(await world.file("AGENT.md"), "End every answer with the word OVER.\n");
    },
    script: () => [
      (request) => {
        includes(request.messages[0].content, "End every answer with the word OVER.");
        return say("Hello. OVER");
      },
    ],
  },
  {
    name: "keeps a block about the user up to date",
    say: [
      "I am Ada, I live in Larnsby. Keep what you know about me in your memory block.",
      "I have moved to Fastnet. Update it.",
      RESTART,
      "Where do I live?",
    ],
    check: async (world) => {
      includes(world.answer, "Fastnet");
      const blocks = (await world.memories()).filter(({ block }) => block !== "");
      assert.equal(blocks.length, 1, JSON.stringify(blocks));
      includes(blocks[0].text, "Fastnet");
    },
    script: () => [
      call(["write_memory_block", { block: "about the user", text: "Ada, lives in Larnsby" }]),
      say("Noted."),
      call(["write_memory_block", { block: "about the user", text: "Ada, lives in Fastnet (moved from Larnsby)" }]),
      say("Updated."),
      (request) => {
        includes(request.messages[0].content, "[about the user]", "lives in Fastnet");
        return say("In Fastnet.");
      },
    ],
  },
  {
    name: "finds what was said long ago",
    say: ["The spare key is under the third flower pot.", RESTART, "Search our history: where did I say the spare key is?"],
    check: async (world) => includes(world.answer.toLowerCase(), "flower pot"),
    script: () => [
      say("Good to know."),
      call(["search_history", { words: "spare key" }]),
      (request) => {
        const found = results_in(request)[0].matches.find(({ text }) => text.includes("third flower pot"));
        assert.deepEqual([found?.role, typeof found?.at], ["owner", "string"]);
        return say("Under the third flower pot.");
      },
    ],
  },
];

// A step of a sub-agent: it reads the file that its task names, then answers with it.
const reader = (request) => {
  const { role, content } = request.messages.at(-1);
  assert.ok(!request.tools?.some(({ function: { name } }) => name === "delegate"), "one level deep");
  return role === "tool" ? say(`It says: ${JSON.parse(content).content}`) : call(["read_file", { path: content.match(/\S+\.txt/)[0] }]);
};

const delegation = [
  {
    name: "gives parts of a task to sub-agents",
    files: { "north.txt": "Herons: 12\n", "south.txt": "Herons: 30\n" },
    say: ["Let sub-agents read north.txt and south.txt, one each, then tell me the sum of the herons."],
    check: async (world) => includes(world.answer, "42"),
    script: () => [
      call(["delegate", { tasks: ["Read north.txt and say how many herons it has.", "Read south.txt and say how many herons it has."] }]),
      reader,
      reader,
      reader,
      reader,
      (request) => {
        const [{ results }] = results_in(request);
        includes(results[0].answer, "Herons: 12");
        includes(results[1].answer, "Herons: 30");
        return say("42 herons.");
      },
    ],
  },
  {
    name: "writes a skill for work that comes again",
    say: ["Write a skill named weekly-report: each Friday, collect what changed in git and write report.md. I will approve it."],
    check: async (world) => {
      includes(await world.file("skill-drafts/weekly-report/SKILL.md"), "name: weekly-report", "report.md");
      assert.equal(await world.file("skills/weekly-report/SKILL.md"), undefined, "it is a draft");
      const moved = await world.person.call("POST", `/api/agents/${world.agent}/files/move`, {
        from: "skill-drafts/weekly-report",
        to: "skills/weekly-report",
      });
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
    },
    script: () => [
      call([
        "write_skill",
        {
          name: "weekly-report",
          description: "A report of the week: what changed in git",
          instructions: "1. Ask git_log for the week's commits.\n2. Write them to report.md.",
        },
      ]),
      say("It waits for your approval."),
    ],
  },
];

const schedules = [
  {
    name: "sets a reminder for one time",
    say: [`Remind me on ${in_a_year} at 9:00 Berlin time to call Bob. Tell me in a notice.`],
    check: async (world) => {
      const [task] = await world.tasks();
      assert.deepEqual([task.nextRun, task.tellOwner, task.madeByAgent], [`${in_a_year}T07:00:00.000Z`, true, true]);
    },
    script: () => [
      call(["now", { timezone: "Europe/Berlin" }]),
      (request) => {
        assert.match(results_in(request)[0].local, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00$/);
        return call([
          "schedule_once",
          { name: "Call Bob", at: `${in_a_year}T09:00 Europe/Berlin`, prompt: "Remind me to call Bob", tellOwner: true },
        ]);
      },
      say("I will remind you."),
    ],
  },
  {
    name: "corrects a reminder in the past",
    say: ["Remind me on 1 January 2020 at 9:00 UTC. If that is not possible, say so."],
    check: async (world) => assert.deepEqual(await world.tasks(), []),
    script: () => [
      call(["schedule_once", { name: "Past", at: "2020-01-01T09:00 UTC", prompt: "Remind me" }]),
      (request) => {
        assert.match(results_in(request)[0].error, /this time has passed in the zone UTC/);
        return say("That day has passed.");
      },
    ],
  },
  {
    name: "schedules a briefing on weekdays",
    say: ["Every weekday at 7:30 London time, prepare a briefing for me."],
    check: async (world) => {
      const [task] = await world.tasks();
      assert.deepEqual([task.timezone, task.enabled], ["Europe/London", true]);
      assert.match(task.cronSchedule, /^30 7 \* \* (MON-FRI|1-5)$/i);
    },
    script: () => [
      call([
        "schedule_prompt",
        { name: "Briefing", cronSchedule: "30 7 * * MON-FRI", prompt: "Prepare a briefing", timezone: "Europe/London" },
      ]),
      say("Scheduled."),
    ],
  },
  {
    name: "cancels what it has scheduled",
    say: ["Ask yourself every day at 8:00 UTC for news.", "Cancel that again."],
    check: async (world) => assert.deepEqual(await world.tasks(), []),
    script: () => [
      call(["schedule_prompt", { name: "News", cronSchedule: "0 8 * * *", prompt: "News?", timezone: "UTC" }]),
      say("Scheduled."),
      call(["list_scheduled_prompts"]),
      (request) => call(["cancel_scheduled_prompt", { taskId: results_in(request)[0].tasks[0].id }]),
      say("Cancelled."),
    ],
  },
  {
    name: "tells its owner something unasked",
    files: { "stock.csv": "item,left\nnails,0\nscrews,40\n" },
    say: ["Look into stock.csv and send me a notice for each item that has run out."],
    check: async (world) => {
      const notices = await until("the notice", async () => {
        const found = (await world.history()).filter(({ role, content }) => role === "assistant" && /nails/i.test(content));
        return found.length > 0 && found;
      });
      assert.ok(notices.length >= 1);
    },
    script: () => [
      call(["read_file", { path: "stock.csv" }]),
      call(["notify_owner", { subject: "Stock", text: "nails have run out" }]),
      (request) => {
        assert.match(results_in(request)[0].messageId, /^ag_/);
        return say("I have told you.");
      },
    ],
  },
];

// The site of the harness: pages, and a SearXNG server at /searx.
export const pages = {
  "/harbour": `<html><head><title>Harbour</title></head><body><article><h1>The harbour</h1>
    <p>The harbour of Larnsby opens at six in the morning and closes at eleven at night, every day of the year, also on holidays.</p>
    <p>Ferries to the islands leave at eight, at noon and at five. A return ticket costs 14 crowns for adults and 6 crowns for children.</p>
    <h2>Parking</h2><p>There are 120 places beside the old customs house; the first hour is free, each further hour costs 2 crowns.</p></article></body></html>`,
  "/museum": `<html><head><title>Museum</title></head><body><article><h1>The museum</h1>
    <p>The museum of Larnsby shows the history of fishing in four rooms. It is closed on Mondays, and admission costs 9 crowns for everyone.</p></article></body></html>`,
};

const web = [
  {
    name: "reads a page and writes down a fact",
    say: [
      ({ site }) => `What does a return ticket cost for children according to ${site.url}/harbour? Write only the number to price.txt.`,
    ],
    check: async (world) => assert.equal((await world.file("price.txt"))?.trim(), "6"),
    script: ({ site }) => [
      call(["fetch_page", { url: `${site.url}/harbour` }]),
      (request) => {
        includes(results_in(request)[0].content, "6 crowns for children", "## Parking");
        return call(["write_file", { path: "price.txt", content: "6\n" }]);
      },
      say("6 crowns."),
    ],
  },
  {
    name: "searches the web and reads what it finds",
    say: ["Search the web: what does admission to the museum of Larnsby cost?"],
    check: async (world) => includes(world.answer, "9"),
    script: () => [
      call(["web_search", { query: "museum Larnsby admission", limit: 3 }]),
      (request) => {
        const [found] = results_in(request)[0].results;
        return call(["fetch_page", { url: found.url }]);
      },
      (request) => {
        includes(results_in(request)[0].content, "9 crowns");
        return say("9 crowns.");
      },
    ],
  },
  {
    name: "reports a page that does not exist",
    say: [({ site }) => `Summarize ${site.url}/nowhere. If you cannot, say that the page does not exist.`],
    check: async (world) => assert.match(world.answer, /not|404/i),
    script: ({ site }) => [
      call(["fetch_page", { url: `${site.url}/nowhere` }]),
      (request) => {
        assert.match(results_in(request)[0].error, /404/);
        return say("The page does not exist.");
      },
    ],
  },
];

const of = (area, list) => list.map((task) => ({ area, ...task }));
export const tasks = [...of("memory", memory), ...of("delegation", delegation), ...of("schedules", schedules), ...of("web", web)];

// Answers requests of tasks about the web; `url` is the site's own address.
export const answer_site = (url) => (asked) => {
  const path = asked.url.pathname;
  if (path === "/searx/search")
    return {
      json: {
        query: asked.url.searchParams.get("q"),
        results: Object.keys(pages)
          .filter((page) => asked.url.searchParams.get("q").toLowerCase().includes(page.slice(1)))
          .map((page) => ({ title: page.slice(1), url: `${url()}${page}`, content: `About the ${page.slice(1)} of Larnsby` })),
      },
    };
  const body = pages[path] ?? further_pages[path];
  return body && { headers: { "content-type": "text/html; charset=utf-8" }, body };
};
