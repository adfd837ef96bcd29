// XMPP: the stories of all channels with Debian's prosody, over TLS and with SCRAM, and what only XMPP has.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { until } from "../support/box.mjs";
import { make_certificate } from "../support/certificate.mjs";
import { channel_stories, ChannelStory } from "../support/channel_suite.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { Prosody } from "../peers/prosody.mjs";

const ROOM = "group@rooms.box.example";

class Xmpp {
  static kind = "xmpp";
  static keeps_messages = true;
  static can_edit = true;
  kind = "xmpp";
  max_text = 8_000;
  token = 'pass "word", of the = bot';
  wrong_token = "another one";
  files_of_people = new Map();

  static async start(t) {
    const driver = new Xmpp();
    const certificate = make_certificate(t, ["box.example"]);
    const people = ["p7", "p101", "p102", "p103", "p104"];
    driver.server = await Prosody.start(t, { bot: "scout", password: driver.token, people, certificate });
    driver.site = await serve_site(t, ({ url }) => ({ body: driver.files_of_people.get(url.pathname) }));
    driver.env = { SSL_CERT_FILE: certificate.file };
    driver.options = { address: "Scout@box.example", server: `127.0.0.1:${driver.server.port}`, rooms: ROOM };
    return driver;
  }
  address = (person) => `p${person}@box.example`;
  person = (number) => this.server.sessions.get(`p${number}`);
  write(number, text, { group, mentioned, files = [] } = {}) {
    const person = this.person(number);
    const id = randomUUID();
    let url;
    for (const { name, content } of files) {
      const path = `/${id}/${encodeURIComponent(name)}`;
      this.files_of_people.set(path, content);
      url = this.site.url + path;
    }
    if (group) this.person(104).join(ROOM); // who hears what is said there
    if (group) person.join(ROOM);
    const said = mentioned && !/scout/i.test(text) ? `scout: ${text}` : text;
    const again = () => person.say(group ? ROOM : "scout@box.example", group ? "groupchat" : "chat", said, { url, id });
    again();
    return again;
  }
  heard(chat) {
    if (chat > 0) return this.person(chat).heard.filter(({ type, from }) => type === "chat" && from.startsWith("scout@"));
    return this.person(104).heard.filter(({ from }) => from === `${ROOM}/scout`);
  }
  texts = (chat) => this.heard(chat).flatMap(({ text, url }) => (url ? [] : [text]));
  files = (chat) =>
    this.heard(chat).flatMap(({ url, content }) =>
      content === undefined ? [] : [{ name: decodeURIComponent(url.split("/").at(-1)), content }],
    );
  edits = (chat) => this.heard(chat).at(-1).edits;
  // The box takes what people say in the order of the server: what another stranger says afterwards is answered.
  async taken() {
    await Promise.all([...this.server.sessions.values()].map((person) => person.settled()));
    this.write(103, "And me");
    await until("another stranger's code", () => this.texts(103).some((text) => text.includes("code to the person")));
  }
  vanish = () => this.server.end();
  listen = () => this.server.serve();
  limit = () => this.server.order("limit");
  lose = () => this.server.order("lose");
  set refuses(is_refusing) {
    this.server.order(is_refusing ? "refuse" : undefined);
  }
  set hold(is_held) {
    this.server.order(is_held ? "hold" : undefined);
  }
  get held() {
    return [...this.server.sessions.values()].some(({ heard }) => heard.some(({ text }) => text.includes("Hold it")));
  }
  revoke() {
    this.server.set_password("scout", "changed by the provider");
    this.server.order("kick");
  }
}

channel_stories(Xmpp);

test("xmpp: what is sent to the bot while it is away arrives later, and what cannot work is refused with the field", async (t) => {
  const story = await ChannelStory.start(t, Xmpp);
  const { driver, box } = story;
  await story.connect();
  await story.pair(7);
  await box.end("SIGTERM");
  driver.write(7, "Are you there?");
  await box.serve();
  await story.until_connected();
  await story.heard(7, /You said: Are you there\?/);
  driver.write(7, "<b> & 'so' on\nsecond line");
  assert.equal(
    await until("the answer", () => driver.texts(7).find((text) => text.includes("second"))),
    "You said: <b> & 'so' on\nsecond line",
  );
  for (const [edit, pattern] of [
    [{ address: "scout" }, /address must be/],
    [{ rooms: "not a room" }, /rooms must be/],
    [{ server: "a b" }, /server must be/],
  ]) {
    const options = { ...driver.options, ...edit };
    const { status, body } = await story.owner.call("POST", story.path, { kind: "xmpp", token: "x", options });
    assert.equal(status, 400, JSON.stringify(edit));
    assert.match(body.error, pattern);
  }
  // A server whose certificate is another's is not talked to.
  await story.call("PATCH", story.channel, { options: { ...driver.options, address: "scout@other.example" } });
  const refused = await until("the refusal", async () => {
    const channel = await story.state();
    return channel.error && channel;
  });
  assert.deepEqual([refused.state, /other\.example|127\.0\.0\.1/.test(refused.error)], ["connecting", true], refused.error);
});
