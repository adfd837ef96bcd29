// The console's pages about the fleet: its graph, traces, costs, bookings, swarms, messages and dead letters.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { BusAgent, backend, webhook } from "../support/bus.mjs";
import { HOSTILE, open_browser, Person, PHONE } from "./browser.mjs";
import { call, fail, hang, MODEL, ModelServer, say } from "../peers/model_server.mjs";

const story_of = async (t, { env = {}, agents = ["Anna"], tier = "enterprise", viewport } = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on", ...env });
  const owner = await box.customer("ada@example.org", "network");
  const ids = [];
  for (const name of agents) ids.push(await box.running_agent(owner, name, tier));
  const ada = await Person.at(browser, box, viewport ? { viewport } : {});
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  return { browser, box, owner, ids, ada };
};

test("the graph shows who is there: by mouse, by keyboard and as a table, and follows what changes", async (t) => {
  const { box, owner, ids, ada } = await story_of(t, { agents: ["Anna", HOSTILE] });
  await until("two souls", async () => (await owner.call("GET", "/api/mission-control/fleet/graph")).body.nodeCount === 3);
  await ada.to_section("Fleet");
  const rows = ada.page.getByRole("row");
  await rows.nth(3).waitFor();
  assert.equal(await ada.page.locator(".soul").count(), 3);
  const places = await ada.page.locator(".soul .body").evaluateAll((all) => all.map((body) => body.getBoundingClientRect().left));
  const gaps = places.sort((a, b) => a - b).map((left, at) => left - (places[at - 1] ?? -Infinity));
  assert.ok(Math.min(...gaps) > 100, `a few stand side by side, and no name lies on another: ${places}`);
  assert.equal(await ada.page.locator(".edge").count(), 2);
  await ada.is_sound();

  // By the table, by the picture, and back by the address.
  await ada.button("Anna").click();
  await ada.heading("Anna").waitFor();
  assert.equal(new URL(ada.page.url()).searchParams.get("soul"), ids[0]);
  await ada.text("% of the busiest").waitFor();
  await ada.is_sound();
  await ada.page.reload();
  await ada.heading("Anna").waitFor();
  await ada.button("Close").click();
  await ada.heading("Anna").waitFor({ state: "detached" });
  await ada.page.locator(".soul", { hasText: "Anna" }).locator(".body").click();
  await ada.heading("Anna").waitFor();

  const picture = ada.page.getByRole("group", { name: "Graph of the fleet" });
  const view = () => picture.locator("svg").getAttribute("viewBox");
  const whole = await view();
  await picture.focus();
  await ada.page.keyboard.press("+");
  const near = await view();
  assert.notEqual(near, whole);
  await ada.page.keyboard.press("ArrowRight");
  assert.notEqual(await view(), near);
  await ada.page.keyboard.press("0");
  assert.equal(await view(), whole);
  await ada.button("Zoom in").click();
  const { x, y, width, height } = await picture.boundingBox();
  const before = await view();
  await ada.page.mouse.move(x + width / 2, y + height / 2);
  await ada.page.mouse.down();
  await ada.page.mouse.move(x + width / 2 - 60, y + height / 2 - 30, { steps: 3 });
  await ada.page.mouse.up();
  assert.notEqual(await view(), before, "dragging moves it");
  await ada.page.keyboard.down("Control");
  await ada.page.mouse.wheel(0, -300);
  await ada.page.keyboard.up("Control");
  await until("the wheel zooms", async () => Number((await view()).split(" ")[2]) < Number(before.split(" ")[2]));

  // Search and filter are in the address.
  await ada.label("Search").fill("anna");
  await until("one row", async () => (await rows.count()) === 2);
  assert.equal(new URL(ada.page.url()).searchParams.get("q"), "anna");
  await ada.label("State").selectOption({ label: "not answering" });
  await ada.heading("Nothing matches").waitFor();
  await ada.button("Show everything").click();

  // An agent that stops leaves the picture, without a reload.
  await box.backend_call("DELETE", `/api/agents/${ids[0]}`);
  await until("Anna is gone", async () => (await ada.page.locator(".soul").count()) === 2);
});

