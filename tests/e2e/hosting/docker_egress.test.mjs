// What agents in containers reach: the box and the web, but neither this machine's other services nor its networks. The
// packets are real ones: a prober in the container's network namespace sends them.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { Docker, IMAGE, no_docker, packet_filter } from "../support/docker.mjs";

const no_tools = () =>
  ["ip", "nsenter", "iptables"].some((name) => !["/usr/sbin", "/usr/bin", "/sbin", "/bin"].some((path) => existsSync(`${path}/${name}`)))
    ? "there is no ip, nsenter or iptables"
    : undefined;
const skip = no_docker() ?? no_tools();

const PUBLIC = "25.77.25.77",
  LINK_LOCAL = "169.254.77.77",
  LAN = "10.77.77.2";

// Another machine beside this one, with a private, a link-local and a public address: a network namespace with a
// listener on all of them.
const other_machine = async (t) => {
  const sh = (line) => execFileSync(line.split(" ")[0], line.split(" ").slice(1), { stdio: "ignore" });
  const name = `agbt${process.pid}`;
  sh(`ip netns add ${name}`);
  t.after(() => sh(`ip netns del ${name}`)); // with its end of the cable, and so with ours and its routes
  sh(`ip link add ${name} type veth peer name lan netns ${name}`);
  sh(`ip addr add 10.77.77.1/30 dev ${name}`);
  sh(`ip link set ${name} up`);
  for (const address of [`${LAN}/30`, `${PUBLIC}/32`, `${LINK_LOCAL}/32`]) sh(`ip -n ${name} addr add ${address} dev lan`);
  for (const link of ["lan", "lo"]) sh(`ip -n ${name} link set ${link} up`);
  sh(`ip -n ${name} route add default via 10.77.77.1`);
  for (const address of [PUBLIC, LINK_LOCAL]) sh(`ip route add ${address}/32 via ${LAN}`);
  const listening = `require("net").createServer((s) => s.on("error", () => {}).end("x")).listen(7777, "0.0.0.0", () => console.log("ready"))`;
  const child = spawn("ip", ["netns", "exec", name, process.execPath, "-e", listening], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
};

const own_service = async (t) => {
  const server = createServer((socket) => socket.on("error", () => {}).end("x")).listen(0, "0.0.0.0");
  t.after(() => server.close());
  await once(server, "listening");
  return server.address().port;
};

// From inside the container: whether each of these addresses answers.
const reached_from = (container, addresses) => {
  const probing = `
    const net = require("net");
    const probe = (text) => new Promise((resolve) => {
      const [host, port] = text.split(":"), socket = net.connect({ host, port });
      const end = (answers) => (socket.destroy(), resolve(answers));
      socket.on("connect", () => end(true)).on("error", () => end(false)).setTimeout(1500, () => end(false));
    });
    Promise.all(process.argv.slice(1).map(probe)).then((all) => console.log(JSON.stringify(all)));`;
  const names = Object.keys(addresses);
  return new Promise((resolve, reject) =>
    execFile(
      "nsenter",
      ["-t", `${container.State.Pid}`, "-n", process.execPath, "-e", probing, ...Object.values(addresses)],
      (error, out) => (error ? reject(error) : resolve(JSON.parse(out).flatMap((answers, at) => (answers ? [names[at]] : [])))),
    ),
  );
};

const setting = async (t, env = {}) => {
  const docker = await Docker.start(t);
  await other_machine(t);
  const service = await own_service(t);
  const box = await Box.start(t, { DOCKER_HOST: docker.host, AGENT_RUNTIME: "docker", AGENT_IMAGE: IMAGE, ...env });
  const ada = await box.customer("ada@example.org", "collective");
  const container_of = (id) => docker.containers().find(({ Config, State }) => State.Running && Config.Labels["agentbox.agent"] === id);
  const addresses_for = (container) => {
    const door = new URL(container.Config.Labels["agentbox.door"]);
    return {
      box: door.host,
      web: `${PUBLIC}:7777`,
      lan: `${LAN}:7777`,
      "link-local": `${LINK_LOCAL}:7777`,
      "service at the gateway": `${door.hostname}:${service}`,
      "service at the lan's address": `10.77.77.1:${service}`,
    };
  };
  const health = async () => (await fetch(`${box.backend}/health`)).json();
  return { docker, box, ada, container_of, addresses_for, health };
};

test(
  "containers reach the box and the web alone, with the box or without, and an agent without egress the box alone",
  { skip },
  async (t) => {
    const { docker, box, ada, container_of, addresses_for, health } = await setting(t);
    const open = await box.running_agent(ada, "Open", "pro"),
      closed = await box.running_agent(ada, "Closed", "pro");
    const reached = (id, more = {}) => reached_from(container_of(id), { ...addresses_for(container_of(id)), ...more });
    const digits = docker.ask("network", "ls", "--format", "{{.Name}}").match(/^agentbox-([0-9a-f]{12})$/m)[1];
    const gateway_of = (container) => `${Object.values(container.NetworkSettings.Networks)[0].IPAddress}:18789`;

    await t.test("by default", async () => {
      assert.deepEqual(await reached(open, { neighbour: gateway_of(container_of(closed)) }), ["box", "web"]);
      const { isolation, isolationLacks } = await health();
      assert.deepEqual([isolation, isolationLacks], ["container", []]);
      assert.match(box.whole_log, /isolation_of_agents.*closed LAN/);
    });

    await t.test("egress none or a list: the box alone, through which fetch goes on", async () => {
      assert.equal((await ada.call("PATCH", `/api/agents/${closed}`, { config: { egress: ["example.org"] } })).status, 200);
      await ada.call("POST", `/api/instance/${closed}/restart`);
      await box.until_status(ada, closed, "running");
      assert.deepEqual(await reached(closed, { neighbour: gateway_of(container_of(open)) }), ["box"]);
      assert.deepEqual(container_of(closed).HostConfig.Dns, ["192.0.2.1"]);
      const answer = await ada.call("POST", "/api/chat", { agentId: closed, message: "hello" });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    });

    await t.test("while the box is gone, and after the engine has restarted", async () => {
      await box.end("SIGKILL");
      assert.deepEqual(await reached(open), ["web"]);
      assert.deepEqual(await reached(closed), []);
      await docker.end("SIGTERM");
      await docker.serve();
      await box.serve();
      for (const id of [open, closed]) await box.until_status(ada, id, "running");
      await until("it is reached", () => container_of(open) && container_of(closed));
      assert.deepEqual(await reached(open), ["box", "web"]);
      assert.deepEqual(await reached(closed), ["box"]);
    });

    await t.test("rules that somebody removed are back at the next start of an agent", async () => {
      execFileSync("iptables", ["-w", "10", "-t", "mangle", "-F", `AGENTBOX-${digits}`]);
      await ada.call("POST", `/api/instance/${open}/restart`);
      await box.until_status(ada, open, "running");
      assert.deepEqual(await reached(open), ["box", "web"]);
    });

    await t.test("nothing of it stays once there is no container", async () => {
      assert.notDeepEqual(packet_filter(digits), []);
      for (const id of [open, closed]) assert.equal((await ada.call("DELETE", `/api/agents/${id}`)).body.deleted, true);
      await until("no containers", () => docker.containers().length === 0);
      await box.end("SIGTERM");
      for (const program of ["iptables", "ip6tables"]) assert.deepEqual(packet_filter(digits, program), [], box.log);
    });
  },
);

test("CONTAINER_LAN opens the LAN to agents with egress web, and everybody is told", { skip }, async (t) => {
  const { box, ada, container_of, addresses_for, health } = await setting(t, { CONTAINER_LAN: "on" });
  const id = await box.running_agent(ada);
  const reached = await reached_from(container_of(id), addresses_for(container_of(id)));
  assert.deepEqual(reached, ["box", "web", "lan", "link-local", "service at the gateway", "service at the lan's address"]);
  assert.deepEqual((await health()).isolationLacks, ["closed LAN (CONTAINER_LAN is on)"]);
  assert.match(box.whole_log, /isolation_of_agents.*CONTAINER_LAN is on/);
});
