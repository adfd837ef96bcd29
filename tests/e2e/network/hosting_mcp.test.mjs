// The pages about the hosting provider's tool server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, INTERNAL_KEY, send } from "../support/box.mjs";

const KEY = { authorization: `Bearer ${INTERNAL_KEY}` };
const PREFIX = "/api/hosting-mcp";
const is_text = (value) => typeof value === "string" && value.length > 0;

test("the pages have the contract's fields", async (t) => {
  const box = await Box.start(t);
  const page = async (name) => {
    const { status, body } = await send(box.backend, "GET", `${PREFIX}/${name}`, { headers: KEY });
    assert.equal(status, 200, name);
    return body;
  };
  const health = await page("health");
  assert.deepEqual(Object.keys(health), [
    "name",
    "version",
    "description",
    "status",
    "official_repo",
    "docker_image",
    "documentation",
    "timestamp",
  ]);
  assert.equal(health.status, "operational");
  assert.ok(Math.abs(new Date(health.timestamp) - Date.now()) < 60_000);

  const info = await page("info");
  assert.deepEqual(Object.keys(info), [
    "name",
    "version",
    "description",
    "maintained_by",
    "repository",
    "docker_image",
    "documentation",
    "setup_guide",
    "features",
  ]);
  assert.ok(info.features.length > 0 && info.features.every(is_text));

  const setup = await page("setup");
  assert.deepEqual(Object.keys(setup), ["title", "recommended_approach", "quick_start", "docker_config_example", "documentation_links"]);
  assert.deepEqual(Object.keys(setup.quick_start), ["step_1", "step_2", "step_3"]);
  assert.ok(Object.values(setup.quick_start).every(is_text));

  const { source, tool_categories, complete_reference } = await page("tools");
  assert.ok(is_text(source) && is_text(complete_reference));
  const counts = Object.fromEntries(Object.entries(tool_categories).map(([category, tools]) => [category, new Set(tools).size]));
  assert.deepEqual(counts, { workspaces: 3, services: 6, deployments: 2, logs: 2, metrics: 1, postgres: 4, key_value: 3 });

  const { description, examples } = await page("examples");
  assert.ok(is_text(description));
  for (const prompts of Object.values(examples)) assert.ok(prompts.length > 0 && prompts.every(is_text));

  for (const [name, target] of [
    ["docs", info.documentation],
    ["github", info.repository],
  ]) {
    const { status, headers } = await send(box.backend, "GET", `${PREFIX}/${name}`, { headers: KEY });
    assert.deepEqual([status, headers.location], [301, target]);
  }
  for (const name of ["health", "info", "setup", "tools", "examples", "docs", "github"])
    assert.equal((await send(box.backend, "GET", `${PREFIX}/${name}`)).status, 401, name);
});

test("a config is checked, and its key is never repeated", async (t) => {
  const box = await Box.start(t);
  const check = (body) =>
    send(box.backend, "POST", `${PREFIX}/validate-config`, {
      headers: { ...KEY, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
  const SECRET = "SuperSecret0123456789";
  const valid = await check({ api_key: `rnd_${SECRET}` });
  assert.deepEqual([valid.status, valid.body.valid], [200, true]);
  assert.ok(is_text(valid.body.message) && valid.body.next_steps.every(is_text));
  const own = await check({ api_key: `rnd_${SECRET}`, endpoint: "https://mcp.example.org/mcp" });
  assert.ok(own.body.next_steps.some((step) => step.includes("https://mcp.example.org/mcp")));

  const errors_of = async (body) => {
    const answer = await check(body);
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual([answer.body.valid, is_text(answer.body.help)], [false, true]);
    assert.ok(!answer.text.includes(SECRET) && !box.whole_log.includes(SECRET));
    return answer.body.errors;
  };
  for (const body of [undefined, {}, { api_key: "" }, { api_key: null }]) assert.deepEqual(await errors_of(body), ["api_key is required"]);
  assert.deepEqual(await errors_of({ api_key: `key_${SECRET}` }), ["api_key must start with rnd_"]);
  assert.deepEqual(await errors_of({ api_key: "rnd_short" }), ["api_key appears too short"]);
  assert.deepEqual(await errors_of({ api_key: "short" }), ["api_key must start with rnd_", "api_key appears too short"]);
  assert.match((await errors_of({ api_key: 7 }))[0], /api_key must be a string/);
  assert.match((await errors_of({ api_key: `rnd_${SECRET}`, endpoint: "nowhere" }))[0], /endpoint/);
});
