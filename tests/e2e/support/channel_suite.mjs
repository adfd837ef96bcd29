// The stories that hold for every kind of channel. A driver is what stands at the other end:
//   env, token, options      of the box and the channel; secrets and wrong_token, if the kind knows some
//   address(person)          of a person or a group at the provider, unless it is the number itself
//   connected(channel)       called with the channel's view
//   write(person, text, {group, mentioned, files}) → a function that delivers the same event again
//   texts(chat), files(chat) what was sent to a person or a group, as people see it
//   taken()                  waits until the box has taken what was written, where its order with what follows is not sure
//   vanish(), listen()       nobody is there; it is back
//   limit(seconds), lose()   the next message is answered 429; is taken, and its answer is lost
//   refuses, hold            set: every message is refused for good; is taken, and its answer is lost. held: one was
//   revoke()                 the token is no longer valid; absent if the kind has no such thing
//   has_no_groups, has_files  of the class: true, false if the kind has none
//   repeats_events, keeps_messages  of the class: false if no event comes again; true if what is written while the box is
//                            away is delivered later
//   hears                    of the class: what a model of the box writes down of every voice note; absent: there is none
//   max_text, edits(chat)    the longest text; how often a message was edited, absent if the kind edits none
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Box, until } from "./box.mjs";
import { proof_stories } from "./channel_proofs.mjs";
import { TalkingModel } from "../peers/talking_model.mjs";

const PEOPLE = { ada: 101, eve: 102, bob: 103, dan: 104 };
const GROUP = -100200;
// Of a provider, in milliseconds: AGENTBOX_OUTAGE_SECONDS=60 waits for a whole minute.
const OUTAGE = Number(process.env.AGENTBOX_OUTAGE_SECONDS ?? 10) * 1000;
const PATIENCE = OUTAGE + 60_000; // the longest pause between two attempts

