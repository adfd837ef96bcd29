// The message field: commands, model and effort, cost, keys, and what is spoken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { ModelServer, say } from "../peers/model_server.mjs";
import { RouterServer, served } from "../peers/router_server.mjs";
import { package_named } from "../support/packages.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";

const { chromium } = package_named("playwright-core");

const visit = async (t, box, owner, browser, viewport) => {
  const id = await box.running_agent(owner);
  const ada = await Person.at(browser, box, { viewport });
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  return { ada, id, draft: ada.page.getByRole("textbox", { name: "Message to Scout" }) };
};

const story_of = async (t, viewport) => {
  const browser = await open_browser(t);
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const owner = await box.customer("ada@example.org");
  return { box, model, owner, ...(await visit(t, box, owner, browser, viewport)) };
};

test("commands of the message field rename, pin, search, export and begin conversations, by keyboard alone", async (t) => {
  const { ada, draft, model, owner, id } = await story_of(t);
  model.will(say("Ahoy."));
  await ada.say("Who are you?");
  await ada.log.getByText("Ahoy.").waitFor();
  await ada.text("is working").waitFor({ state: "detached" });
  const list = ada.page.getByRole("listbox", { name: "Commands" });
  const talks = async () => (await owner.call("GET", `/api/agents/${id}/conversations`)).body.conversations;

  await draft.pressSequentially("/");
  await list.waitFor();
  await until("all commands are there", async () => (await list.getByRole("option").count()) >= 8);
  await ada.is_accessible();
  await ada.page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await draft.fill("");

  await draft.pressSequentially("/ren");
  assert.equal(await list.getByRole("option").count(), 1);
  await ada.page.keyboard.press("Enter");
  assert.equal(await draft.inputValue(), "/rename ");
  await draft.pressSequentially("Of the sea");
  await ada.page.keyboard.press("Enter");
  await until("it is renamed", async () => (await talks())[0].title === "Of the sea");
  await draft.pressSequentially("/pin");
  await ada.page.keyboard.press("Enter");
  await until("it is pinned", async () => (await talks())[0].pinned);

  const [saved] = await Promise.all([ada.page.waitForEvent("download"), draft.fill("/export").then(() => draft.press("Enter"))]);
  assert.equal(saved.suggestedFilename(), "Of the sea.md");

  await draft.fill("/search ahoy");
  await ada.page.keyboard.press("Enter");
  await ada.page.locator("mark", { hasText: "Ahoy" }).waitFor();
  assert.equal(new URL(ada.page.url()).searchParams.get("q"), "ahoy");
  await ada.page.getByRole("searchbox", { name: "Search the conversation" }).press("Escape");

  await draft.fill("/new");
  await ada.page.keyboard.press("Enter");
  await until("a new one", async () => (await talks()).length === 2);
  await ada.log.getByText("Ahoy.").waitFor({ state: "detached" });
  await draft.fill("/keys");
  await ada.page.keyboard.press("Enter");
  await ada.dialog.getByText("Keyboard shortcuts").waitFor();
  await ada.is_accessible();
  await ada.page.keyboard.press("Escape");
  // What is no command is a message.
  model.will(say("A path."));
  await ada.say("/etc/hosts is what?");
  await ada.log.getByText("A path.").waitFor();
});

test("keys edit the last question, begin a conversation and lead back to the field", async (t) => {
  const { ada, draft, model, owner, id } = await story_of(t);
  model.will(say("Ahoy."));
  await ada.say("Who are you?");
  await ada.log.getByText("Ahoy.").waitFor();
  await ada.text("is working").waitFor({ state: "detached" });
  await draft.press("ArrowUp");
  assert.equal(await draft.inputValue(), "Who are you?");
  await draft.press("Escape");
  assert.equal(await draft.inputValue(), "");
  await ada.log.focus();
  await ada.page.keyboard.press("Shift+Escape");
  assert.ok(await draft.evaluate((field) => field === document.activeElement));
  await ada.page.keyboard.press("Control+Shift+O");
  await until("a new one", async () => (await owner.call("GET", `/api/agents/${id}/conversations`)).body.count === 2);
});

