// Groups and shared agents by mouse: an administrator makes a group, an owner shares, another user talks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, hang, ModelServer, say } from "../peers/model_server.mjs";
import { ADMIN, Box, PASSWORD, until } from "../support/box.mjs";
import { HOSTILE, open_browser, Person } from "./browser.mjs";

const entered = async (t, browser, box, email, password) => {
  const person = await Person.at(browser, box);
  t.after(() => person.check());
  await person.enter(email, password);
  return person;
};

test("an administrator makes a group and adds a member", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  const admin = await entered(t, browser, box, ADMIN.email, ADMIN.password);
  const { page } = admin;
  await page.goto("/admin/groups");
  await admin.button("New group").first().click();
  await page.getByLabel("Name", { exact: true }).fill("Birds");
  await page.getByLabel("Plan", { exact: true }).selectOption("solo");
  await page.getByLabel("Models", { exact: true }).fill("local\nopenai/gpt-4o-mini");
  await admin.is_accessible();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByText("0 members").waitFor();
  const [group] = (await box.backend_call("GET", "/api/admin/groups")).groups;
  assert.deepEqual([group.name, group.plan, group.models], ["Birds", "solo", ["local", "openai/gpt-4o-mini"]]);
  await admin.button("Members of Birds").click();
  await page.getByLabel("E-mail address").fill("ada@example.org");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.getByRole("dialog").getByText("ada@example.org").waitFor();
  await admin.is_accessible();
  await page.getByRole("dialog").getByRole("button", { name: "Remove ada@example.org" }).click();
  await until("the member is removed", async () => (await box.backend_call("GET", "/api/admin/groups")).groups[0].members === 0);
});

test("an owner shares an agent, and another user talks to it", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const bob = await box.customer("bob@example.org");
  const agent = await box.running_agent(owner, HOSTILE);
  const ada = await entered(t, browser, box, "ada@example.org", PASSWORD);
  await ada.page.goto(`/agents/${agent}/sharing`);
  await ada.button("Share agent").first().click();
  await ada.page.getByLabel("E-mail address").fill("bob@example.org");
  await ada.is_accessible();
  await ada.page.getByRole("dialog").getByRole("button", { name: "Share", exact: true }).click();
  await ada.page.getByText("bob@example.org").first().waitFor();
  assert.equal((await bob.call("GET", `/api/shared/${agent}`)).body.role, "talker");

  const guest = await entered(t, browser, box, "bob@example.org", PASSWORD);
  await guest.page.locator(".sidebar").getByRole("link", { name: "Shared with me" }).click();
  await guest.page.locator(`a[href="/shared/${agent}"]`).click();
  await guest.page.getByText("Ask something to begin a conversation.").waitFor();
  await guest.label("Message").fill("My word is wren.");
  await guest.button("Send").click();
  await guest.log.getByText("My word is wren.").waitFor();
  await guest.is_sound();
  await until("the answer is there", async () => (await guest.log.getByRole("article").count()) === 2);
  await guest.page.reload();
  await guest.log.getByText("My word is wren.").waitFor();
});

test("the chat with a shared agent streams, goes on after a reload, and its answer can be stopped", async (t) => {
  const browser = await open_browser(t);
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const owner = await box.customer("ada@example.org");
  const guest = await box.customer("bob@example.org");
  const agent = await box.running_agent(owner);
  await owner.call("PUT", `/api/agents/${agent}/shares`, { email: "bob@example.org", role: "talker", unverified: true });
  const bob = await entered(t, browser, box, "bob@example.org", PASSWORD);
  await bob.page.goto(`/shared/${agent}`);
  const step = bob.log.getByText("remember", { exact: true });
  model.will(call(["remember", { text: "the tide is high" }]), hang());
  await bob.label("Message").fill("Remember the tide");
  await bob.label("Message").press("Enter");
  await step.waitFor();
  assert.match(bob.page.url(), /[?]conversation=/, "the conversation has its address while its first answer is made");
  await bob.is_sound();
  await bob.page.reload();
  await step.waitFor();
  await bob.text("Scout is working").waitFor();
  const other = await bob.another_tab(bob.page.url());
  await other.log.getByText("remember", { exact: true }).waitFor();
  model.answer_hanging(say("Noted: high."));
  for (const tab of [bob, other]) await tab.log.getByText("Noted: high.").waitFor();
  await bob.button("Send").waitFor();
  assert.equal(await step.count(), 1, "the step stays");

  model.will(hang());
  await bob.label("Message").fill("Count to a million");
  await bob.button("Send").click();
  await until("the model is asked", () => model.asked.length === 3);
  await bob.button("Stop the answer").click();
  await bob.button("Send").waitFor();
  const { conversations } = (await guest.call("GET", `/api/shared/${agent}/conversations`)).body;
  assert.equal(conversations.length, 1);
  const query = new URLSearchParams({ conversationId: conversations[0].id });
  const { messages } = (await guest.call("GET", `/api/shared/${agent}/messages?${query}`)).body;
  assert.deepEqual(
    messages.map(({ role, delivery }) => [role, delivery ?? ""]),
    [
      ["user", "answered"],
      ["assistant", ""],
      ["user", "failed"],
    ],
    "each question was asked once",
  );
});