test("a fleet without agents says what to do", async (t) => {
  const { ada } = await story_of(t, { agents: [], viewport: PHONE });
  await ada.page.goto("/fleet");
  await ada.heading("No agent is reachable").waitFor();
  await ada.is_sound();
  for (const [path, heading] of [
    ["traces", "No traces yet"],
    ["costs", "No costs"],
    ["bookings", "No bookings yet"],
    ["swarms", "No swarms yet"],
    ["dead-letters", "No undelivered messages"],
  ]) {
    await ada.page.goto(`/fleet/${path}`);
    await ada.heading(heading).waitFor();
    await ada.is_sound();
  }
  await ada.page.goto("/fleet/messages");
  await ada.heading("You have no agents yet.").waitFor();
});

test("what an agent did is a trace with its spans, and what it cost is in the costs", async (t) => {
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const env = { OPENROUTER_BASE_URL: model.url, OPENROUTER_API_KEY: "sk-or-story", OPENROUTER_MODEL: MODEL };
  const { box, owner, ada } = await story_of(t, { env, agents: [] });
  const made = await owner.call("POST", "/api/agents/provision", { name: "Anna", tier: "starter", model: MODEL });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body.agent;
  await box.until_status(owner, id, "running");
  model.will(call(["remember", { text: HOSTILE }]), say("Noted.", [2_000, 500]));
  const answer = await owner.call("POST", "/api/chat", { agentId: id, message: `Remember ${HOSTILE}` });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  await until("a trace", async () => (await owner.call("GET", "/api/traces?type=plan")).body.traces.length === 1);

  await ada.page.goto("/fleet/traces");
  await ada.label("Kind").selectOption({ label: "turn" });
  await ada.label("Agent").selectOption({ label: "Anna" });
  const { searchParams } = new URL(ada.page.url());
  assert.deepEqual([searchParams.get("type"), searchParams.get("agent")], ["plan", id]);
  await until("one trace", async () => (await ada.page.getByRole("row").count()) === 2);
  await ada.is_sound();
  await ada.label("Outcome").selectOption({ label: "With errors" });
  await ada.heading("Nothing matches").waitFor();
  await ada.button("Show everything").click();
  await ada.label("Kind").selectOption({ label: "turn" });
  await until("one trace again", async () => (await ada.page.getByRole("row").count()) === 2);
  await ada.page.getByRole("row").nth(1).getByRole("link").click();
  await ada.page.waitForURL("**/fleet/traces/*");
  const spans = ada.page.getByRole("row");
  await until("its spans", async () => (await spans.count()) === 5); // the head, a turn, two model calls, a tool call
  await spans.filter({ hasText: "tool call" }).locator("summary").click();
  await ada.is_sound();
  await ada.link("Traces").last().click();

  await ada.link("Costs").click();
  await ada.page
    .getByRole("row", { name: /Anna/ })
    .getByText(/US\$0\.00/)
    .waitFor();
  await ada.is_sound();
});

test("a swarm is started, followed to its end without a reload, and deleted", async (t) => {
  const { ada } = await story_of(t, { agents: ["Anna", "Ben"] });
  await ada.page.goto("/fleet/swarms");
  await ada.button("New swarm").click();
  await ada.label("Goal").fill(`List your files. ${HOSTILE}`);
  await ada.label("Anna").check();
  ada.expected = ["status of 400"];
  await ada.button("Start the swarm").click();
  await ada.alert.getByText(/agents/i).waitFor();
  await ada.label("Ben").check();
  await ada.is_accessible();
  await ada.button("Start the swarm").click();
  await ada.page.waitForURL("**/fleet/swarms/*");
  await ada.heading("Result").waitFor();
  await ada.page.locator(".status", { hasText: "done" }).first().waitFor();
  await ada.text("2 of 2 tasks finished").count();
  await ada.is_sound();
  await ada.link("Swarms").last().click();
  await ada.text("2 tasks").waitFor();
  await ada.is_sound();
  await ada.page.locator(".rows a").first().click();
  await ada.button("Delete").click();
  await ada.dialog.getByRole("button", { name: "Delete" }).click();
  await ada.heading("No swarms yet").waitFor();
});

