// Live logs: lines reach readers as they are written, resume where a reader left off, and never pile up.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, PASSWORD, until } from "../support/box.mjs";
import { follow_events } from "../support/event_stream.mjs";

const with_agent = async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const log = join(box.folder, "agents", id, "run", "agent.log");
  return { box, ada, id, log, write: (text) => appendFileSync(log, text) };
};

const follow = (t, box, path, headers) => {
  const stream = follow_events(t, new URL(path, box.web), headers);
  stream.texts = () => stream.of("log").map(({ text }) => text);
  return stream;
};
// A stream stands in the list a moment before it gets what is written; it is ready once it does.
const ready = (...readers) => until("all are ready", () => readers.every(({ events }) => events[0]?.event === "ready"));
const streams = async (person) => (await person.call("GET", "/api/logs/active")).body.streams;

test("log lines reach every reader, complete lines only, and resume after the last one", async (t) => {
  const { box, ada, id, write } = await with_agent(t);
  await ada.call("POST", `/api/instance/${id}/stop`); // it has its own to tell while it runs
  const path = `/api/logs/${id}/stream?tail=1`,
    headers = { cookie: ada.cookie };
  const readers = [follow(t, box, path, headers), follow(t, box, path, headers)];
  await until("both are there", async () => (await streams(ada)).length === 2 && readers.every(({ events }) => events.length === 2));
  write("one\ntw");
  for (const reader of readers) await until("the first line", () => reader.texts().at(-1) === "one");
  write("o\nthree\r\n");
  for (const reader of readers) await until("the others", () => reader.texts().at(-1) === "three");
  assert.deepEqual(readers[0].texts().slice(1), ["one", "two", "three"]);
  assert.equal(readers[0].events[0].event, "ready");
  const ids = readers[0].events.slice(1).map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)].sort(), "ids grow");

  readers[0].close();
  await until("one is gone", async () => (await streams(ada)).length === 1);
  write("four\n");
  const resumed = follow(t, box, path, { ...headers, "last-event-id": ids.at(-2) });
  await until("what was missed", () => resumed.texts().at(-1) === "four");
  assert.deepEqual(resumed.texts(), ["three", "four"]);
  const stopped = await ada.call("POST", `/api/logs/${id}/stop`);
  assert.deepEqual([stopped.status, stopped.body.stopped], [200, 2]);
  await until("both have ended", () => resumed.closed && readers[1].closed);
  assert.equal(resumed.events.at(-1).event, "end");
  assert.deepEqual(await streams(ada), []);
});

test("a stream goes on over a restart of the agent", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const reader = follow(t, box, `/api/logs/${id}/stream?tail=0`, { cookie: ada.cookie });
  await ready(reader);
  await ada.call("POST", `/api/instance/${id}/restart`);
  await until("the new process tells", () => reader.texts().some((text) => text.includes("agent_ready")));
  const told = reader.events.filter(({ event }) => event === "log").map(({ data }) => data);
  const { lines } = (await ada.call("GET", `/api/logs/${id}/history?limit=5000`)).body;
  const first = lines.findIndex((line) => line.id === told[0].id);
  assert.deepEqual(lines.slice(first, first + told.length), told, "the history has the same lines under the same ids");
});

test("a returning reader gets all missed lines in order, and a note about those that are gone", async (t) => {
  const { box, ada, id, log, write } = await with_agent(t);
  await ada.call("POST", `/api/instance/${id}/stop`); // it has its own to tell while it runs
  write("the last line that was read\n");
  const history = async (query) => (await ada.call("GET", `/api/logs/${id}/history?${query}`)).body;
  const [known] = (await history("limit=1")).lines;
  const missed = Array.from({ length: 7_500 }, (_, at) => `line ${at}`);
  write(missed.join("\n") + "\n");
  const resume = () => follow(t, box, `/api/logs/${id}/stream`, { cookie: ada.cookie, "last-event-id": known.id });
  const reader = resume();
  await until("all that was missed", () => reader.texts().length === missed.length);
  write("and what comes now\n");
  await until("what comes now", () => reader.texts().length === missed.length + 1);
  assert.deepEqual(reader.texts(), [...missed, "and what comes now"]);
  assert.deepEqual([...new Set(reader.events.map(({ event }) => event))], ["ready", "log"], "nothing was skipped");

  const paged = [];
  for (let page = { lines: [known] }; page.lines.length > 0; page = await history(`limit=2000&after=${page.lines.at(-1).id}`)) {
    assert.ok(!page.skipped);
    paged.push(...page.lines);
  }
  assert.deepEqual(
    paged.slice(1).map(({ text }) => text),
    reader.texts(),
  );

  // As two rotations would leave it, while nobody reads along: what came right behind the line is gone.
  reader.close();
  await until("nobody reads", async () => (await streams(ada)).length === 0);
  const kept = "a line that is kept\n";
  writeFileSync(`${log}.start`, String(statSync(log).size + 1));
  writeFileSync(log, kept);
  const late = resume();
  await until("the rest", () => late.texts().length === 1);
  assert.deepEqual(
    late.events.map(({ event }) => event),
    ["ready", "skipped", "log"],
  );
  assert.equal(late.events[1].data.after, known.id);
  const rest = await history(`after=${known.id}`);
  assert.deepEqual([rest.skipped, rest.lines.map(({ text }) => text)], [true, [kept.trim()]]);
});

