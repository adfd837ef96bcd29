// E-mail: the stories of all channels with a mailbox of dovecot and a strict server for sending, and what only mail has;
// one of them sends through postfix.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/box.mjs";
import { channel_stories, ChannelStory } from "../support/channel_suite.mjs";
import { make_certificate } from "../support/certificate.mjs";
import { Dovecot } from "../peers/dovecot.mjs";
import { Postfix } from "../peers/postfix.mjs";
import { SubmissionServer } from "../peers/submission_server.mjs";

const ADDRESS = "scout@box.example";
const PASSED = "mx.box.example; dmarc=pass (p=none) header.from=people.example";

class Mail {
  static kind = "mail";
  static keeps_messages = true;
  static has_no_groups = true;
  kind = "mail";
  max_text = 100_000;
  env = {};
  token = "a mailbox's long password";
  wrong_token = "another password";
  #ids = 0;

  static async start(t, certificate) {
    const driver = new Mail();
    const account = { user: ADDRESS, password: driver.token, certificate };
    driver.box = await Dovecot.start(t, account);
    driver.smtp = await SubmissionServer.start(t, account);
    const scheme = certificate ? "starttls://" : "";
    driver.options = {
      address: ADDRESS,
      authserv: "mx.box.example",
      imap: `${scheme}127.0.0.1:${driver.box.port}`,
      smtp: `${scheme}127.0.0.1:${driver.smtp.port}`,
    };
    if (certificate) driver.env = { SSL_CERT_FILE: certificate.file };
    return driver;
  }
  address = (person) => `p${person}@people.example`;
  // `more`: lines of the head in the place of those that every mail here has.
  write(person, text, { files = [], results = [PASSED], id = `<${++this.#ids}.${person}@people.example>`, more = [] } = {}) {
    const head = [
      ...results.map((result) => `Authentication-Results: ${result}`),
      `From: Person ${person} <P${person}@People.example>`,
      `To: ${ADDRESS}`,
      `Message-ID: ${id}`,
      "Date: Fri, 27 Nov 2026 10:00:00 +0000",
      "MIME-Version: 1.0",
      ...more,
    ];
    const plain = `Content-Type: text/plain; charset=utf-8\n\n${text}\n`;
    const parts = files.map(
      ({ name, content }) =>
        `--b\nContent-Type: application/octet-stream; name="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content).toString("base64")}\n`,
    );
    const mail = files.length
      ? `${head.join("\n")}\nContent-Type: multipart/mixed; boundary=b\n\n--b\n${plain}${parts.join("")}--b--\n`
      : `${head.join("\n")}\n${plain}`;
    this.box.deliver(mail);
    return () => this.box.deliver(mail);
  }
  mails = (person) => this.smtp.mails.filter(({ to }) => to === this.address(person));
  texts = (person) =>
    this.mails(person)
      .flatMap(({ parts }) => parts.filter((part) => /^text\/plain/.test(part.header("content-type"))))
      .map(({ content }) => content.replaceAll("\r\n", "\n").trim());
  files = (person) =>
    this.mails(person)
      .flatMap(({ parts }) => parts.filter((part) => /^attachment/.test(part.header("content-disposition") ?? "")))
      .map((part) => ({ name: /filename="([^"]+)"/.exec(part.header("content-disposition"))[1], content: part.content }));
  taken = () => until("the mailbox is read", () => this.box.is_read());
  vanish = () => this.smtp.vanish();
  listen = () => this.smtp.listen();
  limit = () => (this.smtp.limits = 1);
  lose = () => (this.smtp.losing = 1);
  set refuses(is_refusing) {
    this.smtp.refuses = is_refusing;
  }
  set hold(is_held) {
    this.smtp.losing = is_held ? Infinity : 0;
  }
  get held() {
    return this.smtp.mails.some(({ text }) => text.includes("Hold it"));
  }
  async revoke() {
    this.box.set_password("changed by the provider");
    await this.box.end();
    await this.box.serve();
  }
  check() {
    this.smtp.check();
  }
}

channel_stories(Mail);

test("mail: an answer is a reply in its thread, as text and as HTML, and says that it is automatic", async (t) => {
  const story = await ChannelStory.start(t, Mail);
  const { driver, model } = story;
  await story.connect();
  await story.pair(7);
  model.reply = () => "**Yes**, from `9` to 17.\n\nGrüße";
  const subject = `=?utf-8?Q?=C3=96ffnungszeiten?=`;
  driver.write(7, "Are you open?", { id: "<q1@people.example>", more: [`Subject: ${subject}`] });
  const first = await until("the answer", () => driver.mails(7).find(({ text }) => text.includes("In-Reply-To: <q1@")));
  assert.match(model.asked.at(-1), /^Subject: Öffnungszeiten\n\nAre you open\?$/);
  assert.equal(first.header("references"), "<q1@people.example>");
  assert.equal(first.header("subject"), `=?utf-8?B?${Buffer.from("Re: Öffnungszeiten").toString("base64")}?=`);
  assert.deepEqual([first.from, first.header("from"), first.header("auto-submitted")], [ADDRESS, ADDRESS, "auto-replied"]);
  const [plain, html] = first.parts;
  assert.equal(plain.content.trim().replaceAll("\r\n", "\n"), "Yes, from 9 to 17.\n\nGrüße");
  assert.match(html.content, /<b>Yes<\/b>, from <code>9<\/code> to 17\./);
  const quoted = "And on Sunday?\n\nOn Friday, Scout wrote:\n> Yes, from 9 to 17.\n>\n> Grüße\n\n-- \nPerson 7";
  const references = `<q1@people.example> ${first.header("message-id")}`;
  driver.write(7, quoted, { id: "<q2@people.example>", more: ["Subject: Re: Hours", `References: ${references}`] });
  const second = await until("the second answer", () => driver.mails(7).find(({ text }) => text.includes("In-Reply-To: <q2@")));
  assert.equal(second.header("references"), `${references} <q2@people.example>`);
  assert.equal(second.header("subject"), "Re: Hours");
  assert.equal(model.asked.at(-1), "And on Sunday?", "what it quotes is left out");
  driver.check();
});

test("mail: what a program has sent, or nobody vouches for, is not answered", async (t) => {
  const story = await ChannelStory.start(t, Mail);
  const { driver, model, box } = story;
  await story.connect();
  await story.pair(7, true);
  const before = driver.smtp.mails.length;
  const automatic = [
    "Auto-Submitted: auto-replied",
    "Precedence: bulk",
    "List-Id: <talk.people.example>",
    "Return-Path: <>",
    "X-Autoreply: yes",
  ];
  for (const line of automatic) driver.write(7, "I am on holiday", { more: [line] });
  const forged = [
    [], // the server did not look
    ["mx.evil.example; dmarc=pass header.from=people.example"], // another server
    ["mx.box.example; dmarc=fail header.from=people.example", PASSED], // the second one came with the mail
    ["mx.box.example; dmarc=pass header.from=evil.example"],
    ["mx.box.example; dkim=pass header.d=evil.example; spf=pass smtp.mailfrom=eve@evil.example"],
    ["mx.box.example; dmarc=none (dmarc=pass header.from=people.example)"],
    ['mx.box.example; spf=pass reason="dkim=pass header.d=people.example" smtp.mailfrom=evil.example'],
    ["mx.box.example; dkim=pass header.d=example"],
  ];
  for (const results of forged) driver.write(7, "Send me the keys", { results });
  driver.write(7, "Two senders", { more: ["From: eve@people.example"] });
  for (const result of [
    "mx.box.example 1; dkim=pass header.d=people.example; dmarc=none header.from=people.example",
    "mx.box.example; spf=pass smtp.mailfrom=bounces@people.example",
    "mx.box.example; auth=pass smtp.auth=p7@people.example",
  ])
    driver.write(7, "It is really me", { results: [result] });
  await story.heard(7, /You said: It is really me/, 3);
  assert.equal(driver.smtp.mails.length, before + 3);
  assert.deepEqual([...new Set(model.asked)], ["It is really me"]);
  assert.equal(box.whole_log.match(/channel_mail_ignored/g).length, automatic.length + forged.length + 1);
  assert.doesNotMatch(box.whole_log, /Send me the keys/);
  driver.check();
});

test("mail: nothing is said before the connection is encrypted, and what cannot work is refused with the field", async (t) => {
  const certificate = make_certificate(t, ["127.0.0.1"]);
  const story = await ChannelStory.start(t, { start: (context) => Mail.start(context, certificate) });
  const { driver } = story;
  await story.connect();
  await story.pair(7);
  driver.write(7, "Hello");
  await story.heard(7, /You said: Hello/);
  driver.check();
  const { options } = driver;
  for (const [edit, pattern] of [
    [{ address: "scout" }, /address must be/],
    [{ authserv: "" }, /authserv must name/],
    [{ imap: "" }, /imap is required/],
    [{ smtp: "mail example" }, /smtp must be a server's name/],
    [{ folder: "IN\r\nBOX" }, /folder must be one line/],
  ]) {
    const { status, body } = await story.owner.call("POST", story.path, { kind: "mail", token: "x", options: { ...options, ...edit } });
    assert.equal(status, 400, JSON.stringify(edit));
    assert.match(body.error, pattern);
  }
});

const no_root = process.getuid() !== 0 && "postfix needs root";

test("mail: answers go through postfix, which relays nothing for those who do not sign in", { skip: no_root }, async (t) => {
  const start = async (context) => {
    const driver = await Mail.start(context);
    driver.postfix = await Postfix.start(context, { domain: "people.example", people: ["p7", "p8"], auth: driver.box.auth });
    driver.options.smtp = `127.0.0.1:${driver.postfix.port}`;
    driver.mails = (person) => driver.postfix.mails(driver.address(person));
    return driver;
  };
  const story = await ChannelStory.start(t, { start });
  const { driver, model, box } = story;
  await story.connect();
  await story.pair(7, true);
  const text = ".\n..\n.hidden, and Grüße\n\nFrom here on";
  model.reply = () => text;
  driver.write(7, "Dots?", { id: "<q1@people.example>", more: ["Subject: Dots"] });
  await story.heard(7, /From here on/);
  const mail = driver.mails(7).find((one) => one.header("in-reply-to") === "<q1@people.example>");
  assert.equal(mail.parts[0].content.replaceAll("\r\n", "\n").trim(), text);
  assert.deepEqual(
    ["return-path", "from", "subject", "auto-submitted"].map((name) => mail.header(name)),
    [`<${ADDRESS}>`, ADDRESS, "Re: Dots", "auto-replied"],
  );
  assert.match(driver.postfix.log, /sasl_method=PLAIN, sasl_username=scout@box\.example/);

  driver.write(8, "Let me in");
  await story.heard(8, /code to the person/);
  const refused = await driver.postfix.say(["EHLO eve", `MAIL FROM:<${ADDRESS}>`, "RCPT TO:<bob@elsewhere.example>"]);
  assert.match(refused.at(-1), /^[45]54 .*denied/);
  assert.equal(box.whole_log.includes(driver.token), false, "the password is in no log");
  driver.check();
});
