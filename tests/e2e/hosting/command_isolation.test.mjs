// The red team with commands on: what a hostile command reaches through the box's proxy, of other agents and their
// commands, and of the box's time. commands.test.mjs has what it reaches of the machine.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/box.mjs";
import { agent_that_runs, commands_of, story_of } from "../support/command_story.mjs";
import { processes } from "../support/processes.mjs";

const skip = process.getuid() !== 0 ? "reads the agents' tokens as root" : undefined;

// Sends each head to the proxy as it is, and prints what is answered: the status, and whether a service said its words.
const asking = (heads) => `
import json, socket
for head in json.loads(${JSON.stringify(JSON.stringify(heads))}):
    try:
        s = socket.create_connection(("127.0.0.1", 3128), timeout=10)
        s.sendall(head.encode("latin1"))
        got = b""
        while len(got) < 65536:
            more = s.recv(4096)
            if not more: break
            got += more
            if head.startswith("CONNECT") and got.startswith(b"HTTP/1.1 200"):
                s.sendall(b"GET /health HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
                head = ""
    except OSError as error:
        got += repr(error).encode()
    print(json.dumps(got.decode("latin1")[:300]), flush=True)
`;

// A service of this machine, outside of the box.
const host_service = async (t) => {
  const service = { connections: 0 };
  const server = createServer((socket) => {
    ++service.connections;
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\na secret");
  });
  server.listen(0, "::"); // and, with it, every address of IPv4
  await once(server, "listening");
  t.after(() => server.close());
  service.port = server.address().port;
  return service;
};

const LEVELS = [
  ["a box of root", {}, undefined],
  ["RUN_AS, with its helper", { RUN_AS: "nobody" }, undefined],
  ["a box of a user", {}, 65_534],
];

