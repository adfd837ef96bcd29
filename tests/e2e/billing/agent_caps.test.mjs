// What an agent may spend in a day: the plan's default, the administrator's, and the owner's own cap.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send } from "../support/box.mjs";
import { MODEL, ModelServer, say } from "../peers/model_server.mjs";

// Ada with an agent; `ask` sends as the agent does, with its token. The router's model costs 0.15 and 0.60 dollars a million.
const story_of = async (t) => {
  const router = await ModelServer.start(t);
  const box = await Box.start(t, { OPENROUTER_API_KEY: "sk-or-of-the-box", OPENROUTER_BASE_URL: router.url });
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json"), "utf8"));
  const ask = (max_tokens, model = MODEL) =>
    send(box.backend, "POST", "/v1/chat/completions", {
      headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
      body: JSON.stringify({ model, max_tokens, messages: [{ role: "user", content: "Hello?" }] }),
    });
  const set = (body) => box.backend_call("PUT", "/api/admin/caps", { scope: "agents", target: "solo", period: "day", ...body });
  const caps = async (person = ada) => (await person.call("GET", `/api/caps?agent=${agent}`)).body.caps;
  return { router, box, ada, agent, ask, set, caps };
};

const refusal_of = (answer) => {
  assert.deepEqual([answer.status, answer.body.error?.code], [429, "CAP_REACHED"], answer.text);
  return answer.body.error;
};

test("each agent has a daily limit by its owner's plan, which the owner and the administrator see", async (t) => {
  const { box, ada, agent, caps } = await story_of(t);
  const [cap, ...others] = await caps();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [cap.id, cap.scope, cap.target, cap.period, cap.usd, cap.usedUsd, cap.byAdmin, cap.isDefault],
    ["plan-agents-solo-day", "agent", agent, "day", "10.00", "0.00", true, true],
  );
  assert.deepEqual((await ada.call("GET", "/api/caps")).body.caps, [], "nobody has set one");
  const { caps: of_plans } = await box.backend_call("GET", "/api/admin/caps");
  assert.deepEqual(
    of_plans.map((one) => [one.scope, one.target, one.usd]),
    ["label", "solo", "collective", "network"].map((plan, at) => ["agents", plan, ["5.00", "10.00", "25.00", "100.00"][at]]),
  );
  assert.equal((await ada.call("GET", "/api/caps?agent=ag_nobody")).status, 404);
  const eve = await box.customer("eve@example.org");
  assert.equal((await eve.call("GET", `/api/caps?agent=${agent}`)).status, 404);
  assert.equal((await ada.call("PUT", "/api/caps", { scope: "agents", target: "solo", period: "day", usd: "99" })).status, 400);
});

test("a call beyond the limit is refused with what limits it and until when; the limit is the administrator's to change", async (t) => {
  const { router, box, ada, agent, ask, set, caps } = await story_of(t);
  const changed = await set({ usd: "0.001" });
  assert.deepEqual([changed.id, changed.isDefault, changed.usd], ["admin-agents-solo-day", false, "0.001"]);
  const error = refusal_of(await ask(2000)); // 0.0012 dollars at most
  assert.match(
    error.message,
    /^The daily limit of 0\.001 USD for each agent of the plan solo has no room for this request until \d{4}-\d\d-\d\dT00:00:00/,
  );
  assert.match(error.resetsAt ?? "", /T00:00:00/);
  assert.equal(router.asked.length, 0);
  router.will(say("Hello.", [100, 50]));
  assert.equal((await ask(1000)).status, 200);
  const [cap] = await caps();
  assert.deepEqual([cap.usd, cap.usedUsd], ["0.001", "0.000045"]);
  // The owner's own cap binds below it, and not above.
  const own = (usd) => ada.call("PUT", "/api/caps", { scope: "agent", target: agent, period: "day", usd });
  await own("0.0005");
  assert.match(refusal_of(await ask(1000)).message, /^The daily cap of 0\.0005 USD on this agent/);
  await own("5");
  assert.match(refusal_of(await ask(2000)).message, /^The daily limit of 0\.001 USD for each agent of the plan/);
  // Without an amount it is off.
  const off = await set({});
  assert.deepEqual([off.usd, off.tokens], [null, null]);
  router.will(say("Hello.", [100, 50]));
  assert.equal((await ask(2000)).status, 200);
  assert.equal(
    (
      await send(box.backend, "DELETE", "/api/admin/caps/admin-agents-solo-day", {
        headers: { authorization: "Bearer internal-key-of-the-stories" },
      })
    ).status,
    200,
  );
  assert.equal((await caps()).find((one) => one.isDefault).usd, "10.00");
});

test("ten calls at once do not pass the limit", async (t) => {
  const { router, ask, set } = await story_of(t);
  await set({ usd: "0.002" });
  router.will(...Array(10).fill(say("Hello.", [100, 1000])));
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(1000))); // 0.0006 dollars and a little at most
  const done = answers.filter((answer) => answer.status === 200).length;
  assert.equal(done, 3);
  for (const answer of answers.filter(({ status }) => status !== 200)) refusal_of(answer);
});
