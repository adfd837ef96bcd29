// What people come for, by mouse, on a desk and on a phone, with the clicks counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { call, fail, hang, ModelServer, say } from "../peers/model_server.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";
import { counting, SCREENS } from "./jobs.mjs";

const story_of = async (t, viewport) => {
  const browser = await open_browser(t);
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const owner = await box.customer("ada@example.org", "network");
  const ada = await Person.at(browser, box, { viewport });
  t.after(() => ada.check());
  await counting(ada);
  await ada.enter("ada@example.org");
  return { box, model, owner, ada };
};

const rest = (ada) => ada.text("is working").waitFor({ state: "detached" });

for (const [place, viewport] of Object.entries(SCREENS)) {
  test(`an agent is made, talks, has a second conversation, and an answer is stopped, on ${place}`, async (t) => {
    const { model, ada, owner } = await story_of(t, viewport);
    await ada.job("create an agent with instructions", 2, async () => {
      await ada.button("New agent").click();
      await ada.label("Name").fill("Scout");
      await ada.label("Instructions (optional)").fill("Answer like a sailor.");
      await ada.button("Create the agent").click();
      await ada.sees_status("running");
    });
    const [agent] = (await owner.call("GET", "/api/agents")).body.agents;
    const { config } = (await owner.call("GET", `/api/agents/${agent.id}/config`)).body;
    assert.equal(config.systemPrompt, "Answer like a sailor.");

    model.will(say("Ahoy."));
    await ada.job("the first answer", 0, async () => {
      await ada.say("Who are you?");
      await ada.log.getByText("Ahoy.").waitFor();
      await rest(ada);
    });
    model.will(say("The second."));
    await ada.job("a second conversation", 1, async () => {
      await ada.button("New conversation").click();
      await ada.log.getByText("Ahoy.").waitFor({ state: "detached" });
      await ada.say("Begin anew");
      await ada.log.getByText("The second.").waitFor();
      await rest(ada);
    });
    model.will(say("The third."));
    await ada.job("regenerate", 1, async () => {
      await ada.button("Send again").first().click();
      await ada.log.getByText("The third.").waitFor();
      await rest(ada);
    });
    model.will(hang());
    await ada.job("stop an answer", 1, async () => {
      await ada.say("Count to a million");
      await until("the model asked", () => model.asked.length === 4);
      await ada.button("Stop the answer").click();
      await rest(ada);
    });
    await ada.fits_the_screen();
  });

  test(`an answer goes on over a reload and in a second tab, an error keeps what was done, on ${place}`, async (t) => {
    const { box, model, owner, ada } = await story_of(t, viewport);
    const id = await box.running_agent(owner);
    await ada.page.goto(`/agents/${id}`);
    await ada.sees_status("running");
    ada.expected = ["status of 502"];
    model.will(call(["remember", { text: "the tide is high" }]), hang());
    await ada.say("Remember the tide");
    await ada.log.getByText("remember", { exact: true }).waitFor();
    await ada.job("reload in the middle", 0, async () => {
      await ada.page.reload();
      await ada.log.getByText("remember", { exact: true }).waitFor();
      await ada.text("Scout is working").waitFor();
    });
    const other = await ada.another_tab(`/agents/${id}`);
    await other.log.getByText("remember", { exact: true }).waitFor();
    model.answer_hanging(say("Noted: high."));
    for (const tab of [ada, other]) await tab.log.getByText("Noted: high.").waitFor();
    await rest(ada);
    assert.equal(await ada.log.getByText("remember", { exact: true }).count(), 1, "the step stays");
    const { messages } = (await owner.call("GET", `/api/chat?agentId=${id}`)).body;
    assert.deepEqual(
      messages.map(({ role, stopped }) => [role, stopped ?? false]),
      [
        ["user", false],
        ["assistant", false],
      ],
      "it was asked once, and not stopped",
    );

    model.will(call(["remember", { text: "and low" }]), fail(500, "out of memory"));
    await ada.say("And the low tide");
    await ada.log
      .getByText(/out of memory/)
      .first()
      .waitFor();
    assert.equal(await ada.log.getByText("remember", { exact: true }).count(), 2, "what was done stays");
    assert.equal(await ada.page.getByRole("textbox", { name: /^Message to / }).inputValue(), "", "the draft stays empty");
    model.will(say("Low at noon."));
    await ada.job("retry after an error", 1, async () => {
      await ada.button("Send the question again").click();
      await ada.log.getByText("Low at noon.").waitFor();
      await rest(ada);
    });
  });

  test(`usage, logs, conversations and limits are found, on ${place}`, async (t) => {
    const { box, model, owner, ada } = await story_of(t, viewport);
    const id = await box.running_agent(owner);
    model.will(say("A needle in the hay."));
    assert.equal((await owner.call("POST", "/api/chat", { agentId: id, message: "What is there?" })).status, 200);
    const more = viewport === PHONE ? 1 : 0; // the drawer

    await ada.job("cost by day, model and agent", 2 + more, async () => {
      await ada.to_section("Usage");
      await ada.page.getByRole("region", { name: "By model" }).waitFor();
      await ada.button("By agent").click();
      await ada.page.getByRole("region", { name: "By agent" }).getByText("Scout").waitFor();
    });
    await ada.is_accessible();
    await ada.fits_the_screen();
    await ada.job("search in all conversations", 1 + more, async () => {
      await ada.to_section("Conversations");
      await ada.label("Search in all conversations").fill("NEEDLE");
      await ada.page.locator("mark", { hasText: /needle/i }).waitFor();
    });
    await ada.is_accessible();
    await ada.fits_the_screen();
    await ada.page.goto(`/agents/${id}`);
    await ada.job("the log", 1, async () => {
      await ada.opens("Logs");
      await ada.text("Live").waitFor();
    });
    await ada.is_accessible();
    await ada.job("restart", 2, async () => {
      await ada.in_menu("More about Scout", "Restart");
      await ada.sees_status("running");
    });
  });
}

test("each page's heading and the bar of a phone are within reach", async (t) => {
  const { box, owner, ada } = await story_of(t, PHONE);
  const id = await box.running_agent(owner);
  const pages = ["", "/files", "/logs", "/memory", "/schedule", "/usage", "/health", "/settings"].map((tab) => `/agents/${id}${tab}`);
  for (const path of [
    ...pages,
    "/dashboard",
    "/chats",
    "/schedules",
    "/usage",
    "/usage/billing",
    "/settings",
    "/fleet",
    "/media",
    "/skills",
  ]) {
    await ada.page.goto(path);
    await ada.page.getByRole("heading", { level: 1 }).first().waitFor();
    await until(`${path} loaded`, async () => (await ada.page.getByText("Loading…", { exact: true }).count()) === 0);
    const covered = await ada.page.evaluate(() => {
      const hit = (element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const found = document.elementFromPoint(x + Math.min(width, 40) / 2, y + height / 2);
        return element.contains(found) || found?.contains(element);
      };
      return [document.querySelector("h1"), ...document.querySelectorAll(".bottom-bar a")]
        .filter((one) => !hit(one))
        .map((one) => one.outerHTML);
    });
    assert.deepEqual(covered, [], path);
  }
});
