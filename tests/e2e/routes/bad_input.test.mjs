// Bad input, made from the OpenAPI documents of both listeners: every field of every route is given what it must not
// take. Each time the answer is 400 and names the field, and at the end the administrator sees what was there before.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, BACKEND_GUARDS, Box, INTERNAL_KEY, KEY_GUARDS, OPTIONAL_KEY_GUARD, send } from "../support/box.mjs";

// Bytes in a JSON text, where JSON.stringify leaves a mark.
const raw = (bytes) => ({ raw: bytes });
const json_with = (body) => {
  const spliced = [];
  const text = JSON.stringify(body, (_, value) => (value?.raw === undefined ? value : `@${spliced.push(value.raw) - 1}@`));
  const parts = text.split(/"@(\d+)@"/);
  return Buffer.concat(parts.map((part, n) => (n % 2 ? Buffer.from(spliced[part], "latin1") : Buffer.from(part))));
};
const nested = (levels, open, close) => raw(open.repeat(levels) + close.repeat(levels));

const types_of = (schema) => [schema.type ?? []].flat();
// The shortest value that the schema takes.
const valid = (schema) => {
  if (schema.enum) return schema.enum[0];
  switch (types_of(schema)[0]) {
    case "string":
      return "x".repeat(schema.minLength ?? 0);
    case "integer":
      return schema.minimum ?? 0;
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return true;
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => valid(schema.items));
    default:
      return schema.properties ? valid_body(schema) : {};
  }
};

// What a schema cannot say: a body with these passes everything but the field in question.
const samples = {
  messages: [{ role: "user", content: "hello" }],
  contents: [{ role: "user", parts: [{ text: "hello" }] }],
  input: "hello",
  to: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  share: 100,
};
const valid_body = ({ properties }) =>
  Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [field, (types_of(schema)[0] !== "object" && samples[field]) || valid(schema)]),
  );

// [what it is, the value] for everything that a field of this schema must refuse.
const refused_values = (schema) => {
  const [type] = types_of(schema),
    values = [];
  if (!type) return values; // it takes any type
  const add = (what, ...given) => given.forEach((value) => values.push([what, value]));
  const of_other_types = { string: ["text"], integer: [7, 1.5], number: [1.5], boolean: [true], array: [[]], object: [{}] };
  for (const [other, examples] of Object.entries(of_other_types))
    if (other !== type && !(type === "number" && other === "integer"))
      add(`a ${other}`, ...examples.filter((value) => !(type === "integer" && Number.isInteger(value))));
  add("33 levels", nested(32, "[", "]"), raw('{"a":'.repeat(32) + "1" + "}".repeat(32)));
  add("a number beyond every type", raw("1e400"), raw("-1e400"));
  if (type === "integer") add("out of range", raw("99999999999999999999"), raw("-99999999999999999999"), 0.5);
  if (schema.minimum !== undefined) add("too small", schema.minimum - 1);
  if (schema.maximum !== undefined) add("too large", schema.maximum + 1);
  if (schema.minItems > 0) add("too few items", []);
  if (schema.maxItems) add("too many items", Array(schema.maxItems + 1).fill({}));
  if (type === "string") {
    if (schema.minLength > 0) add("empty", "");
    if (schema.pattern === "\\S") add("blank", ...[" ", "\u00a0", "\u3000"].map((space) => space.repeat(schema.minLength)));
    if (schema.minLength > 1) add("too short", "x".repeat(schema.minLength - 1));
    if (schema.maxLength) add("too long", "x".repeat(schema.maxLength + 1), "😀".repeat(schema.maxLength + 1));
    if (schema.enum) add("none of the choices", "x", "", schema.enum[0].toUpperCase());
    add("invalid UTF-8", ...['"\xff"', '"\xc0\xaf"', '"\xed\xa0\x80"', '"\xe2\x82"', '"\xf4\x90\x80\x80"'].map(raw));
    add("half a surrogate pair", raw('"\\ud800"'), raw('"\\udc00x"'));
    const padding = "x".repeat(schema.minLength ?? 0);
    add("a control character", ...["\u0000", "\u0007", "\u001b[2J", "\u007f", "\u0085"].map((control) => padding + control));
    add("a bare control character", raw('"\n"'), raw('"\x00"'));
  }
  return values;
};

