// The playground: several models are asked the same, with their cost and time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAST, story_of as models_story } from "../support/ai_story.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";
import { failed, hangs, served } from "../peers/router_server.mjs";

const story_of = (t) => models_story(t, "network");
const [GEMINI, MINI] = FAST;

test("a model is tried over the API: measured, metered, and refused in words", async (t) => {
  const { box, ada, router } = await story_of(t);
  router.answers = { [MINI]: served(MINI, { usage: [1000, 500], text: "Four." }) };
  const trial = (body, person = ada) => person.call("POST", "/api/playground", body);
  const { status, body } = await trial({ model: MINI, message: "2 + 2?", system: "Be brief.", temperature: 0, maxTokens: 100 });
  assert.equal(status, 200, JSON.stringify(body));
  const { model, message, inputTokens, outputTokens, cached } = body;
  assert.deepEqual(
    { model, message, inputTokens, outputTokens, cached },
    { model: MINI, message: "Four.", inputTokens: 1000, outputTokens: 500, cached: false },
  );
  assert.ok(Number(body.cost) > 0 && body.latencyMs >= 0);
  const sent = router.asked.at(-1);
  assert.deepEqual(sent.messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: "2 + 2?" },
  ]);
  assert.deepEqual([sent.temperature, sent.max_tokens], [0, 100]);
  const { calls } = (await ada.call("GET", "/api/dashboard/calls")).body;
  assert.equal(calls[0].cost, body.cost, "the ledger has the same cost");

  for (const [wrong, field] of [
    [{ message: "x" }, "model"],
    [{ model: MINI, message: " " }, "message"],
    [{ model: MINI, message: "x", temperature: 3 }, "temperature"],
    [{ model: MINI, message: "x", maxTokens: 0 }, "maxTokens"],
  ]) {
    const refused = await trial(wrong);
    assert.equal(refused.status, 400, field);
    assert.match(refused.body.error, new RegExp(`^${field}`));
  }
  const unknown = await trial({ model: "no/such-model", message: "x" });
  assert.deepEqual([unknown.status, unknown.body.code], [400, "model_not_found"]);
  assert.equal((await trial({ model: MINI, message: "x" }, box.person())).status, 401);

  // An answer of the caller's cache costs nothing, and says so.
  await ada.call("PUT", "/api/response-cache", { minutes: 10 });
  await trial({ model: MINI, message: "again" });
  const again = await trial({ model: MINI, message: "again" });
  assert.deepEqual([again.body.cached, Number(again.body.cost)], [true, 0]);
});

test("two models answer side by side; the choice is in the address", async (t) => {
  const { box, router } = await story_of(t);
  const browser = await open_browser(t);
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  await ada.page.goto(`/playground?models=${encodeURIComponent(`${GEMINI},nonsense`)}`);
  await ada.heading("No answers yet").waitFor();
  await ada.is_accessible();
  await ada.label("Find a model").fill(MINI);
  await ada.page
    .getByRole("group", { name: /^Models/ })
    .getByRole("checkbox", { checked: false })
    .first()
    .check();
  assert.deepEqual(new URL(ada.page.url()).searchParams.get("models").split(","), [GEMINI, MINI]);
  await ada.page.reload();
  await ada.label("Message").fill("Say something <b>bold</b>.");
  router.answers = { [GEMINI]: served(GEMINI, { text: "An **answer** with <i>markup</i>." }), [MINI]: served(MINI, { usage: [100, 50] }) };
  await ada.button("Ask").click();
  const answers = ada.page.getByRole("list", { name: "Answers" });
  await answers.locator("dl").nth(1).waitFor();
  await answers.getByText(`Served by ${MINI}.`).waitFor();
  assert.equal(await answers.locator("strong", { hasText: "answer" }).count(), 1);
  assert.equal(await answers.locator("i").count(), 0);
  assert.equal(await answers.locator("dt", { hasText: "Cost" }).count(), 2);
  await answers.getByText("cheapest").waitFor();
  await ada.is_accessible();
  await ada.page.setViewportSize(PHONE);
  await ada.fits_the_screen();

  // One that fails says why beside the other's answer; one that takes long can be stopped.
  ada.expected = ["Failed to load resource"];
  router.answers = { [MINI]: failed(400), [GEMINI]: hangs };
  await ada.button("Ask").click();
  await answers.getByRole("alert").waitFor();
  await ada.button("Stop").click();
  await answers.getByText("Stopped.").waitFor();
  await ada.button("Stop").waitFor({ state: "detached" });
});
