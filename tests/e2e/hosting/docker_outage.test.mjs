// Agents in containers when things go wrong halfway: an update that does not come up, an engine that hangs, a box that
// is killed while it provisions or moves to another engine.
import assert from "node:assert/strict";
import { constants } from "node:os";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { Docker, IMAGE, no_docker } from "../support/docker.mjs";
import { agent_processes, awaits_signal } from "../support/processes.mjs";

const skip = no_docker();

const with_docker = async (t, env) => {
  const docker = await Docker.start(t);
  const box = await Box.start(t, { DOCKER_HOST: docker.host, AGENT_RUNTIME: "docker", AGENT_IMAGE: IMAGE, ...env });
  docker.box = box;
  const ada = await box.customer("ada@example.org", "network");
  const seen = async (id) => (await ada.call("GET", `/api/agents/${id}`)).body.agent;
  const running = () => docker.containers().filter(({ State }) => State.Running);
  const say = (agentId, message) => ada.call("POST", "/api/chat", { agentId, message });
  return { docker, box, ada, seen, running, say };
};

test("an update that does not come up is taken back, and chooses nothing for the future", { skip }, async (t) => {
  const { docker, box, ada, seen, running, say } = await with_docker(t);
  const id = await box.running_agent(ada);
  assert.equal((await say(id, "remember that the demo is on Friday")).status, 200);
  const [{ Image: image_before }] = running();
  const update = (image) => box.backend_call("POST", `/api/agents/${id}/update`, { image });
  const made_from = () => running().map(({ Config }) => Config.Image);

  const broken = "agentbox/agent:broken",
    good = "agentbox/agent:second";
  const still = docker.ask("create", "--network", "none", IMAGE);
  docker.ask("commit", "--change", 'ENTRYPOINT ["/usr/bin/agentbox", "nonsense"]', still, broken);
  docker.ask("rm", still);
  docker.ask("tag", IMAGE, good);
  for (const image of [broken, "agentbox/agent:missing"]) {
    const failed = await update(image);
    assert.match(failed.error, /^The update failed, and what ran before runs again: /, image);
    const { status, statusReason } = await seen(id);
    assert.deepEqual([status, statusReason], ["running", failed.error]);
    assert.deepEqual(
      running().map(({ Image }) => Image),
      [image_before],
    );
  }
  assert.match((await say(id, "what do you remember?")).body.message.content, /Friday/);

  await ada.call("POST", `/api/instance/${id}/restart`);
  assert.deepEqual(made_from(), [IMAGE], "by its name, as the box is configured, and not by an id that may be gone one day");
  assert.equal((await update(good)).status, "running");
  await ada.call("POST", `/api/instance/${id}/restart`);
  assert.deepEqual(made_from(), [good]);
  assert.match((await say(id, "what do you remember?")).body.message.content, /Friday/);
});

test("kill -9 in the middle of provisioning leaves one container for each agent, and none for nobody", { skip }, async (t) => {
  const COUNT = 3;
  const { docker, box, ada, seen, running, say } = await with_docker(t);
  const statuses = async () => (await ada.call("GET", "/api/agents")).body.agents.map(({ status }) => status);
  const provisioned = await Promise.all(
    Array.from({ length: COUNT }, (_, at) => ada.call("POST", "/api/agents/provision", { name: `Scout ${at}`, tier: "enterprise" })),
  );
  // Before there is a container, when there is one, and when one agent is ready.
  for (const moment of [() => true, () => docker.containers().length > 0, async () => (await statuses()).includes("running")]) {
    await until("the moment", moment, 120_000);
    await box.end("SIGKILL");
    await box.serve();
    // An agent whose engine is slow to answer says so and goes on with it; one that has failed stays as it is.
    const is_well = ({ status }) => ["provisioning", "running"].includes(status);
    let found = [];
    const all_well = async () => (found = (await ada.call("GET", "/api/agents")).body.agents).every(is_well);
    await until("nothing has failed", all_well, 60_000).catch(async (error) => {
      const told = await Promise.all(found.map(({ id }) => seen(id)));
      throw new Error(
        `${error.message}: ${JSON.stringify(told.map(({ name, status, statusReason }) => ({ name, status, statusReason })))}`,
      );
    });
    assert.equal(found.length, COUNT, "nothing is lost");
  }
  await until("all run", async () => (await statuses()).every((status) => status === "running"), 120_000);
  const agents = provisioned.map(({ body }) => body.agent.id).sort();
  const owners = (containers) => containers.map(({ Config }) => Config.Labels["agentbox.agent"]).sort();
  assert.deepEqual(owners(running()), agents);
  for (const id of agents) assert.equal((await say(id, "are you there?")).status, 200);
  for (const id of agents) assert.equal((await ada.call("DELETE", `/api/agents/${id}`)).status, 200);
  assert.deepEqual(docker.containers(), []);
});

