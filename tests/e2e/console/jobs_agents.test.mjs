// Jobs of those who have agents, by mouse and by keyboard, on a desk and on a phone, with the clicks counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { free_ports } from "../support/ports.mjs";
import { agent_processes } from "../support/processes.mjs";
import { call, ModelServer, say } from "../peers/model_server.mjs";
import { HOSTILE, open_browser, Person } from "./browser.mjs";
import { counting, drawer, SCREENS } from "./jobs.mjs";

const story_of = async (t, viewport, { agent = true, env = {} } = {}) => {
  const browser = await open_browser(t);
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, ...env });
  const owner = await box.customer("ada@example.org", "network");
  const id = agent ? await box.running_agent(owner, "Scout", "enterprise") : undefined;
  const ada = await Person.at(browser, box, { viewport });
  t.after(() => ada.check());
  await counting(ada);
  await ada.enter("ada@example.org");
  if (id) {
    await ada.page.goto(`/agents/${id}`);
    await ada.sees_status("running");
  }
  return { box, model, owner, id, ada, more: drawer(viewport) };
};
const rest = (ada) => ada.text("is working").waitFor({ state: "detached" });

for (const [place, viewport] of Object.entries(SCREENS)) {
  test(`an agent with its model and instructions, an edited question and its branch, on ${place}`, async (t) => {
    const { model, owner, ada } = await story_of(t, viewport, { agent: false });
    await ada.job("create an agent with model and instructions", 1, async () => {
      await ada.button("New agent").first().click();
      await ada.label("Name").fill("Scout");
      await ada.label("Model").selectOption(model.lists[0]);
      await ada.label("Instructions (optional)").fill("Answer like a sailor.");
      await ada.label("Name").press("Enter");
      await ada.sees_status("running");
    });
    const [agent] = (await owner.call("GET", "/api/agents")).body.agents;
    const { config } = (await owner.call("GET", `/api/agents/${agent.id}/config`)).body;
    assert.deepEqual([agent.model, config.systemPrompt], [model.lists[0], "Answer like a sailor."]);
    model.will(say("Ahoy."), say("Ahoy, Ada."));
    await ada.say("Who are you?");
    await ada.log.getByText("Ahoy.").waitFor();
    await rest(ada);
    await ada.job("edit a question", 1, async () => {
      await ada.button("Edit and send again").click();
      await ada.say("Who am I?");
      await ada.log.getByText("Ahoy, Ada.").waitFor();
      await rest(ada);
    });
    await ada.job("from branch to branch", 1, async () => {
      await ada.button("Previous version").click();
      await ada.log.getByText("Ahoy.", { exact: true }).waitFor();
    });
    await ada.fits_the_screen();
  });

  test(`a prompt is scheduled every day and run once, and its result is the schedule's, on ${place}`, async (t) => {
    const { model, ada } = await story_of(t, viewport);
    await ada.job("schedule every day", 3, async () => {
      await ada.opens("Schedule");
      await ada.button("New prompt").click();
      await ada.label("Name").fill("Morning");
      await ada.dialog.getByLabel("Prompt").fill("Look at the tide.");
      await ada.dialog.getByRole("button", { name: "Save" }).click();
      await ada.dialog.waitFor({ state: "detached" });
    });
    model.will(say("High at noon."));
    await ada.job("run it once", 1, async () => {
      await ada.button("Run now: Morning").click();
      await ada.page.locator(".history").getByText("succeeded").waitFor();
    });
    await ada.page.goto("/chats");
    await ada.page.getByRole("main").getByText("Schedule").first().waitFor();
    await ada.fits_the_screen();
  });

  test(`a limit that is reached says which, until when and what to do; a key has its own example, on ${place}`, async (t) => {
    const { box, model, owner, ada, more } = await story_of(t, viewport);
    ada.expected = ["status of 429"];
    model.will(say("Spent.", [400, 200]));
    await ada.say("Spend it.");
    await ada.log.getByText("Spent.").waitFor();
    await rest(ada);
    await ada.job("a limit", 4 + more, async () => {
      await ada.to_section("Usage");
      await ada.link("Limits").click();
      await ada.button("New limit").click();
      await ada.page.getByRole("spinbutton", { name: "Tokens" }).fill("10");
      await ada.button("Save").click();
      await ada.page.getByRole("meter", { name: "Tokens" }).first().waitFor();
    });
    const { agents } = (await owner.call("GET", "/api/agents")).body;
    await ada.page.goto(`/agents/${agents[0].id}`);
    await ada.sees_status("running");
    await ada.say("And more.");
    await ada.log
      .getByText(/limit|cap|budget/i)
      .first()
      .waitFor();
    await ada.page.goto("/dashboard");
    await ada.text(/limit/i).first().waitFor();
    await ada.job("an API key with its example", 3, async () => {
      await ada.page.goto("/usage/keys");
      await ada.button("New API key").click();
      await ada.label("Name").fill("laptop");
      await ada.button("Create the key").click();
      await ada.heading("Your new API key").waitFor();
    });
    const key = await ada.dialog.locator("pre").first().innerText();
    assert.ok((await ada.dialog.locator("pre").nth(1).innerText()).includes(key));
    assert.ok((await ada.dialog.locator("pre").nth(1).innerText()).includes(box.web), "the example has this box's address");
    await ada.fits_the_screen();
  });

  test(`new files are seen as a diff, and a killed agent within seconds in the log and its state, on ${place}`, async (t) => {
    const { box, model, owner, id, ada } = await story_of(t, viewport);
    model.will(call(["write_file", { path: "plan.txt", content: "one\ntwo\n" }]), say("Written."));
    await ada.say("Write the plan.");
    await ada.log.getByText("Written.").waitFor();
    await rest(ada);
    // A turn is a commit.
    await ada.job("the diff of new files", 3, async () => {
      await ada.opens("Files");
      await ada.link("History").click();
      await ada.link("Turn: Write the plan.").click();
      await ada.page.locator(".patch .added", { hasText: "+one" }).first().waitFor();
    });
    await ada.fits_the_screen();
    await ada.job("the log", 1, async () => {
      await ada.opens("Logs");
      await ada.text("Live").waitFor();
    });
    const [agent] = agent_processes(box);
    process.kill(agent.pid, "SIGKILL");
    const killed = Date.now();
    await ada.page
      .getByRole("main")
      .getByText(/agent_process_ended/)
      .first()
      .waitFor({ timeout: 20_000 });
    t.diagnostic(`seen after ${Date.now() - killed} ms`);
    await box.until_status(owner, id, "running");
  });

  test(`restart, update, clone and delete an agent, on ${place}`, async (t) => {
    const { owner, ada, id } = await story_of(t, viewport);
    await ada.job("restart", 2, async () => {
      await ada.in_menu("More about Scout", "Restart");
      await ada.sees_status("running");
    });
    await ada.job("update", 2, async () => {
      await ada.opens("Settings");
      await until(
        "all is loaded and stays in its place",
        async () => (await ada.page.getByText("Loading…", { exact: true }).count()) === 0,
      );
      await ada.button("Update").click();
      await ada.text("The agent runs the current version.").waitFor();
    });
    await ada.job("clone", 2, async () => {
      await ada.button("Clone").click();
      await ada.dialog.getByLabel("Name of the clone").fill("Twin");
      await ada.button("Create the clone").click();
      await ada.page.getByRole("heading", { name: "Twin" }).waitFor();
    });
    await ada.page.goto(`/agents/${id}/settings`);
    await ada.job("delete, with its name", 1, async () => {
      await ada.button("Delete this agent").click();
      await ada.dialog.getByLabel("Name").fill("Scout");
      await ada.page.keyboard.press("Enter");
      await ada.dialog.waitFor({ state: "detached" });
    });
    await until("one is left", async () => (await owner.call("GET", "/api/agents")).body.agents.length === 1);
  });

  test(`a skill, a wallet, a swarm, and media that is switched off, on ${place}`, async (t) => {
    const { box, owner, model, ada, more } = await story_of(t, viewport);
    await box.running_agent(owner, "Ben", "enterprise");
    await ada.job("install a skill", 3 + more, async () => {
      await ada.to_section("Skills");
      await ada.link("web-research").click();
      await ada.button("Install").click();
      await ada.page
        .getByRole("button", { name: /^Uninstall from / })
        .first()
        .waitFor();
    });
    await ada.job("a wallet", 2 + more, async () => {
      await ada.to_section("Wallet");
      await ada.button("Create a wallet").click();
      await ada.text("0 USDC").first().waitFor();
    });
    model.will(
      () => say(JSON.stringify({ tasks: [] })),
      () => say("Done by one."),
      () => say("Done by two."),
      () => say("Done by all."),
    );
    model.knows_caller = false;
    await ada.job("a swarm", 5 + more, async () => {
      await ada.to_section("Swarms");
      await ada.button("New swarm").click();
      await ada.label("Goal").fill("List your files.");
      await ada.label("Scout").check();
      await ada.label("Ben").check();
      await ada.button("Start the swarm").click();
      await ada.page.waitForURL("**/fleet/swarms/*");
    });
    await ada.fits_the_screen();
    await until("it ends", async () => {
      const { swarms } = (await owner.call("GET", "/api/swarms")).body;
      return ["done", "failed", "stopped"].includes(swarms[0].state);
    });
    model.script.length = 0;
    await ada.page.goto("/media");
    await ada
      .text(/is not configured on this box/)
      .first()
      .waitFor();
    assert.doesNotMatch(await ada.page.getByRole("main").innerText(), /[A-Z]+_[A-Z]+_[A-Z]/, "no variables of the operator");
  });

  test(`forty agents with long, right-to-left and hostile names are readable, on ${place}`, async (t) => {
    // More than the ports that a process of stories has by itself.
    const first = await free_ports(60);
    const { box, owner, ada, more } = await story_of(t, viewport, { agent: false, env: { AGENT_PORT_RANGE: `${first}-${first + 59}` } });
    const names = [
      "א".repeat(90),
      "🦊".repeat(40),
      "x".repeat(100),
      HOSTILE,
      "مرحبا بالعالم",
      ...Array.from({ length: 35 }, (_, at) => `Agent ${at}`),
    ];
    for (const name of names) {
      const { id } = await box.backend_call("POST", "/api/agents", { name, userId: owner.id });
      assert.ok(id, name);
      assert.equal((await owner.call("POST", `/api/instance/${id}/start`)).status, 200, name);
    }
    await ada.page.goto("/dashboard");
    // More are drawn when the end comes into view.
    await until("all are drawn", async () => {
      await ada.page.keyboard.press("End");
      return (await ada.page.locator(".cards.agents > li").count()) === names.length;
    });
    await ada.is_accessible();
    await ada.fits_the_screen();
    const all_run = async () => (await owner.call("GET", "/api/mission-control/fleet/graph")).body.nodes.length > names.length;
    await until("all are reachable", all_run, 60_000);
    await ada.job("the fleet", 1 + more, async () => {
      await ada.to_section("Fleet");
      await ada.page.getByRole("main").getByText("Agent 7", { exact: true }).first().waitFor();
    });
    await ada.is_accessible();
    await ada.fits_the_screen();
    assert.notEqual(await ada.page.title(), "mine");
  });
}
