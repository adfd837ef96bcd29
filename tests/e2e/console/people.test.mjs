// Groups and shared agents by mouse: an administrator makes a group, an owner shares, another user talks.
import assert from "node:assert/strict";
import { test } from "node:test";
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
  await guest.page.getByLabel("Message").fill("My word is wren.");
  await guest.button("Send").click();
  await guest.page.getByRole("log").getByText("My word is wren.").waitFor();
  await guest.is_sound();
  await until("the answer is there", async () => (await guest.page.getByRole("log").getByRole("article").count()) === 2);
  await guest.page.reload();
  await guest.page.getByRole("log").getByText("My word is wren.").waitFor();
});
