// The catalogue of images: an entry says what the box has to know of an image, and an agent of it is made in one step.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, run, send } from "../support/box.mjs";
import { Docker, IMAGE, no_docker, root_file_system_of } from "../support/docker.mjs";
import { ModelServer, say } from "../peers/model_server.mjs";

const skip = no_docker();
const PARROT = "foreign/parrot:story",
  LABELLED = "foreign/labelled:story";

// A program that listens on a port of its own, has one page for its health, and finds its models by a name of its own.
const PROGRAM = `
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
const { HOME, PARROT_MODELS, PARROT_KEY, PARROT_TOKEN, PARROT_NAME } = process.env;
const reply = (response, body, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
createServer(async (request, response) => {
  if (request.url === "/up") return reply(response, {});
  if (request.url === "/keep") {
    writeFileSync("/var/lib/parrot/words", "Pieces of eight");
    symlinkSync("/etc/passwd", "/var/lib/parrot/link");
    return reply(response, {});
  }
  if (request.url === "/kept") return reply(response, { words: readFileSync("/var/lib/parrot/words", "utf8") });
  if (request.headers.authorization !== "Bearer " + PARROT_TOKEN) return reply(response, { error: { message: "no" } }, 401);
  if (request.url === "/v1/models") return reply(response, { object: "list", data: [{ id: "parrot", object: "model" }] });
  if (request.url !== "/v1/chat/completions") return reply(response, { page: request.url, name: PARROT_NAME, home: HOME });
  let text = "";
  for await (const part of request) text += part;
  const { messages, stream } = JSON.parse(text);
  const answer = await fetch(PARROT_MODELS + "/chat/completions", {
    method: "POST",
    headers: { authorization: "Bearer " + PARROT_KEY, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages, stream }),
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") });
  for await (const part of answer.body) response.write(part);
  response.end();
}).listen(8080, "0.0.0.0");
console.log("parrot listens");
process.on("SIGTERM", () => process.exit(0));
`;
const ENVIRONMENT = {
  PARROT_MODELS: "${OPENAI_BASE_URL}",
  PARROT_KEY: "${OPENAI_API_KEY}",
  PARROT_TOKEN: "${OPENCLAW_GATEWAY_TOKEN}",
  PARROT_NAME: "${AGENT_NAME} at ${UNKNOWN}",
};

const import_parrot = (t, docker) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-parrot-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tar = join(folder, "root.tar");
  writeFileSync(tar, root_file_system_of(process.execPath));
  writeFileSync(join(folder, "parrot.mjs"), PROGRAM);
  execFileSync("tar", ["-rf", tar, "-C", folder, "parrot.mjs"]);
  const entry = 'ENTRYPOINT ["/usr/bin/agentbox", "/parrot.mjs"]';
  docker.import(PARROT, tar, [entry]);
  docker.import(`${IMAGE}-large`, tar, [entry]);
  const labels = Object.entries(ENVIRONMENT).map(
    ([name, value]) => `LABEL agentbox.env.${name}=${value.replaceAll(" ", "_").replaceAll("$", "\\$")}`,
  );
  docker.import(LABELLED, tar, [entry, "LABEL agentbox.port=8080", "LABEL agentbox.probe=/up", ...labels]);
};

