// Telegram: the stories of all channels by long polling, and what only Telegram has.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { channel_stories, ChannelStory } from "../support/channel_suite.mjs";
import { send, until } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { TelegramServer } from "../peers/telegram_server.mjs";

class Telegram {
  static kind = "telegram";
  static keeps_messages = true;
  static can_edit = true;
  kind = "telegram";
  max_text = 4096;
  wrong_token = "4711:wrong";

  static async start(t) {
    const driver = new Telegram();
    driver.server = await TelegramServer.start(t);
    driver.env = { TELEGRAM_API_URL: driver.server.url };
    driver.token = driver.server.token;
    return driver;
  }
  write(person, text, { group, mentioned, files = [] } = {}) {
    const chat = group ? { id: group, type: "supergroup", title: "The group" } : { id: person, type: "private" };
    const said = mentioned ? `@scout_bot ${text}` : text;
    const more = {};
    for (const { name, content } of files) {
      const file_id = `file-${this.server.files.size}`;
      this.server.files.set(file_id, { path: `documents/${file_id}`, content });
      Object.assign(more, { document: { file_id, file_name: name, file_size: content.length }, caption: said });
    }
    const update = this.server.write({ from: { id: person }, chat, ...(files.length ? {} : { text: said }), ...more });
    return () => this.server.deliver(update);
  }
  texts = (chat) => this.server.sent_to(chat).flatMap(({ text }) => (text === undefined ? [] : [text]));
  files = (chat) => this.server.sent_to(chat).flatMap(({ file }) => (file ? [file] : []));
  edits = (chat) => this.server.sent_to(chat).at(-1).edits ?? [];
  vanish = () => this.server.vanish();
  listen = () => this.server.listen();
  limit = (seconds) => this.server.fail_next.push({ status: 429, description: "Too Many Requests", parameters: { retry_after: seconds } });
  set refuses(is_refusing) {
    this.server.fail_always = is_refusing ? { status: 403, description: "Forbidden: bot was blocked by the user" } : undefined;
  }
  lose = () => (this.server.lose_next = 1);
  revoke = () => {
    this.server.is_revoked = true;
    this.server.http.closeAllConnections();
  };
  set hold(is_held) {
    this.server.lose_next = is_held ? Infinity : 0;
  }
  get held() {
    return this.server.messages.some(({ text }) => text?.includes("Hold it"));
  }
  check() {
    this.server.check();
  }
}

channel_stories(Telegram);

test("telegram: events are pushed with a secret token where the owner chooses so", async (t) => {
  const story = await ChannelStory.start(t, Telegram);
  const { driver } = story;
  driver.options = { receive: "webhook" };
  const { eventsUrl } = await story.connect();
  const { url, secret_token } = driver.server.webhook;
  assert.equal(url, eventsUrl);
  const push = (update, headers) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(update) });
  const update = (update_id, text) => ({
    update_id,
    message: { message_id: update_id, from: { id: 7, is_bot: false, first_name: "Eve" }, chat: { id: 7, type: "private" }, date: 1, text },
  });
  const { code } = await story.call("POST", `${story.channel}/invitations`, {});
  assert.equal((await push(update(1, code))).status, 401);
  assert.equal((await push(update(1, code), { "x-telegram-bot-api-secret-token": "wrong" })).status, 401);
  const headers = { "x-telegram-bot-api-secret-token": secret_token };
  assert.equal((await push(update(1, `/start ${code}`), headers)).status, 200);
  await story.heard(7, /now talk to Scout/);
  for (let times = 0; times < 3; times++) assert.equal((await push(update(2, "Hello"), headers)).status, 200);
  await story.heard(7, /You said: Hello/);
  assert.equal(story.model.asked.length, 1);
  driver.check();
});

