// Agents that die, hang, or crash again and again: what the box does about it, what it shows, and whom it tells.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { follow_events } from "../support/event_stream.mjs";
import { agent_processes, is_alive } from "../support/processes.mjs";

const QUICK = { WATCHDOG_CHECK_INTERVAL: "200ms", WATCHDOG_DEGRADED_CHECK_INTERVAL: "200ms" };
const BOT_TOKEN = "4711:the-token-of-the-bot",
  HOOK = "/hooks/the-secret-of-the-hook";

// A chat that is told by bot and by webhook; the first answer to each is an error.
const chat = async (t) => {
  const tries = {};
  const site = await serve_site(t, ({ url: { pathname } }) => {
    tries[pathname] = (tries[pathname] ?? 0) + 1;
    return tries[pathname] === 1 ? { status: 503 } : { json: { ok: true } };
  });
  const told = (path) =>
    site.requests
      .filter(({ url }) => url.pathname === path)
      .slice(1)
      .map(({ text }) => JSON.parse(text));
  return {
    settings: { NOTIFY_BOT_TOKEN: BOT_TOKEN, NOTIFY_CHAT_ID: "-1001", NOTIFY_BOT_API_URL: site.url, NOTIFY_WEBHOOK_URL: site.url + HOOK },
    by_bot: () => told(`/bot${BOT_TOKEN}/sendMessage`),
    by_hook: () => told(HOOK).map(({ text }) => text),
  };
};

const pid_of = (box, id) => agent_processes(box).find((one) => one.id === id)?.pid;
const detail = async (person, id) => (await person.call("GET", `/api/agents/${id}`)).body.agent;
const watchdog = async (person, id) => (await detail(person, id)).watchdog;
const until_watched = (person, id, state) =>
  until(
    `agent ${id} ${state}`,
    async () => {
      const seen = await watchdog(person, id);
      return seen.state === state && seen;
    },
    60_000,
  );
const provision = async (box, person, name) => {
  const { id } = (await person.call("POST", "/api/agents/provision", { name, tier: "enterprise" })).body.agent;
  await box.until_status(person, id, "running");
  await until_watched(person, id, "running");
  return id;
};
const states = ({ history }) => history.map(({ state }) => state);
// Ends its process from outside; resolves when the next one runs.
const kill = async (box, person, id) => {
  const pid = pid_of(box, id);
  process.kill(pid, "SIGKILL");
  await until("another process", () => ![undefined, pid].includes(pid_of(box, id)));
  await box.until_status(person, id, "running");
  await until_watched(person, id, "running");
};

test("an agent that is killed is started again at once, and its detail shows it", async (t) => {
  const box = await Box.start(t); // checks two minutes apart: nothing here waits for one
  const ada = await box.customer("ada@example.org", "network");
  const id = await provision(box, ada, "Scout");
  await kill(box, ada, id);
  const seen = await watchdog(ada, id);
  assert.deepEqual([seen.crashes, seen.repairs], [1, 0]);
  assert.deepEqual(states(seen), ["starting", "running", "starting", "running"]);
  assert.match(seen.history[2].reason, /ended by signal 9; it is started again/);
  const { lines } = (await ada.call("GET", `/api/logs/${id}/history?limit=1000`)).body;
  const ends = lines.filter(({ text }) => text.includes("agent_process_ended")).map(({ at, text }) => [Boolean(at), JSON.parse(text)]);
  assert.deepEqual([ends.length, ends[0][0], ends[0][1].signal], [1, true, 9], "its log says so, too");
  assert.equal(seen.since, seen.history[3].at);
  assert.ok(Date.parse(seen.lastProbe) >= Date.parse(seen.history[2].at));
  assert.deepEqual((await box.backend_call("GET", `/api/agents/${id}`)).watchdog.state, "running");

  // The same right after the box has come back, and the history goes on.
  await box.end("SIGKILL");
  await box.serve();
  await kill(box, ada, id);
  const later = await watchdog(ada, id);
  assert.ok([1, 2].includes(later.crashes), "one that ended before the box had seen it run is started with the box");
  assert.deepEqual(states(later).slice(0, 4), states(seen));
});

