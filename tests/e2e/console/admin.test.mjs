// What administrators do in the console: users, agents of all users, models, requests, invitations, mail, backups,
// settings, keys, metrics, the audit log.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, send, until } from "../support/box.mjs";
import { HOSTILE, open_browser, Person, PHONE } from "./browser.mjs";
import { RouterServer } from "../peers/router_server.mjs";

const story_of = async (t, { env = {}, ...options } = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, env);
  const admin = await Person.at(browser, box, options);
  t.after(() => admin.check());
  const signed_in = async () => {
    await admin.enter(ADMIN.email, ADMIN.password);
    return admin;
  };
  const opens = (page) => admin.page.goto(page ? `/admin/${page}` : "/admin");
  return { box, browser, admin, signed_in, opens };
};

test("every page of administrators is accessible, fits a phone, and shows hostile names as text", async (t) => {
  const { box, admin, signed_in, opens } = await story_of(t);
  const ada = await box.customer("ada@example.org");
  await ada.call("PATCH", "/api/settings", { name: HOSTILE });
  await box.running_agent(ada, HOSTILE);
  await ada.call("POST", "/api/subscriptions/request", { plan: "network", note: HOSTILE });
  await box.backend_call("POST", "/api/invite/generate", { note: HOSTILE });
  await box.backend_call("POST", "/api/admin/groups", { name: HOSTILE, claim: HOSTILE.slice(0, 60), models: ["local"] });
  await box.backend_call("POST", "/api/admin/operator-keys", { name: "monitoring", scopes: ["read-only"] });
  await box.backend_call("POST", "/api/admin/credits", { userId: ada.id, usd: "5.00", reason: HOSTILE });
  await signed_in();
  for (const page of [
    "",
    "users",
    `users?user=${ada.id}`,
    "requests",
    "invitations",
    "groups",
    "outbox",
    "agents",
    "models",
    "plans",
    "settings",
    "metrics",
    "backups",
    "keys",
    "git",
    "audit",
    "events",
  ]) {
    await opens(page);
    await admin.page.getByRole("heading", { level: 1 }).first().waitFor();
    await admin.is_sound();
  }
  // The way to the other pages is a drawer on a phone.
  await admin.page.setViewportSize(PHONE);
  await admin.button("Menu").click();
  await admin.is_accessible();
  await admin.page.locator(".sidebar").getByRole("link", { name: "Users", exact: true }).click();
  await admin.heading("Users").waitFor();
});

test("a user is found, given a plan, disabled and enabled, and signed out", async (t) => {
  const { box, admin, signed_in } = await story_of(t);
  const ada = await box.customer("ada@example.org", "solo");
  await box.customer("bob@example.org");
  await signed_in();
  await admin.to_section("Administration");
  await admin.heading("Overview").waitFor();
  await admin.to_section("Users");
  const heads = admin.page.getByRole("columnheader", { name: "E-mail" });
  await admin.button("E-mail").click();
  assert.equal(await heads.getAttribute("aria-sort"), "ascending");
  assert.match(await admin.page.locator("tbody tr").first().innerText(), /^ada@|^admin@/);
  await admin.button("E-mail").click();
  assert.equal(await heads.getAttribute("aria-sort"), "descending");
  assert.match(await admin.page.locator("tbody tr").first().innerText(), /^bob@|^mara@/);
  await admin.label("Search").fill("ada@");
  await until("one user", async () => (await admin.page.locator("tbody tr").count()) === 1);
  await admin.link("ada@example.org").click();
  await admin.heading("ada@example.org").waitFor();
  await admin.label("Plan").selectOption("network");
  await admin.button("Save").click();
  await admin.text("Saved.").waitFor();
  assert.equal((await ada.call("GET", "/api/settings")).body.plan, "network");

  await admin.button("End all sessions").click();
  await admin.dialog.getByRole("button", { name: "End", exact: true }).click();
  await admin.text("Not signed in anywhere.").waitFor();
  assert.equal((await ada.call("GET", "/api/settings")).status, 401);

  await admin.button("Disable").click();
  await admin.is_accessible();
  await admin.dialog.getByRole("button", { name: "Disable" }).click();
  await admin.text("disabled").first().waitFor();
  assert.equal((await ada.log_in("ada@example.org", "a customer's long password")).status, 401);
  await admin.button("Enable").click();
  await admin.dialog.getByRole("button", { name: "Enable" }).click();
  await admin.button("Disable").waitFor();
  assert.equal((await ada.log_in("ada@example.org", "a customer's long password")).status, 200);

  await admin.label("US dollars").fill("12.50");
  await admin.label("Reason").fill("a gift");
  await admin.button("Adjust credits").click();
  await admin.page.getByRole("cell", { name: "a gift" }).waitFor();

  await admin.page.goto("/admin/users");
  await admin.button("New user").click();
  await admin.label("E-mail").fill("eve@example.org");
  await admin.dialog.getByLabel("Plan").selectOption("label");
  await admin.button("Create").click();
  await admin.link("eve@example.org").waitFor();
});

