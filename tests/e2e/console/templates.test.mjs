// Templates by mouse: an owner publishes an agent for a group, changes it, another user makes an agent from it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, PASSWORD, until } from "../support/box.mjs";
import { HOSTILE, open_browser, Person } from "./browser.mjs";

test("an agent is published as a template, and another user creates one from it", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const [owner, other] = [await box.customer("ada@example.org"), await box.customer("bob@example.org")];
  const group = await box.backend_call("POST", "/api/admin/groups", { name: HOSTILE });
  for (const { id } of [owner, other]) await box.backend_call("PUT", `/api/admin/groups/${group.id}/members/${id}`);
  const agent = await box.running_agent(owner);
  await owner.call("PUT", `/api/agents/${agent}/config`, { config: { systemPrompt: "You work for {{company}}." } });
  await owner.call("POST", `/api/agents/${agent}/files/write`, { path: "AGENT.md", content: "Greet those of {{company}}." });

  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  await ada.page.goto(`/agents/${agent}/sharing`);
  await ada.button("Publish").click();
  const { dialog } = ada;
  await ada.label("Name of the template").fill("Greeter");
  await ada.label("Description").fill("Greets customers.");
  await dialog.getByLabel(group.name).check();
  // What the instructions ask for is there already.
  await dialog.getByLabel("Question", { exact: true }).fill("Your company");
  assert.equal(await ada.label("Placeholder").inputValue(), "company");
  await ada.button("Add a question").click();
  await ada.button("Remove question 2").click();
  assert.ok(await ada.label("AGENT.md").isChecked());
  await ada.is_sound();
  await dialog.getByRole("button", { name: "Publish" }).click();
  await ada.page.waitForURL("**/templates");
  await ada.text("Greets customers.").waitFor();
  await ada.is_sound();

  await ada.in_menu("More about Greeter", "Edit");
  await ada.label("Description").fill("Greets whoever comes.");
  await ada.button("Save").click();
  await ada.text("Greets whoever comes.").waitFor();

  const bob = await Person.at(browser, box);
  t.after(() => bob.check());
  await bob.enter("bob@example.org", PASSWORD);
  await bob.button("New agent").click();
  await bob.link("Or create one from a template").click();
  await bob.button("Use Greeter").click();
  await bob.label("Your company").fill("Bob's");
  await bob.label("Name").fill("Mine");
  await bob.is_accessible();
  await bob.button("Create the agent").click();
  await bob.heading("Mine").waitFor();
  const [made] = (await other.call("GET", "/api/agents")).body.agents;
  assert.equal((await other.call("GET", `/api/agents/${made.id}/config`)).body.config.systemPrompt, "You work for Bob's.");

  await ada.in_menu("More about Greeter", "Withdraw");
  await dialog.getByRole("button", { name: "Withdraw" }).click();
  await until("nobody has the template", async () => (await other.call("GET", "/api/templates")).body.count === 0);
  await ada.heading("No templates yet").waitFor();
});
