// The console in a real browser: what people see, from the first sign-in to the last sign-out.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { Box, PASSWORD, send, until } from "../support/box.mjs";
import { DESKTOP, open_browser, Person, PHONE } from "./browser.mjs";
import { fail, hang, ModelServer, say } from "../peers/model_server.mjs";
import { free_ports } from "../support/ports.mjs";

// A box with a customer, and the customer at a browser.
const story_of = async (t, { env = {}, viewport } = {}) => {
  const browser = await open_browser(t); // closed before the box goes: an open page would miss it, rightly
  const box = await Box.start(t, env);
  const owner = await box.customer("ada@example.org");
  const ada = await Person.at(browser, box, { viewport });
  t.after(() => ada.check());
  return { box, browser, owner, ada };
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
  assert.equal(new URL(ada.page.url()).pathname, "/dashboard");

  await ada.create_agent("Scout");
  await ada.sees_status("running");
  await ada.say("remember that the demo is on Friday");
  await ada.log.getByText("I will remember: the demo is on Friday").waitFor();
  const said = await ada.said();
  assert.deepEqual(
    said.map(([who]) => who),
    ["You", "Scout"],
  );
  await ada.page.reload();
  await ada.log.getByText("I will remember").waitFor();
  assert.deepEqual(await ada.said(), said, "the history is there after a reload");

  await ada.stop_agent();
  await ada.sees_status("stopped");
  assert.ok(await ada.button("Send").isDisabled());
  await ada.button("Start the agent").click();
  await ada.sees_status("running");
  await ada.say("what do you remember?");
  await ada.log
    .getByText(/the demo is on Friday/)
    .nth(2)
    .waitFor();

  await ada.opens("Settings");
  await ada.button("Show token").click();
  const shown = ada.page.locator(".code-block pre");
  const token = await shown.textContent();
  assert.match(token, /^[0-9a-f]{32}$/);
  await ada.button("Replace token").click();
  await ada.dialog.getByRole("heading", { name: "Replace the access token?" }).waitFor();
  await ada.button("Replace it").click();
  await ada.dialog.waitFor({ state: "detached" });
  await until("another token", async () => (await shown.textContent()) !== token);
  await ada.sees_status("running");

  await ada.button("Delete this agent").click();
  await ada.dialog.getByRole("heading", { name: "Delete Scout?" }).waitFor();
  await ada.button("Delete permanently").click();
  assert.equal(await ada.dialog.count(), 1, "not without its name");
  await ada.button("Cancel").click();
  await ada.dialog.waitFor({ state: "detached" });
  await ada.button("Delete this agent").click();
  await ada.dialog.getByLabel("Name").fill("Scout");
  await ada.button("Delete permanently").click();
  await ada.heading("Your first agent").waitFor();

  await ada.sign_out();
  await ada.link("Sign in").first().waitFor();
  await ada.page.goto("/dashboard");
  await ada.page.waitForURL("**/login");
});