test("jobs left undone by an unavailable engine are done when it answers again", { skip }, async (t) => {
  const { docker, box, ada, seen, running, say } = await with_docker(t);
  const id = await box.running_agent(ada);
  const [{ HostConfig }] = running();
  const GiB = 2 ** 30;
  assert.deepEqual([HostConfig.Memory, HostConfig.MemorySwap, HostConfig.PidsLimit], [GiB / 2, GiB / 2, 64], "starter is the plan solo");

  process.kill(docker.child.pid, "SIGSTOP");
  const refused = await ada.call("POST", `/api/instance/${id}/stop`);
  assert.deepEqual(
    [refused.status, /Docker Engine .* does not answer/.test(refused.body.error)],
    [500, true],
    JSON.stringify(refused.body),
  );
  assert.equal((await seen(id)).status, "stopping");
  process.kill(docker.child.pid, "SIGCONT"); // nobody is told
  await until("it is stopped after all", async () => (await seen(id)).status === "stopped", 120_000);
  assert.deepEqual(running(), []);

  await docker.end("SIGTERM");
  const made = (await ada.call("POST", "/api/agents/provision", { name: "Meanwhile", tier: "enterprise" })).body.agent.id;
  await until("it is known that nothing can be done", async () => (await seen(made)).status === "error");
  assert.match((await seen(made)).statusReason, /Docker Engine .* does not answer/);
  const unheard = await say(made, "hello?");
  assert.deepEqual(
    [unheard.status, /not running: The Docker Engine .* does not answer/.test(unheard.body.error)],
    [409, true],
    JSON.stringify(unheard.body),
  );
  const { body: blind } = await ada.call("GET", `/api/instance/${made}`);
  assert.deepEqual([blind.container, blind.health], ["unknown", "unhealthy"]);
  await docker.serve();
  await until("it runs after all", async () => (await seen(made)).status === "running", 120_000);
  assert.equal((await say(made, "hello?")).status, 200);
  const [{ Id, HostConfig: more }] = running();
  assert.deepEqual([more.Memory, more.PidsLimit], [2 * GiB, 256], "enterprise is the plan network");

  const health = async () => (await ada.call("GET", `/api/instance/${made}`)).body.health;
  assert.ok(["starting", "healthy"].includes(await health()));
  docker.ask("pause", Id);
  assert.equal(await health(), "unhealthy");
  docker.ask("unpause", Id);
  await until("its check, every half minute, has succeeded", async () => (await health()) === "healthy", 120_000);
  await ada.call("POST", `/api/instance/${made}/stop`);
  assert.equal(await health(), "stopped");
});

test("a box that is killed while it moves to another engine leaves no agent in two", { skip }, async (t) => {
  const { docker, box, ada, running } = await with_docker(t, { AGENT_RUNTIME: "process" });
  const ids = [];
  for (const name of ["One", "Two"]) {
    ids.push((await ada.call("POST", "/api/agents/provision", { name, tier: "enterprise" })).body.agent.id);
    await box.until_status(ada, ids.at(-1), "running");
  }
  await box.end("SIGTERM");
  const [{ pid: stuck }] = agent_processes(box);
  process.kill(stuck, "SIGSTOP"); // it cannot obey, so that the box dies in the middle
  box.env = { ...box.env, AGENT_RUNTIME: "docker" };
  await box.serve();
  await until("it has been asked to end", () => awaits_signal(stuck, constants.signals.SIGTERM));
  await box.end("SIGKILL");
  process.kill(stuck, "SIGCONT");

  await box.serve();
  for (const id of ids) await box.until_status(ada, id, "running");
  await until("each runs once", () => agent_processes(box).length === 0 && running().length === 2, 120_000);
  for (const agentId of ids) assert.equal((await ada.call("POST", "/api/chat", { agentId, message: "hello over there" })).status, 200);
});