test("users and plans are limited, a user's data is taken, balances are checked, and an agent goes through a file", async (t) => {
  const { box, admin, signed_in, opens } = await story_of(t);
  const ada = await box.customer("ada@example.org", "solo");
  await box.running_agent(ada, "Scout");
  await signed_in();
  admin.expected = ["status of 400"]; // a file that has no absolute path
  await opens(`users?user=${ada.id}`);
  await admin.button("New limit").click();
  await admin.label("US dollars").first().fill("20");
  await admin.is_accessible();
  await admin.button("Save").last().click();
  await admin.heading("All calls, per month").waitFor();
  const [cap] = (await ada.call("GET", "/api/caps")).body.caps.filter(({ scope }) => scope === "user");
  assert.deepEqual([cap.usd, cap.byAdmin], ["20.00", true]);
  await admin.in_menu("More about All calls, per month", "Remove");
  await admin.dialog.getByRole("button", { name: "Remove" }).click();
  await admin.heading("All calls, per month").waitFor({ state: "detached" });

  await admin.button("Check all balances").click();
  await admin.text("All balances are the sums of their entries.").waitFor();
  const downloading = admin.page.waitForEvent("download");
  await admin.button("Download the user's data").click();
  const archive = readFileSync(await (await downloading).path());
  assert.deepEqual([archive[0], archive[1]], [0x1f, 0x8b], "a gzip file");

  await opens("plans");
  await admin.button("New limit of the plan solo").click();
  const solo = admin.page.getByRole("region", { name: "solo" });
  await solo.getByLabel("Period").selectOption("day");
  await solo.getByLabel("Tokens", { exact: true }).fill("1000");
  await admin.is_accessible();
  await solo.getByRole("button", { name: "Save" }).last().click();
  await admin.heading("All calls of a user, per day").waitFor();
  const of_plan = (await ada.call("GET", "/api/caps")).body.caps.filter(({ scope }) => scope === "plan");
  assert.deepEqual(
    of_plan.map(({ tokens, period }) => [tokens, period]),
    [[1000, "day"]],
  );

  const file = join(tmpdir(), `agentbox-scout-${process.pid}.tar.zst`);
  t.after(() => rmSync(file, { force: true }));
  await opens("agents");
  await admin.in_menu("More about Scout", "Export to a file");
  await admin.label("File on the box").fill("scout");
  await admin.dialog.getByRole("button", { name: "Export to a file" }).click();
  await admin.dialog.getByRole("alert").waitFor();
  await admin.label("File on the box").fill(file);
  await admin.dialog.getByRole("button", { name: "Export to a file" }).click();
  await admin.text(`${file} is written.`).waitFor();
  await admin.is_accessible();
  await admin.button("Close").click();
  await admin.button("Import an agent").click();
  await admin.label("File on the box").fill(file);
  await admin.label("E-mail address of its owner").fill("ada@example.org");
  await admin.is_accessible();
  await admin.dialog.getByRole("button", { name: "Import an agent" }).click();
  await admin.text("Scout is imported and stopped.").waitFor();
  await admin.button("Close").click();
  await admin.text("2 agents").waitFor();
});

