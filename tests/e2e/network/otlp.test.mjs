// Spans of agents elsewhere: OpenTelemetry's SDK for Node as it comes from npm sends them, in both encodings.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Box, run, send, until } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { package_named } from "../support/packages.mjs";

const { SpanStatusCode, trace, context } = package_named("@opentelemetry/api");
const { BasicTracerProvider, SimpleSpanProcessor } = package_named("@opentelemetry/sdk-trace-base");
const { resourceFromAttributes } = package_named("@opentelemetry/resources");
const EXPORTERS = {
  protobuf: package_named("@opentelemetry/exporter-trace-otlp-proto").OTLPTraceExporter,
  JSON: package_named("@opentelemetry/exporter-trace-otlp-http").OTLPTraceExporter,
};

const customer_with_key = async (box, email) => {
  const person = await box.customer(email);
  person.key = (await person.call("POST", "/api/keys", { name: "telemetry" })).body.key;
  return person;
};

// Works as an agent with one model call and one tool call, and reports it.
const work = async (box, Exporter, key, { service = "weather-bot", agent, compression = "none" } = {}) => {
  const exporter = new Exporter({ url: `${box.backend}/v1/traces`, headers: { authorization: `Bearer ${key}` }, compression });
  const results = [];
  const { export: export_spans } = exporter;
  exporter.export = (spans, done) => export_spans.call(exporter, spans, (result) => (results.push(result.code), done(result)));
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": service }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer("story");
  const root = tracer.startSpan("forecast", {
    attributes: { "gen_ai.operation.name": "invoke_agent", ...(agent && { "gen_ai.agent.name": agent }) },
  });
  const within = trace.setSpan(context.active(), root);
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.provider.name": "openai",
    "gen_ai.usage.input_tokens": 120,
    "gen_ai.usage.output_tokens": 30,
    "gen_ai.request.temperature": 0.5,
    "gen_ai.response.finish_reasons": ["stop"],
    cached: true,
  };
  tracer.startSpan("chat gpt-4o", { attributes }, within).end();
  const tool = tracer.startSpan(
    "call",
    { attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather" } },
    within,
  );
  tool.setStatus({ code: SpanStatusCode.ERROR, message: "No such place" });
  tool.end();
  root.end();
  await provider.forceFlush();
  await provider.shutdown();
  assert.deepEqual(results, [0, 0, 0], "the exporter was told that everything arrived");
  return root.spanContext().traceId;
};

