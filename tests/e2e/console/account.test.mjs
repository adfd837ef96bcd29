// The console around one's account: forgotten passwords, what went wrong elsewhere, the app as a second factor, sessions.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Box, PASSWORD } from "../support/box.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";
import { package_named } from "../support/packages.mjs";

const jsqr = package_named("jsqr");
const { PNG } = package_named("pngjs");

const NEW_PASSWORD = "another long password";

const story_of = async (t, { env, viewport } = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, env);
  await box.customer("ada@example.org");
  const ada = await Person.at(browser, box, { viewport });
  t.after(() => ada.check());
  return { box, browser, ada };
};

// What a camera reads in a screenshot (PNG).
const read_qr_code = (screenshot) => {
  const { data, width, height } = PNG.sync.read(screenshot);
  return jsqr(new Uint8ClampedArray(data), width, height)?.data;
};

const code_of = (secret) => {
  const bits = [...secret].map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac("sha1", key).update(counter).digest();
  return String((mac.readUInt32BE(mac[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
};

test("a forgotten password: request a mail, follow its link once, sign in with a new password", async (t) => {
  const { box, ada } = await story_of(t);
  ada.expected = ["status of 400"];
  await ada.page.goto("/login");
  await ada.link("Forgot the password?").click();
  await ada.label("E-mail").fill("ada@example.org");
  await ada.button("Send me a link").click();
  await ada.text("a mail with a link is on its way").waitFor();
  const mail = await box.mail_with("reset");
  const link = new URL(/https?:\/\/\S+reset=\S+/.exec(mail.body)[0]);
  assert.equal(link.pathname, "/login");

  await ada.page.goto(link.pathname + link.search);
  await ada.label("New password").fill("password1");
  await ada.button("Change the password").click();
  await ada.alert.waitFor();
  await ada.label("New password").fill(NEW_PASSWORD);
  await ada.button("Change the password").click();
  await ada.text("Your password is changed").waitFor();
  await ada.link("Sign in").last().click();
  await ada.enter("ada@example.org", NEW_PASSWORD);

  await ada.page.goto(link.pathname + link.search);
  await ada.label("New password").fill(PASSWORD);
  await ada.button("Change the password").click();
  await ada.alert.getByText("invalid or has expired").waitFor();
});

test("errors of a provider's sign-in in the URL become a sentence, and other texts do not", async (t) => {
  const { ada } = await story_of(t);
  const told = new Set();
  const say = async (error) => {
    await ada.page.goto(`/login?error=${encodeURIComponent(error)}`);
    return ada.alert.innerText();
  };
  for (const provider of ["Idp", "Codehost"])
    for (const reason of ["NotConfigured", "AuthFailed", "TokenFailed", "NoEmail", "AuthError"]) {
      const sentence = await say(provider + reason);
      assert.match(sentence, /^[A-Z].*\.$/);
      assert.match(sentence, provider === "Idp" ? /identity provider/ : /code host/);
      told.add(sentence);
    }
  assert.equal(told.size, 10);
  for (const nonsense of ["Idp", "IdptoString", "Idpconstructor", "<img src=x onerror=alert(1)>", "Your account is closed: call 0900-1234"])
    assert.equal(await say(nonsense), "Signing in failed. Please try again.");
});

test("changing address and password takes the password, and the new ones sign in", async (t) => {
  const { ada } = await story_of(t);
  ada.expected = ["status of 401", "status of 400"];
  await ada.enter("ada@example.org");
  await ada.own_page("Account");
  await ada.button("Change the e-mail address").click();
  await ada.label("New e-mail address").fill("lovelace@example.org");
  await ada.label("Current password").fill("not her password");
  await ada.button("Change it").click();
  await ada.alert.getByText("Current password is wrong").waitFor();
  await ada.label("Current password").fill(PASSWORD);
  await ada.button("Change it").click();
  await ada.text("Your e-mail address is changed.").waitFor();

  await ada.button("Change the password").click();
  await ada.label("New password").fill(NEW_PASSWORD);
  await ada.label("Current password").fill(PASSWORD);
  await ada.button("Change it").click();
  await ada.text("Your password is changed").waitFor();
  await ada.sign_out();
  await ada.enter("lovelace@example.org", NEW_PASSWORD);
});

test("an authenticator app is set up, asked for, and removed with a recovery code", async (t) => {
  const { ada } = await story_of(t);
  ada.expected = ["status of 401", "status of 400"];
  await ada.enter("ada@example.org");
  await ada.own_page("Account");
  await ada.button("Set an app up").click();
  await ada.label("Current password").fill("not her password");
  await ada.button("Continue").click();
  await ada.alert.getByText("Current password is wrong").waitFor();
  await ada.label("Current password").fill(PASSWORD);
  await ada.button("Continue").click();
  await ada.heading("Set up authenticator app").waitFor();
  const secret = await ada.dialog.locator("pre").innerText();
  const url = await ada.dialog.getByRole("link").getAttribute("href");
  assert.match(url, new RegExp(`^otpauth://totp/.*secret=${secret}`));
  assert.equal(read_qr_code(await ada.dialog.getByRole("img").screenshot()), url, "a phone's camera sees the very link");
  await ada.label("Code").fill(code_of(secret));
  await ada.button("Turn it on").click();
  await ada.heading("Your recovery codes").waitFor();
  const codes = (await ada.dialog.locator("pre").innerText()).split("\n");
  await ada.button("I have kept them").click();
  await ada.sign_out();

  await ada.sign_in("ada@example.org");
  await ada.label("Code").fill(codes[0]);
  await ada.button("Continue").click();
  await ada.heading("Home").waitFor();
  await ada.own_page("Account");
  await ada.text("9 are left.").waitFor();
  await ada.button("Remove the app").click();
  await ada.button("Remove").click();
  await ada.label("Code").fill(codes[1]);
  await ada.button("Continue").click();
  await ada.button("Set an app up").waitFor();
  await ada.sign_out();
  await ada.enter("ada@example.org");
});

test("one sees where one is signed in, and ends it there", async (t) => {
  const { box, ada } = await story_of(t, { viewport: PHONE });
  const elsewhere = [box.person(), box.person()];
  for (const person of elsewhere) await person.log_in("ada@example.org", PASSWORD);
  const are_signed_in = () =>
    Promise.all(elsewhere.map(async (person) => (await person.call("GET", "/api/auth/session")).body.user !== null));
  await ada.enter("ada@example.org");
  await ada.own_page("Account");
  const rows = ada.page.getByRole("list", { name: "Where you are signed in" }).getByRole("listitem");
  await rows.nth(3).waitFor();
  await ada.fits_the_screen();
  assert.equal(await rows.filter({ hasText: "This browser" }).count(), 1);
  await ada.button("End").first().click();
  await rows.nth(3).waitFor({ state: "detached" });
  assert.equal((await are_signed_in()).filter(Boolean).length, 1);
  await ada.button("Sign out everywhere else").click();
  await rows.nth(1).waitFor({ state: "detached" });
  assert.deepEqual(await are_signed_in(), [false, false]);
  await ada.page.reload();
  await ada.heading("Account").waitFor();
});

test("everything is downloaded, and the account erased with its password", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  ada.expected = ["status of 400"];
  await ada.enter("ada@example.org");
  await ada.own_page("Account");
  const [download] = await Promise.all([ada.page.waitForEvent("download"), ada.link("Download everything").click()]);
  assert.match(download.suggestedFilename(), /\.tar\.gz$/);
  await ada.button("Erase my account").click();
  await ada.is_accessible();
  await ada.label("Current password").fill("not the password");
  await ada.button("Erase permanently").click();
  await ada.dialog.getByRole("alert").waitFor();
  await ada.label("Current password").fill(PASSWORD);
  await ada.button("Erase permanently").click();
  await ada.heading("Agents that live on this box").waitFor();
  assert.equal((await owner.call("GET", "/api/settings")).status, 401);
});