test("a swarm at work is stopped", async (t) => {
  const model = await ModelServer.start(t);
  const { ada } = await story_of(t, { env: { LOCAL_MODEL_URL: model.url }, agents: ["Anna", "Ben"] });
  model.will(fail(500, "no plan"), ...Array.from({ length: 8 }, hang));
  await ada.page.goto("/fleet/swarms");
  await ada.button("New swarm").click();
  await ada.label("Goal").fill("Wait for ever");
  await ada.label("Anna").check();
  await ada.label("Ben").check();
  await ada.button("Start the swarm").click();
  await ada.button("Stop").click();
  await ada.page.locator(".status", { hasText: "stopped" }).first().waitFor();
  await ada.button("Delete").waitFor();
});

test("keys are made and revoked, messages are read, and dead letters are sent again or dropped", async (t) => {
  let status = 410;
  const hook = await webhook(t, () => status);
  const { box, owner, ada } = await story_of(t, { agents: [] });
  const scout = await BusAgent.of(box, owner, "Scout");
  const herald = await BusAgent.of(box, owner, HOSTILE, { webhookUrl: hook.url });
  await scout.sends({ to: herald.id, action: "FIRST", payload: { text: HOSTILE } });
  await scout.sends({ to: herald.id, action: "SECOND" });
  await until("two dead letters", async () => (await owner.call("GET", "/api/underground/dead-letters")).body.count === 2);

  await ada.page.goto("/dashboard");
  await ada.link("2 messages could not be delivered").click();
  await ada.button("Deliver again: FIRST").waitFor();
  await ada.is_sound();
  status = 200;
  await ada.button("Deliver again: FIRST").click();
  await until("it arrives", () => hook.accepted().length === 1);
  await ada.in_menu("More about SECOND", "Drop");
  await ada.dialog.getByRole("button", { name: "Drop" }).click();
  await ada.heading("No undelivered messages").waitFor();

  await ada.link(/^Messages$/).click();
  await ada.label("Agent").selectOption(herald.id);
  await ada.text("FIRST").waitFor();
  await ada.page.locator("summary", { hasText: "Content" }).first().click();
  await ada.is_sound();
  await ada.label("Agent").selectOption(scout.id);
  await ada.heading("No messages").waitFor();
  await ada.button("New key").click();
  ada.expected = ["status of 400"];
  await ada.label("Public key (base64url)").fill("not a key");
  await ada.button("Add the key").click();
  await ada.alert.getByText(/^Public key \(base64url\) /).waitFor();
  await ada.label("Kind").selectOption({ label: "Shared secret (HMAC)" });
  await ada.button("Add the key").click();
  await ada.heading("The new secret").waitFor();
  const secret = await ada.dialog.locator("pre").innerText();
  await ada.is_accessible();
  await ada.button("I have kept it").click();
  assert.ok(!(await ada.page.innerText("body")).includes(secret), "it is shown once");
  const revoke = ada.page.getByRole("button", { name: /^Revoke / });
  await until("two keys", async () => (await revoke.count()) === 2);
  await ada.is_sound();
  await ada.button(`Revoke ${scout.key_id}`).click();
  await ada.dialog.getByRole("button", { name: "Revoke" }).click();
  await until("one key", async () => (await revoke.count()) === 1);
  const refused = await backend(box, "POST", "/api/underground/bus/send", scout.signed({ to: herald.id, action: "THIRD" }), {});
  assert.equal(refused.status, 401);
});

