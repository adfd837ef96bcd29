// The console's pages of one agent, by mouse: log, memory, schedule, usage, health, settings.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { agent_processes } from "../support/processes.mjs";
import { open_browser, Person } from "./browser.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";

const story_of = async (t, env = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, env);
  const owner = await box.customer("ada@example.org");
  const id = await box.running_agent(owner);
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  await ada.card("Scout").click();
  await ada.sees_status("running");
  return { box, owner, id, ada };
};

test("an answer is read as Markdown: code can be copied, links are safe, images are not loaded", async (t) => {
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const { ada } = await story_of(t, { LOCAL_MODEL_URL: model.url });
  model.will(
    say(
      "## Plan\n\n1. **first**\n2. `second`\n\n```js\nlet a = 1 < 2;\n```\n\n[good](https://example.org/) [bad](javascript:alert(1)) ![pixel](https://example.org/p.png)\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    ),
  );
  await ada.say("What is the plan?");
  await ada.log.getByRole("heading", { name: "Plan" }).waitFor();
  assert.equal(await ada.log.locator("ol li strong").innerText(), "first");
  assert.equal(await ada.log.locator("pre").innerText(), "let a = 1 < 2;");
  assert.deepEqual(await ada.log.getByRole("link").evaluateAll((links) => links.map((link) => [link.innerText, link.href, link.rel])), [
    ["good", "https://example.org/", "noopener noreferrer nofollow"],
    ["pixel", "https://example.org/p.png", "noopener noreferrer nofollow"],
  ]);
  assert.equal(await ada.log.getByText("bad", { exact: true }).count(), 1);
  assert.equal(await ada.log.getByRole("cell", { name: "2" }).count(), 1);
  await ada.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await ada.button("Copy this").click();
  await ada.text("Copied").waitFor();
  assert.equal(await ada.page.evaluate(() => navigator.clipboard.readText()), "let a = 1 < 2;");
});

test("an agent that hangs is shown as not answering while its owner looks, and comes back", async (t) => {
  const { box, ada, id } = await story_of(t); // checks two minutes apart
  const hung = agent_processes(box).find((one) => one.id === id).pid;
  process.kill(hung, "SIGSTOP");
  await ada.sees_status("not answering");
  await until("another process", () => agent_processes(box).some((one) => one.id === id && one.pid !== hung), 60_000);
  await ada.sees_status("running");
});

test("the log is followed, searched, paused and downloaded", async (t) => {
  const { ada } = await story_of(t);
  await ada.opens("Logs");
  await ada.text("Live").waitFor();
  await ada.label("Health checks").check();
  const lines = ada.page.locator(".log-line");
  await lines.first().waitFor();
  await ada.label("Search the log").fill("no such line");
  await ada.text("No line matches the search.").waitFor();
  assert.match(ada.page.url(), /q=no/);
  await ada.label("Search the log").fill("");
  await lines.first().waitFor();
  await ada.button("Pause").click();
  await ada.button("Resume").waitFor();
  const before = await lines.count();
  await ada.in_menu("More about Scout", "Restart");
  await ada.text(/\d+ new lines?/).waitFor();
  assert.equal(await lines.count(), before, "nothing moves while it is paused");
  await ada.button("Resume").click();
  await until("the new lines", async () => (await lines.count()) > before);
  const [download] = await Promise.all([ada.page.waitForEvent("download"), ada.button("Download").click()]);
  assert.equal(download.suggestedFilename(), "Scout.log");
  assert.match(readFileSync(await download.path(), "utf8"), /^\d{4}-\d\d-\d\dT\S+ ./m);
});

test("facts are added, found and removed, and the memory is reset", async (t) => {
  const { ada, owner, id } = await story_of(t);
  const facts = async () => (await owner.call("GET", `/api/memory?agentId=${id}`)).body.memories.map(({ text }) => text);
  await ada.opens("Memory");
  await ada.heading("Nothing remembered yet").waitFor();
  for (const text of ["The demo is on Friday", "The office is in Leipzig"]) {
    await ada.label("New fact").fill(text);
    await ada.button("Add").click();
    await ada.page.getByRole("listitem").filter({ hasText: text }).waitFor();
    await until("an empty field", async () => (await ada.label("New fact").inputValue()) === "");
  }
  await ada.label("Search").fill("leipzig");
  await ada.text("1 found").waitFor();
  assert.equal(await ada.page.locator(".rows > li").count(), 1);
  await ada.in_menu("More about The office is in Leipzig", "Remove");
  await ada.dialog.getByRole("button", { name: "Remove" }).click();
  await ada.dialog.waitFor({ state: "detached" });
  assert.deepEqual(await facts(), ["The demo is on Friday"]);
  await ada.button("Show everything").click();
  await ada.button("Reset memory").click();
  await ada.dialog.getByRole("button", { name: "Reset memory" }).click();
  await ada.heading("Nothing remembered yet").waitFor();
  assert.deepEqual(await facts(), []);
});

test("the owner sees what the agent remembers of each peer, and removes it", async (t) => {
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const { box, owner, id, ada } = await story_of(t, { LOCAL_MODEL_URL: model.url });
  assert.equal((await owner.call("PUT", `/api/agents/${id}/config`, { config: { bus: { accept: "all" } } })).status, 200);
  const eve = await box.customer("eve@example.org");
  const { key } = (await eve.call("POST", "/api/keys", { name: "a2a" })).body;
  model.will(call(["remember", { text: "Eve likes <b>pelicans</b>" }]), say("Noted."));
  const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "I like pelicans." }] };
  await fetch(`${box.web}/a2a/${id}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key.key ?? key}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }),
  });
  await owner.call("POST", "/api/memory", { agentId: id, text: "The boat is red" });
  await ada.opens("Memory");
  await ada.text("The boat is red").waitFor();
  assert.equal(await ada.text("pelicans").count(), 0);
  await ada.label("Memory of").selectOption(`user:${eve.id}`);
  await ada.text("Eve likes <b>pelicans</b>").waitFor();
  assert.equal(await ada.text("The boat is red").count(), 0);
  await ada.is_accessible();
  await ada.button("Remove: Eve likes <b>pelicans</b>").click();
  await ada.heading("Nothing remembered yet").waitFor();
  await ada.label("Memory of").selectOption("");
  await ada.text("The boat is red").waitFor();
});

test("blocks of memory are written and edited, and drafts of skills approved or discarded", async (t) => {
  const { ada, owner, id } = await story_of(t);
  const memories = async () => (await owner.call("GET", `/api/memory?agentId=${id}`)).body.memories.map(({ block, text }) => [block, text]);
  await ada.opens("Memory");
  await ada.label("New fact").fill("Ada, likes tea");
  await ada.label("Block (optional)").fill("about the user");
  await ada.button("Add").click();
  await ada.page.getByRole("listitem").filter({ hasText: "about the user" }).waitFor();
  await ada.button("Edit: Ada, likes tea").click();
  await ada.label("Changed text").fill("Ada, likes coffee");
  await ada.button("Save").click();
  await ada.page.getByRole("listitem").filter({ hasText: "likes coffee" }).waitFor();
  assert.deepEqual(await memories(), [["about the user", "Ada, likes coffee"]]);

  const files = (method, path, body) => owner.call(method, `/api/agents/${id}/files${path}`, body);
  for (const name of ["tide-table", "weather"]) {
    const content = `---\nname: ${name}\ndescription: Says it\n---\n\n1. Ask for the place.\n`;
    assert.equal((await files("POST", "/write", { path: `skill-drafts/${name}/SKILL.md`, content })).status, 200);
  }
  await ada.opens("Settings");
  await ada.button("Approve tide-table").click();
  await until("the skill is installed", async () => (await files("GET", "/read?path=skills/tide-table/SKILL.md")).status === 200);
  await ada.button("Discard weather").click();
  await ada.dialog.getByRole("button", { name: "Discard" }).click();
  await ada.heading("Drafts of skills").waitFor({ state: "detached" });
  assert.equal((await files("GET", "/read?path=skill-drafts/weather/SKILL.md")).status, 404);
  assert.equal((await files("GET", "/read?path=skills/weather/SKILL.md")).status, 404);
});

test("a prompt is scheduled with a preview, run now, turned off, edited and deleted; the heartbeat is set", async (t) => {
  const { ada, owner, id } = await story_of(t);
  ada.expected = ["status of 400"];
  const task = async () => (await owner.call("GET", "/api/scheduled-tasks")).body.tasks[0];
  await ada.opens("Schedule");
  await ada.button("New prompt").click();
  await ada.label("Name").fill("Morning");
  await ada.dialog.getByLabel("Prompt").fill("remember that it is morning");
  await ada.label("Cron expression").fill("61 * * * *");
  await ada.dialog.locator(".preview .problem").waitFor();
  await ada.dialog.getByRole("button", { name: "Save" }).click();
  const problem = ada.dialog.getByRole("alert");
  await problem.waitFor();
  assert.match(await problem.innerText(), /^Cron expression: /, "the sentence stands at the field");
  assert.equal(await ada.label("Cron expression").getAttribute("aria-invalid"), "true");
  await ada.label("When").selectOption({ label: "On weekdays at 8:00" });
  assert.equal(await ada.label("Cron expression").inputValue(), "0 8 * * 1-5");
  await until("five runs", async () => (await ada.dialog.locator(".preview li").count()) === 5);
  await ada.dialog.getByRole("button", { name: "Save" }).click();
  await ada.dialog.waitFor({ state: "detached" });
  assert.deepEqual([(await task()).cronSchedule, (await task()).timezone], ["0 8 * * 1-5", "Europe/Berlin"]);

  await ada.button("Run now: Morning").click();
  await ada.page.locator(".history").getByText("succeeded").waitFor();
  await ada.page.locator(".history summary").click();
  await ada.page.locator(".history").getByText("I will remember").waitFor();
  await ada.in_menu("More about Morning", "Turn off");
  await until("the prompt is off", async () => (await task()).enabled === false);
  await ada.in_menu("More about Morning", "Edit");
  await ada.label("Name").fill("Evening");
  await ada.dialog.getByRole("button", { name: "Save" }).click();
  await ada.dialog.waitFor({ state: "detached" });
  await ada.in_menu("More about Evening", "Delete");
  await ada.dialog.getByRole("button", { name: "Delete" }).click();
  await ada.heading("No scheduled prompts yet").waitFor();

  await ada.label("Send the heartbeat").check();
  await ada.label("Every").fill("sometimes");
  await ada.button("Save").click();
  await ada.alert.getByText(/^Every\b/).waitFor();
  await ada.label("Every").fill("2h");
  await ada.button("Save").click();
  await ada.text("Saved.").waitFor();
  const { heartbeat } = (await owner.call("GET", `/api/heartbeat?agentId=${id}`)).body;
  assert.deepEqual([heartbeat.frequency, heartbeat.enabled], ["2h", true]);
});

test("usage and health are shown, and a repair appears in the timeline", async (t) => {
  const { ada } = await story_of(t);
  await ada.say("hello");
  await ada.log.getByText("I am builtin").waitFor();
  await ada.opens("Usage");
  await ada.heading("By model").waitFor();
  await ada.button("Tokens").click();
  await ada.text("Show as a table").click();
  assert.equal(await ada.page.getByRole("table", { name: "Tokens by day" }).getByRole("row").count(), 30);
  assert.ok((await ada.page.getByRole("region", { name: "Model calls" }).getByRole("row").count()) >= 2);

  await ada.opens("Health");
  await ada.heading("Timeline").waitFor();
  await ada.button("Repair").click();
  await ada.page.locator(".rows").getByText("repairing", { exact: true }).first().waitFor();
});

test("the config is changed field by field, and what it does not know stays", async (t) => {
  const { ada, owner, id } = await story_of(t);
  ada.expected = ["status of 400"];
  const config = async () => (await owner.call("GET", `/api/agents/${id}/config`)).body.config;
  await owner.call("PUT", `/api/agents/${id}/config`, {
    config: { channels: { telegram: { enabled: true, botToken: "123:abc" } }, custom: { mine: [1] } },
  });
  await ada.opens("Settings");
  await ada.label("Instructions").fill("Answer briefly.");
  await ada.label("Temperature (0 to 2)").fill("0.5");
  await ada.label("Model", { exact: true }).selectOption({ label: "Another model, by its name" });
  await ada.label("Model name").fill("no such model");
  await ada.button("Save").click();
  await ada.alert.getByText(/model must be one of/i).waitFor();
  await ada.label("Model", { exact: true }).selectOption("");
  await ada.button("Save").click();
  await ada.text("Saved. Restart the agent to apply it.").waitFor();
  const saved = await config();
  assert.deepEqual([saved.systemPrompt, saved.temperature, saved.custom.mine], ["Answer briefly.", 0.5, [1]]);
  assert.deepEqual(saved.channels.telegram.botToken, { sealed: true });

  await ada.button("Update").click();
  await ada.text("The agent runs the current version.").waitFor();
  await ada.button("Clone").click();
  await ada.dialog.getByLabel("Name of the clone").fill("Twin");
  assert.equal(await ada.dialog.getByLabel("Transaction hash").count(), 0, "without a chain no payment is asked for");
  await ada.button("Create the clone").click();
  await ada.page.getByRole("heading", { name: "Twin" }).waitFor();
});

test("processor and memory of the last day are plotted", async (t) => {
  const { ada, owner, id } = await story_of(t);
  const history = async () => (await owner.call("GET", `/api/agents/${id}/stats/history`)).body;
  const {
    history: [first],
    ...answer
  } = await until("a measurement", async () => {
    const found = await history();
    return found.history.length > 0 && found;
  });
  assert.deepEqual(answer, { id, intervalSeconds: 300 });
  assert.ok(first.memoryBytes > 1_000_000 && first.cpuPercent >= 0, JSON.stringify(first));
  await ada.opens("Health");
  const memory = ada.page.getByRole("figure").filter({ hasText: "Memory" });
  await memory.locator("path.line").waitFor({ state: "attached" });
  assert.equal(await ada.page.locator("figure path.line").count(), 2);
  await memory.getByText("Show as a table").click();
  assert.match(await memory.getByRole("row").first().innerText(), /MB|GB/);
  await ada.is_sound();
  const eve = await ada.box.customer("eve@example.org");
  assert.equal((await eve.call("GET", `/api/agents/${id}/stats/history`)).status, 404);
});
