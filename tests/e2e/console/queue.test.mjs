// What is shown of an answer that waits in the queue before its model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { start_server } from "../peers/held_model.mjs";
import { Box, send, until } from "../support/box.mjs";
import { open_browser, Person } from "./browser.mjs";

const story_of = async (t) => {
  const browser = await open_browser(t);
  const server = await start_server(t, 1);
  const box = await Box.start(t, { LOCAL_MODEL_URL: server.url });
  const owner = await box.customer("ada@example.org");
  const id = await box.running_agent(owner);
  const { key } = (await owner.call("POST", "/api/keys", { name: "script" })).body;
  // Another program has the server's one slot.
  const first = send(box.backend, "POST", "/v1/chat/completions", {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "small", messages: [{ role: "user", content: "first" }] }),
  });
  await until("the first is with the server", () => server.held.length === 1);
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  const answer_all = async () => {
    server.held[0].answer();
    assert.equal((await first).status, 200);
    await until("the next is with the server", () => server.held.length === 2);
    server.held[1].answer();
  };
  return { ada, id, server, answer_all };
};

test("a conversation shows the place in the queue and the expected wait, in other tabs, too", async (t) => {
  const { ada, id, server } = await story_of(t);
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  const draft = ada.page.getByRole("textbox", { name: "Message to Scout" });
  await draft.fill("Hello");
  await draft.press("Enter");
  const waits = /Scout waits for its model: place 1 in the queue, about \d+ (sec|min)/;
  await ada.log.getByText(waits).waitFor();
  assert.equal(await ada.text("Scout is working").count(), 0);
  await ada.is_accessible();
  const other = await ada.another_tab(`/agents/${id}`);
  await other.log.getByText(waits).waitFor();
  server.held[0].answer();
  await until("it is with the server", () => server.held.length === 2);
  await ada.text("Scout is working").waitFor();
  await other.text("Scout is working").waitFor();
  server.held[1].answer();
  for (const tab of [ada, other]) {
    await tab.log.getByText("Answer to Hello.").waitFor();
    await tab.text("Scout is working").waitFor({ state: "detached" });
  }
  assert.equal(await ada.log.getByText(waits).count(), 0);
});

test("the playground shows it, too", async (t) => {
  const { ada, answer_all } = await story_of(t);
  await ada.page.goto("/playground?models=small");
  await ada.label("Message").fill("Hello");
  await ada.button("Ask").click();
  await ada.text(/small waits for its model: place 1 in the queue, about/).waitFor();
  await answer_all();
  await ada.text("Answer to Hello.").waitFor();
  await ada.text(/waits for its model/).waitFor({ state: "detached" });
});
