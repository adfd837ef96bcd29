// Agents of images that are not the box's own: a program that behaves as OpenClaw does (foreign_gateway.mjs).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { Docker, IMAGE, no_docker, root_file_system_of } from "../support/docker.mjs";
import { ModelServer, say } from "../peers/model_server.mjs";
import { TelegramServer } from "../peers/telegram_server.mjs";

const skip = no_docker();
const FOREIGN = "foreign/gateway:story",
  TRUSTING = "foreign/trusting:story";

// The image, and one more whose label asks for the headers of a proxy.
const import_foreign_images = (t, docker) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-foreign-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tar = join(folder, "root.tar");
  writeFileSync(tar, root_file_system_of(process.execPath));
  execFileSync("tar", ["-rf", tar, "-C", join(import.meta.dirname, "../peers"), "foreign_gateway.mjs"]);
  const entry = 'ENTRYPOINT ["/usr/bin/agentbox", "/foreign_gateway.mjs"]';
  docker.import(FOREIGN, tar, [entry, "LABEL agentbox.memory-min=256M"]);
  docker.import(TRUSTING, tar, [entry, "LABEL agentbox.forwarded=on", "LABEL agentbox.memory-min=2G"]);
};

test("an agent of a foreign image chats, meters, keeps its state, and sees no proxy", { skip }, async (t) => {
  const docker = await Docker.start(t),
    model = await ModelServer.start(t);
  import_foreign_images(t, docker);
  const env = { DOCKER_HOST: docker.host, AGENT_RUNTIME: "docker", AGENT_IMAGE: FOREIGN, LOCAL_MODEL_URL: model.url };
  const box = await Box.start(t, env);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const agent = async () => (await ada.call("GET", `/api/agents/${id}`)).body.agent;
  const at_its_host = async (headers = {}) => {
    const { token } = (await ada.call("GET", `/api/agents/${id}/token`)).body,
      { host } = new URL((await agent()).url);
    const answer = await send(box.web, "GET", "/some/page", { headers: { host, authorization: `Bearer ${token}`, ...headers } });
    return [answer.status, answer.body];
  };

  await t.test("its chat is asked by the name that it lists, and its calls go through the box", async () => {
    for (const [stream, words] of [
      [false, "Ahoy."],
      [true, "Aye."],
    ]) {
      model.will(say(words, [10, 5]));
      const asked = { agentId: id, message: "Hello", stream };
      const answer = await send(box.web, "POST", "/api/chat", {
        headers: { cookie: ada.cookie, "content-type": "application/json" },
        body: JSON.stringify(asked),
      });
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.text.includes(words), answer.text);
    }
    const { month } = await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`);
    assert.equal(month.calls, 2, JSON.stringify(month));
    model.check();
  });

  await t.test("its state is in its workspace", () => {
    const kept = join(box.folder, "agents", id, "workspace", ".openclaw", "session.jsonl");
    assert.ok(existsSync(kept));
    const sent = readFileSync(kept, "utf8").trim().split("\n").map(JSON.parse);
    assert.equal(sent.length, 2);
    assert.deepEqual(
      sent[1].map(({ content }) => content),
      ["Hello", "Ahoy.", "Hello"],
      "it keeps no conversation, so that a message comes with those before it",
    );
  });

  await t.test("at its host no request shows signs of a proxy, also after a restart of the box", async () => {
    const signs = { "x-forwarded-for": "203.0.113.9", "x-real-ip": "203.0.113.9", forwarded: "for=203.0.113.9" };
    assert.deepEqual(await at_its_host(), [200, { page: "/some/page" }]);
    assert.deepEqual(await at_its_host(signs), [200, { page: "/some/page" }]);
    await box.end("SIGKILL");
    await box.serve();
    await box.until_status(ada, id, "running");
    assert.deepEqual(await at_its_host(signs), [200, { page: "/some/page" }]);
  });

  await t.test("an image that needs more memory than the plan has is refused with both figures", async () => {
    const updated = await box.backend_call("POST", `/api/agents/${id}/update`, { image: TRUSTING });
    assert.equal(updated.code, "PLAN_TOO_SMALL");
    assert.match(
      updated.error,
      /foreign\/trusting:story needs 2048 MiB of memory, and the plan gives an agent 512 MiB: choose a larger plan\./,
    );
    assert.deepEqual(await at_its_host(), [200, { page: "/some/page" }], "what ran before runs again");
  });

  await t.test("a label lets an image have the headers, and AGENT_MEMORY_MIN wins over the other label", async () => {
    await box.end("SIGTERM");
    box.env = { ...box.env, AGENT_IMAGE: TRUSTING, AGENT_MEMORY_MIN: "512M" };
    await box.serve();
    await ada.call("POST", `/api/instance/${id}/restart`);
    await box.until_status(ada, id, "running");
    const [status, { error }] = await at_its_host();
    assert.deepEqual([status, error.message], [403, "x-forwarded-for,x-forwarded-proto,x-forwarded-host"]);
  });

  await t.test("and refuses what is below it", async () => {
    await box.end("SIGTERM");
    box.env = { ...box.env, AGENT_IMAGE: IMAGE, AGENT_MEMORY_MIN: "1G" };
    await box.serve();
    const refused = await ada.call("POST", `/api/instance/${id}/restart`);
    assert.deepEqual([refused.status, refused.body.code], [409, "PLAN_TOO_SMALL"]);
    const { status, statusReason } = await agent();
    assert.equal(status, "error");
    assert.match(statusReason, /needs 1024 MiB of memory, and the plan gives an agent 512 MiB/);
  });
});

test("an image has a channel's token where the owner lets it, until the box uses it again", { skip }, async (t) => {
  const docker = await Docker.start(t),
    telegram = await TelegramServer.start(t);
  import_foreign_images(t, docker);
  const env = { DOCKER_HOST: docker.host, AGENT_RUNTIME: "docker", AGENT_IMAGE: FOREIGN };
  const box = await Box.start(t, { ...env, TELEGRAM_API_URL: telegram.url, SUMMARIZER_ALLOW_PRIVATE: "on" });
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const call = async (method, path, body) => {
    const answer = await ada.call(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { channel } = await call("POST", `/api/agents/${id}/channels`, { kind: "telegram", token: telegram.token });
  const at = `/api/agents/${id}/channels/${channel.id}`;
  const in_state = (wanted) =>
    until(`the channel is ${wanted}`, async () => {
      const now = (await call("GET", at)).channel;
      return now.state === wanted && now;
    });
  const restarted = async () => {
    await call("POST", `/api/instance/${id}/restart`);
    await box.until_status(ada, id, "running");
    return docker.containers().flatMap(({ Config }) => Config.Env.filter((line) => line.includes(telegram.token)));
  };
  await in_state("connected");
  assert.deepEqual(await restarted(), [], "the box alone has it");
  await call("PATCH", at, { usedBy: "image" });
  assert.match((await in_state("off")).error, /The agent's image uses this channel's token/);
  assert.deepEqual(await restarted(), [`TELEGRAM_BOT_TOKEN=${telegram.token}`]);
  const in_environment = `TELEGRAM_BOT_TOKEN=${telegram.token}`;
  assert.deepEqual(await restarted(), [in_environment, in_environment], "the former container is kept for its log");
  await call("PATCH", at, { usedBy: "box" });
  await in_state("connected");
  assert.deepEqual(await restarted(), []);

  // The box's own image never has it.
  await call("PATCH", at, { usedBy: "image" });
  await box.end("SIGTERM");
  box.env = { ...box.env, AGENT_IMAGE: IMAGE };
  await box.serve();
  assert.deepEqual(await restarted(), []);
  assert.equal(box.whole_log.includes(telegram.token), false, "the token is in no log");
});