test("a list that was asked for before an agent was deleted does not bring it back", async (t) => {
  const { owner, ada } = await story_of(t);
  ada.expected = ["status of 404"]; // of a request about the agent that was on its way
  let let_go, was_held, is_done;
  const gate = new Promise((resolve) => (let_go = resolve)),
    done = new Promise((resolve) => (is_done = resolve));
  const held = new Promise((resolve) => (was_held = resolve));
  await ada.enter("ada@example.org");
  await ada.create_agent("Scout");
  await ada.sees_status("running");
  await ada.opens("Settings");
  await ada.button("Delete this agent").click();
  await ada.dialog.getByLabel("Name").fill("Scout");
  await ada.page.route(
    "**/api/agents",
    async (route) => {
      const { agents } = await (await route.fetch()).json();
      was_held();
      await gate;
      // The page may have given it up.
      await route.fulfill({ json: { agents: agents.map((agent) => ({ ...agent, status: "deleting" })) } }).catch(() => undefined);
      is_done();
    },
    { times: 1 },
  );
  const id = new URL(ada.page.url()).pathname.split("/")[2];
  await owner.call("POST", `/api/instance/${id}/stop`); // an event, so the page looks at once
  await held;
  await ada.button("Delete permanently").click();
  await ada.heading("Your first agent").waitFor();
  let_go();
  await done;
  await ada.page.evaluate(async () => (await fetch("/api/auth/session")).json()); // a later answer has arrived
  assert.equal(await ada.page.locator(".cards.agents li").count(), 0);
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

test("everything can be done with the keyboard alone", async (t) => {
  const { ada } = await story_of(t);
  const { keyboard } = ada.page;
  await ada.page.goto("/");
  await ada.heading("Agents that live on this box").waitFor();
  await ada.tab_to("Skip to the content");
  await ada.tab_to("Sign in");
  await keyboard.press("Enter");
  await ada.heading("Sign in").waitFor();
  await ada.tab_to("E-mail");
  await keyboard.type("ada@example.org");
  await ada.tab_to("Password");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");

  await ada.heading("Your first agent").waitFor();
  await ada.tab_to("New agent");
  await keyboard.press("Enter");
  await ada.dialog.waitFor();
  await ada.tab_to("Name");
  await keyboard.press("Escape");
  await ada.dialog.waitFor({ state: "detached" });
  await ada.tab_to("New agent");
  await keyboard.press("Enter");
  await ada.tab_to("Name");
  await keyboard.type("Scout");
  await keyboard.press("Enter");
  await ada.sees_status("running");

  await ada.tab_to("Message to Scout");
  await keyboard.type("remember that");
  await keyboard.press("Shift+Enter");
  await keyboard.type("keys are enough");
  await keyboard.press("Enter");
  await ada.log.getByText(/I will remember/).waitFor();
  assert.equal((await ada.said())[0][1], "remember that\nkeys are enough");

  await ada.tab_to("Settings");
  await keyboard.press("Enter");
  await ada.heading("Configuration").waitFor();
  await ada.tab_to("Delete this agent");
  await keyboard.press("Enter");
  await ada.tab_to("Name");
  await keyboard.type("Scout");
  await keyboard.press("Enter");
  await ada.heading("Your first agent").waitFor();
  await ada.tab_to("Your account: ada@example.org");
  await keyboard.press("Enter");
  await ada.tab_to("Sign out");
  await keyboard.press("Enter");
  await ada.link("Create an account").waitFor();
});

test("an unreachable box is reported in a sentence, no input is lost, and the page recovers by itself", async (t) => {
  const { box, ada } = await story_of(t);
  ada.expected = ["net::ERR_", "when fetching the script"]; // refused, or reset on its way; the worker looks for a newer one
  await ada.enter("ada@example.org");
  await ada.create_agent("Scout");
  await ada.sees_status("running");

  await box.end("SIGKILL");
  await ada.say("Are you there?");
  await ada.alert.getByText("The box cannot be reached. Trying again.").waitFor();
  await ada.alert.getByText("The box cannot be reached.", { exact: true }).waitFor();
  assert.equal(await ada.page.getByRole("textbox").inputValue(), "Are you there?");

  await box.serve();
  await ada.alert.first().waitFor({ state: "detached" });
  await ada.sees_status("running");
  await ada.button("Send").click();
  await ada.log.getByText("I am builtin").waitFor();
  assert.equal(await ada.alert.count(), 0);
});

test("a question that fails says why, and one that was asked elsewhere gets its answer", async (t) => {
  const model = await ModelServer.start(t);
  const { owner, ada } = await story_of(t, { env: { LOCAL_MODEL_URL: model.url } });
  t.after(() => model.check());
  ada.expected = ["status of 502"];
  await ada.enter("ada@example.org");
  await ada.create_agent("Scout");
  await ada.sees_status("running");

  model.will(fail(500, "out of memory"));
  await ada.say("How are you?");
  const cause = /^The agent did not answer: .*out of memory\.$/;
  await ada.log.getByText(cause).waitFor();
  assert.equal(await ada.text(cause).count(), 1, "once is enough");
  assert.equal(await ada.page.getByRole("textbox").inputValue(), "", "the question stands there with a button to send it again");
  await ada.button("Send the question again").waitFor();

  model.will(hang());
  const agentId = new URL(ada.page.url()).pathname.split("/")[2];
  const answered = owner.call("POST", "/api/chat", { agentId, message: "Are you well?" });
  await until("the model asked", () => model.asked.length === 2);
  await ada.page.reload();
  await ada.log.getByText("Are you well?").waitFor();
  await ada.text("Scout is working").waitFor();
  model.answer_hanging(say("Well again."));
  await ada.log.getByText("Well again.").waitFor();
  assert.equal((await answered).status, 200);
  await ada.text("Scout is working").waitFor({ state: "detached" }); // the words arrive before the turn has ended
});

test("an agent that cannot start says why, also later, and starts once it can", async (t) => {
  const port = await free_ports(1),
    squatter = createServer();
  t.after(() => squatter.close());
  const { ada } = await story_of(t, { env: { AGENT_PORT_RANGE: `${port}-${port}` } });
  ada.expected = ["status of 503"];
  await ada.enter("ada@example.org");
  await ada.create_agent("Scout");
  await ada.sees_status("running");
  await ada.stop_agent();
  await ada.sees_status("stopped");

  squatter.listen(port, "127.0.0.1");
  await once(squatter, "listening");
  await ada.button("Start the agent").click();
  await ada.sees_status("error");
  for (const look of ["at once", "after a reload"]) {
    await ada.alert.getByText("Every port of AGENT_PORT_RANGE is taken").waitFor();
    assert.equal(await ada.alert.count(), 1, look);
    await ada.page.reload();
  }

  squatter.close();
  await once(squatter, "close");
  await ada.button("Start the agent").click();
  await ada.sees_status("running");
  assert.equal(await ada.alert.count(), 0);
});

test("texts of users and agents are shown as text", async (t) => {
  const model = await ModelServer.start(t);
  const { ada } = await story_of(t, { env: { LOCAL_MODEL_URL: model.url } });
  t.after(() => model.check());
  const evil = (who) => `<img src=x onerror="document.title='${who}'"><b>${who}</b></script>&amp;`;
  await ada.enter("ada@example.org");
  await ada.create_agent(evil("name"));
  await ada.sees_status("running");
  model.will(say(evil("agent")));
  await ada.say(evil("person"));
  // Agents write Markdown, in which &amp; is an ampersand.
  const shown = evil("agent").replace("&amp;", "&");
  await ada.log.getByText(shown).waitFor();
  await ada.page.reload();
  await ada.log.getByText(shown).waitFor();
  assert.deepEqual(await ada.said(), [
    ["You", evil("person")],
    [evil("name"), shown],
  ]);
  await ada.opens("Settings");
  await ada.button("Delete this agent").click();
  await ada.heading(`Delete ${evil("name")}?`).waitFor();
  assert.equal(await ada.page.locator("img, b").count(), 0);
  assert.equal(await ada.page.title(), "Settings · agentbox");
});

test("two people on one box do not see one another's agents", async (t) => {
  const { box, browser, ada } = await story_of(t);
  await box.customer("bob@example.org");
  const bob = await Person.at(browser, box);
  t.after(() => bob.check());
  await ada.enter("ada@example.org");
  await ada.create_agent("Ada's Scout");
  await ada.sees_status("running");
  await ada.say("remember that this is between us");
  await ada.log.getByText("I will remember").waitFor();

  await bob.enter("bob@example.org");
  await bob.heading("Your first agent").waitFor();
  const address = new URL(ada.page.url());
  assert.match(address.pathname, /^\/agents\/./);
  await bob.page.goto(address.href);
  await bob.heading("There is no such agent").waitFor();
  assert.doesNotMatch(await bob.page.innerText("body"), /Scout|between us/);

  // The next one at the same browser sees nothing of the one before either.
  await ada.sign_out();
  await ada.link("Create an account").waitFor();
  await ada.enter("bob@example.org");
  await ada.heading("Your first agent").waitFor();
  assert.doesNotMatch(await ada.page.innerText("body"), /Scout|between us/);
});

test("a phone shows all of it, and nothing has to be pushed sideways", async (t) => {
  const { box, browser, ada } = await story_of(t, { viewport: PHONE });
  const newcomer = await Person.at(browser, box, { viewport: PHONE });
  t.after(() => newcomer.check());
  for (const page of ["/", "/login", "/login?new"]) {
    await newcomer.page.goto(page);
    await newcomer.page.getByRole("heading", { level: 1 }).waitFor();
    await newcomer.fits_the_screen();
  }
  await newcomer.label("E-mail").fill("newcomer.with.a.rather.long.name@subdomain.example.org");
  await newcomer.label("Password").fill(PASSWORD);
  await newcomer.button("Create the account").click();
  await newcomer.text("You have no plan yet").waitFor();
  await newcomer.fits_the_screen();

  const long = "Long".repeat(25);
  await ada.enter("ada@example.org");
  await ada.fits_the_screen();
  await ada.button("New agent").click();
  await ada.label("Model").selectOption({ label: "Another model, by its name" });
  await ada.fits_the_screen();
  await ada.button("Cancel").click();
  await ada.create_agent(long);
  await ada.sees_status("running");
  await ada.say(`remember that ${"unbroken".repeat(60)}`);
  await ada.log.getByText("I will remember").waitFor();
  await ada.button("Send").waitFor(); // the answer has ended
  await ada.fits_the_screen();
  for (const name of ["Stop the agent", `More about ${long}`, "Send"]) assert.ok(await ada.button(name).isVisible(), name);
  await ada.page.setViewportSize(DESKTOP);
  await ada.fits_the_screen();
});
