// The container image of the box, in a Docker Engine of the test's own: read-only, without rights, on an empty volume.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { agent_that_works, artifact, folder, free_port, has_program, PASSWORD, run, session_of, sign_in, until } from "./dist.mjs";

const skip = process.getuid() !== 0 ? "dockerd needs root" : !has_program("dockerd") && "there is no dockerd (Debian's docker.io)";

const engine = async (t) => {
  const place = folder(t, async () => {
    if (child.exitCode !== null) return;
    for (const id of docker("ps", "-aq").split("\n").filter(Boolean)) docker("rm", "-f", id);
    child.kill("SIGTERM");
    await ended;
    spawnSync("umount", [join(place, "exec/netns/default")]); // of containers in the host's network, left mounted
  });
  const host = `unix://${join(place, "docker.sock")}`;
  const log = openSync(join(place, "log"), "a");
  const flags = [
    "--storage-driver",
    "vfs",
    "--data-root",
    join(place, "data"),
    "--exec-root",
    join(place, "exec"),
    "-H",
    host,
    "--pidfile",
    join(place, "pid"),
    "--bridge",
    "none",
    "--iptables=false",
  ];
  const child = spawn("dockerd", flags, { stdio: ["ignore", log, log] });
  const ended = once(child, "exit");
  const docker = (...args) => run("docker", ["-H", host, ...args]).trim();
  await until("dockerd answers", () => {
    assert.equal(child.exitCode, null, readFileSync(join(place, "log"), "utf8"));
    return docker("version");
  });
  return { docker, place };
};

test("the image runs as a user, read-only, and is healthy by its own judgement", { skip }, async (t) => {
  const { docker, place } = await engine(t);
  const loaded = docker("load", "-i", artifact(/-image\.tar\.gz$/));
  const [, name, version] = /Loaded image: (agentbox\/agentbox:(\S+))/.exec(loaded);
  const [{ Config, Size }] = JSON.parse(docker("image", "inspect", name));
  assert.deepEqual([Config.User, Config.Entrypoint, Object.keys(Config.Volumes)], ["65532:65532", ["/usr/bin/agentbox"], ["/data"]]);
  assert.ok(Size < 2 ** 28, `${Size} bytes`);
  const [agent] = JSON.parse(docker("image", "inspect", "agentbox/agent:latest"));
  assert.deepEqual([agent.Config.Entrypoint, agent.Config.Labels["agentbox.boot"]], [["/usr/bin/agentbox", "agent"], "file"]);
  assert.ok(agent.RepoTags.includes(`agentbox/agent:${version}`));
  for (const compose of ["compose", "compose-containers"])
    assert.ok(readFileSync(artifact(new RegExp(`-${compose}\\.yaml$`)), "utf8").includes(`image: ${name}\n`), compose);

  const data = join(place, "volume"),
    port = await free_port();
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, 65532, 65532);
  const hardened = [
    "--read-only",
    "--tmpfs",
    "/tmp",
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
    "--network",
    "host",
    "-v",
    `${data}:/data`,
  ];
  const listeners = [
    "-e",
    `WEB_LISTEN=127.0.0.1:${port}`,
    "-e",
    "BACKEND_LISTEN=127.0.0.1:0",
    "-e",
    "SUMMARIZER_LISTEN=127.0.0.1:0",
    "-e",
    "AGENT_RUNTIME=process",
  ];

  docker("run", "--rm", ...hardened, name, "init", "--email", "admin@example.org", "--password", PASSWORD);
  const started = Date.now();
  const id = docker("run", "-d", "--init", "--health-interval", "1s", ...hardened, ...listeners, name);
  await until("it answers", async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status === 200);
  t.diagnostic(`first answer ${Date.now() - started} ms after docker run`);
  assert.equal(await sign_in(`http://127.0.0.1:${port}`, "admin@example.org"), 200);
  await until("its health check passes", () => docker("inspect", "-f", "{{.State.Health.Status}}", id) === "healthy");

  await t.test("an agent works in it", async () => {
    docker("exec", id, "/usr/bin/agentbox", "admin", "plan", "admin@example.org", "solo");
    await agent_that_works(await session_of(`http://127.0.0.1:${port}`, "admin@example.org"));
  });

  docker("stop", "-t", "30", id);
  assert.equal(docker("inspect", "-f", "{{.State.ExitCode}}", id), "0");
  docker("rm", id);
  const again = docker("run", "-d", "--init", ...hardened, ...listeners, name);
  await until("the data is there again", async () => (await sign_in(`http://127.0.0.1:${port}`, "admin@example.org")) === 200);
  docker("rm", "-f", again);
});