export class ChannelStory {
  static async start(t, Driver, settings = {}) {
    const story = new ChannelStory();
    story.model = await TalkingModel.start(t);
    story.model.hears = Driver.hears;
    story.driver = await Driver.start(t);
    story.box = await Box.start(t, { LOCAL_MODEL_URL: story.model.url, SUMMARIZER_ALLOW_PRIVATE: "on", ...story.driver.env, ...settings });
    story.owner = await story.box.customer("ada@example.org", "collective");
    story.agent = await story.box.running_agent(story.owner);
    return story;
  }
  get path() {
    return `/api/agents/${this.agent}/channels`;
  }
  async call(method, path, body) {
    const answer = await this.owner.call(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  async add(token = this.driver.token) {
    const { kind, options, secrets } = this.driver;
    const { channel } = await this.call("POST", this.path, { kind, token, ...(options && { options }), ...(secrets && { secrets }) });
    this.channel = `${this.path}/${channel.id}`;
    return channel;
  }
  state() {
    return this.call("GET", this.channel).then(({ channel }) => channel);
  }
  until_state(wanted) {
    return until(`the channel is ${wanted}`, async () => {
      const channel = await this.state();
      return channel.state === wanted && channel;
    });
  }
  async until_connected() {
    const channel = await this.until_state("connected");
    await this.driver.connected?.(channel);
    return channel;
  }
  async connect() {
    await this.add();
    return this.until_connected();
  }
  // The person is admitted, as one whose code the owner confirms, or as the owner.
  async pair(person, owner = false) {
    const { code } = await this.call("POST", `${this.channel}/invitations`, { owner });
    this.driver.write(person, code);
    await this.heard(person, /talk to Scout|now linked/);
  }
  address(person) {
    return this.driver.address?.(person) ?? String(person);
  }
  heard(chat, pattern, count = 1, deadline_ms = undefined) {
    const look = () => {
      const found = this.driver.texts(chat).filter((text) => pattern.test(text));
      return found.length >= count && found.at(-1);
    };
    return until(`${chat} hears ${pattern}`, look, deadline_ms);
  }
}

const files_go_both_ways = async (story) => {
  const { driver, model, box } = story;
  const { ada, eve } = PEOPLE;
  model.reply = (text) => `Got it: ${text}`;
  driver.write(ada, "Read this", { files: [{ name: "../notes.txt", content: "The kettle is on." }] });
  const heard = await story.heard(ada, /Got it: Read this/);
  const workspace = join(box.folder, "agents", story.agent, "workspace");
  const path = /File: (channels\/\S+notes\.txt)/.exec(heard.replaceAll("\\", ""))[1];
  assert.equal(readFileSync(join(workspace, path), "utf8"), "The kettle is on.");

  mkdirSync(join(workspace, "out"), { recursive: true });
  writeFileSync(join(workspace, "out", "report.txt"), "All is well.");
  model.reply = () => "Here is [the report](out/report.txt) and [nothing](out/none.txt) and [a secret](.agentbox/memory.jsonl).";
  driver.write(ada, "The report, please");
  await until("the file", () => driver.files(ada).length > 0);
  assert.deepEqual(
    driver.files(ada).map(({ name, content }) => [name, content]),
    [["report.txt", "All is well."]],
  );

  // A peer's files are apart, and a peer gets none of the owner's.
  await story.pair(eve);
  model.reply = (text) => `Got it: ${text} [x](out/report.txt)`;
  driver.write(eve, "Mine", { files: [{ name: "mine.txt", content: "Eve's own." }] });
  await story.heard(eve, /Got it: Mine/);
  const peers = join(workspace, ".agentbox", "peers");
  const stored = readdirSync(peers, { recursive: true }).find((name) => name.endsWith("mine.txt"));
  assert.equal(readFileSync(join(peers, stored), "utf8"), "Eve's own.");
  driver.write(eve, "Anything else?");
  await story.heard(eve, /Got it: Anything else/);
  assert.deepEqual(driver.files(eve), []);
};

export const channel_stories = (Driver) => {
  const { kind } = Driver;
  proof_stories(Driver);
  const story_of = (t, settings) => ChannelStory.start(t, Driver, settings);
  const { ada, eve, bob, dan } = PEOPLE;

  test(`${kind}: strangers get a code, people whom the owner admits an answer, the owner the owner's`, async (t) => {
    const story = await story_of(t);
    const { driver, model, box } = story;
    await story.connect();
    driver.write(eve, "Let me in");
    const code = /`?([a-z0-9]{8})`?$/.exec(await story.heard(eve, /code to the person/))[1];
    driver.write(eve, "Hello?");
    await driver.taken?.();
    assert.deepEqual(model.asked, [], "a stranger's text reaches no model");
    const asking = await until("the request", async () => {
      const { peers } = await story.call("GET", `${story.channel}/peers`);
      return peers.find(({ address }) => address === story.address(eve));
    });
    assert.equal(asking.standing, "pending");
    assert.equal((await story.owner.call("POST", `${story.channel}/pairings`, { code: "00000000" })).status, 404);
    await story.call("POST", `${story.channel}/pairings`, { code });
    await story.heard(eve, /now talk to Scout/);
    driver.write(eve, "Is it me?");
    await story.heard(eve, /^You said: Is it me\?$/);
    assert.equal(driver.texts(eve).filter((text) => text.includes("code to the person")).length, 1, "the code came once");

    await story.pair(ada, true);
    driver.write(ada, "What do I own?");
    await story.heard(ada, /You said: What do I own/);
    const { conversations } = await story.call("GET", `/api/agents/${story.agent}/conversations`);
    const audience = (title) => conversations.find((one) => one.title === title);
    assert.deepEqual([audience("Is it me?").audience, audience("Is it me?").channel], ["peer", kind]);
    assert.equal(audience("What do I own?").audience, "owner");
    assert.doesNotMatch(JSON.stringify(model.last), /Is it me/, "conversations are apart");

    driver.write(ada, "/new");
    await story.heard(ada, /new conversation begins/);
    driver.write(ada, "And now?");
    await story.heard(ada, /You said: And now/);
    assert.doesNotMatch(JSON.stringify(model.last), /What do I own/, "it begins empty");
    driver.write(ada, "/status");
    await story.heard(ada, /Status: running/);
    driver.write(ada, "/model");
    await story.heard(ada, /Model: default/);
    driver.write(ada, "/help");
    await story.heard(ada, /\/stop/);

    const { id } = (await story.call("GET", `${story.channel}/peers`)).peers.find(({ address }) => address === story.address(eve));
    await story.call("PUT", `${story.channel}/peers/${id}`, { standing: "blocked" });
    const asked = model.asked.length;
    driver.write(eve, "Still there?");
    driver.write(ada, "Are you?");
    await story.heard(ada, /You said: Are you/);
    assert.equal(model.asked.length, asked + 1, "the blocked person costs nothing");
    assert.equal((await story.call("POST", `${story.channel}/test`)).sent, 1);
    await story.heard(ada, /test message/);
    driver.check?.();

    const mallory = await box.customer("mallory@example.org");
    assert.equal((await mallory.call("GET", story.channel)).status, 404);
    assert.equal(box.whole_log.includes(driver.token), false, "the token is in no log");
    assert.equal((await story.call("GET", story.path)).channels[0].token, undefined);
    assert.equal(JSON.stringify(await story.call("GET", story.path)).includes(driver.token), false);
  });

  test(
    `${kind}: in a group the agent answers those who mention it, once the owner has admitted the group`,
    { skip: Driver.has_no_groups },
    async (t) => {
      const story = await story_of(t);
      const { driver, model } = story;
      await story.connect();
      driver.write(eve, "Nice weather", { group: GROUP, mentioned: false });
      driver.write(eve, "Scout, who are you?", { group: GROUP, mentioned: true });
      const code = /`?([a-z0-9]{8})`?$/.exec(await story.heard(GROUP, /code to the person/))[1];
      await story.call("POST", `${story.channel}/pairings`, { code });
      await story.heard(GROUP, /now talk to Scout/);
      driver.write(eve, "Nobody asks", { group: GROUP, mentioned: false });
      driver.write(bob, "who am I?", { group: GROUP, mentioned: true });
      await story.heard(GROUP, /You said: .*who am I\?/);
      assert.equal(model.asked.length, 1);
      assert.equal(driver.texts(bob).length, 0, "the answer is in the group");
      driver.check?.();
    },
  );

  test(`${kind}: open channels have caps, and allow-lists need no code`, async (t) => {
    const story = await story_of(t);
    const { driver, model } = story;
    await story.connect();
    const change = async (edit) => {
      await story.call("PATCH", story.channel, edit);
      await story.until_connected();
    };
    await change({ allowed: [story.address(bob)], access: "closed" });
    driver.write(eve, "Anyone?");
    driver.write(bob, "I am listed");
    await story.heard(bob, /You said: I am listed/);
    assert.deepEqual(driver.texts(eve), [], "a closed channel does not answer others");
    await change({ access: "open", peerDailyCap: 2 });
    for (const text of ["one", "two", "three", "four"]) driver.write(eve, text);
    await story.heard(eve, /daily limit/);
    await story.heard(eve, /You said: two/);
    assert.equal(driver.texts(eve).filter((text) => text.includes("daily limit")).length, 1);
    assert.ok(!model.asked.some((text) => text === "three"));
    // Visitors of an open channel are public: no memory, no files, no tools.
    assert.equal(model.tools, undefined, JSON.stringify(model.tools));
    const standing = async (person) =>
      (await story.call("GET", `${story.channel}/peers`)).peers.find(({ address }) => address === story.address(person));
    assert.deepEqual([(await standing(eve)).standing, (await standing(bob)).standing], ["visitor", "allowed"]);
    const audience_of = async (person) => {
      const { conversationId } = await standing(person);
      return (await story.call("GET", `/api/agents/${story.agent}/conversations/${conversationId}`)).conversation.audience;
    };
    assert.deepEqual([await audience_of(eve), await audience_of(bob)], ["public", "peer"]);
    // Once the owner admits the visitor, nothing of that conversation is continued.
    await change({ peerDailyCap: 100 });
    const { id } = await standing(eve);
    await story.call("PUT", `${story.channel}/peers/${id}`, { standing: "allowed" });
    await story.heard(eve, /now talk to Scout/);
    driver.write(eve, "five");
    await story.heard(eve, /You said: five/);
    assert.doesNotMatch(JSON.stringify(model.last.filter(({ role }) => role === "user")), /one|two/);
    assert.ok(model.tools?.length > 0);
    assert.equal(await audience_of(eve), "peer");
    // A person's own cap is in the place of the channel's, until it is removed.
    assert.equal((await story.call("PUT", `${story.channel}/peers/${id}`, { standing: "allowed", dailyCap: 1 })).peer.dailyCap, 1);
    driver.write(eve, "too often");
    await story.heard(eve, /daily limit/, 2);
    assert.equal((await story.call("DELETE", `${story.channel}/peers/${id}/cap`)).peer.dailyCap, null);
    assert.deepEqual([(await standing(eve)).standing, (await standing(eve)).dailyCap], ["allowed", null]);
    driver.write(eve, "as others");
    await story.heard(eve, /You said: as others/);
    assert.equal((await story.owner.call("DELETE", `${story.channel}/peers/${"0".repeat(24)}/cap`)).status, 404);
    // A visitor stays one only while the channel is open.
    driver.write(dan, "six");
    await story.heard(dan, /You said: six/);
    await change({ access: "pairing" });
    driver.write(dan, "seven");
    await story.heard(dan, /code to the person/);
    assert.equal((await standing(dan)).standing, "pending");
    // The cap of the whole channel holds for everybody.
    await change({ dailyCap: 1 });
    driver.write(bob, "eight");
    await story.heard(bob, /daily limit/);
    assert.ok(!model.asked.includes("eight"));
    driver.check?.();
  });

  test(`${kind}: long answers are cut${Driver.has_files === false ? "" : ", files go both ways"}${Driver.can_edit ? ", and an answer that streams is edited" : ""}`, async (t) => {
    const story = await story_of(t);
    const { driver, model, box } = story;
    await story.connect();
    await story.pair(ada, true);
    const length = Driver.long_lines ?? 900;
    const code = Array.from({ length }, (_, line) => `line(${line}); // <b>${line}</b> & so on`).join("\n");
    model.reply = () => `**Listing** of *everything*\n\n\`\`\`js\n${code}\n\`\`\`\n\nThat is _all_ a_b_c <end>.`;
    driver.write(ada, "List it");
    await story.heard(ada, /That is .*all.* a_b_c <end>/);
    const parts = driver.texts(ada).filter((text) => /line\(|Listing|That is/.test(text));
    if (driver.max_text < 30_000) assert.ok(parts.length > 1, "it is cut");
    for (const part of parts) assert.ok(part.length <= driver.max_text, `${part.length} characters`);
    for (let line = 0; line < length; line += Math.ceil(length / 10))
      assert.equal(parts.filter((part) => part.includes(`line(${line});`)).length, 1, `line ${line} is there once`);

    if (Driver.has_files !== false) await files_go_both_ways(story);

    if (Driver.can_edit) {
      // The long answer would have the agent ask the model for a summary first.
      driver.write(ada, "/new");
      await story.heard(ada, /new conversation begins/);
      const words = "one two three four five six seven eight nine ten".split(" ");
      model.reply = async (_, says) => {
        for (const word of words) {
          says(`${word} `);
          await new Promise((resolve) => setTimeout(resolve, 350));
        }
        return "eleven"; // with the end
      };
      driver.write(ada, "Count");
      await story.heard(ada, /^one two three four five six seven eight nine ten eleven$/);
      const edits = driver.edits(ada);
      assert.ok(edits.length >= 2 && edits.length <= 6, `${edits.length} edits in 3.5 seconds`);
      // Also one that begins while an earlier message waits for the provider, once that is sent.
      driver.limit(1);
      await story.call("POST", `${story.channel}/test`);
      driver.write(ada, "Count again");
      await story.heard(ada, /^one two three four five six seven eight nine ten eleven$/, 2);
      assert.ok(driver.edits(ada).length >= 1, "it was shown while it was written");
      const said = driver.texts(ada);
      assert.equal(
        said.findLastIndex((text) => text.includes("test message")),
        said.length - 2,
        "in order",
      );
      model.reply = async (text, says) => {
        if (text !== "Go on") return "Counting"; // the conversation's title, which is asked for meanwhile
        says("This goes on");
        await new Promise((resolve) => setTimeout(resolve, 600_000).unref());
      };
      driver.write(ada, "Go on");
      await story.heard(ada, /This goes on/);
      driver.write(ada, "/stop");
      await story.heard(ada, /^Stopped\.$/);
    }
    driver.check?.();
  });

  test(`${kind}: nothing is lost or doubled while the provider is away, refuses or repeats`, async (t) => {
    const story = await story_of(t);
    const { driver, model } = story;
    await story.connect();
    await story.pair(ada, true);
    const again = driver.write(ada, "Once");
    await story.heard(ada, /You said: Once/);
    await again();
    driver.write(ada, "Twice");
    await story.heard(ada, /You said: Twice/);
    assert.deepEqual(
      model.asked.filter((text) => text === "Once"),
      ["Once"],
    );

    let answer;
    model.reply = () => new Promise((resolve) => (answer = resolve));
    driver.write(ada, "Wait for it");
    await until("the question", () => answer);
    await driver.vanish();
    answer("Here it is.");
    await until("an attempt that failed", async () => (await story.state()).queued === 1);
    await driver.listen();
    await story.heard(ada, /Here it is/);

    model.reply = (text) => `You said: ${text}`;
    driver.limit(1);
    const begun = Date.now();
    driver.write(ada, "Slowly");
    await story.heard(ada, /You said: Slowly/);
    assert.ok(Date.now() - begun >= 950, "the box waited as it was told");

    driver.lose();
    driver.write(ada, "Lost answer");
    await story.heard(ada, /You said: Lost answer/);
    driver.write(ada, "After it");
    await story.heard(ada, /You said: After it/);
    const times = driver.texts(ada).filter((text) => text.includes("Lost answer")).length;
    assert.ok(times >= 1 && times <= 2, `it came ${times} times`);
    await until("nothing waits", async () => (await story.state()).queued === 0);
    driver.refuses = true; // this person has gone
    driver.write(ada, "To nobody");
    const { deadLetters } = await until("the dead letter", async () => {
      const list = await story.call("GET", `${story.channel}/dead-letters`);
      return list.count === 1 && list;
    });
    assert.match(deadLetters[0].text, /To nobody/);
    driver.refuses = false;
    await story.call("POST", `${story.channel}/dead-letters/${deadLetters[0].id}/replay`);
    await story.heard(ada, /You said: To nobody/);
    assert.equal((await story.call("GET", `${story.channel}/dead-letters`)).count, 0);
    driver.check?.();
  });

  test(`${kind}: an outage of the provider loses nothing`, async (t) => {
    const story = await story_of(t);
    const { driver, model } = story;
    await story.connect();
    await story.pair(ada, true);
    let answer;
    model.reply = () => new Promise((resolve) => (answer = resolve));
    driver.write(ada, "Before it");
    await until("the question", () => answer);
    await driver.vanish();
    answer("Here it is.");
    await new Promise((resolve) => setTimeout(resolve, OUTAGE));
    assert.equal((await story.state()).queued, 1, "the answer waits");
    await driver.listen();
    await story.heard(ada, /Here it is/, 1, PATIENCE);
    model.reply = (text) => `You said: ${text}`;
    driver.write(ada, "After it");
    await story.heard(ada, /You said: After it/, 1, PATIENCE);
    assert.equal(driver.texts(ada).filter((text) => text.includes("Here it is")).length, 1);
    await until("nothing waits", async () => (await story.state()).queued === 0);
    driver.check?.();
  });

  test(`${kind}: a killed box answers what it has received, once`, async (t) => {
    const story = await story_of(t);
    const { driver, model, box } = story;
    await story.connect();
    await story.pair(ada, true);
    // While the agent answers.
    let answer;
    model.reply = (text) => (text === "Survive" && !answer ? new Promise((resolve) => (answer = resolve)) : `You said: ${text}`);
    const again = driver.write(ada, "Survive");
    await until("the question", () => answer);
    await box.end("SIGKILL");
    await box.serve();
    await story.until_connected();
    await again(); // as of a provider that has seen no acknowledgement
    await story.heard(ada, /You said: Survive/);
    // Between a message and its answer.
    driver.hold = true;
    driver.write(ada, "Hold it");
    await until("the message", () => driver.held);
    await box.end("SIGKILL");
    driver.hold = false;
    if (Driver.keeps_messages) driver.write(ada, "While you were away");
    await box.serve();
    await story.until_connected();
    if (Driver.keeps_messages) await story.heard(ada, /You said: While you were away/);
    driver.write(ada, "Next");
    await story.heard(ada, /You said: Next/);
    assert.ok(model.asked.filter((text) => text === "Survive").length <= 2, "once before the kill, once after it");
    for (const text of ["Survive", "Hold it", "Next"]) {
      const times = driver.texts(ada).filter((one) => one.includes(`You said: ${text}`)).length;
      assert.ok(times >= 1 && times <= 2, `${text} came ${times} times`);
    }
    driver.check?.();
  });

  test(`${kind}: wrong and revoked tokens, stopped agents and switched-off kinds are said`, async (t) => {
    const story = await story_of(t);
    const { driver, box } = story;
    if (driver.wrong_token) {
      await story.add(driver.wrong_token);
      const rejected = await story.until_state("rejected");
      assert.match(rejected.error, /does not accept/);
      assert.equal(rejected.error.includes(driver.wrong_token), false);
      await story.call("PATCH", story.channel, { token: driver.token });
      await story.until_connected();
    } else {
      await story.connect();
    }
    await story.pair(ada, true);
    await story.call("POST", `/api/instance/${story.agent}/stop`);
    await box.until_status(story.owner, story.agent, "stopped");
    driver.write(ada, "Wake up");
    await story.heard(ada, /Scout is not running/);
    await story.call("POST", `/api/instance/${story.agent}/start`);
    await box.until_status(story.owner, story.agent, "running");
    await story.heard(ada, /You said: Wake up/);

    const switched = await box.backend_call("PUT", `/api/admin/channel-kinds/${kind}`, { enabled: false });
    assert.equal(switched.enabled, false, JSON.stringify(switched));
    assert.match((await story.until_state("off")).error, /administrator/);
    assert.equal(
      (
        await story.owner.call("POST", story.path, {
          ...{ kind, token: driver.token, options: driver.options ?? null },
          ...(driver.secrets && { secrets: driver.secrets }),
        })
      ).status,
      403,
    );
    await box.backend_call("PUT", `/api/admin/channel-kinds/${kind}`, { enabled: true });
    await story.until_connected();
    const { channels } = await box.backend_call("GET", "/api/admin/channels");
    assert.deepEqual([channels.length, channels[0].state, channels[0].agentId], [1, "connected", story.agent]);
    if (driver.revoke) {
      await driver.revoke();
      driver.write(ada, "Anyone there?");
      assert.match((await story.until_state("rejected")).error, /does not accept/);
    }
    assert.equal((await story.owner.call("DELETE", story.channel)).status, 200);
    assert.equal((await story.owner.call("GET", story.channel)).status, 404);
    assert.equal(box.whole_log.includes(driver.token), false, "the token is in no log");
  });
};
