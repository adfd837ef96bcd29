// The console in a real browser: what people see, from the first sign-in to the last sign-out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, PASSWORD, send } from "./box.mjs";
import { open_browser, Person } from "./console_browser.mjs";

// A box with a customer, and the customer at a browser.
const story_of = async (t, { env = {}, viewport } = {}) => {
  const box = await Box.start(t, env);
  const browser = await open_browser(t);
  await box.customer("ada@example.org");
  const ada = await Person.at(browser, box, { viewport });
  t.after(() => ada.check());
  return { box, browser, ada };
};

test("someone signs in, provisions an agent, talks to it, stops and starts it, deletes it, and leaves", async (t) => {
  const { ada } = await story_of(t);
  ada.expected = ["status of 401"];
  await ada.page.goto("/");
  await ada.link("Sign in").first().click();
  await ada.label("E-mail").fill("ada@example.org");
  await ada.label("Password").fill("not her password");
  await ada.button("Sign in").click();
  assert.match(await ada.alert.innerText(), /^[A-Z].*\.$/);
  assert.equal(await ada.label("E-mail").inputValue(), "ada@example.org", "nothing has to be typed again");

  await ada.label("Password").fill(PASSWORD);
  await ada.button("Sign in").click();
  await ada.heading("Your first agent").waitFor();
  assert.equal(await ada.text("No agents yet.").count(), 1);
  assert.equal(new URL(ada.page.url()).pathname, "/dashboard");

  await ada.create_agent("Scout");
  await ada.sees_status("running");
  await ada.say("remember that the demo is on Friday");
  await ada.log.getByText("I will remember: the demo is on Friday").waitFor();
  const said = await ada.said();
  assert.deepEqual(said.map(([who]) => who), ["You", "Scout"]);
  await ada.page.reload();
  await ada.log.getByText("I will remember").waitFor();
  assert.deepEqual(await ada.said(), said, "the history is there after a reload");

  await ada.button("Stop").click();
  await ada.sees_status("stopped");
  assert.ok(await ada.button("Send").isDisabled());
  await ada.button("Start").click();
  await ada.sees_status("running");
  await ada.say("what do you remember?");
  await ada.log.getByText(/the demo is on Friday/).nth(2).waitFor();

  await ada.button("Delete").click();
  await ada.dialog.getByRole("heading", { name: "Delete Scout?" }).waitFor();
  await ada.button("Keep it").click();
  await ada.dialog.waitFor({ state: "detached" });
  await ada.button("Delete").click();
  await ada.button("Delete for good").click();
  await ada.heading("Your first agent").waitFor();

  await ada.button("Sign out").click();
  await ada.link("Sign in").first().waitFor();
  await ada.page.goto("/dashboard");
  await ada.page.waitForURL("**/login");
});

test("a page that the browser kept is asked for again, and shown as it was", async (t) => {
  const { box, ada } = await story_of(t);
  const fresh = await send(box.web, "GET", "/");
  const kept = await send(box.web, "GET", "/", { headers: { "if-none-match": fresh.headers.etag } });
  assert.deepEqual([kept.status, kept.text], [304, ""]);
  for (const name of ["content-type", "content-security-policy", "cache-control", "etag"])
    assert.equal(kept.headers[name], fresh.headers[name], name);

  for (const page of ["/", "/login", "/"]) {
    await ada.page.goto(page);
    await ada.heading(page === "/" ? "Agents that live on this box" : "Sign in").waitFor();
  }
});