test("telegram: voice notes go both ways, and the agent reads what is said in those it gets", async (t) => {
  class Hearing extends Telegram {
    static hears = "Is the kettle on?";
  }
  const says = async (story, from, content) => {
    const file_id = `voice-${story.driver.server.files.size}`;
    story.driver.server.files.set(file_id, { path: `voice/${file_id}.oga`, content });
    const voice = { file_id, duration: 2, mime_type: "audio/ogg", file_size: content.length };
    story.driver.server.write({ from: { id: from }, chat: { id: from, type: "private" }, voice });
    return until("the question", () => story.model.asked.findLast((text) => text.includes("voice.ogg")));
  };
  const story = await ChannelStory.start(t, Hearing);
  const { driver, model, box } = story;
  await story.connect();
  await story.pair(101, true);
  const workspace = join(box.folder, "agents", story.agent, "workspace");
  mkdirSync(join(workspace, "out"), { recursive: true });
  writeFileSync(join(workspace, "out", "answer.ogg"), "OggS spoken by the agent");
  model.reply = () => "[It is](out/answer.ogg)";
  const asked = await says(story, 101, "OggS spoken by a person");
  assert.match(asked, /^File: channels\/\S+voice\.ogg\nWhat is said in it: Is the kettle on\?$/);
  assert.equal(model.heard.length, 1);
  assert.match(model.heard[0], /whisper-1[^]*OggS spoken by a person/);
  const [{ method, name, content }] = await until("the voice note", () => driver.files(101).length > 0 && driver.files(101));
  assert.deepEqual([method, name, content], ["sendVoice", "answer.ogg", "OggS spoken by the agent"]);
  const { calls } = await story.call("GET", "/api/dashboard/calls");
  assert.ok(
    calls.some((call) => call.model === "whisper-1" && call.agentId === story.agent),
    "it is metered for the agent",
  );

  // A box without such a model gives the agent the file.
  const deaf = await ChannelStory.start(t, Telegram);
  await deaf.connect();
  await deaf.pair(102);
  assert.match(await says(deaf, 102, "OggS"), /^File: channels\/\S+voice\.ogg$/);
  await deaf.heard(102, /You said/);
  driver.check();
});

test("telegram: a topic is answered in the topic; German people read German", async (t) => {
  const story = await ChannelStory.start(t, Telegram);
  const { driver } = story;
  await story.connect();
  driver.server.write({ from: { id: 9, language_code: "de" }, text: "Hallo" });
  await story.heard(9, /Ich kenne Sie noch nicht/);
  const chat = { id: -5, type: "supergroup", title: "Topics" };
  driver.server.write({ from: { id: 9 }, chat, text: "@scout_bot hi", message_thread_id: 33, is_topic_message: true });
  await story.heard(-5, /code to the person/);
  assert.equal(driver.server.sent_to(-5)[0].topic, 33);
  driver.check();
});

test("telegram: what the agent tells its owner unasked reaches the owner's account, unless there is nothing to report", async (t) => {
  const story = await ChannelStory.start(t, Telegram);
  const { driver, model, box } = story;
  await story.connect();
  await story.pair(5, true);
  await story.pair(6);
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", story.agent, "run", "boot.json")));
  const told = await send(box.backend, "POST", "/api/agent-notices", {
    headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
    body: JSON.stringify({ subject: "Harbour", text: "It is open *again*." }),
  });
  assert.deepEqual([told.status, told.body.accounts], [201, 1], told.text);
  await story.heard(5, /^Harbour\n\nIt is open again\.$/);
  model.reply = (text) => (text.includes("quiet") ? "Nothing to report." : "The kettle is on.");
  const tasks = ["quiet", "loud"].map((prompt) => ({
    name: prompt,
    cronSchedule: "0 9 * * 1",
    prompt,
    agentId: story.agent,
    tellOwner: true,
  }));
  for (const task of tasks) {
    const { id } = await story.call("POST", "/api/scheduled-tasks", task);
    await story.call("POST", `/api/scheduled-tasks/${id}/run`);
    await until("the run", async () => (await story.call("GET", `/api/scheduled-tasks/${id}/runs`)).runs[0]?.outcome === "succeeded");
  }
  await story.heard(5, /The kettle is on/);
  assert.ok(!driver.texts(5).some((text) => text.includes("Nothing to report")));
  assert.ok(!driver.texts(6).some((text) => /Harbour|kettle/.test(text)), "only the owner hears it");
  driver.check();
});