test("history by number, by time and behind a line", async (t) => {
  const { ada, id, write } = await with_agent(t);
  await ada.call("POST", `/api/instance/${id}/stop`); // it has its own to tell while it runs
  const history = async (query = "") => (await ada.call("GET", `/api/logs/${id}/history?${query}`)).body;
  write('{"time":"2020-01-01T00:00:01.000Z","event":"old"}\nno time\n{"time":"2020-01-01T00:00:02.500Z","event":"later"}\n');
  const newest = await history("limit=2");
  assert.deepEqual(
    newest.lines.map(({ text, at }) => [text.length > 7 ? JSON.parse(text).event : text, at]),
    [
      ["no time", null],
      ["later", "2020-01-01T00:00:02.500Z"],
    ],
  );
  assert.deepEqual(
    (await history("since=2020-01-01T00:00:01Z&until=2020-01-01T00:00:02Z")).lines.map(({ text }) => JSON.parse(text).event),
    ["old"],
  );
  assert.deepEqual((await history(`after=${newest.lines[0].id}`)).lines, [newest.lines[1]]);
  assert.equal((await history(`after=${newest.lines[1].id}`)).count, 0);
  for (const [query, field] of [
    ["since=yesterday", "since"],
    ["until=2020-13-01T00:00:00Z", "until"],
    ["after=x", "after"],
    ["limit=0", "limit"],
  ])
    assert.match((await history(query)).error, new RegExp(`^${field}`), query);
});

test("a reader that does not read is dropped, and costs nobody else a line", async (t) => {
  const { box, ada, id, write } = await with_agent(t);
  // The log of an agent that runs is rotated by the clock, and what is written in that moment may be lost.
  await ada.call("POST", `/api/instance/${id}/stop`);
  const reading = follow(t, box, `/api/logs/${id}/stream?tail=0`, { cookie: ada.cookie });
  await ready(reading);
  const answer = await new Promise((resolve) => {
    const asked = get(new URL(`/api/logs/${id}/stream?tail=0`, box.web), { headers: { cookie: ada.cookie }, agent: false }, resolve);
    t.after(() => asked.destroy());
  });
  answer.pause();
  const block = ("x".repeat(1_000) + "\n").repeat(1_000); // a little less than a reader may have waiting
  // More than the kernel keeps at both ends for one that does not read.
  const [kept_by_box, kept_by_client] = ["wmem", "rmem"].map((side) =>
    Number(readFileSync(`/proc/sys/net/ipv4/tcp_${side}`, "utf8").split(/\s+/)[2]),
  );
  const blocks = Math.ceil((kept_by_box + kept_by_client) / block.length) + 3;
  for (let written = 1; written <= blocks; ++written) {
    write(block);
    await until(`${written} blocks with who reads`, () => reading.texts().length === written * 1_000, 120_000);
  }
  await until("the other one is gone, after half a minute without progress", async () => (await streams(ada)).length === 1, 120_000);
  assert.equal(reading.closed, false);
});

test("logs are their owner's, and the operator's", async (t) => {
  const { box, ada, id } = await with_agent(t);
  const eve = await box.customer("eve@example.org");
  for (const [method, path] of [
    ["GET", "stream"],
    ["GET", "history"],
    ["POST", "stop"],
  ])
    assert.equal((await eve.call(method, `/api/logs/${id}/${path}`)).status, 404, path);
  const reader = follow(t, box, `/api/logs/${id}/stream`, { cookie: ada.cookie });
  await until("it is there", async () => (await streams(ada)).length === 1);
  assert.deepEqual(await streams(eve), []);
  const all = await box.backend_call("GET", "/api/logs/active");
  assert.deepEqual(
    all.streams.map(({ agentId }) => agentId),
    [id],
  );
  assert.ok((await box.backend_call("GET", `/api/logs/${id}/history`)).count > 0);
  for (const headers of [{}, { authorization: "Bearer wrong" }])
    assert.equal((await fetch(`${box.backend}/api/logs/active`, { headers })).status, 401);
  assert.equal((await ada.call("GET", `/api/logs/${id}/stream?lastEventId=nonsense`)).status, 400);
  assert.equal((await box.backend_call("POST", `/api/logs/${id}/stop`)).stopped, 1);
  await until("it has ended", () => reader.closed);
  assert.equal(readFileSync(join(box.folder, "agents", id, "run", "agent.log"), "utf8").includes(INTERNAL_KEY), false);
});

test("a stream ends with the session it was asked for with, and with its agent", async (t) => {
  const { box, ada, id, write } = await with_agent(t);
  const other = box.person();
  await other.log_in("ada@example.org", PASSWORD);
  const path = `/api/logs/${id}/stream?tail=0`;
  const leaving = follow(t, box, path, { cookie: other.cookie }),
    staying = follow(t, box, path, { cookie: ada.cookie });
  await ready(leaving, staying);
  await other.call("POST", "/api/auth/signout");
  await until("one is cut", () => leaving.closed);
  write("a word among those who may hear it\n");
  await until("the other goes on", () => staying.texts().includes("a word among those who may hear it"));
  assert.ok(!leaving.texts().includes("a word among those who may hear it"));
  await ada.call("DELETE", `/api/agents/${id}`);
  await until("it ends with the agent", () => staying.closed);
  assert.deepEqual(await streams(ada), []);
});