const shown_tree = async (person, id) => {
  const { status, body } = await person.call("GET", `/api/traces/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

for (const [encoding, Exporter] of Object.entries(EXPORTERS))
  test(`the SDK's spans in ${encoding} are a foreign agent's trace, and a soul of the fleet`, async (t) => {
    const box = await Box.start(t);
    const ada = await customer_with_key(box, "ada@example.org"),
      eve = await customer_with_key(box, "eve@example.org");
    const id = await work(box, Exporter, ada.key, { compression: encoding === "JSON" ? "gzip" : "none" });
    const {
      trace: row,
      spans: [root, ...others],
    } = await shown_tree(ada, id);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [row.name, row.agentName, row.foreign, row.spans, row.errors, row.inputTokens, row.outputTokens],
      ["forecast", "weather-bot", true, 3, 1, 120, 30],
    );
    assert.deepEqual([root.type, root.name, root.children.length], ["plan", "forecast", 2]);
    const inference = root.children.find(({ type }) => type === "inference");
    assert.deepEqual(
      [inference.model, inference.provider, inference.inputTokens, inference.outputTokens, inference.status],
      ["gpt-4o", "openai", 120, 30, "success"],
    );
    assert.deepEqual(
      [
        inference.attributes["gen_ai.request.temperature"],
        inference.attributes["gen_ai.response.finish_reasons"],
        inference.attributes.cached,
      ],
      [0.5, ["stop"], true],
    );
    const tool = root.children.find(({ type }) => type === "tool_call");
    assert.deepEqual([tool.name, tool.status, tool.error], ["get_weather", "error", "No such place"]);

    const graph = (await ada.call("GET", "/api/mission-control/fleet/graph")).body;
    assert.deepEqual(
      graph.nodes.map(({ id: node, name, status }) => [node, name, status]),
      [
        ["box", "agentbox", "active"],
        ["~weather-bot", "weather-bot", "active"],
      ],
    );
    const shown = (await ada.call("GET", "/api/mission-control/fleet/traces")).body;
    assert.deepEqual(shown.map(({ type, agent }) => [type, agent]).sort(), [
      ["inference", "weather-bot"],
      ["plan", "weather-bot"],
      ["tool_call", "weather-bot"],
    ]);
    assert.equal(shown.find(({ type }) => type === "inference").tokens, 150);

    assert.equal((await eve.call("GET", `/api/traces/${id}`)).status, 404);
    assert.equal((await eve.call("GET", "/api/mission-control/fleet/graph")).body.source, "fallback");
  });

test("an agent's token makes the spans that agent's own", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json"), "utf8"));
  const id = await work(box, EXPORTERS.protobuf, box_token, { agent: "somebody else" });
  const { trace: row } = await shown_tree(ada, id);
  assert.deepEqual([row.agentId, row.agentName, row.foreign], [agent, "Scout", false]);
  const { traces } = (await ada.call("GET", `/api/traces?agent=${agent}&errors=true`)).body;
  assert.deepEqual(
    traces.map((one) => one.id),
    [id],
  );
});

test("the box's own spans go to a collector if the settings name one, without what people wrote", async (t) => {
  let tries = 0;
  const collector = await serve_site(t, () => (++tries === 1 ? { status: 503 } : { json: { partialSuccess: {} } }));
  const box = await Box.start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/collector/`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=lighthouse,authorization=Bearer%20the-token",
  });
  const ada = await customer_with_key(box, "ada@example.org");
  const agent = await box.running_agent(ada);
  await work(box, EXPORTERS.JSON, ada.key);
  assert.equal((await ada.call("POST", "/api/chat", { agentId: agent, message: "remember the secret word" })).status, 200);
  const {
    traces: [{ id }],
  } = (await ada.call("GET", `/api/traces?agent=${agent}&type=plan`)).body;
  const sent = () => collector.requests.slice(1).flatMap(({ text }) => JSON.parse(text).resourceSpans[0].scopeSpans[0].spans);
  const spans = await until("the turn at the collector", () => {
    const of_turn = sent().filter(({ traceId }) => traceId === id);
    return of_turn.some(({ name }) => name === "invoke_agent") && of_turn;
  });
  const [{ url, headers }] = collector.requests;
  assert.deepEqual([url.pathname, headers["x-tenant"], headers.authorization], ["/collector/v1/traces", "lighthouse", "Bearer the-token"]);
  assert.deepEqual(JSON.parse(collector.requests[0].text).resourceSpans[0].resource.attributes[0], {
    key: "service.name",
    value: { stringValue: "agentbox" },
  });
  const inference = spans.find(({ name }) => name.startsWith("chat "));
  assert.equal(inference.parentSpanId, spans.find(({ name }) => name === "invoke_agent").spanId);
  assert.ok(BigInt(inference.endTimeUnixNano) >= BigInt(inference.startTimeUnixNano));
  const text = collector.requests.map((one) => one.text).join();
  for (const word of ["secret word", "weather-bot", "get_weather"]) assert.ok(!text.includes(word), word);
  assert.equal(new Set(sent().map(({ spanId }) => spanId)).size, sent().length, "each span once");
  await run_with_wrong_headers();
});

const run_with_wrong_headers = async () => {
  for (const headers of ["authorization", "=x", "a b=c", "name=%zz", "name=%0a"]) {
    const { code, err } = await run(["serve", "--data", "/nonexistent"], { env: { OTEL_EXPORTER_OTLP_HEADERS: headers } });
    assert.notEqual(code, 0);
    assert.match(err, /OTEL_EXPORTER_OTLP_HEADERS/, headers);
  }
};

const now_ns = (ago_ms = 0) => `${Date.now() - ago_ms}000000`;
const span = (more = {}) => ({
  traceId: randomBytes(16).toString("hex"),
  spanId: randomBytes(8).toString("hex"),
  name: "work",
  startTimeUnixNano: now_ns(5),
  endTimeUnixNano: now_ns(),
  ...more,
});
const request = (...spans) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

