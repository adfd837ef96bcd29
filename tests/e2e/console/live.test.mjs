// The console shows what happens elsewhere: in another tab, at another browser, while the network was cut.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, PASSWORD } from "../support/box.mjs";
import { BusAgent, webhook } from "../support/bus.mjs";
import { open_browser, Person } from "./browser.mjs";

const story_of = async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" }); // webhooks may be on this machine
  const owner = await box.customer("ada@example.org", "network");
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  return { box, owner, ada };
};
const lost = "The box cannot be reached. Trying again.";

test("two tabs show the same agent, its answers and its runs, until it is deleted elsewhere", async (t) => {
  const { owner, box, ada } = await story_of(t);
  const id = await box.running_agent(owner);
  await ada.enter("ada@example.org");
  const other = await ada.another_tab(`/agents/${id}`);
  await other.heading("Scout").waitFor();
  await ada.card("Scout").click();
  await ada.say("remember that two tabs agree");
  for (const tab of [ada, other]) await tab.log.getByText(/I will remember/).waitFor();
  const asked = owner.call("POST", "/api/chat", { agentId: id, message: "what do you remember?" });
  for (const tab of [ada, other])
    await tab.log
      .getByText(/two tabs agree/)
      .last()
      .waitFor();
  assert.equal((await asked).status, 200);
  for (const tab of [ada, other]) await tab.log.getByText("what do you remember?").waitFor();

  await other.opens("Schedule");
  await other.heading("No scheduled prompts yet").waitFor(); // what comes now comes by an event
  const task = (
    await owner.call("POST", "/api/scheduled-tasks", { agentId: id, name: "brief", cronSchedule: "0 8 1 1 *", prompt: "hello" })
  ).body;
  await other.page.getByText("brief", { exact: true }).first().waitFor();
  assert.equal((await owner.call("DELETE", "/api/scheduled-tasks", { taskId: task.id })).status, 200);
  await other.page.getByText("brief", { exact: true }).first().waitFor({ state: "detached" });

  await ada.stop_agent();
  for (const tab of [ada, other]) await tab.sees_status("stopped");
  await owner.call("DELETE", `/api/agents/${id}`);
  for (const tab of [ada, other]) await tab.link("Agents").waitFor();
});

test("a cut network is reported, and the page goes on by itself with what it has missed", async (t) => {
  const { owner, box, ada } = await story_of(t);
  ada.expected = ["net::ERR_"];
  const id = await box.running_agent(owner);
  await ada.enter("ada@example.org");
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  await ada.context.setOffline(true);
  await ada.alert.getByText(lost).waitFor();
  await ada.is_accessible();
  await owner.call("POST", `/api/instance/${id}/stop`);
  assert.equal(
    await ada.page.getByRole("main").locator(".panel-head .status", { hasText: "running" }).count(),
    1,
    "the page stays as it is",
  );
  await ada.context.setOffline(false);
  await ada.alert.getByText(lost).waitFor({ state: "detached" });
  await ada.sees_status("stopped");
});

test("a session that is ended elsewhere leads to the sign-in, in every tab", async (t) => {
  const { owner, ada } = await story_of(t);
  ada.expected = ["status of 401"]; // of requests that were on their way
  await ada.enter("ada@example.org");
  const other = await ada.another_tab("/usage/limits");
  await other.heading("Limits").waitFor();
  assert.equal((await owner.call("DELETE", "/api/auth/sessions")).status, 200);
  for (const tab of [ada, other]) await tab.heading("Sign in").waitFor();
  await other.label("E-mail").fill("ada@example.org");
  await other.label("Password").fill(PASSWORD);
  await other.button("Sign in").click();
  await other.heading("Limits").waitFor();
  await other.sign_out();
  await other.link("Create an account").waitFor();
});

test("a payment that begins to wait is on the home page and among the payments, until it is decided elsewhere", async (t) => {
  const { owner, box, ada } = await story_of(t);
  const eve = await box.customer("eve@example.org");
  const to = (await eve.call("POST", "/api/wallet", { action: "create" })).body.address;
  await owner.call("POST", "/api/wallet", { action: "create" });
  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: owner.id, amount: "20", reference: "a gift" });
  await owner.call("PUT", "/api/wallet/rules", { approvalAboveUsdc: "5", receivers: [to] });
  await ada.enter("ada@example.org");
  const other = await ada.another_tab("/wallet/transfers");
  await other.heading("No transfers yet").waitFor();
  const { id } = (await owner.call("POST", "/api/wallet/transfer", { to, amount: "7" })).body;
  const asks = ada.page.getByRole("region", { name: "Needs you" }).getByText(/asks to pay 7/);
  await asks.waitFor();
  const approve = other.page.getByRole("button", { name: /^Approve 7/ });
  await approve.waitFor();
  await ada.is_accessible();
  assert.equal((await owner.call("POST", `/api/wallet/transfers/${id}/decline`)).status, 200);
  await approve.waitFor({ state: "detached" });
});

test("a message that cannot be delivered is on the home page and among the dead letters", async (t) => {
  const { owner, box, ada } = await story_of(t);
  const hook = await webhook(t, () => 410);
  const scout = await BusAgent.of(box, owner, "Scout");
  const herald = await BusAgent.of(box, owner, "Herald", { webhookUrl: hook.url });
  await ada.enter("ada@example.org");
  const other = await ada.another_tab("/fleet/dead-letters");
  await other.heading("No undelivered messages").waitFor();
  await scout.sends({ to: herald.id, action: "FIRST" });
  await other.text("FIRST").waitFor();
  await ada.text("1 message could not be delivered").waitFor();
});
