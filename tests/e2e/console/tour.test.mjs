// The tour of the demo: six steps through the pages, by mouse and by keyboard, in both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, PASSWORD } from "../support/box.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";

test("the tour leads through six pages, leaves them usable, and can be ended", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const agent = await box.running_agent(owner);
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  const tour = ada.page.locator("section.tour");
  assert.equal(await tour.count(), 0);
  await ada.page.goto("/dashboard?tour=1"); // where the demo's link leads
  await ada.heading("What happened").waitFor();
  assert.equal(new URL(ada.page.url()).search, "");
  for (const [title, path] of [
    ["Talk to an agent", `/agents/${agent}`],
    ["Work without you", "/schedules"],
    ["Agents together", "/fleet"],
    ["What it costs", "/usage"],
    ["Money with rules", "/wallet"],
  ]) {
    await ada.button("Next").click();
    await ada.heading(title).waitFor();
    await ada.page.waitForURL(`**${path}`);
    assert.equal(await ada.page.evaluate(() => document.activeElement.id), "tour-title", `${title} is read out`);
    await ada.is_sound();
  }
  await tour.getByText("Tour: step 6 of 6").waitFor();
  await ada.button("Back").click();
  await ada.heading("What it costs").waitFor();
  await ada.page.reload();
  await ada.heading("What it costs").waitFor(); // it goes on where it was
  await ada.button("End the tour").click();
  await ada.page.reload();
  await ada.heading("Usage").waitFor();
  assert.equal(await tour.count(), 0);
});

test("the tour can be taken by keyboard, on a phone, in German", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  const ada = await Person.at(browser, box, { viewport: PHONE, locale: "de-DE" });
  t.after(() => ada.check());
  await ada.page.goto("/login");
  await ada.label("E-Mail").fill("ada@example.org");
  await ada.label("Passwort").fill(PASSWORD);
  await ada.page.keyboard.press("Enter");
  await ada.page.waitForURL("**/dashboard*");
  await ada.page.goto("/dashboard?tour=1");
  await ada.heading("Was geschehen ist").waitFor();
  await ada.page.locator("section.tour").getByRole("button", { name: "Weiter" }).focus();
  await ada.page.keyboard.press("Enter");
  await ada.heading("Mit einem Agenten sprechen").waitFor();
  await ada.page.waitForURL("**/chats");
  await ada.is_accessible();
  await ada.fits_the_screen();
  // From the title on, the tour's own buttons come next.
  await ada.page.keyboard.press("Tab");
  await ada.page.keyboard.press("Enter");
  await ada.page.locator("section.tour").waitFor({ state: "detached" });
});