test("a booking is followed from its request to the seller's money", async (t) => {
  const { box, owner, ada } = await story_of(t, { agents: [] });
  const seller = await BusAgent.of(box, owner, "Box office"),
    buyer = await BusAgent.of(box, owner, "Concierge");
  const event = await backend(box, "POST", "/api/underground/events", {
    agentId: seller.id,
    name: HOSTILE,
    description: "Two pianos",
    venue: "Town hall",
    eventDate: new Date(Date.now() + 864e5).toISOString(),
    ticketPriceUsdc: "2.50",
    totalTickets: 10,
  });
  const { booking } = await buyer.sends({ to: seller.id, action: "BOOKING_REQUEST", payload: { eventId: event.body.id, tickets: 2 } });
  await seller.sends({ action: "BOOKING_ACCEPT", payload: { bookingId: booking.id } });
  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: owner.id, agentId: buyer.id, amount: "20", reference: "gift" });

  await ada.page.goto("/fleet/bookings");
  await ada.text("not paid").waitFor();
  await ada.is_sound();
  await ada.page.getByRole("button", { name: /^Hold the price of / }).click();
  await ada.dialog.getByRole("button", { name: "Hold the price" }).click();
  await ada.text("held in escrow").waitFor();
  await seller.sends({ action: "BOOKING_CONFIRM", payload: { bookingId: booking.id } });
  await ada.button("Reload").click();
  await ada.page.getByRole("button", { name: /^Pay the seller of / }).click();
  await ada.dialog.getByRole("button", { name: "Pay the seller" }).click();
  await ada.text("paid to the seller").waitFor();
  await ada.label("State").selectOption({ label: "requested" });
  await ada.heading("Nothing matches").waitFor();
  const { balance } = (await owner.call("GET", `/api/wallet/agents/${seller.id}`)).body;
  assert.equal(Number(balance), 5);
});

test("every section is reached from the sidebar, by keyboard too, on a phone and by the palette", async (t) => {
  const { ada } = await story_of(t, { agents: [] });
  const { keyboard } = ada.page;
  await ada.page.goto("/dashboard");
  await ada.heading("Home").waitFor();
  await ada.tab_to("Skills");
  await ada.tab_to("Wallet");
  const self = (await ada.page.locator(".self").innerText()).trim();
  await ada.tab_to(self);
  await keyboard.press("Enter");
  await ada.tab_to("API keys");
  await keyboard.press("Escape");
  await ada.page.locator(".self:focus").waitFor();
  await keyboard.press("Enter");
  await ada.tab_to("API keys");
  await keyboard.press("Enter");
  await ada.page.waitForURL("**/usage/keys");
  await ada.page.reload();
  await ada.heading("Keys and providers").waitFor();
  await ada.tab_to("Skills");
  await keyboard.press("Enter");
  await ada.page.waitForURL("**/skills");
  await ada.page.setViewportSize(PHONE);
  const crumbs = ada.page.getByRole("navigation", { name: "Breadcrumbs" });
  assert.equal(await crumbs.locator("[aria-current]").innerText(), "Skills");
  await ada.button("Menu").click();
  await ada.page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Media" }).waitFor();
  await ada.is_accessible();
  await ada.fits_the_screen();
  await keyboard.press("Escape");
  await ada.page.locator(".sidebar").waitFor({ state: "hidden" });
  await ada.to_section("Media");
  await ada.page.waitForURL("**/media/videos");
  await ada.page.locator(".sidebar").waitFor({ state: "hidden" });
  for (const [words, path] of [
    ["undeliv", "/fleet/dead-letters"],
    ["spending", "/wallet/rules"],
    ["statem", "/usage/statements"],
    ["videos", "/media/videos"],
    ["feeds", "/feeds"],
  ]) {
    await ada.page.keyboard.press("Control+k");
    const search = ada.dialog.getByRole("combobox");
    await search.fill(words);
    await search.press("Enter");
    await ada.page.waitForURL(`**${path}`);
  }
});