test("an agent is made of an image of the catalogue, chats, is metered, and outlives the box", { skip }, async (t) => {
  const docker = await Docker.start(t),
    model = await ModelServer.start(t);
  import_parrot(t, docker);
  const box = await Box.start(t, { DOCKER_HOST: docker.host, AGENT_RUNTIME: "docker", AGENT_IMAGE: IMAGE, LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org", "network");
  const did = async (method, path, body, status = 200) => {
    const answer = await ada.call(method, path, body);
    assert.equal(answer.status, status, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const entry = { title: "Parrot", image: PARROT, port: 8080, probe: "/up", memoryMin: "256M", environment: ENVIRONMENT };
  await box.backend_call("PUT", "/api/admin/images/parrot", entry);
  await box.backend_call("PUT", "/api/admin/images/labelled", { title: "Labelled", image: LABELLED });
  await box.backend_call("PUT", "/api/admin/images/absent", { title: "Absent", image: "nobody/has-it:1" });
  await box.backend_call("PUT", "/api/admin/images/hidden", { title: "Hidden", image: IMAGE, enabled: false });

  const { images, available } = await did("GET", "/api/images");
  assert.equal(available, true);
  assert.deepEqual(
    images.map(({ name, usable, shipped }) => [name, usable, shipped]),
    [
      ["absent", false, false],
      ["labelled", true, false],
      ["openclaw", false, true],
      ["parrot", true, false],
    ],
  );
  assert.match(images[0].problem, /nobody\/has-it:1 is not on this box/);
  assert.equal((await did("POST", "/api/images/absent/agents", { name: "No" }, 409)).code, "IMAGE_MISSING");
  await did("POST", "/api/images/hidden/agents", { name: "No" }, 404);
  await box.backend_call("PUT", "/api/admin/images/large", { title: "Large", image: `${IMAGE}-large`, memoryMin: "900G" });
  const too_small = await did("POST", "/api/images/large/agents", { name: "No" }, 409);
  assert.equal(too_small.code, "PLAN_TOO_SMALL");
  await box.backend_call("DELETE", "/api/admin/images/large");
  assert.equal((await did("GET", "/api/agents")).count, 0);

  const chat = async (agentId, words) => {
    model.will(say(words, [10, 5]));
    await did("POST", "/api/chat", { agentId, message: "Hello" });
    const { messages } = await did("GET", `/api/chat?agentId=${agentId}`);
    assert.ok(
      messages.some(({ content }) => content.includes(words)),
      JSON.stringify(messages),
    );
  };
  for (const [name, agent_name] of [
    ["parrot", "Polly"],
    ["labelled", "Jack"],
  ]) {
    const { agentId, image } = await did("POST", `/api/images/${name}/agents`, { name: agent_name }, 201);
    assert.equal(image, name === "parrot" ? PARROT : LABELLED);
    await box.until_status(ada, agentId, "running");
    await chat(agentId, `Ahoy, ${agent_name}.`);
    const { token } = await did("GET", `/api/agents/${agentId}/token`);
    const at_its_host = async () => {
      const { host } = new URL((await did("GET", `/api/agents/${agentId}`)).agent.url);
      return (await send(box.web, "GET", "/page", { headers: { host, authorization: `Bearer ${token}` } })).body;
    };
    assert.deepEqual(await at_its_host(), {
      page: "/page",
      name: name === "parrot" ? "Polly at ${UNKNOWN}" : "Jack_at_${UNKNOWN}",
      home: "/workspace",
    });
    const { lines } = await did("GET", `/api/logs/${agentId}/history?limit=50`);
    assert.match(JSON.stringify(lines), /parrot listens/);
    // The box that comes back knows its port and its health page.
    await box.end("SIGKILL");
    await box.serve();
    await box.until_status(ada, agentId, "running");
    assert.equal((await at_its_host()).page, "/page");
    await chat(agentId, "And again.");
  }
  const { month } = await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`);
  assert.equal(month.calls, 4, JSON.stringify(month));
  model.check();
});

test("a volume of an image is kept with its agent's files", { skip }, async (t) => {
  const docker = await Docker.start(t);
  import_parrot(t, docker);
  const box = await Box.start(t, { DOCKER_HOST: docker.host, AGENT_RUNTIME: "docker", AGENT_IMAGE: IMAGE });
  const ada = await box.customer("ada@example.org", "network");
  const volumes = { state: "/var/lib/parrot" };
  const entry = { title: "Parrot", image: PARROT, port: 8080, probe: "/up", environment: ENVIRONMENT, volumes };
  assert.deepEqual((await box.backend_call("PUT", "/api/admin/images/parrot", entry)).volumes, volumes);
  const { agentId } = (await ada.call("POST", "/api/images/parrot/agents", { name: "Polly" })).body;
  await box.until_status(ada, agentId, "running");
  const { token } = (await ada.call("GET", `/api/agents/${agentId}/token`)).body;
  const asked = async (path) => {
    const { host } = new URL((await ada.call("GET", `/api/agents/${agentId}`)).body.agent.url);
    return (await send(box.web, "GET", path, { headers: { host, authorization: `Bearer ${token}` } })).body;
  };
  assert.deepEqual(await asked("/keep"), {});
  const [{ Id: before }] = docker.containers();
  assert.equal((await ada.call("POST", `/api/instance/${agentId}/restart`)).status, 200);
  await box.until_status(ada, agentId, "running");
  assert.notEqual(docker.containers().find(({ State }) => State.Running).Id, before, "in a new container");
  assert.deepEqual(await asked("/kept"), { words: "Pieces of eight" });

  const copy = join(mkdtempSync(join(tmpdir(), "agentbox-backup-")), "copy");
  t.after(() => rmSync(dirname(copy), { recursive: true, force: true }));
  const backed_up = await run(["backup", "--data", box.folder, "--to", copy], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
  assert.equal(backed_up.code, 0, backed_up.err);
  const kept = join("agents", agentId, "volumes", "state");
  assert.equal(readFileSync(join(copy, kept, "words"), "utf8"), "Pieces of eight");
  assert.equal(readFileSync(join(box.folder, kept, "words"), "utf8"), "Pieces of eight");

  const pack = join(dirname(copy), "polly.agentbox");
  const exported = await box.backend_call("POST", `/api/admin/agents/${agentId}/export`, { file: pack });
  const imported = await box.backend_call("POST", "/api/admin/agents/import", { file: pack, owner: "ada@example.org" });
  assert.equal(imported.error, undefined);
  assert.match(exported.leftOut.join(), /volumes\/state\/link: it leads to \/etc\/passwd/);
  const other = join(box.folder, "agents", imported.id, "volumes", "state");
  assert.deepEqual(readdirSync(other), ["words"], "without the link, which leads out of it");

  assert.equal((await ada.call("DELETE", `/api/agents/${agentId}`)).status, 200);
  assert.equal(existsSync(join(box.folder, "agents", agentId)), false);
});

test("the administrator's entries are checked, replace shipped ones, and leave them as they were", async (t) => {
  const box = await Box.start(t);
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  const put = (name, more) => admin.call("PUT", `/api/admin/images/${name}`, { title: "Parrot", image: "parrot:1", ...more });
  for (const [name, more, why] of [
    ["Parrot", {}, /^name must be/],
    ["parrot", { image: "../../containers/create" }, /^image must be the name of a container image/],
    ["parrot", { image: "a b" }, /^image must be/],
    ["parrot", { homepage: "javascript:alert(1)" }, /^homepage must be an https URL/],
    ["parrot", { probe: "/up; rm -rf /" }, /agentbox\.probe must be a path/],
    ["parrot", { probe: "up" }, /agentbox\.probe must be a path/],
    ["parrot", { port: 70_000 }, /^port must/],
    ["parrot", { memoryMin: "much" }, /agentbox\.memory-min must be/],
    ["parrot", { environment: { "A=B": "x" } }, /the name of a variable/],
    ["parrot", { environment: { A: 7 } }, /^environment\.A must be a text/],
    ["parrot", { volumes: { state: 7 } }, /^volumes\.state must be a text/],
    ["parrot", { volumes: { "../state": "/data" } }, /agentbox\.volume\.\.\.\/state must be agentbox\.volume\. and a name/],
    ["parrot", { volumes: { state: "data" } }, /agentbox\.volume\.state must be an absolute path/],
    ["parrot", { volumes: { state: "/data/../etc" } }, /must be an absolute path/],
    ["parrot", { volumes: { state: "/" } }, /must be an absolute path/],
    ["parrot", { volumes: { state: "/workspace/state" } }, /must be an absolute path outside of \/workspace/],
    ["parrot", { volumes: { state: "/run/agentbox" } }, /must be an absolute path/],
    ["parrot", { volumes: { a: "/data", b: "/data/b" } }, /must be a path that neither is in the volume a nor holds it/],
    ["parrot", { volumes: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`v${i}`, `/v${i}`])) }, /at most 10 volumes/],
  ]) {
    const answer = await put(name, more);
    assert.equal(answer.status, 400, `${JSON.stringify(more)}: ${JSON.stringify(answer.body)}`);
    assert.match(answer.body.error, why);
  }
  assert.equal((await put("parrot", { port: 8080 })).status, 200);
  const twin = await put("twin");
  assert.deepEqual([twin.status, twin.body.error], [409, "The entry parrot has this image already: change that one"]);
  assert.equal((await put("openclaw", { title: "Our OpenClaw", image: "openclaw:ours", enabled: false })).status, 200);
  const listed = async () => {
    const { images } = (await admin.call("GET", "/api/admin/images")).body;
    return images.map(({ name, title, shipped, enabled }) => [name, title, shipped, enabled]);
  };
  assert.deepEqual(await listed(), [
    ["openclaw", "Our OpenClaw", false, false],
    ["parrot", "Parrot", false, true],
  ]);
  const ada = await box.customer("ada@example.org");
  assert.equal((await ada.call("GET", "/api/admin/images")).status, 403);
  assert.equal((await ada.call("PUT", "/api/admin/images/parrot", { title: "x", image: "x" })).status, 403);
  const { images, available } = (await ada.call("GET", "/api/images")).body;
  assert.deepEqual([images.map(({ name, usable }) => [name, usable]), available], [[["parrot", false]], false]);
  const refused = await ada.call("POST", "/api/images/parrot/agents", { name: "Polly" });
  assert.deepEqual([refused.status, refused.body.code], [409, "IMAGE_MISSING"]);
  assert.equal((await admin.call("DELETE", "/api/admin/images/openclaw")).status, 200);
  assert.equal((await admin.call("DELETE", "/api/admin/images/openclaw")).status, 404);
  assert.deepEqual((await listed())[0], ["openclaw", "OpenClaw", true, true]);
});
