// The console's pages about usage, limits and keys, by mouse and by keyboard.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";

const story_of = async (t, options = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const ada = await Person.at(browser, box, options);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  return { box, owner, ada };
};

test("a limit is set, edited in its place, nearly reached, and removed", async (t) => {
  const { box, owner, ada } = await story_of(t, { viewport: PHONE });
  const id = await box.running_agent(owner);
  ada.expected = ["status of 400"];
  await ada.to_section("Usage");
  await ada.link("Limits").click();
  await ada.heading("No limits yet").waitFor();
  await ada.button("New limit").click();
  await ada.label("Limits").selectOption({ label: "Agent Scout" });
  await ada.page.getByRole("textbox", { name: "US dollars" }).fill("lots");
  await ada.button("Save").click();
  await ada.alert.getByText(/^US dollars /).waitFor();
  await ada.page.getByRole("textbox", { name: "US dollars" }).fill("12.50");
  await ada.page.getByRole("spinbutton", { name: "Tokens" }).fill("100000");
  await ada.button("Save").click();
  await ada.page.getByRole("meter", { name: "US dollars" }).waitFor();
  await ada.text(/of US\$12\.50 used/).waitFor();
  await ada.button("Edit: Scout, per month").click();
  await ada.page.getByRole("spinbutton", { name: "Tokens" }).fill("10");
  await ada.button("Save").click();
  await ada.text("0 of 10 tokens used").waitFor();
  const { caps } = (await owner.call("GET", "/api/caps")).body;
  assert.deepEqual(
    caps.filter(({ scope }) => scope === "agent").map(({ target, usd, tokens }) => [target, usd, tokens]),
    [[id, "12.50", 10]],
  );
  await ada.fits_the_screen();
  await ada.in_menu("More about Scout, per month", "Remove");
  await ada.dialog.getByRole("button", { name: "Remove" }).click();
  await ada.heading("No limits yet").waitFor();
});

test("an API key is made, used, found and deleted", async (t) => {
  const { box, ada } = await story_of(t);
  await ada.page.goto("/usage/keys");
  await ada.button("New API key").click();
  await ada.label("Name").fill("laptop");
  await ada.label("Budget a month (US dollars)").fill("5.00");
  await ada.button("Create the key").click();
  await ada.heading("Your new API key").waitFor();
  const key = await ada.dialog.locator("pre").first().innerText();
  assert.match(key, /^sk_/);
  for (const name of ["Python", "JavaScript", "curl"]) {
    await ada.dialog.getByRole("button", { name, exact: true }).click();
    assert.ok((await ada.dialog.locator("pre").nth(1).innerText()).includes(key), name);
  }
  const models = await fetch(`${box.backend}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(models.status, 200);
  await ada.button("I have kept it").click();
  assert.ok(!(await ada.page.innerText("body")).includes(key), "it is shown once");
  await ada.button("Delete laptop").click();
  await ada.dialog.getByRole("button", { name: "Delete" }).click();
  await ada.heading("No API keys yet").waitFor();
  assert.equal((await fetch(`${box.backend}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status, 401);
});

test("keys at model providers are stored, turned off and removed, and the response cache is set", async (t) => {
  const { owner, ada } = await story_of(t);
  await ada.page.goto("/usage/providers");
  await ada.heading("No keys of your own").waitFor();
  await ada.label("Provider").selectOption("anthropic");
  await ada.label("Key").fill("sk-story-0123456789");
  await ada.button("Store the key").click();
  await ada.text("in use").waitFor();
  await ada.button("Stop using my keys").click();
  await ada.text("not in use").waitFor();
  await ada.button("Use my keys again").click();
  await ada.button("Stop using my keys").waitFor();
  await ada.button("Remove the key of Anthropic").click();
  await ada.dialog.getByRole("button", { name: "Remove" }).click();
  await ada.heading("No keys of your own").waitFor();
  await ada.label("Minutes to keep an answer").fill("30");
  await ada.button("Save").click();
  await ada.text("Saved.").waitFor();
  assert.deepEqual((await owner.call("GET", "/api/response-cache")).body, { enabled: true, minutes: 30 });
});

test("usage is saved as CSV, and a name does not become a formula", async (t) => {
  const { box, owner, ada } = await story_of(t);
  const id = await box.running_agent(owner, "=SUM(A1)");
  await owner.call("POST", "/api/chat", { agentId: id, message: "hello" });
  await ada.page.goto("/usage");
  const save = async (title) => {
    const [file] = await Promise.all([ada.page.waitForEvent("download"), ada.button(`Save as CSV: ${title}`).click()]);
    return readFileSync(await file.path(), "utf8").split("\r\n");
  };
  const [head, row, rest] = await save("By agent");
  assert.equal(head, "Name,Model calls,Tokens in,Tokens out,Cost");
  assert.match(row, /^'=SUM\(A1\),[1-9]\d*,[1-9]\d*,[1-9]\d*,\d+(\.\d+)?$/);
  assert.equal(rest, "");
  assert.match((await save("Cost by day")).join("\n"), /^\d{4}-\d\d-\d\d,[1-9]/m);
});

test("a key is made with the keyboard alone", async (t) => {
  const { ada } = await story_of(t);
  const { keyboard } = ada.page;
  await keyboard.press("Control+k");
  await ada.dialog.waitFor();
  await keyboard.type("api keys");
  await keyboard.press("Enter");
  await ada.heading("No API keys yet").waitFor();
  await ada.tab_to("New API key");
  await keyboard.press("Enter");
  await ada.tab_to("Name");
  await keyboard.type("laptop");
  await keyboard.press("Enter");
  await ada.heading("Your new API key").waitFor();
  await ada.tab_to("I have kept it");
  await keyboard.press("Enter");
  await until("the key in the list", async () => (await ada.text("laptop").count()) === 1);
});