test("telegram: a question of the gate is answered by its owner with a button, and by nobody else", async (t) => {
  const story = await ChannelStory.start(t, Telegram);
  const { driver, box } = story;
  await story.connect();
  await story.pair(5, true);
  await story.pair(6);
  const rules = [{ effect: "outward", decision: "ask" }];
  await story.call("PUT", `/api/agents/${story.agent}/gate`, { rules });
  const board = await serve_site(t, ({ text }) => {
    const { id, method } = JSON.parse(text);
    const tool = { name: "post", description: "Publish a text", inputSchema: { type: "object", properties: {} } };
    const results = { "server/discover": { resultType: "complete", supportedVersions: ["2026-07-28"] }, "tools/list": { tools: [tool] } };
    return { json: { jsonrpc: "2.0", id, result: results[method] ?? { content: [{ type: "text", text: "Published" }] } } };
  });
  await story.call("PUT", `/api/agents/${story.agent}/config`, { config: { mcpServers: { board: { url: board.url } } } });
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", story.agent, "run", "boot.json")));
  const asked = await send(box.backend, "POST", "/api/agent-mcp/call", {
    headers: { authorization: `Bearer ${box_token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "board__post", arguments: { text: "the very words ```" } }),
  });
  assert.equal(asked.status, 202, asked.text);
  const question = await until("the question", () => driver.server.sent_to(5).find(({ buttons }) => buttons));
  assert.match(question.text, /^May I do this\?/);
  assert.match(question.text, /"text":"the very words '{3}"/, "the owner sees exactly what would happen");
  const [allow, refuse] = question.buttons;
  assert.deepEqual([allow.text, refuse.text], ["Allow", "Refuse"]);
  for (const { callback_data } of question.buttons) assert.ok(Buffer.byteLength(callback_data) <= 64);
  const press = (id, data) =>
    driver.server.deliver({
      update_id: 50_000 + id,
      callback_query: {
        id: `press-${id}`,
        from: { id, first_name: "P" },
        data,
        message: { message_id: question.message_id, chat: { id, type: "private" } },
      },
    });
  const state = async () => (await story.call("GET", "/api/asks")).asks[0];
  press(6, allow.callback_data);
  press(7, allow.callback_data);
  press(5, refuse.callback_data);
  await until("the answer", async () => (await state()).state === "refused");
  assert.match((await state()).answeredBy, /^channel:ch_/);
  await story.heard(5, /Refused\.$/);
  assert.ok(driver.server.calls.includes("answerCallbackQuery"));
  driver.check();
});

test("provisioning with a token connects the channel at once, and a wrong one is an error of the channel", async (t) => {
  const story = await ChannelStory.start(t, Telegram);
  const { driver, box } = story;
  const provision = async (name, telegramToken) => {
    const made = await story.owner.call("POST", "/api/provision", { name, telegramToken });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const list = (await story.owner.call("GET", "/api/agents")).body;
    const { id } = (list.agents ?? list).find((one) => one.name === name);
    return (wanted) =>
      until(`the channel of ${name} is ${wanted}`, async () => {
        const { channels } = await story.call("GET", `/api/agents/${id}/channels`);
        return channels.length === 1 && channels[0].state === wanted && channels[0];
      });
  };
  const wrong = await provision("Wrong", "4711:hidden-bot");
  assert.match((await wrong("rejected")).error, /does not accept/);
  const right = await provision("Right", driver.token);
  assert.equal((await right("connected")).identity, "@scout_bot");
  assert.equal(box.whole_log.includes("hidden-bot"), false);
});