test("a change after a while takes the password again, and nothing is changed without it", async (t) => {
  const { box, admin, signed_in } = await story_of(t);
  const ada = await box.customer("ada@example.org", "solo");
  await signed_in();
  const [cookie] = (await admin.context.cookies()).filter(({ name }) => name.includes("session"));
  await box.end("SIGTERM");
  execFileSync(join(process.env.AGENTBOX_STORY_PACKAGES, "expire"), ["sign-in", box.folder, cookie.value]);
  await box.serve();
  admin.expected = ["status of 403", "status of 400", "net::ERR_", "fetching the script"];
  await admin.page.goto(`${box.web}/admin/users?user=${ada.id}`);
  await admin.label("Plan").selectOption("collective");
  await admin.button("Save").click();
  await admin.dialog.getByRole("heading", { name: "Please confirm that it is you" }).waitFor();
  await admin.is_accessible();
  await admin.dialog.getByRole("button", { name: "Cancel" }).click();
  await admin.text("Not confirmed: nothing was shown or changed.").waitFor();
  await admin.button("Save").click();
  await admin.label("Current password").fill("not the password");
  await admin.button("Continue").click();
  await admin.dialog.getByRole("alert").waitFor();
  await admin.label("Current password").fill(ADMIN.password);
  await admin.button("Continue").click();
  await admin.text("Saved.").waitFor();
  assert.equal((await box.backend_call("GET", "/api/admin/users/ada@example.org")).plan, "collective");
});

test("agents of all users are filtered, stopped, started and deleted", async (t) => {
  const { box, admin, signed_in, opens } = await story_of(t);
  const ada = await box.customer("ada@example.org"),
    bob = await box.customer("bob@example.org");
  const scout = await box.running_agent(ada, "Scout");
  await box.running_agent(bob, "Keeper");
  await signed_in();
  await opens("agents");
  await admin.text("2 agents").waitFor();
  await admin.label("Search").fill("scout");
  await admin.text(/^1 agent$/).waitFor();
  await admin.button("Stop the agent: Scout").click();
  await admin.button("Start the agent: Scout").waitFor();
  assert.equal((await ada.call("GET", `/api/agents/${scout}`)).body.agent.status, "stopped");
  await admin.button("Start the agent: Scout").click();
  await admin.button("Stop the agent: Scout").waitFor();
  await admin.label("State").selectOption("stopped");
  await admin.heading("Nothing matches").waitFor();
  await admin.button("Show everything").click();
  await admin.text("2 agents").waitFor();
  await admin.label("Choose Scout").check();
  await admin.label("Choose Keeper").check();
  await admin.text("2 agents selected").waitFor();
  await admin.is_accessible();
  await admin.button("Stop the selected").click();
  await until("two stopped", async () => (await admin.page.getByRole("button", { name: /^Start the agent: / }).count()) === 2);
  await admin.in_menu("More about Scout", "Delete");
  await admin.dialog.getByLabel("Name").fill("Scout");
  await admin.button("Delete permanently").click();
  await admin.text(/^1 agent$/).waitFor();
  assert.equal((await ada.call("GET", `/api/agents/${scout}`)).status, 404);
});

test("a model provider is configured, tested and removed", async (t) => {
  const router = await RouterServer.start(t);
  const { box, admin, signed_in, opens } = await story_of(t);
  await signed_in();
  await opens("models");
  await admin.button("Configure OpenRouter").click();
  await admin.label("Address").fill(router.url);
  await admin.label("Key").fill("sk-story-0123456789");
  await admin.button("Save").click();
  await admin.dialog.waitFor({ state: "detached" });
  const card = admin.page.locator(".providers > li").filter({ has: admin.heading("OpenRouter") });
  await card.getByText("works").waitFor();
  assert.equal(await admin.text("sk-story-0123456789").count(), 0, "the key is not shown");
  await card.getByRole("button", { name: "Test" }).click();
  await card.getByText(/answered after/).waitFor();
  await admin.is_accessible();
  await admin.button("Remove the key of OpenRouter").click();
  await admin.dialog.getByRole("button", { name: "Remove" }).click();
  await admin.dialog.waitFor({ state: "detached" });
  assert.equal(
    (await box.backend_call("GET", "/api/admin/models/providers")).providers.find(({ provider }) => provider === "openrouter").configured,
    false,
  );
});