const named_by = (answer) => answer.body?.error?.message ?? answer.body?.error ?? answer.body?.detail ?? answer.body?.errors?.join();

const refuses = (answer, what, field) => {
  assert.equal(answer.status, 400, `${what}: ${answer.status} ${answer.text}`);
  // The contract's own sentence for the demo has a capital.
  assert.ok(String(named_by(answer)).toLowerCase().includes(field.toLowerCase()), `${what}: "${named_by(answer)}" does not name ${field}`);
};

// A box with somebody in it, and what the administrator and that somebody see.
const inhabited = async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network");
  const agent = await box.running_agent(ada);
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  const { id: key, key: secret } = (await ada.call("POST", "/api/keys", { name: "kept" })).body;
  const bob = await box.customer("bob@example.org", "solo");
  const shared = await box.running_agent(bob);
  await bob.call("PUT", `/api/agents/${shared}/shares`, { email: "ada@example.org", role: "builder", unverified: true });
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  const bearer = (token) => ({ authorization: `Bearer ${token}` });
  const credentials = {
    none: {},
    session: { cookie: ada.cookie },
    "session, if any": { cookie: ada.cookie },
    ...Object.fromEntries([...KEY_GUARDS, OPTIONAL_KEY_GUARD].map((guard) => [guard, { cookie: ada.cookie }])),
    "session to enrol": { cookie: ada.cookie },
    "admin session": { cookie: admin.cookie },
    "recent admin session": { cookie: admin.cookie },
    "support session": { cookie: admin.cookie },
    // As an administrator, whom the AI API asks for no plan.
    ...Object.fromEntries(BACKEND_GUARDS.map((guard) => [guard, { ...bearer(INTERNAL_KEY), "x-user-email": ADMIN.email }])),
    "agent token": bearer(box_token),
    "API key": bearer(secret),
    "API key, with or without sk_": bearer(secret),
    "agent token or API key": bearer(box_token),
  };
  const seen = async () => {
    const of_the_box = ["/api/admin/users", "/api/agents", "/api/runtime/instances", `/api/agents/${agent}`];
    const of_ada = ["/api/settings", "/api/keys", "/api/agents", `/api/agents/${agent}`, `/api/chat?agentId=${agent}`];
    // That a key was used, and that an agent was probed, is noted now and then.
    const noted = ["lastUsedAt", "lastProbe"];
    const but_notes = (answer) => JSON.parse(JSON.stringify(answer, (name, value) => (noted.includes(name) ? undefined : value)));
    return but_notes([
      await Promise.all(of_the_box.map((path) => box.backend_call("GET", path))),
      await Promise.all(of_ada.map(async (path) => (await ada.call("GET", path)).body)),
    ]);
  };
  const weekly = { name: "weekly", cronSchedule: "0 9 * * 1", prompt: "what is new?", agentId: agent };
  const task = (await ada.call("POST", "/api/scheduled-tasks", weekly)).body.id;
  const ids = {
    id: (path) => (path.startsWith("/api/keys") ? key : path.startsWith("/api/shared") ? shared : agent),
    userId: () => agent,
    agentId: () => agent,
    user: () => ada.id,
    taskId: () => task,
    agentId: () => agent,
    provider: () => "openrouter",
    model: (path) => (path.startsWith("/v1") ? "builtin:generateContent" : "builtin"),
    name: () => "ci",
    runId: () => "none",
    page: () => "logs",
    tab: () => "keys",
  };
  // Every row of both route tables.
  const operations = [];
  for (const listener of ["web", "backend"])
    for (const [path, methods] of Object.entries((await send(box[listener], "GET", "/api/openapi.json")).body.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const base = path.replace(/{(\w+)}/g, (_, name) => ids[name]?.(path) ?? "none");
        const headers = { "user-agent": "a browser", ...credentials[operation["x-guard"]] };
        const ask = (body, more = {}, target = base) =>
          send(box[listener], method.toUpperCase(), target, {
            headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }), ...more },
            body,
          });
        operations.push({
          name: `${method.toUpperCase()} ${path} (${listener})`,
          method,
          path,
          base,
          operation,
          ask,
          body: operation.requestBody?.content["application/json"].schema,
          query: (operation.parameters ?? []).filter((parameter) => parameter.in === "query"),
        });
      }
  return { box, operations, seen };
};

