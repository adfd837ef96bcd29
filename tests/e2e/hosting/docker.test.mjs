// Agents in containers: the story of the README with a Docker Engine, and what becomes of it when the engine, an agent
// or the box dies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { Docker, IMAGE, no_docker } from "../support/docker.mjs";
import { ModelServer, say } from "../peers/model_server.mjs";
import { agent_processes } from "../support/processes.mjs";

const skip = no_docker();

test("agents live in containers, through the death of the box, of an agent and of the engine", { skip }, async (t) => {
  const docker = await Docker.start(t);
  const box = await Box.start(t, { DOCKER_HOST: docker.host, AGENT_RUNTIME: "auto", AGENT_IMAGE: IMAGE });
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const say = async (message) => {
    const answer = await ada.call("POST", "/api/chat", { agentId: id, message });
    assert.equal(answer.status, 200, JSON.stringify(answer.body) + box.log);
    return answer.body.message.content;
  };
  const container = () => docker.containers().find(({ State }) => State.Running);
  const answers = async (what) => {
    await until(`the agent runs ${what}`, async () => {
      const { body } = await ada.call("GET", `/api/instance/${id}`);
      return body.status === "running" && body.container === "running";
    });
    assert.match(await say("what do you remember?"), /Friday/);
  };

  await t.test("it talks, through its door to the box", async () => {
    await say("remember that the demo is on Friday");
    await answers("at first");
    await until("the engine is seen", async () => (await (await fetch(`${box.backend}/health`)).json()).docker === "available");
    const { body } = await ada.call("GET", `/api/instance/${id}`);
    assert.match(body.startedAt, /^20/);
  });

  await t.test("its container is hardened and knows no secret", async () => {
    const { HostConfig, Config, Mounts } = container();
    assert.deepEqual([HostConfig.CapDrop, HostConfig.ReadonlyRootfs, HostConfig.Privileged], [["ALL"], true, false]);
    assert.equal(Mounts.length, 2);
    assert.doesNotMatch(JSON.stringify(Config), /token|secret|key=/i);
    assert.notEqual(Config.User.split(":")[0], "0");
  });

  await t.test("the box dies and finds it again, running on", async () => {
    const before = container().State.Pid;
    await box.end("SIGKILL");
    await box.serve();
    await until(
      "the agent reaches the box again",
      async () => (await ada.call("POST", "/api/chat", { agentId: id, message: "Hello" })).status === 200,
    );
    await answers("after the box died");
    assert.equal(container().State.Pid, before);
  });

  await t.test("it dies and is started again", async () => {
    const before = container().Id;
    docker.ask("kill", before);
    await until("another container runs", () => ![undefined, before].includes(container()?.Id));
    await answers("after it died");
  });

  await t.test("the engine goes: lifecycle calls say so; it comes back, and so does the agent", async () => {
    await docker.end("SIGTERM");
    const refused = await ada.call("POST", `/api/instance/${id}/restart`);
    assert.ok(refused.status >= 500, JSON.stringify(refused.body));
    assert.match(refused.body.error, /Docker Engine .* does not answer/);
    await docker.serve();
    await ada.call("POST", `/api/instance/${id}/start`);
    await answers("after the engine came back");
  });

  await t.test("stopped it has no process, deleted it has no container", async () => {
    assert.equal((await ada.call("POST", `/api/instance/${id}/stop`)).status, 200);
    assert.equal(container(), undefined);
    assert.equal((await ada.call("DELETE", `/api/agents/${id}`)).body.deleted, true);
    assert.deepEqual(docker.containers(), []);
  });
});

test("after a change of engine the agents of the old one are stopped, and agents follow their config in both", { skip }, async (t) => {
  const docker = await Docker.start(t),
    model = await ModelServer.start(t);
  const box = await Box.start(t, { DOCKER_HOST: docker.host, AGENT_RUNTIME: "process", AGENT_IMAGE: IMAGE, LOCAL_MODEL_URL: model.url });
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const systemPrompt = "Speak like a pirate.\nNever of gold.";
  await ada.call("PUT", `/api/agents/${id}/config`, { config: { systemPrompt, temperature: 0.25, tools: ["recall"] } });
  assert.equal(agent_processes(box).length, 1);
  const move_to = async (engine) => {
    await box.end("SIGTERM");
    box.env = { ...box.env, AGENT_RUNTIME: engine };
    await box.serve();
    await box.until_status(ada, id, "running");
    model.will(say("Ahoy."));
    const answer = await ada.call("POST", "/api/chat", { agentId: id, message: "hello over there" });
    assert.equal(answer.body.message?.content, "Ahoy.", JSON.stringify(answer.body));
    const {
      messages: [{ content }],
      temperature,
      tools,
    } = model.asked.at(-1);
    assert.deepEqual([content.includes(systemPrompt), temperature, tools.map((tool) => tool.function.name)], [true, 0.25, ["recall"]]);
  };
  const running = () => docker.containers().filter(({ State }) => State.Running).length;

  await move_to("auto");
  assert.deepEqual([agent_processes(box).length, running()], [0, 1]);
  await docker.end("SIGTERM");
  await move_to("process");
  assert.match(box.log, /agents_of_former_engine.*does not answer/, "it cannot be asked, and the log says so");
  await docker.serve();
  await move_to("process");
  assert.deepEqual(docker.containers(), []);
  model.check();
});

test("a container that hangs is made anew, and one that dies three times is given up", { skip }, async (t) => {
  const docker = await Docker.start(t);
  const box = await Box.start(t, {
    DOCKER_HOST: docker.host,
    AGENT_RUNTIME: "docker",
    AGENT_IMAGE: IMAGE,
    WATCHDOG_CHECK_INTERVAL: "1s",
    WATCHDOG_DEGRADED_CHECK_INTERVAL: "2s", // a busy engine tells of a death sooner than three of these
  });
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const seen = async () => (await ada.call("GET", `/api/agents/${id}`)).body.agent;
  const until_watched = (state) => until(`the watchdog says ${state}`, async () => (await seen()).watchdog.state === state, 90_000);
  const container = () => docker.containers().find(({ State }) => State.Running);
  await until_watched("running");

  const hung = container();
  process.kill(hung.State.Pid, "SIGSTOP"); // the kernel still accepts connections for it
  await until_watched("repairing");
  await until("another container", () => ![undefined, hung.Id].includes(container()?.Id));
  await until_watched("running");
  assert.deepEqual(
    (await seen()).watchdog.history.map(({ state }) => state),
    ["starting", "running", "degraded", "repairing", "running"],
  );

  for (const deaths of [1, 2]) {
    docker.ask("kill", container().Id);
    await until(
      `it runs after ${deaths} deaths`,
      async () => {
        const { status, watchdog } = await seen();
        return status === "running" && watchdog.state === "running" && watchdog.crashes === deaths;
      },
      90_000,
    );
  }
  docker.ask("kill", container().Id);
  await until_watched("crash_loop");
  await until("its record says so", async () => (await seen()).status === "error");
  assert.equal(container(), undefined);
});
