// Answers that are kept: for whom, for what, and what becomes of limits meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAST, messages, refused, story_of } from "../support/ai_story.mjs";
import { failed } from "../peers/router_server.mjs";

const keep = (person, minutes) => person.call("PUT", "/api/response-cache", { minutes });

test("answers are cached for users who turn it on, separately for each", async (t) => {
  const { box, router, ada, chat, month } = await story_of(t);
  const ask = async (more, headers) => assert.equal((await chat({ ...more }, headers)).status, 200);
  await ask();
  await ask();
  assert.equal(router.asked.length, 2, "off until it is switched on");
  assert.deepEqual((await keep(ada, 5)).body, { enabled: true, minutes: 5 });
  await ask();
  await ask();
  await ask({ stream: true });
  await ask({ temperature: 0.5 });
  assert.equal(router.asked.length, 4);
  assert.deepEqual([(await month()).calls, (await month()).totalTokens], [6, 60], "kept answers are calls that use nothing");
  assert.equal((await ada.call("GET", "/api/credits")).body.credits, 0);

  const eve = await box.customer("eve@example.org");
  const { subscriptionId } = await box.backend_call("GET", "/api/admin/users/eve@example.org");
  const as_eve = { "x-user-plan": "solo", "x-billing-subscription-id": subscriptionId };
  await keep(eve, 5);
  await ask({}, as_eve);
  assert.equal(router.asked.length, 5, "somebody else's answer is not hers");

  assert.deepEqual((await keep(ada, 0)).body, { enabled: false, minutes: 0 });
  await ask();
  assert.equal(router.asked.length, 6);
  for (const minutes of [-1, 1.5, 10_081, "5", null, undefined]) assert.equal((await keep(ada, minutes)).status, 400, String(minutes));
  assert.equal(box.whole_log.includes("lighthouse"), false);
});

test("a cached answer is the same under /v1, whole and streamed", async (t) => {
  const { router, ada, door, month } = await story_of(t);
  await keep(ada, 60);
  const { ask } = await door(),
    body = { model: FAST[1], messages };
  const whole = (await ask("chat/completions", body)).body;
  const again = (await ask("chat/completions", body)).body;
  assert.deepEqual([again.choices, again.model, again.usage], [whole.choices, whole.model, whole.usage]);
  const { text } = await ask("chat/completions", { ...body, stream: true, stream_options: { include_usage: true } });
  const chunks = text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
  assert.equal(
    chunks
      .flatMap((chunk) => chunk.choices)
      .map((choice) => choice.delta.content ?? "")
      .join(""),
    whole.choices[0].message.content,
  );
  assert.deepEqual([chunks.at(-1).usage, chunks[0].model], [whole.usage, FAST[1]]);
  assert.ok(text.trimEnd().endsWith("data: [DONE]"));
  assert.deepEqual([router.asked.length, (await month()).calls, (await month()).totalTokens], [1, 3, 15]);

  // Anything that could change the answer asks anew.
  const tools = [{ type: "function", function: { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } } }];
  for (const change of [
    { max_tokens: 50 },
    { top_p: 0.5 },
    { tools },
    { stop: ["x"] },
    { seed: 1 },
    { model: FAST[0] },
    { messages: [...messages, ...messages] },
  ]) {
    const before = router.asked.length;
    await ask("chat/completions", { ...body, ...change });
    assert.equal(router.asked.length, before + 1, JSON.stringify(change));
  }
});

test("only answers are cached; the plan still applies to them, and caps do not", async (t) => {
  const { box, router, ada, chat } = await story_of(t, "network");
  await keep(ada, 60);
  router.answers = Object.fromEntries(FAST.map((model) => [model, failed(429)]));
  assert.equal((await chat()).status, 429);
  router.answers = { [FAST[0]]: failed(429) };
  assert.equal((await chat()).body.model, FAST[1], "a failure is not kept");
  router.answers = {};
  const asked = router.asked.length;
  const dear = { model: "openai/gpt-4.1" };
  assert.equal((await chat(dear)).status, 200);
  await box.backend_call("PUT", "/api/admin/caps", { userId: ada.id, scope: "user", period: "day", tokens: 0 });
  assert.equal((await chat(dear)).status, 200, "it uses nothing");
  refused(await chat({ ...dear, temperature: 1 }), 429, "CAP_REACHED");
  assert.equal(router.asked.length, asked + 1);

  await box.backend_call("PATCH", "/api/admin/users/ada@example.org", { plan: "solo" });
  const { subscriptionId } = await box.backend_call("GET", "/api/admin/users/ada@example.org");
  refused(await chat(dear, { "x-user-plan": "solo", "x-billing-subscription-id": subscriptionId }), 403, "MODEL_RESTRICTED");
});

test("answers from fallback models or cut to a limit are not cached", async (t) => {
  const { router, ada, chat } = await story_of(t);
  await keep(ada, 60);
  router.answers = { [FAST[0]]: failed(500) };
  assert.equal((await chat()).body.model, FAST[1]);
  router.answers = {};
  assert.equal((await chat()).body.model, FAST[0], "the one that was meant is asked again");

  const cut = [{ role: "user", content: "A longer story, please." }];
  const { id } = (await ada.call("PUT", "/api/caps", { scope: "user", period: "day", tokens: 1500 })).body;
  assert.equal((await chat({ messages: cut })).status, 200);
  const { max_tokens } = router.asked.at(-1);
  assert.ok(max_tokens < 1500, String(max_tokens));
  assert.equal((await ada.call("DELETE", `/api/caps/${id}`)).status, 200);
  assert.equal((await chat({ messages: cut })).status, 200);
  assert.ok(router.asked.at(-1).max_tokens > max_tokens, "it is asked again, with all the room there is");
});