test("a builder changes a shared agent's settings, files and schedules, and a talker finds no way there", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const agent = await box.running_agent(owner);
  for (const [name, role] of [
    ["bob", "builder"],
    ["eve", "talker"],
  ]) {
    await box.customer(`${name}@example.org`);
    await owner.call("PUT", `/api/agents/${agent}/shares`, { email: `${name}@example.org`, role, unverified: true });
  }
  const bob = await entered(t, browser, box, "bob@example.org", PASSWORD);
  const { page } = bob;
  await page.goto(`/shared/${agent}`);
  await bob.label("Message").waitFor();

  await bob.opens("Settings");
  await bob.label("Instructions").fill("Speak of birds.");
  await bob.label("Name").fill("Heron");
  await bob.is_sound();
  await bob.button("Save").click();
  await bob.heading("Heron").waitFor();
  await until("the instructions are kept", async () => {
    const { config } = (await owner.call("GET", `/api/agents/${agent}/config`)).body;
    return config.systemPrompt === "Speak of birds.";
  });
  await bob.button("Restart").click();
  await box.until_status(owner, agent, "running");

  await bob.opens("Files");
  await bob.button("New file").click();
  await bob.label("Path").fill("birds.txt");
  await bob.button("Create").click();
  await page.locator(".cm-content").fill("heron");
  await bob.button("Save").click();
  await bob.text("Saved").waitFor();
  await bob.is_sound();
  assert.equal((await owner.call("GET", `/api/agents/${agent}/files/read?path=birds.txt`)).body.content, "heron");
  assert.equal(await bob.button("Upload").count(), 0);

  await bob.opens("Schedule");
  await bob.button("New prompt").click();
  await bob.label("Name").fill("Birds every morning");
  await bob.label("Prompt").fill("Which birds are there?");
  await bob.is_accessible();
  await bob.dialog.getByRole("button", { name: "Save" }).click();
  await bob.text("Birds every morning").first().waitFor();
  await bob.is_sound();
  const { tasks } = (await owner.call("GET", `/api/scheduled-tasks?agentId=${agent}`)).body;
  assert.deepEqual(
    tasks.map(({ name, prompt }) => [name, prompt]),
    [["Birds every morning", "Which birds are there?"]],
  );
  await bob.in_menu("More about Birds every morning", "Delete");
  await bob.dialog.getByRole("button", { name: "Delete" }).click();
  await until("it is deleted", async () => (await owner.call("GET", `/api/scheduled-tasks?agentId=${agent}`)).body.tasks.length === 0);

  const eve = await entered(t, browser, box, "eve@example.org", PASSWORD);
  await eve.page.goto(`/shared/${agent}/settings`);
  await eve.heading("This page is for builders").waitFor();
  assert.equal(await eve.page.getByRole("navigation", { name: "Pages of the agent" }).count(), 0);
});

test("an owner finds any of many conversations to share, and keeps those that were", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const agent = await box.running_agent(owner);
  const at = `/api/agents/${agent}/conversations`;
  const ids = [];
  for (let n = 1; n <= 30; ++n) {
    ids.push((await owner.call("POST", at, {})).body.conversation.id);
    await owner.call("PATCH", `${at}/${ids.at(-1)}`, { title: `Heron ${n}.` });
  }
  const share = { email: "bob@example.org", role: "viewer", conversations: [ids[0]] };
  assert.equal((await owner.call("PUT", `/api/agents/${agent}/shares`, share)).status, 200);
  const ada = await entered(t, browser, box, "ada@example.org", PASSWORD);
  await ada.page.goto(`/agents/${agent}/sharing`);
  await ada.button("Edit the share with bob@example.org").click();
  const dialog = ada.page.getByRole("dialog");
  assert.equal(await dialog.getByLabel("Heron 1.", { exact: true }).isChecked(), true, "at the top, although it is the oldest");
  assert.equal(await dialog.getByRole("checkbox").count(), 20);
  await dialog.getByRole("button", { name: "Show more" }).click();
  await dialog.getByLabel("Heron 7.", { exact: true }).check();
  await dialog.getByLabel("Search", { exact: true }).fill("heron 2.");
  await dialog.getByLabel("Heron 2.", { exact: true }).check();
  await ada.is_accessible();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  const [{ conversations }] = (await owner.call("GET", `/api/agents/${agent}/shares`)).body.shares;
  assert.deepEqual(conversations.toSorted(), [ids[0], ids[6], ids[1]].toSorted());
});
