// Discord: the stories of all channels over the gateway, and what only Discord has.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { until } from "../support/box.mjs";
import { question_stories } from "../support/channel_questions.mjs";
import { channel_stories, ChannelStory } from "../support/channel_suite.mjs";
import { DiscordServer } from "../peers/discord_server.mjs";

class Discord {
  static kind = "discord";
  static keeps_messages = true;
  static can_edit = true;
  kind = "discord";
  max_text = 2000;
  wrong_token = "NDcx.wrong.token";

  static async start(t) {
    const driver = new Discord();
    driver.server = await DiscordServer.start(t);
    driver.env = { DISCORD_API_URL: driver.server.url };
    driver.token = driver.server.token;
    return driver;
  }
  address = (person) => (person < 0 ? `8${-person}` : String(person));
  chat = (person) => (person < 0 ? `8${-person}` : `9${person}`);
  write(person, text, { group, mentioned, files } = {}) {
    const channel = this.chat(group ?? person);
    return this.server.write({ user: this.address(person), channel, guild: group && "5", text, files, mentions: mentioned });
  }
  texts = (person) => this.server.sent_to(this.chat(person)).flatMap(({ text }) => (text === undefined ? [] : [text]));
  files = (person) => this.server.sent_to(this.chat(person)).flatMap(({ file }) => (file ? [file] : []));
  edits = (person) => this.server.sent_to(this.chat(person)).at(-1).edits ?? [];
  question = (person) => this.server.sent_to(this.chat(person)).findLast(({ buttons }) => buttons?.length);
  async press(person, { id }, custom_id) {
    const { server } = this;
    const pressed = server.interaction({
      ...{ user: this.address(person), channel: this.chat(person), message: id },
      data: { custom_id, component_type: 2 },
    });
    assert.deepEqual(await server.interact(pressed), { type: 6 });
  }
  vanish = () => this.server.vanish();
  listen = () => this.server.listen();
  limit = (seconds) =>
    this.server.fail_next.push({
      status: 429,
      body: { message: "You are being rate limited.", retry_after: seconds - 0.03, global: false },
      headers: { "retry-after": String(seconds) },
    });
  set refuses(is_refusing) {
    const body = { message: "Cannot send messages to this user", code: 50007 };
    this.server.fail_always = is_refusing ? { status: 403, body } : undefined;
  }
  lose = () => (this.server.lose_next = 1);
  revoke = () => {
    this.server.is_revoked = true;
    this.server.drop_sockets();
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

channel_stories(Discord);
question_stories(Discord);

test("discord: the session is resumed after an interruption and after a kill; nothing is lost or doubled", async (t) => {
  const story = await ChannelStory.start(t, Discord);
  const { driver, model, box } = story;
  const { server } = driver;
  await story.connect();
  await story.pair(101, true);
  driver.write(101, "one");
  await story.heard(101, /You said: one/);
  await until("heartbeats", () => server.beats >= 3);
  // Discord asks for another connection.
  server.ask_to_reconnect();
  await until("the session is resumed", () => server.resumed === 1);
  driver.write(101, "two");
  await story.heard(101, /You said: two/);
  // What was said while the box was down.
  await box.end("SIGKILL");
  driver.write(101, "three");
  await box.serve();
  await story.heard(101, /You said: three/);
  assert.deepEqual([server.identified, server.resumed], [1, 2]);
  // Discord has forgotten the session: a new one begins.
  server.forget_sessions();
  await until("a new session", () => server.identified === 2);
  await story.until_connected();
  driver.write(101, "four");
  await story.heard(101, /You said: four/);
  // The connection hangs: heartbeats are not answered any more.
  server.is_silent = true;
  await until("the box notices", () => server.resumed >= 3);
  server.is_silent = false;
  await story.until_connected();
  driver.write(101, "five");
  await story.heard(101, /You said: five/);
  assert.deepEqual(model.asked, ["one", "two", "three", "four", "five"]);
  driver.check();
});

test("discord: a message whose answer was lost is there once, and limits in headers are kept", async (t) => {
  const story = await ChannelStory.start(t, Discord);
  const { driver } = story;
  const { server } = driver;
  await story.connect();
  await story.pair(101, true);
  driver.lose();
  driver.write(101, "Lost");
  await story.heard(101, /You said: Lost/);
  driver.write(101, "After it");
  await story.heard(101, /You said: After it/);
  assert.equal(driver.texts(101).filter((text) => text.includes("Lost")).length, 1);
  server.limit_after = 1;
  driver.write(101, "First");
  await story.heard(101, /You said: First/);
  driver.write(101, "Second");
  await story.heard(101, /You said: Second/);
  const at = (word) => server.sent_to("9101").find(({ text }) => text?.includes(word)).at;
  assert.ok(at("Second") - at("First") >= 780, "the box waited until the limit was reset");
  driver.check();
});

test("discord: commands and buttons are pushed and signed where the owner has entered the address", async (t) => {
  const story = await ChannelStory.start(t, Discord);
  const { driver } = story;
  const { server } = driver;
  const { eventsUrl } = await story.connect();
  await story.pair(101, true);
  const hello = await server.post(eventsUrl, { id: "1", type: 1, application_id: server.application });
  assert.deepEqual([hello.status, await hello.json()], [200, { type: 1 }]);
  const command = server.interaction({ user: "101", channel: "9101", type: 2, data: { id: "3", name: "status" } });
  const other = generateKeyPairSync("ed25519").privateKey;
  assert.equal((await server.post(eventsUrl, command, { key: other })).status, 401);
  assert.equal((await server.post(eventsUrl, command, { at: Date.now() - 400_000 })).status, 401);
  assert.equal((await fetch(eventsUrl, { method: "POST", body: JSON.stringify(command) })).status, 401);
  const shown = await server.post(eventsUrl, command);
  assert.deepEqual([shown.status, await shown.json()], [200, { type: 4, data: { content: "/status", flags: 64 } }]);
  await story.heard(101, /Status: running/);
  assert.deepEqual(server.commands.map(({ name }) => name).sort(), ["help", "model", "new", "status", "stop"]);
  const over_gateway = server.interaction({ user: "101", channel: "9101", type: 2, data: { id: "4", name: "model" } });
  assert.equal((await server.interact(over_gateway)).type, 4);
  await story.heard(101, /Model: default/);
  driver.check();
});

test("discord: what Discord refuses is said, and no session is begun when none is left", async (t) => {
  const story = await ChannelStory.start(t, Discord);
  const { driver } = story;
  const { server } = driver;
  const wrong = await story.owner.call("POST", story.path, { kind: "discord", token: "no token" });
  assert.deepEqual([wrong.status, /token is not one of a Discord bot/.test(wrong.body.error)], [400, true]);
  server.close_with = 4014;
  await story.add();
  const until_said = (pattern) => until(`the channel says ${pattern}`, async () => pattern.test((await story.state()).error ?? ""));
  await until_said(/refuses what the box asks for \(4014\)/);
  server.close_with = undefined;
  server.remaining = 0;
  await until_said(/no more sessions today/);
  assert.equal(server.identified, 0);
  server.remaining = 5;
  await story.until_connected();
  driver.check();
});