test("an agent that hangs is degraded, repaired and reported", async (t) => {
  const people = await chat(t);
  const box = await Box.start(t, { ...QUICK, ...people.settings });
  const ada = await box.customer("ada@example.org", "network");
  const id = await provision(box, ada, "Scout");
  const hung = pid_of(box, id);
  process.kill(hung, "SIGSTOP"); // the kernel still accepts connections for it
  await until_watched(ada, id, "degraded");
  assert.equal(pid_of(box, id), hung, "it gets a chance to answer");
  await until_watched(ada, id, "repairing");
  await until("the hung process ends", () => !is_alive(hung));
  await until("another process", () => pid_of(box, id));
  await box.until_status(ada, id, "running");
  assert.equal((await watchdog(ada, id)).state, "repairing", "it is verified yet");
  const said = await ada.call("POST", "/api/chat", { agentId: id, message: "are you there?" });
  assert.equal(said.status, 200, JSON.stringify(said.body));
  const seen = await until_watched(ada, id, "running");
  assert.deepEqual(states(seen), ["starting", "running", "degraded", "repairing", "running"]);
  assert.deepEqual([seen.crashes, seen.repairs], [0, 1]);
  const [, , degraded, repairing, repaired] = seen.history;
  assert.match(degraded.reason, /does not answer/);
  assert.ok(Date.parse(repaired.at) - Date.parse(repairing.at) >= 35_000, "five seconds before the start, thirty before the check");
  await until("both are told twice", () => people.by_bot().length === 2 && people.by_hook().length === 2);
  assert.deepEqual(
    people.by_bot().map(({ text }) => text),
    people.by_hook(),
  );
  assert.equal(people.by_bot()[0].chat_id, "-1001");
  assert.match(people.by_hook()[0], new RegExp(`Scout \\(${id}\\) is degraded\\..*does not answer`));
  assert.match(people.by_hook()[1], /has been repaired/);
});

test("an agent that hangs while its owner looks is replaced long before its next check", async (t) => {
  const box = await Box.start(t); // checks at least 108 seconds apart
  const ada = await box.customer("ada@example.org", "network");
  const id = await provision(box, ada, "Scout");
  const events = follow_events(t, new URL("/api/events", box.web), { cookie: ada.cookie });
  await until("she looks", () => events.events[0]?.event === "ready");
  const hung = pid_of(box, id);
  process.kill(hung, "SIGSTOP");
  await until("she is told", () => events.of("health").find((one) => one.id === id && one.state === "degraded"), 60_000);
  await until("another process", () => ![undefined, hung].includes(pid_of(box, id)), 60_000);
  assert.equal((await watchdog(ada, id)).repairs, 1);
});

test("an agent that crashes three times is given up and reported once, and its owner can start it again", async (t) => {
  const people = await chat(t);
  const box = await Box.start(t, people.settings);
  const ada = await box.customer("ada@example.org", "network");
  const id = await provision(box, ada, "Scout");
  await kill(box, ada, id);
  await kill(box, ada, id);
  process.kill(pid_of(box, id), "SIGKILL");
  const seen = await until_watched(ada, id, "crash_loop");
  assert.equal(seen.crashes, 3);
  await until("its record says so", async () => (await detail(ada, id)).status === "error");
  assert.match((await detail(ada, id)).statusReason, /signal 9; it ended 3 times within 300 seconds, so it is not started again/);
  await until("both are told", () => people.by_bot().length === 1 && people.by_hook().length === 1);
  assert.match(people.by_hook()[0], /has been given up/);

  // Not by the next start of the box, either.
  await box.end("SIGTERM");
  await box.serve();
  assert.deepEqual([(await detail(ada, id)).status, (await watchdog(ada, id)).state], ["error", "crash_loop"]);
  assert.equal(pid_of(box, id), undefined);
  assert.equal((await ada.call("POST", `/api/instance/${id}/start`)).status, 200);
  await until_watched(ada, id, "running");
  await kill(box, ada, id);
  assert.equal(people.by_hook().length, 1, "one crash is no news");
});

