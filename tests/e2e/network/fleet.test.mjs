// Mission control: what a user's agents are, do and cost, as the owner sees it on the web and the operator on the backend.
import assert from "node:assert/strict";
import { test } from "node:test";
import { story_of } from "../support/ai_story.mjs";
import { Box, INTERNAL_KEY, send, until } from "../support/box.mjs";
import { BusAgent, backend } from "../support/bus.mjs";
import { call, hang, ModelServer, say } from "../peers/model_server.mjs";

const FLEET = "/api/mission-control/fleet";
const ROWS = ["graph", "traces", "costs", "bookings"];
const fleet = async (person, row) => {
  const { status, body } = await person.call("GET", `${FLEET}/${row}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const node_of = ({ nodes }, id) => nodes.find((one) => one.id === id);

test("without a soul there is one offline orchestrator, and nothing else", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const { timestamp, ...graph } = await fleet(ada, "graph");
  assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);
  assert.deepEqual(graph, {
    nodes: [{ id: "orchestrator", name: "Orchestrator", role: "orchestrator", status: "offline", x: 50, y: 50, load: 0, memory: 0 }],
    edges: [],
    source: "fallback",
  });
  for (const row of ["traces", "costs", "bookings"]) assert.deepEqual(await fleet(ada, row), []);
});

test("the rows ask for a session on the web, and for the key and a user's number on the backend", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const key = { authorization: `Bearer ${INTERNAL_KEY}` };
  for (const row of ROWS) {
    assert.equal((await box.person().call("GET", `${FLEET}/${row}`)).status, 401, row);
    const ask = (query, headers = key) => send(box.backend, "GET", `${FLEET}/${row}${query}`, { headers });
    assert.equal((await ask(`?userId=${ada.id}`, {})).status, 401, row);
    assert.equal((await ask(`?userId=${ada.id}`, { authorization: "Bearer wrong" })).status, 403, row);
    assert.equal((await ask(`?userId=${ada.id}`)).status, 200, row);
    for (const query of ["", "?userId=", "?userId=ada", "?userId=-1", "?userId=1.5", "?userId=99999999999999999999"]) {
      const { status, body } = await ask(query);
      assert.equal(status, 400, row + query);
      assert.match(body.error, /userId/, row + query);
    }
  }
  assert.match((await ada.call("GET", `${FLEET}/costs?period=yesterday`)).body.error, /period/);
});

test("an agent at work is a soul below the box, with its turn, tool call and model calls as one trace", async (t) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  const id = await box.running_agent(ada);
  await until("a soul", async () => (await fleet(ada, "graph")).source === "soul");
  const before = await fleet(ada, "graph");
  assert.equal(before.nodeCount, 2);
  assert.deepEqual(
    before.nodes.map(({ role, status }) => [role, status]),
    [
      ["orchestrator", "idle"],
      ["specialist", "idle"],
    ],
  );

  model.will(call(["remember", { text: "The demo is on Friday." }]), say("Noted.", [20, 2]));
  const answer = await ada.call("POST", "/api/chat", { agentId: id, message: "Remember the demo\non Friday" });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  model.check();

  const graph = await fleet(ada, "graph");
  assert.equal(graph.source, "soul");
  const [parent, scout] = graph.nodes;
  assert.deepEqual(
    [parent.id, parent.role, parent.status, parent.children, parent.endpoints, parent.cycles, parent.fitness, parent.url],
    ["box", "orchestrator", "active", 1, 1, 1, 100, box.web],
  );
  assert.ok(["idle", "balanced", "uneven", "saturated"].includes(parent.regime));
  assert.equal(typeof parent.freeEnergy, "number");
  assert.deepEqual([scout.id, scout.name, scout.role, scout.status, scout.fitness], [id, "Scout", "specialist", "active", 100]);
  for (const one of graph.nodes)
    for (const field of ["x", "y", "load", "memory", "fitness"])
      assert.ok(one[field] >= 0 && one[field] <= 100, `${field} of ${one.id}: ${one[field]}`);
  assert.ok(scout.memory > 0, "its process has some");
  for (const field of ["children", "cycles", "regime", "url", "walletAddress"]) assert.ok(!(field in scout), field);
  assert.deepEqual(graph.edges, [{ id: `box:${id}`, from: "box", to: id, strength: 1 }]);
  const again = await fleet(ada, "graph");
  assert.deepEqual(
    again.nodes.map(({ x, y }) => [x, y]),
    graph.nodes.map(({ x, y }) => [x, y]),
    "the same fleet, the same picture",
  );

  const traces = await fleet(ada, "traces");
  const kinds = traces.filter(({ type }) => type !== "monitor");
  assert.deepEqual(kinds.map(({ type, label, agent, status }) => [type, label, agent, status]).sort(), [
    ["inference", `chat ${answer.body.model}`, "Scout", "success"],
    ["inference", `chat ${answer.body.model}`, "Scout", "success"],
    ["plan", "Remember the demo", "Scout", "success"],
    ["tool_call", "remember", "Scout", "success"],
  ]);
  for (const { duration, type, tokens } of kinds) {
    assert.match(duration, /^\d+ms$/);
    assert.equal(tokens !== null, type === "inference");
  }
  assert.ok(traces.some(({ type, label, duration }) => type === "monitor" && label === "running" && duration === "—"));
  const times = traces.map(({ startedAt }) => startedAt);
  assert.deepEqual(times, [...times].sort().reverse(), "newest first");

  const { traces: rows, running, count, next } = (await ada.call("GET", `/api/traces?type=plan&agent=${id}`)).body;
  assert.deepEqual([rows.length, running, count, next], [1, [], 1, null]);
  assert.deepEqual([rows[0].name, rows[0].spans, rows[0].errors, rows[0].status], ["Remember the demo", 4, 0, "success"]);
  const { trace, spans } = (await ada.call("GET", `/api/traces/${rows[0].id}`)).body;
  assert.deepEqual(trace, rows[0]);
  assert.equal(spans.length, 1);
  assert.deepEqual(
    spans[0].children.map(({ type }) => type),
    ["inference", "tool_call", "inference"],
  );
  assert.equal(spans[0].children[2].inputTokens, 20);

  for (const path of [`/api/traces/${rows[0].id}`, `/api/traces/${"0".repeat(31)}1`, "/api/traces/none"]) {
    const theirs = await eve.call("GET", path);
    assert.deepEqual([theirs.status, theirs.body], [404, { error: "Not found" }]);
  }
  assert.deepEqual(await fleet(eve, "traces"), []);
  const { body } = await send(box.backend, "GET", `${FLEET}/traces?userId=${ada.id}`, {
    headers: { authorization: `Bearer ${INTERNAL_KEY}` },
  });
  assert.deepEqual(body, traces, "the backend shows the same");
});

test("work in progress is running, and a turn that failed lowers the fitness", async (t) => {
  const model = await ModelServer.start(t);
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, AI_BUILTIN: "false" });
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  model.will(hang());
  const answered = ada.call("POST", "/api/chat", { agentId: id, message: "Say nothing" });
  await until("a model call in progress", async () => {
    const at_work = (await fleet(ada, "traces")).filter(({ status }) => status === "running");
    return at_work.length === 2 && at_work.every(({ duration }) => duration === "—");
  });
  assert.equal(node_of(await fleet(ada, "graph"), id).status, "active");
  assert.deepEqual((await ada.call("GET", "/api/traces")).body.running.map(({ type }) => type).sort(), ["inference", "plan"]);
  await until("the call at the model", () => model.asked.length === 1);
  model.answer_hanging(say(""));
  assert.equal((await answered).status, 502);
  const [failed] = (await ada.call("GET", "/api/traces?errors=true&type=plan")).body.traces;
  assert.deepEqual([failed.name, failed.status], ["Say nothing", "error"]);
  const { spans } = (await ada.call("GET", `/api/traces/${failed.id}`)).body;
  assert.match(spans[0].error, /empty answer/);
  assert.equal((await fleet(ada, "traces")).find(({ type }) => type === "plan").status, "idle");
  assert.equal(node_of(await fleet(ada, "graph"), id).fitness, 0);
  await ada.call("POST", `/api/instance/${id}/stop`);
  await box.until_status(ada, id, "stopped");
  assert.deepEqual(await fleet(ada, "traces"), [], "no soul is reachable");
});

test("clones are workers below their parent, and an agent can be the orchestrator", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network");
  const provision = async (name, config) => {
    const { body } = await ada.call("POST", "/api/agents/provision", { name, tier: "enterprise", config });
    await box.until_status(ada, body.agent.id, "running");
    return body.agent.id;
  };
  const conductor = await provision("Conductor", { role: "orchestrator" });
  const scout = await provision("Scout");
  const cloned = await ada.call("POST", "/api/agents/clone", {
    name: "Runner",
    parentAgentId: scout,
    specialization: "booking",
    paymentProof: {
      transactionHash: `0x${"ab".repeat(32)}`,
      amount: "1.0",
      currency: "pathUSD",
      chainId: 4217,
      timestamp: Math.floor(Date.now() / 1000),
      from: "0x8617e340b3d01fa5f11f306f4090fd50e238070d",
      to: "0x52908400098527886e0f7030069857d2e4169ee7",
    },
  });
  assert.ok(cloned.status < 300, JSON.stringify(cloned.body));
  const runner = cloned.body.agent.id;
  await box.until_status(ada, runner, "running");
  const graph = await until("three souls", async () => {
    const seen = await fleet(ada, "graph");
    return seen.nodeCount === 3 && seen.nodes.every(({ status }) => status === "idle") && seen;
  });
  assert.deepEqual(Object.fromEntries(graph.nodes.map(({ id, role }) => [id, role])), {
    [conductor]: "orchestrator",
    [scout]: "specialist",
    [runner]: "worker",
  });
  assert.deepEqual(
    graph.edges.map(({ from, to }) => [from, to]).sort(),
    [
      [conductor, scout],
      [scout, runner],
    ].sort(),
  );
  assert.deepEqual([node_of(graph, conductor).endpoints, node_of(graph, scout).children], [2, 1]);

  const colony = (await ada.call("GET", "/api/colony/status")).body;
  assert.deepEqual(
    colony.tree.map(({ name, children }) => [name, children.map((child) => child.name)]),
    [
      ["Conductor", []],
      ["Scout", ["Runner"]],
    ],
  );
  assert.deepEqual(
    [colony.count, colony.deepestGeneration, colony.soul, colony.limits],
    [3, 2, { state: "idle", reachable: 3, total: 3 }, { plan: "network", agents: 100, generations: null }],
  );
  assert.deepEqual([colony.diagnostics.agents.running, colony.diagnostics.problems], [3, []]);

  await ada.call("POST", `/api/instance/${scout}/stop`);
  const left = await until("the end of Scout", async () => {
    const seen = await fleet(ada, "graph");
    return !node_of(seen, scout) && seen;
  });
  assert.equal(left.edges.find(({ to }) => to === runner).from, conductor, "the clone of a stopped agent is below the orchestrator");
});

test("messages between agents are edges, and what they negotiate are bookings", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network"),
    eve = await box.customer("eve@example.org", "network");
  const ids = [];
  for (const name of ["Box office", "Concierge"]) {
    const { body } = await ada.call("POST", "/api/agents/provision", { name, tier: "enterprise" });
    await box.until_status(ada, body.agent.id, "running");
    ids.push(body.agent.id);
  }
  const wallet = await backend(box, "POST", "/api/underground/wallets", { userId: ada.id, agentId: ids[0] });
  assert.equal(wallet.status, 201, JSON.stringify(wallet.body));
  const [seller, buyer] = await Promise.all(ids.map((id) => BusAgent.with_key(box, ada, id)));
  const event = await backend(box, "POST", "/api/underground/events", {
    agentId: seller.id,
    name: "Recital",
    description: "Two pianos",
    venue: "Town hall",
    eventDate: "2030-05-01",
    ticketPriceUsdc: "25.50",
    totalTickets: 10,
  });
  assert.equal(event.status, 201, JSON.stringify(event.body));
  assert.equal(
    (await buyer.send({ to: seller.id, action: "BOOKING_REQUEST", payload: { eventId: event.body.id, tickets: 2 } })).status,
    200,
  );
  const [booking, ...more] = await fleet(ada, "bookings");
  assert.deepEqual(more, []);
  assert.deepEqual(
    { ...booking, created_at: "" },
    { id: booking.id, event_id: event.body.id, event_name: "Recital", status: "requested", created_at: "" },
  );
  assert.ok(Number.isInteger(booking.id) && Math.abs(Date.parse(booking.created_at) - Date.now()) < 60_000);
  assert.deepEqual(await fleet(eve, "bookings"), []);
  const graph = await until("the edge", async () => {
    const seen = await fleet(ada, "graph");
    return seen.edges.some(({ from }) => from === buyer.id) && seen;
  });
  assert.deepEqual(
    graph.edges.find(({ from }) => from === buyer.id),
    { id: `${buyer.id}:${seller.id}`, from: buyer.id, to: seller.id, strength: 1 },
  );
  assert.deepEqual(
    ids.map((id) => node_of(graph, id).walletAddress),
    [wallet.body.address, undefined],
  );
});

test("a plan bounds the generations of clones, whatever number a request names", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "collective");
  let parent = await box.running_agent(ada, "First");
  const clone = (number) =>
    ada.call("POST", "/api/agents/clone", {
      name: `Clone ${number}`,
      parentAgentId: parent,
      generation: 1,
      paymentProof: {
        transactionHash: `0x${String(number).repeat(64)}`,
        amount: "1.0",
        currency: "pathUSD",
        chainId: 4217,
        timestamp: Math.floor(Date.now() / 1000),
        from: "0x8617e340b3d01fa5f11f306f4090fd50e238070d",
        to: "0x52908400098527886e0f7030069857d2e4169ee7",
      },
    });
  for (const number of [2, 3, 4, 5]) {
    const { status, body } = await clone(number);
    assert.equal(status, 200, JSON.stringify(body));
    parent = body.agent.id;
  }
  const beyond = await clone(6);
  assert.deepEqual([beyond.status, beyond.body.code, beyond.body.current, beyond.body.limit], [429, "GENERATION_LIMIT_REACHED", 5, 5]);
  assert.equal((await ada.call("GET", "/api/colony/status")).body.limits.generations, 5);
});

test("costs are those of the usage counters, by agent", async (t) => {
  const { ada, door } = await story_of(t, "network");
  assert.deepEqual(await fleet(ada, "costs"), []);
  const { ask } = await door();
  const { status } = await ask("chat/completions", { model: "openai/gpt-4o-mini", messages: [{ role: "user", content: "Where?" }] });
  assert.equal(status, 200);
  const { total } = (await ada.call("GET", "/api/dashboard/cost")).body;
  assert.notEqual(total, "0.00");
  const rows = [{ agent_id: "", total_spend: total, category: "ai_metric" }];
  assert.deepEqual(await fleet(ada, "costs"), rows);
  const month = new Date().toISOString().slice(0, 7);
  assert.deepEqual((await ada.call("GET", `${FLEET}/costs?period=${month}`)).body, rows);
  assert.deepEqual((await ada.call("GET", `${FLEET}/costs?period=2020-01`)).body, []);
  assert.deepEqual(await fleet(ada, "traces"), [], "no soul is reachable");
  const inference = (await ada.call("GET", "/api/traces?type=inference")).body.traces[0];
  assert.equal(inference.status, "success");
  assert.ok(inference.inputTokens > 0);
});

test("the metrics page has the user's own figures", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org"),
    eve = await box.customer("eve@example.org");
  assert.equal((await box.person().call("GET", "/api/metrics")).status, 401);
  const id = await box.running_agent(ada);
  await ada.call("POST", "/api/chat", { agentId: id, message: "hello" });
  const seen = (await ada.call("GET", "/api/metrics")).body;
  assert.deepEqual(
    [seen.agents.total, seen.agents.running, seen.turns, seen.scheduledTasks],
    [1, 1, { total: 1, lastDay: 1, successRate: 1 }, 0],
  );
  assert.ok(seen.day.usage.calls >= 1 && seen.spans >= 2, JSON.stringify(seen));
  const none = (await eve.call("GET", "/api/metrics")).body;
  assert.deepEqual([none.agents.total, none.turns.total, none.spans, none.day.usage.calls, none.day.successRate], [0, 0, 0, 0, null]);
});