test("what is not a span is refused or rejected, and a repeated span counts once", async (t) => {
  const box = await Box.start(t);
  const ada = await customer_with_key(box, "ada@example.org");
  const post = (body, headers = {}) =>
    send(box.backend, "POST", "/v1/traces", {
      headers: { authorization: `Bearer ${ada.key}`, "content-type": "application/json", ...headers },
      body,
    });
  for (const headers of [{ authorization: "" }, { authorization: "Bearer sk_none" }])
    assert.equal((await post(request(span()), headers)).status, 401);
  assert.equal((await post(request(span()), { "content-type": "text/plain" })).status, 415);
  for (const body of [
    "",
    "[]",
    "{",
    '{"resourceSpans":{}}',
    '{"resourceSpans":[1]}',
    request(span({ name: 7 })),
    request(span({ startTimeUnixNano: "soon" })),
  ]) {
    const { status, body: answer } = await post(body);
    assert.equal(status, 400, body);
    assert.equal(typeof answer.error.message, "string");
  }
  const as_protobuf = (body, more) => post(body, { "content-type": "application/x-protobuf", ...more });
  for (const body of [Buffer.from([0xff]), Buffer.from([0x0a, 0x05, 0x01]), Buffer.from([0x0b]), Buffer.alloc(11, 0xff)]) {
    const { status, headers } = await as_protobuf(body);
    assert.deepEqual([status, headers["content-type"]], [400, "application/x-protobuf"]);
  }
  assert.equal((await as_protobuf(Buffer.alloc(0))).status, 200, "no spans at all are well formed");
  assert.equal((await post("not gzip", { "content-encoding": "gzip" })).status, 400);
  assert.equal((await post("{}", { "content-encoding": "lzw" })).status, 400);
  assert.equal((await post(gzipSync(Buffer.alloc(20 << 20, 0x20)), { "content-encoding": "gzip" })).status, 413);
  assert.equal((await post(Buffer.alloc(5 << 20, 0x20))).status, 413);

  const good = span();
  const bad = [
    span({ traceId: "0".repeat(32) }),
    span({ traceId: "abc" }),
    span({ spanId: "xyz" }),
    span({ parentSpanId: "1" }),
    span({ startTimeUnixNano: now_ns(8 * 86_400_000) }),
    span({ startTimeUnixNano: now_ns(-3_600_000), endTimeUnixNano: now_ns(-3_600_001) }),
    span({ endTimeUnixNano: "1" }),
    span({ endTimeUnixNano: "18446744073709551615" }),
  ];
  const { status, body } = await post(request(good, ...bad, good));
  assert.equal(status, 200);
  assert.equal(body.partialSuccess.rejectedSpans, String(bad.length));
  assert.match(body.partialSuccess.errorMessage, /traceId/);
  assert.deepEqual((await post(request(good))).body, { partialSuccess: {} });
  const { traces } = (await ada.call("GET", "/api/traces")).body;
  assert.deepEqual(
    traces.map(({ id, spans }) => [id, spans]),
    [[good.traceId, 1]],
  );

  const hostile = span({
    name: "x".repeat(10_000),
    attributes: [
      { key: "k".repeat(1_000), value: { stringValue: "v".repeat(100_000) } },
      { key: "big", value: { intValue: "9223372036854775807" } },
      { key: "odd", value: { doubleValue: "NaN" } },
      { key: "none" },
      { value: { boolValue: true } },
      { key: "gen_ai.usage.input_tokens", value: { intValue: -5 } },
      { key: "gen_ai.usage.output_tokens", value: { stringValue: "many" } },
    ],
  });
  assert.equal((await post(request(hostile))).status, 200);
  const [kept] = (await shown_tree(ada, hostile.traceId)).spans;
  assert.deepEqual(
    [kept.name.length, kept.inputTokens, kept.outputTokens, kept.attributes.big, kept.attributes["k".repeat(128)].length],
    [200, 0, null, 9223372036854775807, 1024],
  );
});

test("traces are paged and filtered", async (t) => {
  const box = await Box.start(t);
  const ada = await customer_with_key(box, "ada@example.org");
  const start = (at) => ({ startTimeUnixNano: now_ns(10_000 - at), endTimeUnixNano: now_ns(9_000 - at) });
  const spans = Array.from({ length: 25 }, (_, at) =>
    span({
      name: `work ${at}`,
      ...start(at * 10),
      attributes: [{ key: "gen_ai.agent.name", value: { stringValue: at % 5 ? "busy" : "rare" } }],
      status: { code: at === 7 ? 2 : 1 },
    }),
  );
  const { status } = await send(box.backend, "POST", "/v1/traces", {
    headers: { authorization: `Bearer ${ada.key}`, "content-type": "application/json" },
    body: request(...spans),
  });
  assert.equal(status, 200);
  const list = async (query) => {
    const { status, body } = await ada.call("GET", `/api/traces?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const names = ({ traces }) => traces.map(({ name }) => Number(name.slice(5)));
  const newest_first = [...Array(25).keys()].reverse();
  for (const [filter, wanted] of [
    ["", newest_first],
    ["agent=rare", [20, 15, 10, 5, 0]],
    ["agent=busy", newest_first.filter((at) => at % 5)],
    ["errors=true", [7]],
    ["agent=none", []],
    ["type=plan", []],
    ["type=monitor", newest_first],
  ]) {
    const found = [];
    for (let before = ""; before !== null; ) {
      const page = await list(`${filter}&limit=4${before && `&before=${before}`}`);
      assert.ok(page.traces.length <= 4 && page.count === page.traces.length);
      found.push(...names(page));
      before = page.next;
    }
    assert.deepEqual(found, wanted, filter);
  }
  const { startedAt } = (await list("limit=1&errors=true")).traces[0];
  assert.deepEqual(names(await list(`until=${startedAt}&limit=1`)), [7]);
  assert.equal(names(await list(`since=${startedAt}`)).at(-1), 7);
  for (const query of ["type=other", "errors=maybe", "limit=0", "limit=201", "since=yesterday", "agent="])
    assert.equal((await ada.call("GET", `/api/traces?${query}`)).status, 400, query);
});