test("every field of every body", async (t) => {
  const { operations, seen } = await inhabited(t);
  const before = await seen(),
    bodies = operations.filter((one) => one.body);
  assert.ok(bodies.length >= 12, "the documents describe the bodies");
  for (const { name, body, ask } of bodies)
    await t.test(name, async () => {
      const whole = valid_body(body);
      for (const [field, schema] of Object.entries(body.properties)) {
        const takes_controls =
            (/^POST \/api\/(browse|agents\/{id}\/files|shared\/{id}\/files)\/write/.test(name) && field === "content") ||
            (/^POST \/api\/agent-commands/.test(name) && ["input", "text"].includes(field)) ||
            (name.startsWith("POST /api/agents/{id}/browser ") && field === "text") ||
            (/^POST .*\/terminals\/{terminal}\/input /.test(name) && field === "text"), // files and input as they are
          values = refused_values(schema).filter(([what]) => !(takes_controls && ["a control character", "blank"].includes(what)));
        if (body.required?.includes(field)) values.push(["missing", undefined], ...(types_of(schema).length ? [["null", null]] : []));
        for (const [what, value] of values)
          refuses(await ask(json_with({ ...whole, [field]: value })), `${field} ${what} ${JSON.stringify(value)?.slice(0, 60)}`, field);
        const twice = JSON.stringify(whole).replace(/}$/, `,${JSON.stringify(field)}:${JSON.stringify(whole[field])}}`);
        refuses(await ask(twice), `${field} twice`, field);
      }
    });
  assert.deepEqual(await seen(), before, "nothing was stored");
});

test("every body as a whole", async (t) => {
  const { operations, seen } = await inhabited(t);
  const before = await seen();
  for (const { name, body, ask } of operations.filter((one) => one.body))
    await t.test(name, async () => {
      const whole = JSON.stringify(valid_body(body));
      const broken = [
        "{",
        "}",
        '{"a":}',
        '{"a" 1}',
        `${whole} x`,
        `${whole}${whole}`,
        "[]",
        '"text"',
        "null",
        "7",
        "{'a':1}",
        '{"a":1,}',
        "{/**/}",
        '{"a":NaN}',
        '{"a":Infinity}',
        '{"a":01}',
        '{"a":+1}',
        '{"a":.5}',
        '{"a":0x10}',
        "\ufeff{}",
        " ",
        "\x00",
        "a=b",
        `{"${"unknown".repeat(3)}":${"[".repeat(32)}${"]".repeat(32)}}`,
        '{"a":"\\x41"}',
        '{"a":"\\u00"}',
        "<xml/>",
      ];
      for (const text of broken) assert.equal((await ask(text)).status, 400, text.slice(0, 60));
      if (body.required) assert.equal((await ask("{}")).status, 400, "{}");
      if (body.required) assert.equal((await ask("")).status, 400, "no body at all");
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/json",
        "application/jsonp",
        "",
      ]) {
        const answer = await ask(whole, { "content-type": type });
        assert.equal(answer.status, 415, `${type}: ${answer.text}`);
        assert.match(String(named_by(answer)), /Content-Type/, type);
      }
      assert.equal((await ask(`{"a":"${"x".repeat(1 << 20)}"}`)).status, 413, "more than 1 MB");
    });
  assert.deepEqual(await seen(), before, "nothing was stored");
});

test("every query parameter", async (t) => {
  const { operations, seen } = await inhabited(t);
  const before = await seen(),
    with_query = operations.filter((one) => one.query.length > 0);
  assert.ok(with_query.length >= 5);
  for (const { name, base, query, ask } of with_query)
    await t.test(name, async () => {
      for (const parameter of query) {
        const { schema } = parameter,
          [type] = types_of(schema),
          wrong = ["%ff", "%00", "%c0%af", "%", "%4", "%zz", "a%0db"];
        if (type === "integer") wrong.push("", "x", "1.5", "+1", "%201", "1%20", "0x1", "1e3", "99999999999999999999", "--1", "%D9%A1");
        if (schema.minimum !== undefined) wrong.push(String(schema.minimum - 1));
        if (schema.maximum !== undefined) wrong.push(String(schema.maximum + 1));
        if (schema.minLength > 0) wrong.push("");
        if (schema.pattern === "\\S") wrong.push("%20".repeat(schema.minLength), "++");
        if (schema.maxLength) wrong.push("x".repeat(schema.maxLength + 1));
        const others = query
          .filter((other) => other !== parameter && other.required)
          .map((other) => `&${other.name}=${valid(other.schema)}`)
          .join("");
        for (const value of wrong)
          refuses(
            await ask(undefined, {}, `${base}?${parameter.name}=${value}${others}`),
            `${parameter.name}=${value.slice(0, 40)}`,
            parameter.name,
          );
        refuses(
          await ask(undefined, {}, `${base}?${parameter.name}=1&${parameter.name}=1${others}`),
          `${parameter.name} twice`,
          parameter.name,
        );
        if (parameter.required) refuses(await ask(undefined, {}, `${base}?x=1${others}`), `${parameter.name} missing`, parameter.name);
      }
    });
  assert.deepEqual(await seen(), before);
});

