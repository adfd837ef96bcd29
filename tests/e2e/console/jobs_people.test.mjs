// Jobs of people and administrators, by mouse and by keyboard, on a desk and on a phone, with the clicks counted.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD, until } from "../support/box.mjs";
import { code_of } from "../support/totp.mjs";
import { RouterServer } from "../peers/router_server.mjs";
import { open_browser, Person } from "./browser.mjs";
import { counting, drawer, SCREENS } from "./jobs.mjs";

const admin_story = async (t, viewport, env = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, env);
  const admin = await Person.at(browser, box, { viewport });
  t.after(() => admin.check());
  await counting(admin);
  await admin.enter(ADMIN.email, ADMIN.password);
  return { browser, box, admin, more: drawer(viewport) };
};

for (const [place, viewport] of Object.entries(SCREENS)) {
  test(`from the printed address to the first answer, on ${place}`, async (t) => {
    const browser = await open_browser(t);
    const box = await Box.start(t, { DEFAULT_PLAN: "solo" });
    const ada = await Person.at(browser, box, { viewport });
    t.after(() => ada.check());
    await counting(ada);
    await ada.job("first answer", 5, async () => {
      await ada.page.goto("/");
      await ada.link("Create an account").click();
      await ada.label("E-mail").fill("ada@example.org");
      await ada.label("Password").fill(PASSWORD);
      await ada.page.keyboard.press("Enter");
      await ada.button("New agent").first().click();
      await ada.label("Name").fill("Scout");
      await ada.page.keyboard.press("Enter");
      await ada.sees_status("running");
      const draft = ada.page.getByRole("textbox", { name: "Message to Scout" });
      if (place === "a desk") await until("the focus in the field", () => draft.evaluate((field) => field === document.activeElement));
      await ada.say("remember that the demo is on Friday");
      await ada.log.getByText("I will remember: the demo is on Friday").waitFor();
    });
    await ada.fits_the_screen();
  });

  test(`a second user gets a plan, and the audit log and sessions are read, on ${place}`, async (t) => {
    const { box, admin, more } = await admin_story(t, viewport);
    const bob = box.person();
    await bob.call("POST", "/api/register", { email: "bob@example.org", password: PASSWORD });
    await admin.job("a user gets a plan", 4 + 2 * more, async () => {
      await admin.to_section("Administration");
      await admin.to_section("Users");
      await admin.link("bob@example.org").click();
      await admin.label("Plan").selectOption("solo");
      await admin.button("Save").click();
      await admin.text("Saved.").waitFor();
    });
    await bob.log_in("bob@example.org", PASSWORD);
    assert.equal((await bob.call("GET", "/api/settings")).body.plan, "solo");
    await admin.job("the audit log", 1 + more, async () => {
      await admin.to_section("Audit log");
      await admin.page.getByText("User changed by an administrator").first().waitFor();
    });
    await admin.is_accessible();
    await admin.fits_the_screen();
    await admin.page.goto("/dashboard");
    await admin.job("sessions", 2 + more, async () => {
      await admin.own_page("Account");
      await admin.page.getByRole("list", { name: "Where you are signed in" }).getByText("This browser").waitFor();
    });
    await admin.fits_the_screen();
  });

  test(`a backup is made, verified, downloaded and scheduled, on ${place}`, async (t) => {
    const { admin, more } = await admin_story(t, viewport);
    await admin.job("a backup", 6 + 2 * more, async () => {
      await admin.to_section("Administration");
      await admin.to_section("Backups");
      await admin.button("Back up now").click();
      const first = admin.page.locator(".rows > li").first();
      await first.getByRole("button", { name: /^Verify/ }).click();
      await admin.text("The backup is sound").waitFor();
      const downloading = admin.page.waitForEvent("download");
      await first.getByRole("button", { name: /^Download/ }).click();
      const download = await downloading;
      assert.match(download.suggestedFilename(), /\.agentbox$/);
      assert.ok(statSync(await download.path()).size > 1_000);
      await admin.label("When, as a cron expression").fill("0 3 * * *");
      await admin.button("Save").click();
      await admin.text("This holds once the box has been restarted.").waitFor();
    });
    await admin.fits_the_screen();
  });

  test(`a setting of the box is changed, on ${place}`, async (t) => {
    const { box, admin, more } = await admin_story(t, viewport);
    await admin.job("a setting", 4 + 2 * more, async () => {
      await admin.to_section("Administration");
      await admin.to_section("Settings of the box");
      await admin.button("Edit LOG_LEVEL").click();
      await admin.dialog.getByLabel("Value").selectOption("warning");
      await admin.dialog.getByRole("button", { name: "Save" }).click();
      await admin.dialog.waitFor({ state: "detached" });
    });
    const { settings } = await box.backend_call("GET", "/api/admin/settings");
    assert.equal(settings.find(({ name }) => name === "LOG_LEVEL").value, "warning");
    await admin.fits_the_screen();
  });

  test(`a provider is configured and tested, and what left the box is read, on ${place}`, async (t) => {
    const router = await RouterServer.start(t);
    const { admin, more } = await admin_story(t, viewport);
    await admin.job("a provider with a test", 5 + 2 * more, async () => {
      await admin.to_section("Administration");
      await admin.to_section("Models");
      await admin.button("Configure OpenRouter").click();
      await admin.label("Address").fill(router.url);
      await admin.label("Key").fill("sk-story-0123456789");
      await admin.button("Save").click();
      await admin.dialog.waitFor({ state: "detached" });
      const card = admin.page.locator(".providers > li").filter({ has: admin.heading("OpenRouter") });
      await card.getByRole("button", { name: "Test" }).click();
      await card.getByText(/answered after/).waitFor();
    });
    await admin.job("what left the box", 1 + more, async () => {
      await admin.to_section("Outbound connections");
      await admin.heading("Outbound connections").waitFor();
    });
    await admin.is_accessible();
    await admin.fits_the_screen();
  });

  test(`an authenticator app, and the export of everything, on ${place}`, async (t) => {
    const browser = await open_browser(t);
    const box = await Box.start(t);
    await box.customer("ada@example.org");
    const ada = await Person.at(browser, box, { viewport });
    t.after(() => ada.check());
    await counting(ada);
    await ada.enter("ada@example.org");
    const more = drawer(viewport);
    await ada.job("an authenticator app", 6 + more, async () => {
      await ada.own_page("Account");
      await ada.button("Set an app up").click();
      await ada.label("Current password").fill(PASSWORD);
      await ada.button("Continue").click();
      await ada.label("Code").fill(code_of(await ada.dialog.locator("pre").innerText()));
      await ada.button("Turn it on").click();
      await ada.button("I have kept them").click();
    });
    const codes_left = ada.text("10 are left.");
    await codes_left.waitFor();
    await ada.job("the export", 1, async () => {
      const [download] = await Promise.all([ada.page.waitForEvent("download"), ada.link("Download everything").click()]);
      assert.match(download.suggestedFilename(), /\.tar\.gz$/);
    });
    await ada.fits_the_screen();
  });

  test(`a passkey is added, and everything is erased, on ${place}`, async (t) => {
    const browser = await open_browser(t);
    const box = await Box.start(t);
    const owner = await box.customer("ada@example.org");
    const ada = await Person.at(browser, { ...box, web: box.web.replace("127.0.0.1", "localhost") }, { viewport });
    ada.expected = ["status of 401"]; // before the second factor
    t.after(() => ada.check());
    await counting(ada);
    const more = drawer(viewport);
    const devtools = await ada.context.newCDPSession(ada.page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: { protocol: "ctap2", transport: "internal", hasUserVerification: true, isUserVerified: true },
    });
    await ada.enter("ada@example.org");
    await ada.job("a passkey", 5 + more, async () => {
      await ada.own_page("Account");
      await ada.button("Add a passkey").click();
      await ada.label("Name").fill("phone");
      await ada.label("Current password").fill(PASSWORD);
      await ada.button("Continue").click();
      await ada.button("I have kept them").click();
      await ada.button("Rename phone").waitFor();
    });
    await ada.fits_the_screen();
    await ada.job("the erasure", 3, async () => {
      await ada.button("Erase my account").click();
      await ada.label("Current password").fill(PASSWORD);
      await ada.button("Erase permanently").click();
      await ada.button("Use a passkey").click();
      await ada.text("Your account and all that was yours have been erased.").waitFor();
    });
    assert.equal((await owner.call("GET", "/api/settings")).status, 401);
    await ada.fits_the_screen();
  });

  test(`a session that is ended elsewhere leads back to where one was, with the draft, on ${place}`, async (t) => {
    const browser = await open_browser(t);
    const box = await Box.start(t);
    const owner = await box.customer("ada@example.org");
    const id = await box.running_agent(owner);
    const ada = await Person.at(browser, box, { viewport });
    ada.expected = ["status of 401"];
    t.after(() => ada.check());
    await counting(ada);
    await ada.enter("ada@example.org");
    await ada.page.goto(`/agents/${id}`);
    await ada.sees_status("running");
    const draft = ada.page.getByRole("textbox", { name: "Message to Scout" });
    await draft.fill("half a thought");
    await owner.call("DELETE", "/api/auth/sessions");
    await ada.heading("Sign in").waitFor();
    await ada.job("back again", 0, async () => {
      await ada.label("E-mail").fill("ada@example.org");
      await ada.label("Password").fill(PASSWORD);
      await ada.page.keyboard.press("Enter");
      await ada.sees_status("running");
    });
    assert.equal(new URL(ada.page.url()).pathname, `/agents/${id}`);
    await until("the draft is back", async () => (await draft.inputValue()) === "half a thought");
  });
}