test("a plan is asked for and approved, an invitation made and revoked, a mail read", async (t) => {
  const { box, admin, signed_in, opens } = await story_of(t);
  const ada = await box.customer("ada@example.org", "solo");
  await ada.call("POST", "/api/subscriptions/request", { plan: "network", note: "We grow." });
  await signed_in();
  const badge = admin.page.getByTitle("1 user waits for a plan");
  await badge.waitFor();
  await opens("requests");
  await admin.text("We grow.").waitFor();
  await admin.button("Approve the request of ada@example.org").click();
  await admin.label("Reason").fill("Welcome.");
  await admin.dialog.getByRole("button", { name: "Approve" }).click();
  await admin.heading("No requests").waitFor();
  await badge.waitFor({ state: "detached" });
  assert.equal((await ada.call("GET", "/api/settings")).body.plan, "network");

  await opens("outbox");
  await admin.page.locator("summary").first().click();
  await admin.label("Search").fill("nothing like it");
  await admin.heading("Nothing matches").waitFor();

  await opens("invitations");
  await admin.button("New invitation").click();
  await admin.label("Note").fill("friends");
  await admin.button("Create").click();
  const link = (await admin.dialog.locator("code").innerText()).trim();
  assert.match(link, new RegExp(`^${box.web}/login\\?new&invite=`));
  await admin.is_accessible();
  await admin.button("I have kept it").click();
  await admin.button("Revoke friends").click();
  await admin.dialog.getByRole("button", { name: "Revoke" }).click();
  await admin.heading("No invitations yet").waitFor();
});

test("settings and metrics are found, keys and git accounts are made and removed, the log is verified and exported", async (t) => {
  const { admin, signed_in, opens } = await story_of(t, { env: { STATUS_PAGE: "true" } });
  await signed_in();
  await opens("settings?filter=environment&q=status");
  await admin.page
    .getByRole("listitem")
    .filter({ hasText: /STATUS_PAGE.*on.*environment/s })
    .waitFor();
  await opens("metrics?q=resident");
  await admin.page.getByRole("listitem").filter({ hasText: "process_resident_memory_bytes" }).waitFor();

  await opens("keys");
  await admin.button("New operator key").click();
  await admin.label("Name").fill("monitoring");
  await admin.label(/^read-only/).check();
  await admin.button("Create the key").click();
  await admin.dialog.getByText(/^op_/).waitFor();
  await admin.button("I have kept it").click();
  await admin.button("Delete monitoring").click();
  await admin.dialog.getByRole("button", { name: "Delete" }).click();
  await admin.heading("No operator keys yet").waitFor();

  await opens("git");
  await admin.button("New account").click();
  await admin.label("Address").fill("https://box@git.example.org");
  await admin.label("Password, token or private key").fill("a token");
  await admin.button("Save").click();
  await admin.text("https://box@git.example.org:443").first().waitFor();
  await admin.in_menu("More about https://box@git.example.org:443", "Remove");
  await admin.dialog.getByRole("button", { name: "Remove" }).click();
  await admin.heading("No accounts yet").waitFor();

  await opens("audit");
  await admin.button("Verify").click();
  await admin.text(/The log is as it was written: \d+ entries checked\./).waitFor();
  const saved = async (item) => {
    const [download] = await Promise.all([admin.page.waitForEvent("download"), admin.in_menu("Export", item)]);
    return readFileSync(await download.path(), "utf8");
  };
  const whole = JSON.parse(await saved("Export everything (JSON)"));
  assert.ok(whole.entries.length > 3 && whole.publicKey.length > 10);
  await admin.label("Outcome").selectOption("ok");
  assert.match(await saved("Export this list (CSV)"), /^Time,Action,Outcome,.*\r\n\d{4}-/);
});

