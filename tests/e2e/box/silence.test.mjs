// Nothing leaves unasked: a box at work in a network of its own, whose only way out is a sink that counts packets. As
// long as AGENTBOX_SILENCE_SECONDS says (20), it counts none.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ADMIN, binary, Box, until } from "../support/box.mjs";
import { OWN_PORTS } from "../support/ports.mjs";

const inside = "AGENTBOX_STORY_IN_SINK";
const seconds = Number(process.env.AGENTBOX_SILENCE_SECONDS ?? 20);

// Every address but loopback leads into a device that swallows packets and counts them.
const dig_sink = () => {
  const ip = (...args) => execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
  ip("link", "set", "lo", "up");
  ip("link", "add", "sink", "type", "veth", "peer", "name", "far");
  for (const end of ["far", "sink"]) // without what makes the kernel greet its neighbours
    ip("link", "set", end, "addrgenmode", "none", "multicast", "off", "arp", "off", "up");
  ip("address", "add", "198.18.0.1/32", "dev", "sink");
  ip("route", "add", "default", "dev", "sink");
  ip("-6", "route", "add", "default", "dev", "sink");
};
const swallowed = () => JSON.parse(execFileSync("ip", ["-s", "-j", "link", "show", "sink"]))[0].stats64.tx.packets;

const site = async (t) => {
  const server = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<title>Tides</title><p>The tide turns at six."),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
};

const chat_and_read = async (box, ada, agent, page) => {
  const spoken = await ada.call("POST", "/api/chat", { agentId: agent, message: `remember that the kettle is on, and summarize ${page}` });
  assert.equal(spoken.status, 200, JSON.stringify(spoken.body));
  const { box_token } = JSON.parse(readFileSync(join(box.folder, "agents", agent, "run", "boot.json")));
  const read = await fetch(`${box.summarizer}/api/summarize`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${box_token}` },
    body: JSON.stringify({ url: page }),
  });
  assert.equal((await read.json()).title, "Tides");
};

if (process.env[inside]) {
  test("the sink counts", async () => {
    dig_sink();
    const before = swallowed(),
      socket = createSocket("udp4");
    await new Promise((resolve, reject) => socket.send("hello", 53, "192.0.2.1", (error) => (error ? reject(error) : resolve())));
    socket.close();
    assert.ok(swallowed() > before);
  });

  test(`a box at work for ${seconds} s sends nothing`, async (t) => {
    const before = swallowed();
    const page = await site(t);
    const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
    const ada = await box.customer("ada@example.org", "network");
    const agents = [await box.running_agent(ada, "Scout", "enterprise"), await box.running_agent(ada, "Clerk", "enterprise")];
    const task = await ada.call("POST", "/api/scheduled-tasks", {
      name: "Every second",
      cronSchedule: "* * * * * *",
      prompt: "remember the kettle",
      agentId: agents[0],
    });
    assert.ok(task.status < 300, JSON.stringify(task));
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200)))
      for (const agent of agents) await chat_and_read(box, ada, agent, page);
    await until("a scheduled run", async () => (await ada.call("GET", "/api/scheduled-tasks")).body.tasks?.some(({ lastRun }) => lastRun));
    await box.person().call("POST", "/api/auth/forgot-password", { email: "ada@example.org" });
    const admin = box.person();
    await admin.log_in(ADMIN.email, ADMIN.password);
    assert.deepEqual((await admin.call("GET", "/api/egress")).body.lines, [], "the ledger agrees");
    assert.equal(swallowed() - before, 0, "packets that left");
  });

  test("the demo sends nothing either, from its past to its end", async () => {
    const before = swallowed();
    const listen = Object.fromEntries(["WEB", "BACKEND", "SUMMARIZER"].map((name) => [`${name}_LISTEN`, "127.0.0.1:0"]));
    const demo = spawn(binary, ["demo", "--days", "2", "--outside", "127.0.0.1:0"], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env.PATH, AGENT_PORT_RANGE: OWN_PORTS, ...listen },
    });
    const ended = once(demo, "exit");
    let said = "";
    demo.stdout.on("data", (bytes) => (said += bytes));
    await until("the demo is ready", () => said.includes("The demo is ready"), 120_000);
    demo.kill("SIGTERM");
    assert.equal((await ended)[0], 0);
    assert.equal(swallowed() - before, 0, "packets that left");
  });
} else {
  test("in a network whose only way out counts packets", async (t) => {
    const apart = process.getuid() === 0 ? ["-n"] : ["-r", "-n"];
    const child = spawn("unshare", [...apart, process.execPath, "--test", fileURLToPath(import.meta.url)], {
      env: { ...process.env, [inside]: "1", NODE_TEST_CONTEXT: undefined },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (bytes) => (said += bytes));
    const [code] = await once(child, "exit");
    assert.equal(code, 0, said);
    assert.match(said, /^# pass 3$/m, said);
  });
}
