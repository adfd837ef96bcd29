// A question of the gate on a channel with buttons. Besides what channel_suite.mjs asks of
// a driver:
//   question(chat)           the last message with buttons: {text, buttons: [{label, data}], message}
//   press(person, question, data)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serve_site } from "../peers/http_site.mjs";
import { send, until } from "./box.mjs";
import { ChannelStory } from "./channel_suite.mjs";

const OWNER = 101,
  FRIEND = 102,
  STRANGER = 103;

// The agent wants to post to a board, which its owner is asked about.
export const ask_owner = async (t, story) => {
  const rules = [{ effect: "outward", decision: "ask" }];
  await story.call("PUT", `/api/agents/${story.agent}/gate`, { rules });
  const board = await serve_site(t, ({ text }) => {
    const { id, method } = JSON.parse(text);
    const tool = { name: "post", description: "Publish a text", inputSchema: { type: "object", properties: {} } };
    const results = { "server/discover": { resultType: "complete", supportedVersions: ["2026-07-28"] }, "tools/list": { tools: [tool] } };
    return { json: { jsonrpc: "2.0", id, result: results[method] ?? { content: [{ type: "text", text: "Published" }] } } };
  });
  await story.call("PUT", `/api/agents/${story.agent}/config`, { config: { mcpServers: { board: { url: board.url } } } });
  const boot = join(story.box.folder, "agents", story.agent, "run", "boot.json");
  const { box_token } = JSON.parse(readFileSync(boot));
  const asked = await send(story.box.backend, "POST", "/api/agent-mcp/call", {
    headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "board__post", arguments: { text: "the very words <&> ```" } }),
  });
  assert.equal(asked.status, 202, asked.text);
};

export const question_stories = (Driver) => {
  const { kind } = Driver;

  test(`${kind}: a question of the gate is answered by its owner with a button, and by nobody else`, async (t) => {
    const story = await ChannelStory.start(t, Driver);
    const { driver } = story;
    await story.connect();
    await story.pair(OWNER, true);
    await story.pair(FRIEND);
    await ask_owner(t, story);
    const question = await until("the question", () => driver.question(OWNER));
    assert.match(driver.texts(OWNER).join("\n"), /"text":"the very words <&> '{3}"/, "the owner sees exactly what would happen");
    assert.deepEqual(
      question.buttons.map(({ label }) => label),
      ["Allow", "Refuse"],
    );
    assert.equal(driver.question(FRIEND), undefined);
    const state = async () => (await story.call("GET", "/api/asks")).asks[0];
    const [allow, refuse] = question.buttons;
    await driver.press(FRIEND, question, allow.data);
    await driver.press(STRANGER, question, allow.data);
    await driver.press(OWNER, question, refuse.data);
    await until("the answer", async () => (await state()).state === "refused");
    assert.match((await state()).answeredBy, /^channel:ch_/);
    await story.heard(OWNER, /Refused\.\W*$/);
    if (Driver.can_edit) assert.equal(driver.question(OWNER), undefined, "the buttons are gone");
    driver.check();
  });
};