test("settings are changed in the console: at once or after the restart, with what locks them", async (t) => {
  const { box, admin, signed_in, opens } = await story_of(t, { env: { STATUS_PAGE: "true" } });
  admin.expected = ["status of 400", "net::ERR_", "fetching the script"]; // while the box restarts
  await signed_in();
  const settings = async (wanted) => (await box.backend_call("GET", "/api/admin/settings")).settings.find(({ name }) => name === wanted);
  const row = (name) => admin.page.getByRole("listitem").filter({ hasText: name });
  await opens("settings?q=session_idle");
  await admin.button("Edit SESSION_IDLE").click();
  await admin.dialog.getByLabel("Value").fill("soon");
  await admin.dialog.getByRole("button", { name: "Save" }).click();
  await admin.alert.getByText(/^Value must/).waitFor();
  await admin.is_accessible();
  await admin.dialog.getByLabel("Value").fill("2h");
  await admin.dialog.getByRole("button", { name: "Save" }).click();
  await admin.dialog.waitFor({ state: "detached" });
  await row("SESSION_IDLE")
    .getByText(/after the restart: \S/)
    .waitFor();
  await admin.is_accessible();
  const { pending, isPending, source } = await settings("SESSION_IDLE");
  assert.deepEqual([isPending, source], [true, "defaults"]);
  assert.match(readFileSync(join(box.folder, "agentbox.toml"), "utf8"), /^session_idle = "2h"$/m);

  await opens("settings?q=log_level");
  await admin.button("Edit LOG_LEVEL").click();
  await admin.dialog.getByText("In force at once.").waitFor();
  await admin.dialog.getByLabel("Value").selectOption("warning");
  await admin.dialog.getByRole("button", { name: "Save" }).click();
  await admin.dialog.waitFor({ state: "detached" });
  assert.deepEqual([(await settings("LOG_LEVEL")).value, (await settings("LOG_LEVEL")).isPending], ["warning", false]);
  await admin.button("Edit LOG_LEVEL").click();
  await admin.dialog.getByRole("button", { name: "Use the default" }).click();
  await admin.dialog.waitFor({ state: "detached" });
  assert.equal((await settings("LOG_LEVEL")).value, "info");

  // What the environment sets, and what decides about the machine, is changed there.
  await opens("settings?q=status_page");
  await row("STATUS_PAGE")
    .getByTitle(/environment, which overrides/)
    .waitFor();
  assert.equal(await admin.button("Edit STATUS_PAGE").count(), 0);
  const put = (name, value) =>
    send(box.backend, "PUT", "/api/admin/settings", {
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ name, value }),
    });
  assert.equal((await put("RUN_AS", "agents")).status, 409);
  assert.equal((await put("NONSENSE", "1")).status, 404);
  const refused = await put("TLS_CERT", "/x.pem");
  assert.equal(refused.status, 400);
  assert.match(refused.body.error, /TLS_CERT and TLS_KEY belong together/);
  assert.equal(await box.end("SIGTERM"), 0);
  await box.serve();
  assert.deepEqual([(await settings("SESSION_IDLE")).value, (await settings("SESSION_IDLE")).source], [pending, "file"]);
});

test("a backup is made, verified and removed", async (t) => {
  const { admin, signed_in, opens } = await story_of(t);
  await signed_in();
  await opens("backups");
  await admin.heading("No backups yet").waitFor();
  await admin.button("Back up now").click();
  const row = admin.page.locator(".rows > li").first();
  await row.getByRole("button", { name: /^Verify/ }).click();
  await admin.text("The backup is sound").waitFor();
  await admin.is_accessible();
  await admin.in_menu(/^More about /, "Remove");
  await admin.dialog.getByRole("button", { name: "Remove" }).click();
  await admin.heading("No backups yet").waitFor();
});

test("a plan is bounded, gets terminals, and its agents ask by rules of its own", async (t) => {
  const { box, admin, signed_in } = await story_of(t);
  await signed_in();
  await admin.to_section("Administration");
  await admin.to_section("Plans");
  const solo = admin.page.getByRole("region", { name: "solo" });
  await solo.getByLabel("Agents may reach").selectOption({ label: "Only these hosts" });
  await solo.getByLabel("Hosts").fill("api.example.org\n.example.com");
  await solo.getByLabel("Owners have a terminal in their agents' workspaces").check();
  await solo.getByLabel("Scheduled tasks that an agent may make for itself").fill("5");
  await solo.getByRole("button", { name: "Save" }).click();
  const of_plan = async (what) => (await box.backend_call("GET", `/api/admin/plans/${what}`)).plans.find(({ plan }) => plan === "solo");
  await until("the hosts are stored", async () => Array.isArray((await of_plan("egress")).egress));
  assert.deepEqual((await of_plan("egress")).egress, ["api.example.org", ".example.com"]);
  await until("it has terminals", async () => (await of_plan("terminals")).included);

  await solo.getByRole("button", { name: "Add a rule" }).click();
  await solo.getByLabel("What it does").selectOption({ label: "Runs commands" });
  await solo.getByLabel("Decision").selectOption({ label: "Refused" });
  await admin.is_accessible();
  await solo.getByRole("button", { name: "Add a rule" }).click();
  await solo.getByRole("button", { name: "Remove the rule: Runs commands", exact: true }).waitFor();
  const { rules, ownTasks } = await box.backend_call("GET", "/api/admin/plans/solo/gate");
  const { effect, turns, decision } = rules.at(-1);
  assert.deepEqual([effect, turns, decision], ["code", "any", "refuse"], "after the usual ones");
  assert.equal(ownTasks.tasks, 5);
});