for (const [place, viewport] of [
  ["a desk", undefined],
  ["a phone", PHONE],
])
  test(`the model and effort of a conversation are chosen with their price, and its cost is shown, on ${place}`, async (t) => {
    const browser = await open_browser(t);
    const router = await RouterServer.start(t);
    const box = await Box.start(t, { OPENROUTER_API_KEY: "sk-router", OPENROUTER_BASE_URL: router.url });
    const owner = await box.customer("ada@example.org", "network");
    const { ada, draft, id } = await visit(t, box, owner, browser, viewport);
    const { models } = (await owner.call("GET", "/api/models")).body;
    const chosen = models.find(({ id }) => id === "openai/gpt-5-mini") ?? models.find(({ efforts }) => efforts.includes("high"));
    router.answers[chosen.id] = served(chosen.id, { usage: [2_000, 100], text: "By the dear one." });

    await ada.page.getByRole("button", { name: /^Model: / }).click();
    const select = ada.dialog.getByRole("combobox", { name: "Model" });
    const option = select.locator(`option[value="${chosen.id}"]`);
    assert.match(await option.innerText(), /US\$[\d.]+ in, US\$[\d.]+ out/);
    await select.selectOption(chosen.id);
    await ada.dialog.getByRole("combobox", { name: "Reasoning effort" }).selectOption("high");
    await ada.is_accessible();
    await ada.dialog.getByRole("button", { name: "Save" }).click();
    await ada.page.getByRole("button", { name: `Model: ${chosen.name}` }).waitFor();
    await ada.text("next answer about US$").waitFor();

    await ada.say("What does it cost?");
    await ada.log.getByText("By the dear one.").waitFor();
    await ada.text("is working").waitFor({ state: "detached" });
    const { conversations } = (await owner.call("GET", `/api/agents/${id}/conversations`)).body;
    assert.deepEqual([conversations[0].model, conversations[0].reasoningEffort], [chosen.id, "high"]);
    const { messages } = (await owner.call("GET", `/api/chat?agentId=${id}`)).body;
    assert.deepEqual([messages[1].inputTokens, messages[1].outputTokens], [2_000, 100]);
    const [, shown] = /So far about US\$([\d.]+)/.exec(await ada.page.locator(".spending").innerText());
    const cost = (2_000 * Number(chosen.inputPrice) + 100 * Number(chosen.outputPrice)) / 1e6;
    assert.ok(Math.abs(Number(shown) - cost) <= cost / 10, `${shown} for ${cost}`);
    assert.equal(await draft.inputValue(), "");
    await ada.fits_the_screen();
  });

test("a note is spoken into the field where the box has a model that writes it down", async (t) => {
  const browser = await chromium.launch({
    executablePath: process.env.AGENTBOX_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])],
  });
  t.after(() => browser.close());
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  model.lists.push("whisper-1");
  model.hears = { text: "Where is Fastnet?" };
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const owner = await box.customer("ada@example.org");
  const { ada, draft } = await visit(t, box, owner, browser);
  await draft.fill("Tell me:");
  await ada.button("Speak a message").click();
  await ada.text("Listening…").waitFor();
  await ada.is_accessible();
  await ada.button("Stop recording").click();
  await until("it is written down", async () => (await draft.inputValue()) === "Tell me: Where is Fastnet?");
  assert.equal(model.heard.length, 1);
  assert.match(model.heard[0].body, /name="model"\r\n\r\nwhisper-1\r\n/);
  assert.match(model.heard[0].body, /filename="note\.webm"/);
  const { calls } = (await owner.call("GET", "/api/dashboard/calls")).body;
  assert.equal(calls[0].model, "whisper-1", "it is metered like any call");
});

test("a box without such a model has no button for it, and says so to those who ask", async (t) => {
  const { ada, owner, draft } = await story_of(t);
  await draft.waitFor();
  assert.equal((await owner.call("GET", "/api/models")).body.transcription, null);
  assert.equal(await ada.button("Speak a message").count(), 0);
  const form = new FormData();
  form.append("file", new Blob(["sound"]), "note.webm");
  const answer = await fetch(`${ada.box.web}/api/transcriptions`, {
    method: "POST",
    body: form,
    headers: { cookie: owner.cookie, origin: ada.box.web },
  });
  assert.equal(answer.status, 503);
  assert.match((await answer.json()).error, /No model of this box writes down what is said/);
});
