// What all pages of the console share: the command palette, lists, languages, colours, and the way back after signing in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box } from "../support/box.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";

const story_of = async (t, { plan, ...options } = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org", plan);
  const ada = await Person.at(browser, box, options);
  t.after(() => ada.check());
  return { box, browser, owner, ada };
};

test("the command palette leads to every page and agent", async (t) => {
  const { box, owner, ada } = await story_of(t);
  const id = await box.running_agent(owner);
  await ada.enter("ada@example.org");
  const { keyboard } = ada.page;
  const choose = async (words) => {
    await keyboard.press("Control+k");
    await ada.dialog.waitFor();
    await keyboard.type(words);
    await ada.dialog.getByRole("option", { selected: true }).waitFor();
    await ada.is_accessible();
    await keyboard.press("Enter");
    await ada.dialog.waitFor({ state: "detached" });
    return new URL(ada.page.url()).pathname;
  };
  for (const [words, path] of [
    ["limits", "/usage/limits"],
    ["account", "/settings"],
    ["scout log", `/agents/${id}/logs`],
    ["scout health", `/agents/${id}/health`],
  ])
    assert.equal(await choose(words), path);
  await choose("dark");
  assert.equal(await ada.page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await keyboard.press("Control+k");
  await keyboard.type("there is nothing like it");
  await ada.text("Nothing matches.").waitFor();
  await keyboard.press("Escape");
  await ada.dialog.waitFor({ state: "detached" });
});

test("a list is searched, filtered and sorted in its address, and walked through with arrows", async (t) => {
  const { box, owner, ada } = await story_of(t, { plan: "network" });
  for (const name of ["Zebra", "Ant", "Mole"]) {
    const answer = await owner.call("POST", "/api/agents/provision", { name, tier: "enterprise" });
    assert.equal(answer.status, 201);
    await box.until_status(owner, answer.body.agent.id, "running");
  }
  await ada.enter("ada@example.org");
  const names = () => ada.page.locator(".cards.agents h3").allInnerTexts();
  await ada.page.locator(".cards.agents li").nth(2).waitFor();
  await ada.label("Sort by").selectOption({ label: "Name" });
  assert.deepEqual(await names(), ["Ant", "Mole", "Zebra"]);
  await ada.page.reload();
  await ada.page.locator(".cards.agents li").nth(2).waitFor();
  assert.deepEqual(await names(), ["Ant", "Mole", "Zebra"], "the address keeps it");
  const { keyboard } = ada.page;
  await ada.heading("Home").click();
  await keyboard.press("/");
  await keyboard.type("e");
  assert.deepEqual(await names(), ["Mole", "Zebra"]);
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await ada.heading("Zebra").waitFor();
  await ada.page.goBack();
  await ada.label("State").selectOption({ label: "Stopped" });
  await ada.heading("Nothing matches").waitFor();
});

test("German is spoken to German browsers, and the setting overrides it", async (t) => {
  const { ada } = await story_of(t, { locale: "de-DE", viewport: PHONE });
  await ada.page.goto("/login");
  await ada.label("E-Mail").fill("ada@example.org");
  await ada.label("Passwort").fill("a customer's long password");
  await ada.button("Anmelden").click();
  await ada.heading("Start").waitFor();
  assert.equal(await ada.page.evaluate(() => document.documentElement.lang), "de");
  await ada.fits_the_screen();
  const bar = ada.page.getByRole("navigation", { name: "Meistgenutzte Seiten" });
  for (const name of ["Verbrauch", "Konto"]) {
    await bar.getByRole("link", { name }).click();
    await ada.heading(name).waitFor();
    await ada.is_accessible();
    await ada.fits_the_screen();
  }
  await ada.label("Sprache").selectOption({ label: "English" });
  await ada.heading("Account").waitFor();
  await ada.page.reload();
  await ada.heading("Account").waitFor();
});

test("the colours follow the system until the user chooses", async (t) => {
  const { ada } = await story_of(t);
  await ada.enter("ada@example.org");
  const ground = () => ada.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await ada.page.emulateMedia({ colorScheme: "light" });
  const light = await ground();
  await ada.page.emulateMedia({ colorScheme: "dark" });
  const dark = await ground();
  assert.notEqual(light, dark);
  await ada.own_page("Account");
  await ada.label("Theme").selectOption({ label: "Light" });
  assert.equal(await ground(), light);
  await ada.page.reload();
  await ada.heading("Account").waitFor();
  assert.equal(await ground(), light);
});

test("a link to a page leads there after signing in, and never elsewhere; an ended session asks to sign in again", async (t) => {
  const { owner, ada } = await story_of(t);
  ada.expected = ["status of 401"];
  await ada.page.goto("/usage/limits?q=x");
  await ada.heading("Sign in").waitFor();
  const enter = async () => {
    await ada.label("E-mail").fill("ada@example.org");
    await ada.label("Password").fill("a customer's long password");
    await ada.button("Sign in").click();
  };
  await enter();
  await ada.page.waitForURL("**/usage/limits?q=x");
  await owner.call("DELETE", "/api/auth/sessions");
  // In the running console; a request on its way may have noticed the end of the session before, and the link is gone.
  await ada.page.evaluate(() => document.querySelector('a[href="/usage"]')?.click());
  await ada.heading("Sign in").waitFor();
  await enter();
  await ada.page.waitForURL(/\/usage(\/limits\?q=x)?$/);
  for (const evil of ["https://example.org/", "//example.org/", "/\\example.org", "/api/health"]) {
    await ada.sign_out();
    await ada.link("Create an account").waitFor();
    await ada.page.goto(`/login?next=${encodeURIComponent(evil)}`);
    await enter();
    await ada.page.waitForURL("**/dashboard");
  }
});
