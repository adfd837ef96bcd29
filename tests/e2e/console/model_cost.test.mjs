// Models whose cost is unknown: where one is chosen, where it answers, and in the usage.
import assert from "node:assert/strict";
import { test } from "node:test";
import { start_vendor } from "../peers/listing_vendor.mjs";
import { Box } from "../support/box.mjs";
import { open_browser, Person } from "./browser.mjs";

test("a model without a price works, and the console says that its cost is unknown", async (t) => {
  const browser = await open_browser(t);
  const vendor = await start_vendor(t, ["gpt-99", "gpt-5.4-mini"]);
  const box = await Box.start(t, { OPENAI_API_KEY: "sk-of-openai", OPENAI_BASE_URL: vendor.url });
  await box.customer("ada@example.org", "network");
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");

  await ada.button("New agent").click();
  await ada.label("Name").fill("Scout");
  await ada.label("Model").selectOption("openai/gpt-5.4-mini");
  const unknown = ada.page.getByText(/The catalogue has no price for this model/);
  assert.equal(await unknown.count(), 0);
  await ada.label("Model").selectOption({ label: "Another model, by its name" });
  await ada.label("Model name").fill("gpt-99");
  await ada.label("Model name").press("Tab");
  await unknown.waitFor();
  await ada.is_accessible();
  await ada.button("Create the agent").click();
  await ada.dialog.waitFor({ state: "detached" });

  await ada.sees_status("running");
  await ada.page.locator(".composer").getByText("cost unknown").waitFor();
  await ada.say("Hello");
  await ada.log.getByText("Yes.").waitFor();
  await ada.text("Scout is working").waitFor({ state: "detached" });
  assert.equal(vendor.asked.at(-1), "gpt-99");
  await ada.fits_the_screen();

  const id = /agents\/([^/?]+)/.exec(ada.page.url())[1];
  await ada.page.goto(`/agents/${id}/settings`);
  await unknown.waitFor();
  await ada.is_accessible();
  await ada.label("Model").selectOption("openai/gpt-5.4-mini");
  await unknown.waitFor({ state: "detached" });

  await ada.page.goto("/usage");
  const cost = ada.page.getByRole("listitem").filter({ hasText: /^Cost/ }).first();
  await cost.getByText("unknown", { exact: true }).waitFor();
  await cost.getByText(/and \d calls? of unknown cost/).waitFor();
  await ada.page.getByRole("row").filter({ hasText: "gpt-99" }).first().getByRole("cell", { name: "unknown" }).waitFor();
  await ada.is_accessible();
});
