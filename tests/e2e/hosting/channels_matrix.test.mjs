// Matrix: the stories of all channels with a strict homeserver, and what only Matrix has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/box.mjs";
import { channel_stories, ChannelStory } from "../support/channel_suite.mjs";
import { MatrixServer } from "../peers/matrix_server.mjs";

class Matrix {
  static kind = "matrix";
  static keeps_messages = true;
  static can_edit = true;
  kind = "matrix";
  max_text = 8_000;
  env = {};
  wrong_token = "syt_wrong";

  static async start(t) {
    const driver = new Matrix();
    driver.server = await MatrixServer.start(t);
    driver.token = driver.server.token;
    driver.options = { homeserver: `${driver.server.url}/` };
    return driver;
  }
  address = (person) => `@p${person}:box.example`;
  room = (chat) => (chat < 0 ? `!group${-chat}:box.example` : `!direct${chat}:box.example`);
  write(person, text, { group, mentioned, files = [] } = {}) {
    const room = this.room(group ?? person);
    const sender = this.address(person);
    this.server.open(room, group ? [sender, "@other:box.example"] : [sender], group && "The group");
    const content = { msgtype: "m.text", body: mentioned && !/scout/i.test(text) ? `scout: ${text}` : text };
    for (const { name, content: bytes } of files) {
      const id = `file${this.server.media.size}`;
      this.server.media.set(id, { type: "text/plain", content: Buffer.from(bytes) });
      Object.assign(content, { msgtype: "m.file", filename: name, url: `mxc://box.example/${id}`, info: { size: bytes.length } });
    }
    const event = this.server.add(room, { sender, content });
    return () => this.server.repeat({ room, event });
  }
  said = (chat) => this.server.said(this.room(chat));
  texts = (chat) => this.said(chat).flatMap(({ content }) => (content.msgtype === "m.notice" ? [content.body] : []));
  files = (chat) =>
    this.said(chat).flatMap(({ content }) => {
      const media = content.url && this.server.media.get(content.url.split("/").at(-1));
      return media ? [{ name: content.filename, content: media.content.toString() }] : [];
    });
  edits = (chat) => this.said(chat).at(-1).edits;
  vanish = () => this.server.vanish();
  listen = () => this.server.listen();
  limit = (seconds) =>
    this.server.fail_next.push({ status: 429, body: { errcode: "M_LIMIT_EXCEEDED", error: "Too fast", retry_after_ms: seconds * 1_000 } });
  set refuses(is_refusing) {
    this.server.fail_always = is_refusing
      ? { status: 403, body: { errcode: "M_FORBIDDEN", error: "You are not in this room" } }
      : undefined;
  }
  lose = () => (this.server.lose_next = 1);
  revoke() {
    this.server.is_revoked = true;
    this.server.http.closeAllConnections();
  }
  set hold(is_held) {
    this.server.lose_next = is_held ? Infinity : 0;
  }
  get held() {
    return this.server.events.some(({ event }) => event.sender === this.server.user && event.content.body.includes("Hold it"));
  }
  check() {
    this.server.check();
  }
}

channel_stories(Matrix);

test("matrix: threads stay threads, edits and other bots are no messages, and encrypted rooms get one sentence", async (t) => {
  const story = await ChannelStory.start(t, Matrix);
  const { driver, model } = story;
  const { server } = driver;
  await story.connect();
  await story.pair(7);
  const room = driver.room(7);
  const sender = driver.address(7);
  const write = (content) => server.add(room, { sender, content: { msgtype: "m.text", ...content } });
  const root = write({ body: "A root" });
  await story.heard(7, /You said: A root/);
  write({ body: "In a thread", "m.relates_to": { rel_type: "m.thread", event_id: root.event_id } });
  await story.heard(7, /You said: In a thread/);
  const { content } = driver.said(7).find(({ content: { body } }) => body.includes("In a thread"));
  assert.deepEqual([content["m.relates_to"].rel_type, content["m.relates_to"].event_id], ["m.thread", root.event_id]);
  assert.match(content.formatted_body, /You said: In a thread/);
  write({
    body: "* A changed root",
    "m.new_content": { body: "A changed root" },
    "m.relates_to": { rel_type: "m.replace", event_id: root.event_id },
  });
  write({ msgtype: "m.notice", body: "I am a bot" });
  const fallback = "> <@scout:box.example> You said: A root\n> more\n\nWhat?";
  write({ body: fallback, "m.relates_to": { "m.in_reply_to": { event_id: root.event_id } } });
  await story.heard(7, /You said: What\?/);
  assert.deepEqual(model.asked, ["A root", "In a thread", "What?"]);

  const secret = "!secret:box.example";
  server.open(secret, [sender]);
  for (let times = 0; times < 2; times++)
    server.add(secret, { sender, type: "m.room.encrypted", content: { algorithm: "m.megolm.v1.aes-sha2" } });
  await until("the sentence", () => server.said(secret).some((one) => /encrypted, and I cannot read/.test(one.content.body)));
  write({ body: "Last" });
  await story.heard(7, /You said: Last/);
  assert.equal(server.said(secret).length, 1);
  driver.check();
});

test("matrix: what was said while the box was away is answered, however much it is, and nothing twice", async (t) => {
  const story = await ChannelStory.start(t, Matrix);
  const { driver, model, box } = story;
  await story.connect();
  await story.pair(7, true);
  await story.call("PATCH", story.channel, { dailyCap: 10_000 });
  await story.until_connected();
  driver.write(7, "Before");
  await story.heard(7, /You said: Before/);
  await until("the position", () => driver.server.account_data.size === 1);
  await box.end("SIGTERM");
  for (let number = 1; number <= 130; number++) driver.write(8, `noise ${number}`, { group: -3, mentioned: false });
  driver.write(7, "While away");
  for (let number = 1; number <= 130; number++)
    driver.server.add(driver.room(7), { sender: driver.address(9), type: "m.reaction", content: {} });
  await box.serve();
  await story.until_connected();
  await story.heard(7, /You said: While away/);
  assert.deepEqual(model.asked, ["Before", "While away"]);
  const refused = await story.owner.call("POST", story.path, { kind: "matrix", token: "x", options: { homeserver: "matrix" } });
  assert.deepEqual([refused.status, /homeserver must be/.test(refused.body.error)], [400, true]);
  driver.check();
});