test("with WATCHDOG_AUTO_REPAIR=false the box only reports", async (t) => {
  const people = await chat(t);
  const box = await Box.start(t, { ...QUICK, ...people.settings, WATCHDOG_AUTO_REPAIR: "false" });
  const ada = await box.customer("ada@example.org", "network");
  const hanging = await provision(box, ada, "Hanging"),
    dying = await provision(box, ada, "Dying");
  const hung = pid_of(box, hanging);
  process.kill(hung, "SIGSTOP");
  await until_watched(ada, hanging, "degraded");
  process.kill(pid_of(box, dying), "SIGKILL");
  await until_watched(ada, dying, "degraded");
  await until("its record says so", async () => (await detail(ada, dying)).status === "error");
  assert.match((await detail(ada, dying)).statusReason, /signal 9; the box does not start it again by itself/);
  const checked = async () => (await watchdog(ada, hanging)).lastProbe;
  const last = await checked();
  await until("two more checks", async () => Date.parse(await checked()) - Date.parse(last) > 5_000);
  assert.equal((await watchdog(ada, hanging)).state, "degraded");
  assert.equal(pid_of(box, hanging), hung);
  assert.equal(pid_of(box, dying), undefined);
  process.kill(hung, "SIGCONT");
  const seen = await until_watched(ada, hanging, "running");
  assert.deepEqual([seen.crashes, seen.repairs], [0, 0]);
  await until("people know", () => people.by_hook().length === 3);
  const told = people.by_hook();
  assert.equal(told.filter((text) => /Hanging .* is degraded/.test(text)).length, 1);
  assert.equal(told.filter((text) => /Dying .* is degraded/.test(text)).length, 1);
  assert.match(told[2], /Hanging .* is well again/);
});

test("an agent that its owner stops is left alone, and the history of a deleted one is deleted", async (t) => {
  const box = await Box.start(t, QUICK);
  const ada = await box.customer("ada@example.org", "network");
  const id = await provision(box, ada, "Scout");
  assert.equal((await ada.call("POST", `/api/instance/${id}/stop`)).status, 200);
  const seen = await until_watched(ada, id, "stopped");
  assert.deepEqual([seen.crashes, seen.repairs], [0, 0]);
  assert.equal((await ada.call("POST", `/api/instance/${id}/start`)).status, 200);
  await until_watched(ada, id, "running");
  assert.equal((await ada.call("DELETE", `/api/agents/${id}`)).body.deleted, true);
  assert.equal((await ada.call("GET", `/api/agents/${id}`)).status, 404);
});

test("a chat that refuses is logged without its secrets", async (t) => {
  const site = await serve_site(t, () => ({ status: 404 }));
  const box = await Box.start(t, {
    NOTIFY_BOT_TOKEN: BOT_TOKEN,
    NOTIFY_CHAT_ID: "-1001",
    NOTIFY_BOT_API_URL: "http://127.0.0.1:1",
    NOTIFY_WEBHOOK_URL: site.url + HOOK,
    WATCHDOG_CRASH_LOOP_THRESHOLD: "1",
  });
  const ada = await box.customer("ada@example.org", "network");
  const id = await provision(box, ada, "Scout");
  process.kill(pid_of(box, id), "SIGKILL");
  await until_watched(ada, id, "crash_loop");
  await until("it is logged", () => /"notification_not_sent","channel":"webhook","reason":"it answers 404"/.test(box.whole_log));
  assert.equal(await box.end("SIGTERM"), 0, "the bot that cannot be reached does not hold it up");
  assert.match(box.whole_log, /"notification_not_sent","channel":"bot"/);
  for (const secret of [BOT_TOKEN, HOOK]) assert.ok(!box.whole_log.includes(secret));
});