for (const [name, env, user] of LEVELS)
  test(`the proxy leads a command to nothing of this machine or its networks: ${name}`, { skip, timeout: 240_000 }, async (t) => {
    const { box, sh } = await story_of(t, env, user);
    const service = await host_service(t);
    const of_box = [box.web, box.backend].map((url) => new URL(url).port);
    const spellings = [
      "127.0.0.1",
      "localhost",
      "127.1",
      "2130706433",
      "0x7f000001",
      "017700000001",
      "0.0.0.0",
      "0",
      "127.0.0.1.",
      "LOCALHOST.",
    ];
    const of_ipv6 = ["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[fe80::1]"];
    const elsewhere = ["169.254.169.254:80", "10.0.0.1:80", "192.168.0.1:80", "172.17.0.1:2375", "100.64.0.1:80", "[fd00:ec2::254]:80"];
    const places = [
      ...[...of_box, service.port].flatMap((port) => [...spellings, ...of_ipv6].map((host) => `${host}:${port}`)),
      ...elsewhere,
    ];
    const heads = places.flatMap((place) => [
      `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`,
      `GET http://${place}/health HTTP/1.1\r\nHost: ${place}\r\nConnection: close\r\n\r\n`,
    ]);
    const mine = `127.0.0.1:${service.port}`;
    heads.push(
      // Two names in one request, and what is no proxy's request at all.
      `CONNECT example.org:443@${mine} HTTP/1.1\r\nHost: example.org\r\n\r\n`,
      `GET http://example.org@${mine}/ HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n`,
      `GET http://${mine}\\@example.org/ HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n`,
      `GET http://${mine}#@example.org/ HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: ${mine}\r\nConnection: close\r\n\r\n`,
      `GET //${mine}/ HTTP/1.1\r\nHost: ${mine}\r\nConnection: close\r\n\r\n`,
      `GET ftp://${mine}/ HTTP/1.1\r\nHost: ${mine}\r\nConnection: close\r\n\r\n`,
      `GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      `CONNECT ${mine}\r\n\r\n`,
      `CONNECT ${mine} HTTP/1.1\nHost: x\n\n\r\n\r\n`,
      `CONNECT 127.0.0.1:99999 HTTP/1.1\r\nHost: x\r\n\r\n`,
      `\r\n\r\n`,
    );
    const { output, exitCode } = await sh(`python3 - <<'END'\n${asking(heads)}END`, { timeoutSeconds: 200 });
    assert.equal(exitCode, 0, output);
    const answers = output.trim().split("\n").map(JSON.parse);
    assert.equal(answers.length, heads.length);
    for (const [at, answer] of answers.entries()) {
      assert.doesNotMatch(answer, /^HTTP\/1\.[01] 2/, heads[at]);
      assert.doesNotMatch(answer, /a secret|"status"/, heads[at]);
    }
    assert.equal(service.connections, 0);
  });

for (const [name, env, user] of LEVELS)
  test(`agents' commands reach nothing of one another, nor of their agents' processes: ${name}`, { skip, timeout: 240_000 }, async (t) => {
    const { box, sh, start, ask, token } = await story_of(t, env, user);
    const eve = await box.customer("eve@example.org");
    const other = await agent_that_runs(box, eve);
    const marked = await other.start({
      shell: "echo the-words-of-eve > /tmp/kept; echo the-words-of-eve > kept; exec python3 -m http.server 4711 --bind 127.0.0.1",
      background: true,
      environment: { WORDS: "the-words-of-eve" },
    });
    // And one of the same agent: what runs side by side is apart as well, but for the workspace.
    const beside = await start({ shell: "echo beside > /tmp/beside; exec sleep 300", background: true });
    await until("both run", () => existsSync(join(other.workspace, "kept")) && commands_of(box).length >= (env.RUN_AS ? 0 : 2));
    const spy = `
import os, socket
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("environ", "cmdline"):
        try:
            text = open(f"/proc/{pid}/{name}", "rb").read()
            if b"of-eve" in text or b"http.server" in text or b"agentbox\\0agent" in text or b"sleep\\x00300" in text: print("SUCCEEDED", pid, name)
        except OSError: pass
for folder, folders, files in os.walk("/"):
    folders[:] = [one for one in folders if os.path.join(folder, one) not in ("/proc", "/usr", "/lib", "/lib64", "/bin", "/etc")]
    for file in files:
        if not os.path.isfile(os.path.join(folder, file)): continue  # a device may have no end
        try:
            text = open(os.path.join(folder, file), "rb").read(1 << 20)
            if b"the-words-of-eve" in text or file == "beside" or b"${token}" in text: print("SUCCEEDED", folder, file)
        except OSError: pass
try:
    socket.create_connection(("127.0.0.1", 4711), timeout=2)
    print("SUCCEEDED to connect")
except OSError: pass
names = [line.split()[-1] for line in open("/proc/net/unix").readlines()[1:] if "/" in line or "@" in line]
for name in names:
    try:
        s = socket.socket(socket.AF_UNIX); s.connect(name.replace("@", "\\0")); print("SUCCEEDED", name)
    except OSError: pass
for signal in (0, 9):
    try:
        os.kill(-1, signal)  # all that it may signal: itself is left out
    except OSError: pass
print("end")
`.replaceAll("of-eve", "of" + "-e" + "ve");
    const { output } = await sh(`cat > /tmp/spy.py; exec python3 -u /tmp/spy.py`, { input: spy, timeoutSeconds: 120 });
    assert.equal(output.replace(/SUCCEEDED \/tmp spy\.py\n/, ""), "end\n", output);
    for (const [whose, id] of [
      [other.ask, marked],
      [ask, beside],
    ])
      assert.equal((await whose("GET", `/${id}/output`)).body.running, true, "they run on");
    for (const [method, path, body] of [
      ["GET", `/${marked}/output`],
      ["POST", `/${marked}/input`, { text: "x" }],
      ["DELETE", `/${marked}`],
    ])
      assert.equal((await ask(method, path, body)).status, 404, `${method} ${path}`);
    assert.equal((await other.ask("GET", `/${marked}/output`)).body.running, true);

    // An agent that is stopped takes its own along, and no others.
    assert.equal((await eve.call("POST", `/api/instance/${other.agent}/stop`)).status, 200);
    await until(
      "the end of Eve's",
      () => !processes().some(({ arguments: words }) => words.includes("http.server") && words.includes("4711")),
    );
    assert.equal((await ask("GET", `/${beside}/output`)).body.running, true);
  });

test("the box answers while commands of several agents take all that they can get", { skip, timeout: 240_000 }, async (t) => {
  const first = await story_of(t);
  const { box } = first;
  const agents = [first];
  for (const name of ["bob", "eve"]) agents.push(await agent_that_runs(box, await box.customer(`${name}@example.org`)));
  const attacks = [
    "while :; do for i in 1 2 3 4 5 6 7 8; do /bin/true & done; done",
    "while :; do dd if=/dev/zero of=fill bs=1M count=80 2>/dev/null; rm -f fill; done",
    "while :; do head -c 200M /dev/zero | tail > /dev/null; done",
    "while :; do python3 -c 'import socket\nheld = []\nwhile True: held.append(socket.create_connection((\"127.0.0.1\", 3128)))'; done",
    "yes",
  ];
  const ids = [];
  for (const agent of agents) for (const shell of attacks) ids.push([agent, await agent.start({ shell, background: true })]);
  const times = [];
  for (const end = Date.now() + 15_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const begun = Date.now();
    const answer = await fetch(`${box.backend}/health`, { signal: AbortSignal.timeout(20_000) });
    assert.equal((await answer.json()).stalledEventLoops, 0);
    times.push(Date.now() - begun);
  }
  times.sort((a, b) => a - b);
  assert.ok(times[Math.floor(times.length / 2)] < 2_000, `half of ${times.length} within ${times[Math.floor(times.length / 2)]} ms`);
  for (const [agent, id] of ids) assert.ok([200, 404].includes((await agent.ask("DELETE", `/${id}`)).status));
  await until("that nothing is left", () => commands_of(box).length === 0);
  assert.equal((await first.sh("echo again")).output, "again\n");
});
