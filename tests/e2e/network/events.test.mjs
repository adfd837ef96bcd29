// GET /api/events: what changes for a user, as it changes, for that user alone, and behind the last event again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, PASSWORD, until } from "../support/box.mjs";
import { follow_events } from "../support/event_stream.mjs";

const follow = (t, box, person, { after, cookie = person.cookie } = {}) =>
  follow_events(t, new URL("/api/events", box.web), { cookie, ...(after && { "last-event-id": after }) });
const begun = (stream, event = "ready") => until(`a stream begins with ${event}`, () => stream.events[0]?.event === event);

test("agents, their health, messages and runs are events of their owner, and of nobody else", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const mine = [follow(t, box, ada), follow(t, box, ada)],
    hers = follow(t, box, eve);
  for (const stream of [...mine, hers]) await begun(stream);

  const id = await box.running_agent(ada);
  for (const stream of mine) {
    await until("it runs", () => stream.of("agent").at(-1)?.status === "running");
    await until("its health", () => stream.of("health").at(-1)?.state === "running");
    assert.ok(stream.of("agent").every((data) => data.id === id && data.name === "Scout"));
  }
  assert.equal((await ada.call("POST", "/api/chat", { agentId: id, message: "remember that events work" })).status, 200);
  await until("the answer", () => mine[0].of("message").at(-1)?.role === "assistant");
  assert.equal(mine[0].of("message").at(-1).id, id);

  const task = (await ada.call("POST", "/api/scheduled-tasks", { agentId: id, name: "brief", cronSchedule: "0 8 1 1 *", prompt: "hello" }))
    .body;
  await until("the task", () => mine[0].of("run").some((data) => data.id === task.id && data.run === 0 && data.outcome === null));
  assert.ok((await ada.call("POST", `/api/scheduled-tasks/${task.id}/run`)).status < 300);
  await until("its run", () => mine[0].of("run").at(-1).outcome === "succeeded");
  assert.deepEqual([mine[0].of("run").at(-1).agentId, mine[0].of("run").at(-1).run], [id, 1]);

  assert.equal((await ada.call("DELETE", `/api/agents/${id}`)).status, 200);
  await until("it is gone", () => mine[0].of("agent").at(-1)?.removed);
  await until("its messages are gone", () => mine[0].of("message").at(-1)?.removed);
  await until("both tabs have the same", () => mine[0].events.length === mine[1].events.length);
  assert.deepEqual(mine[0].events, mine[1].events);
  assert.deepEqual(
    hers.events.map(({ event }) => event),
    ["ready"],
  );
});

test("a cap that is used up, and a plan, are events", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const stream = follow(t, box, ada);
  await begun(stream);
  assert.equal((await ada.call("PUT", "/api/caps", { scope: "agent", target: id, period: "day", tokens: 1_000_000 })).status, 200);
  await until("the cap", () => stream.of("cap").length === 1);
  assert.deepEqual([stream.of("cap")[0].usedPercent, stream.of("cap")[0].reached], [0, false]);
  await ada.call("POST", "/api/chat", { agentId: id, message: "hello" });
  const { caps } = (await ada.call("GET", "/api/caps")).body;
  const used = caps.find(({ target }) => target === id).usedTokens;
  assert.ok(used > 0);
  await ada.call("PUT", "/api/caps", { scope: "agent", target: id, period: "day", tokens: used });
  await until("it is reached", () => stream.of("cap").at(-1).reached);
  await box.backend_call("POST", "/api/subscriptions/deploy", { userId: ada.id, plan: "network" });
  await until("the plan", () => stream.of("plan").at(-1)?.plan === "network");
});

test("payments are events as they are asked for and decided, however quickly", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const to = (await eve.call("POST", "/api/wallet", { action: "create" })).body.address;
  await ada.call("POST", "/api/wallet", { action: "create" });
  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: ada.id, amount: "20", reference: "a gift" });
  await ada.call("PUT", "/api/wallet/rules", { approvalAboveUsdc: "5", receivers: [to] });
  const stream = follow(t, box, ada),
    hers = follow(t, box, eve);
  for (const one of [stream, hers]) await begun(one);
  const pay = async (amount) => (await ada.call("POST", "/api/wallet/transfer", { to, amount })).body.id;
  const last = (id) =>
    stream
      .of("payment")
      .filter((data) => data.id === id)
      .at(-1);

  const waiting = await pay("7");
  await until("it waits", () => last(waiting)?.state === "waiting");
  await ada.call("POST", `/api/wallet/transfers/${waiting}/decline`);
  await until("it is declined", () => last(waiting).state === "declined");
  const at_once = await pay("8");
  await ada.call("POST", `/api/wallet/transfers/${at_once}/decline`);
  await until("it came and went", () => last(at_once)?.state === "declined");
  const small = await pay("1");
  await until("it is paid", () => last(small)?.state === "confirmed");
  assert.deepEqual(hers.of("payment"), []);
});

test("a reader goes on behind its last event, and is told when that is not kept", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const stream = follow(t, box, ada);
  await begun(stream);
  const id = await box.running_agent(ada);
  await until("it runs", () => stream.of("agent").at(-1)?.status === "running");
  const last = stream.events.at(-1).id;
  stream.close();
  await ada.call("POST", `/api/instance/${id}/stop`);
  const again = follow(t, box, ada, { after: last });
  await until("what was missed", () => again.of("agent").at(-1)?.status === "stopped");
  assert.ok(
    again.of("agent").every(({ status }) => status !== "provisioning"),
    "nothing twice",
  );
  for (const after of ["nonsense", `${last}0`, `${last.split(".")[0]}.99999999999999999999`])
    await begun(follow(t, box, ada, { after }), "reset");
  await box.end();
  assert.ok(again.closed);
  await box.serve();
  await begun(follow(t, box, ada, { after: last }), "reset");
});

test("a stream ends with its session, and the streams of a user are limited", async (t) => {
  const box = await Box.start(t, { STREAMS_PER_USER: "2" });
  const ada = await box.customer("ada@example.org");
  assert.equal((await box.person().call("GET", "/api/events")).status, 401);
  const elsewhere = box.person();
  elsewhere.id = ada.id;
  await elsewhere.log_in("ada@example.org", PASSWORD);
  const [one, other] = [follow(t, box, ada), follow(t, box, elsewhere)];
  for (const stream of [one, other]) await begun(stream);
  const refused = await ada.call("GET", "/api/events");
  assert.equal(refused.status, 429);
  assert.match(refused.body.error, /event streams/);

  await elsewhere.call("POST", "/api/auth/signout");
  await until("the one that signed out has ended", () => other.closed);
  assert.equal(one.closed, false);
  await until("there is room again", () => {
    const stream = follow(t, box, ada);
    return until("an answer", () => stream.status).then((status) => (stream.close(), status === 200));
  });
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: true });
  await until("a disabled user reads no more", () => one.closed);
});