test("every path parameter", async (t) => {
  const { operations, seen } = await inhabited(t);
  const before = await seen();
  for (const { name, path, body, ask } of operations.filter((one) => one.path.startsWith("/api/") && one.path.includes("{"))) // not the console's pages
    await t.test(name, async () => {
      for (const id of [
        "x",
        "0",
        "-1",
        "1e3",
        "%00",
        "%ff",
        "%0a",
        "%2e%2e",
        "..%2f..",
        "%c3%bc",
        "x".repeat(300),
        "'",
        "%22",
        "%7b%7d",
        "a%20b",
        "~",
        "*",
        "99999999999999999999",
        "9223372036854775807",
        "ag_",
        "ag_aaaaaaaaaaaaaaaaaaaa%00",
      ]) {
        const answer = await ask(body && "{}", {}, path.replace(/{\w+}/, id));
        // The contract has a missing agent's deletion succeed on the backend.
        const deletes = name.startsWith("DELETE /api/agents/");
        assert.ok([400, 404].includes(answer.status) || (deletes && answer.status === 200), `${id}: ${answer.status} ${answer.text}`);
        assert.equal(typeof (named_by(answer) ?? answer.body.id), "string");
      }
    });
  assert.deepEqual(await seen(), before);
});

test("input that only a handler can judge is refused as well", async (t) => {
  const { box, seen } = await inhabited(t);
  const before = await seen(),
    agent = before[0][1][0].id;
  const refused = async (field, method, path, body) => {
    const answer = await send(box.backend, method, path, {
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
      body: json_with(body),
    });
    refuses(answer, `${method} ${path} ${JSON.stringify(body)}`, field);
  };
  for (const [field, value] of [
    ["plan", 7],
    ["plan", "gold"],
    ["plan", ""],
    ["aiProvider", []],
    ["aiProvider", "x".repeat(101)],
    ["model", "\u0007"],
  ])
    await refused(`config.${field}`.replace("config.plan", "plan"), "POST", "/api/agents", { name: "Ghost", config: { [field]: value } });
  for (const userId of ["0", "-1", "01", " 1", "1.0", "999", "ada", "18446744073709551617"]) {
    await refused("userId", "POST", "/api/agents", { name: "Ghost", userId });
    if (userId !== "999") await refused("userId", "POST", "/api/subscriptions/deploy", { userId, plan: "solo" });
  }
  for (const value of ["x\u0000y", "\u001b[2J", { b: ["\u0085"] }, raw("123456789012345678901234567890"), raw("-9223372036854775809")]) {
    await refused("config.a", "PUT", `/api/agents/${agent}/config`, { config: { a: value } });
    await refused("metadata.a", "POST", `/api/agents/${agent}/verify`, { verificationType: "eas", metadata: { a: value } });
  }
  await refused("config", "PUT", `/api/agents/${agent}/config`, { config: { "a\u0000b": 1 } });
  await refused("name", "POST", "/api/agents", {});
  await refused("name", "POST", "/api/agents", { name: " \u00a0 " });
  await refused("plan", "PATCH", "/api/admin/users/ada@example.org", {});
  await refused("name", "POST", "/api/agents", { name: "" });
  await refused("plan", "PUT", `/api/agents/${agent}`, { plan: "gold" });
  await refused("plan", "PATCH", "/api/admin/users/ada@example.org", { plan: "gold" });
  await refused("password", "PATCH", "/api/admin/users/ada@example.org", { password: "password1" });
  await refused("to", "POST", "/api/admin/backup", { to: "relative/path" });
  assert.deepEqual(await seen(), before);
});
