// The console's pages about images of other makers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, until } from "../support/box.mjs";
import { HOSTILE, open_browser, Person, PHONE } from "./browser.mjs";

test("an administrator keeps the catalogue of images, and users see what they can use", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const admin = await Person.at(browser, box);
  t.after(() => admin.check());
  await admin.enter(ADMIN.email, ADMIN.password);
  await admin.page.goto("/admin/images");
  await admin.text("OpenClaw").first().waitFor();
  await admin.text("ships with the box").waitFor();
  await admin.text("Agents of this box are processes of its own program. Images need the Docker Engine.").waitFor();
  await admin.is_sound();
  await admin.button("Add an image").click();
  const field = (label) => admin.dialog.getByLabel(label, { exact: true });
  await field("Name").fill("parrot");
  await field("Title").fill(HOSTILE);
  await field("Image").fill("a b");
  await field("Port").fill("8080");
  await field("Health check").fill("/up");
  await field("Environment").fill("PARROT_MODELS=${OPENAI_BASE_URL}\nMODE=quiet=yes");
  await admin.is_sound();
  admin.expected = ["status of 400"];
  await admin.dialog.getByRole("button", { name: "Save" }).click();
  await admin.dialog.getByText(/must be the name of a container image/).waitFor();
  await field("Image").fill("registry.example/parrot:1");
  await admin.dialog.getByRole("button", { name: "Save" }).click();
  await admin.dialog.waitFor({ state: "detached" });
  const entry = async () => (await box.backend_call("GET", "/api/admin/images")).images.find(({ name }) => name === "parrot");
  const made = await entry();
  assert.deepEqual([made.port, made.probe, made.enabled], [8080, "/up", true]);
  assert.deepEqual(made.environment, { PARROT_MODELS: "${OPENAI_BASE_URL}", MODE: "quiet=yes" });
  await admin.is_sound();

  const owner = await box.customer("ada@example.org");
  const ada = await Person.at(browser, box, { viewport: PHONE });
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  await ada.page.goto("/images");
  await ada.heading("OpenClaw").waitFor();
  assert.equal(await ada.page.locator(".cards li").count(), 2);
  assert.ok(await ada.button("Create an agent of OpenClaw").isDisabled());
  await ada.is_sound();
  assert.equal((await owner.call("GET", "/api/agents")).body.count, 0);

  await admin.page
    .getByRole("button", { name: /^Edit / })
    .first()
    .click();
  await admin.dialog.getByLabel("Users can make agents of it").uncheck();
  await admin.dialog.getByRole("button", { name: "Save" }).click();
  await until("it is switched off", async () => (await owner.call("GET", "/api/images")).body.count === 1);
  await admin.text("switched off").waitFor();
  await admin.in_menu(/^More about /, "Remove");
  await admin.dialog.getByRole("button", { name: "Remove" }).click();
  await until("it is gone", async () => !(await entry()));
});
