// WhatsApp: the stories of all channels by Meta's webhooks, and what only WhatsApp has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/box.mjs";
import { question_stories } from "../support/channel_questions.mjs";
import { channel_stories, ChannelStory } from "../support/channel_suite.mjs";
import { WhatsAppServer } from "../peers/whatsapp_server.mjs";

class WhatsApp {
  static kind = "whatsapp";
  static has_no_groups = true;
  kind = "whatsapp";
  max_text = 4096;
  wrong_token = "EAAB-not-a-token-of-anybody";

  static async start(t) {
    const driver = new WhatsApp();
    driver.server = await WhatsAppServer.start(t);
    const { url, token, app_secret, verify_token, number_id } = driver.server;
    driver.env = { WHATSAPP_API_URL: url };
    driver.token = token;
    driver.secrets = { appSecret: app_secret, verifyToken: verify_token };
    driver.options = { phoneNumberId: number_id };
    return driver;
  }
  async connected({ eventsUrl }) {
    this.server.events_url = eventsUrl;
    assert.deepEqual(await this.server.verify(), [200, "1158201444"]);
  }
  address = (person) => `49151000${person}`;
  write(person, text, { files = [] } = {}) {
    return this.server.write({ from: this.address(person), text, file: files[0] });
  }
  texts = (person) => this.server.sent_to(this.address(person)).flatMap(({ text }) => (text === undefined ? [] : [text]));
  files = (person) => this.server.sent_to(this.address(person)).flatMap(({ file }) => (file ? [file] : []));
  question = (person) => this.server.sent_to(this.address(person)).findLast(({ buttons }) => buttons);
  press = (person, _, id) => this.server.press({ from: this.address(person), id })();
  vanish = () => this.server.vanish();
  listen = () => this.server.listen();
  limit = (seconds) =>
    this.server.fail_next.push({
      status: 429,
      body: { error: { message: "Rate limit hit", code: 130429 } },
      headers: { "retry-after": String(seconds) },
    });
  set refuses(is_refusing) {
    const body = { error: { message: "(#131030) Recipient phone number not in allowed list", code: 131030 } };
    this.server.fail_always = is_refusing ? { status: 400, body } : undefined;
  }
  lose = () => (this.server.lose_next = 1);
  revoke = () => (this.server.is_revoked = true);
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

channel_stories(WhatsApp);
question_stories(WhatsApp);

test("whatsapp: events and addresses are verified; events of other numbers change nothing", async (t) => {
  const story = await ChannelStory.start(t, WhatsApp);
  const { driver, model } = story;
  const { server } = driver;
  await story.connect();
  assert.equal((await server.verify("a token of another"))[0], 401);
  await story.call("PATCH", story.channel, { access: "open" });
  await story.until_connected();
  const messages = [{ from: "491", id: "wamid.1", timestamp: "1", type: "text", text: { body: "Hello" } }];
  const event = server.event({ contacts: [], messages });
  for (const given of [{ secret: "another secret of another app" }, { signature: "sha256=00" }])
    assert.equal((await server.post(event, given)).status, 401);
  assert.equal((await server.post(server.event({ contacts: [], messages }, "999"))).status, 200);
  assert.deepEqual(model.asked, []);
  for (let times = 0; times < 3; times++) assert.equal((await server.post(event)).status, 200);
  await until("the answer", () => server.sent_to("491").length > 0);
  assert.deepEqual(model.asked, ["Hello"]);
  assert.ok(server.is_read.includes("wamid.1"), "it is marked as read");
  const { code, url } = await story.call("POST", `${story.channel}/invitations`, {});
  assert.equal(url, `https://wa.me/15550783881?text=${code}`);
  driver.check();
});

test("whatsapp: a message that was taken and not delivered is a dead letter, and can be sent again", async (t) => {
  const story = await ChannelStory.start(t, WhatsApp);
  const { driver } = story;
  const { server } = driver;
  await story.connect();
  await story.pair(101, true);
  server.is_silent = true;
  driver.write(101, "Far away");
  await story.heard(101, /You said: Far away/);
  const message = server.messages.at(-1);
  assert.match(message.key, /^ch_/);
  await until("it waits for nothing", async () => (await story.state()).queued === 0);
  await server.report(message, "sent")();
  const errors = [{ code: 131026, title: "Message undeliverable", error_data: { details: "Message Undeliverable." } }];
  await server.report(message, "failed", errors)();
  const { deadLetters } = await until("the dead letter", async () => {
    const list = await story.call("GET", `${story.channel}/dead-letters`);
    return list.count === 1 && list;
  });
  assert.match(deadLetters[0].error, /could not deliver it: Message Undeliverable/);
  server.is_silent = false;
  await story.call("POST", `${story.channel}/dead-letters/${deadLetters[0].id}/replay`);
  await story.heard(101, /You said: Far away/, 2);
  await until("no dead letter", async () => (await story.call("GET", `${story.channel}/dead-letters`)).count === 0);
  driver.check();
});

test("whatsapp: what is missing is said", async (t) => {
  const story = await ChannelStory.start(t, WhatsApp);
  const { driver } = story;
  const whole = { kind: "whatsapp", token: driver.token, options: driver.options, secrets: driver.secrets };
  for (const [change, pattern] of [
    [{ token: "short" }, /token is not an access token/],
    [{ options: {} }, /options\.phoneNumberId must be/],
    [{ secrets: { verifyToken: "long enough" } }, /secrets\.appSecret must be/],
    [{ secrets: { appSecret: driver.secrets.appSecret } }, /secrets\.verifyToken must be/],
    [{ options: { ...driver.options, template: "no template" } }, /options\.template must be/],
  ]) {
    const answer = await story.owner.call("POST", story.path, { ...whole, ...change });
    assert.deepEqual([answer.status, pattern.test(answer.body.error)], [400, true], JSON.stringify(answer.body));
  }
});
