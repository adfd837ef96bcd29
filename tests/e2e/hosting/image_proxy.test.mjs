// The box's proxy for foreign images: their programs name credentials and never see them, also after a restart of the box.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import { binary, Box, send, until } from "../support/box.mjs";
import { Docker, no_docker } from "../support/docker.mjs";
import { HOST, site_of } from "../peers/echo_site.mjs";

const skip = no_docker();
const CANARY = "canary-4711-of-the-forge",
  OTHER_HOST = "127.0.0.3",
  SHELL = "foreign/shell:story";

// With the programs of the image for commands: curl, python3, git.
const import_shell_image = (docker) => {
  const tar = join(docker.folder, "shell.tar");
  const tools_image_of = fileURLToPath(new URL("../../docker/tools_image_of.sh", import.meta.url));
  execFileSync("sh", ["-c", '"$0" "$1" > "$2"', tools_image_of, binary, tar]);
  execFileSync("tar", ["-rf", tar, "-C", join(import.meta.dirname, "../peers"), "shell_gateway.mjs"]);
  docker.import(SHELL, tar, ['ENTRYPOINT ["/usr/bin/node", "/shell_gateway.mjs"]', "LABEL agentbox.memory-min=256M"]);
  rmSync(tar);
};

const other_site = async (t) => {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.end("the other site");
  }).listen(0, OTHER_HOST);
  t.after(() => server.close());
  await once(server, "listening");
  return { seen, url: `http://${OTHER_HOST}:${server.address().port}` };
};

const setting = async (t) => {
  const docker = await Docker.start(t),
    site = await site_of(t),
    other = await other_site(t);
  import_shell_image(docker);
  const env = { DOCKER_HOST: docker.host, AGENT_RUNTIME: "docker", AGENT_IMAGE: SHELL };
  const box = await Box.start(t, { ...env, SUMMARIZER_ALLOW_PRIVATE: "true", SSL_CERT_FILE: site.cert });
  docker.box = box;
  const agent_of = async (person, config) => {
    const id = await box.running_agent(person);
    const container = () => docker.containers().find(({ Config, State }) => State.Running && Config.Labels["agentbox.agent"] === id);
    // In the container, by its program.
    const sh = async (line) => {
      const { token } = (await person.call("GET", `/api/agents/${id}/token`)).body,
        { host } = new URL((await person.call("GET", `/api/agents/${id}`)).body.agent.url);
      const headers = { host, authorization: `Bearer ${token}`, connection: "close" };
      const { status, body } = await send(box.web, "POST", "/run", { headers, body: line });
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const set = async (wanted, status = 200) => {
      const answer = await person.call("PUT", `/api/agents/${id}/config`, { config: wanted });
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      return answer.body;
    };
    const restart = async () => {
      assert.equal((await person.call("POST", `/api/instance/${id}/restart`)).status, 200);
      await box.until_status(person, id, "running");
    };
    if (config) {
      await set(config);
      await restart();
    }
    const environment = () => Object.fromEntries(container().Config.Env.map((line) => /^(\w+)=(.*)$/s.exec(line).slice(1)));
    return { id, container, sh, set, restart, environment };
  };
  return { docker, box, site, other, agent_of };
};

// What a process has written to its memory.
const memory_of = (pid) => {
  const parts = [],
    memory = openSync(`/proc/${pid}/mem`, "r");
  for (const [, from, to] of readFileSync(`/proc/${pid}/maps`, "latin1").matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)) {
    const part = Buffer.alloc(parseInt(to, 16) - parseInt(from, 16));
    try {
      parts.push(part.subarray(0, readSync(memory, part, 0, part.length, parseInt(from, 16))));
    } catch {} // it is not there any more
  }
  closeSync(memory);
  return Buffer.concat(parts);
};

const files_below = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

test("a foreign image uses credentials that it never sees", { skip, timeout: 600_000 }, async (t) => {
  const { docker, box, site, other, agent_of } = await setting(t);
  const ada = await box.customer("ada@example.org", "collective"),
    eve = await box.customer("eve@example.org");
  const add = async (person, credential) => {
    const { status, body } = await person.call("POST", "/api/credentials", { hosts: [HOST], form: "bearer", ...credential });
    assert.equal(status, 201, JSON.stringify(body));
  };
  await add(ada, { name: "FORGE", secret: CANARY, paths: ["/api"] });
  const forge = await agent_of(ada, { proxyCredentials: [{ variable: "FORGE_TOKEN", credential: "FORGE" }] });
  const plain = await agent_of(eve);
  const curl = (url, more = "") => `curl -sS -m 20 ${more} -H "Authorization: Bearer $FORGE_TOKEN" ${url}`;
  const proxy = new URL(forge.environment().HTTPS_PROXY);

  await t.test("its environment names the proxy, what to trust, and the credential", async () => {
    const found = forge.environment();
    assert.equal(found.FORGE_TOKEN, "cred:FORGE");
    for (const name of ["HTTP_PROXY", "https_proxy", "http_proxy"]) assert.equal(found[name], found.HTTPS_PROXY, name);
    assert.equal(proxy.username, forge.id);
    const gateway = new URL(found.OPENAI_BASE_URL).hostname;
    assert.equal(proxy.hostname, gateway);
    for (const name of ["NO_PROXY", "no_proxy"]) assert.ok(found[name].split(",").includes(gateway), found[name]);
    const trusted = (await forge.sh('cat "$SSL_CERT_FILE"')).out,
      own = (await forge.sh('cat "$NODE_EXTRA_CA_CERTS"')).out;
    assert.ok(trusted.endsWith(own) && own.startsWith("-----BEGIN CERTIFICATE-----") && !/PRIVATE/.test(trusted));
    assert.ok(trusted.includes(readFileSync(site.cert, "utf8")), "it trusts what the box trusts");
    for (const name of ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO"]) assert.equal(found[name], found.SSL_CERT_FILE);
    assert.deepEqual(
      Object.keys(plain.environment()).filter((name) => /proxy|cert|ca_bundle/i.test(name)),
      [],
      "another agent has none of it",
    );
  });

  await t.test("the secret goes to the host that it is bound to, and is taken out of the answer", async () => {
    const answer = await forge.sh(curl(`${site.https}/api/x`));
    assert.equal(answer.out, "you sent Bearer cred:FORGE and undefined at /api/x", JSON.stringify(answer));
    assert.equal(site.seen.at(-1).authorization, `Bearer ${CANARY}`);
    const python = `import os,urllib.request as r; print(r.urlopen(r.Request("${site.https}/api/y", headers={"Authorization": "Bearer " + os.environ["FORGE_TOKEN"]})).read().decode())`;
    assert.match((await forge.sh(`python3 -c '${python}'`)).out, /^you sent Bearer cred:FORGE .* \/api\/y/);
    // The site serves no repository; git signs in to the proxy only when it is asked to.
    await forge.sh(`git -c http.extraHeader="Authorization: Bearer $FORGE_TOKEN" ls-remote ${site.https}/api/harbour.git`);
    const of_git = site.seen.find(({ url }) => url === "/api/harbour.git/info/refs?service=git-upload-pack");
    assert.equal(of_git?.authorization, `Bearer ${CANARY}`);
    const { uses } = (await ada.call("GET", "/api/credentials/uses")).body;
    assert.ok(uses.some((use) => use.credential === "FORGE" && use.agent === forge.id && use.host === HOST && use.status === 200));
  });

  await t.test("no other host, path or scheme gets it", async () => {
    const before = site.seen.length;
    assert.match((await forge.sh(curl(`${site.https}/other`))).out, /not bound to this path/);
    assert.match((await forge.sh(curl(`${site.http}/api/x`))).out, /is for https only/);
    await add(ada, { name: "FORGE_HTTP", secret: `${CANARY}-http`, scheme: "http" });
    const elsewhere = await forge.sh(`curl -sS -m 20 -H "Authorization: Bearer cred:FORGE_HTTP" ${other.url}`);
    assert.match(elsewhere.out, /not bound to 127\.0\.0\.3/);
    assert.deepEqual([site.seen.length, other.seen.length], [before, 0]);
    assert.equal((await forge.sh(`curl -sS -m 20 ${other.url}`)).out, "the other site");
    assert.deepEqual(
      Object.keys(other.seen.at(-1)).filter((name) => /proxy/.test(name)),
      [],
      "nobody else gets what it signs in with",
    );
  });

  await t.test("nobody signs in as it, and a program of another container is refused", async () => {
    const before = site.seen.length;
    const address = `http://${proxy.host}`;
    const status = async (user) =>
      (await plain.sh(`curl -sS -m 20 -o /dev/null -w '%{http_code}' ${user} -x ${address} ${site.http}/`)).out;
    const tunnel = (user) => plain.sh(`curl -sS -m 20 -k ${user} -x ${address} ${site.https}/api/x`);
    const token = plain.environment().OPENAI_API_KEY;
    for (const user of [
      "",
      `-U ${forge.id}:`,
      `-U ${forge.id}:${token}`,
      `-U ${forge.id}:${proxy.password.slice(0, -1)}`,
      `-U ${plain.id}:${proxy.password}`,
    ]) {
      assert.equal(await status(user), "407", user);
      assert.match((await tunnel(user)).err, /407/, user);
    }
    assert.equal(site.seen.length, before);
    const raw = await plain.sh(
      `printf 'GARBAGE\\r\\n\\r\\n' | python3 -c 'import socket,sys; s = socket.create_connection(("${proxy.hostname}", ${proxy.port})); s.sendall(sys.stdin.buffer.read()); print(s.recv(99).decode())'`,
    );
    assert.match(raw.out, /^HTTP\/1\.1 407 /);
  });

  await t.test("the secret is nowhere but in the box", async () => {
    // A program that has used it and still runs.
    const program = `import os,time,urllib.request as r; a = r.urlopen(r.Request("${site.https}/api/kept", headers={"Authorization": "Bearer " + os.environ["FORGE_TOKEN"]})).read(); open("/tmp/done", "wb").write(a); time.sleep(60)`;
    await forge.sh(`python3 -c '${program}' >/dev/null 2>&1 & for i in $(seq 100); do [ -s /tmp/done ] && exit; sleep 0.1; done`);
    const pids = docker.ask("top", forge.container().Id, "-o", "pid").split("\n").slice(1).map(Number);
    const memories = pids.map(memory_of);
    assert.ok(
      memories.some((memory) => memory.includes("/api/kept")),
      "its memory is read",
    );
    for (const memory of memories) assert.ok(!memory.includes(CANARY) && !memory.includes(Buffer.from(CANARY).toString("base64")));
    const readable = await forge.sh("cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; env; cat /run/agentbox/*/* 2>/dev/null");
    assert.ok(readable.out.includes("cred:FORGE") && !readable.out.includes(CANARY));
    assert.ok(!JSON.stringify(docker.containers()).includes(CANARY));
    const log = docker.ask("logs", forge.container().Id);
    for (const text of [log, box.whole_log]) assert.ok(!text.includes(CANARY) && !text.includes(proxy.password));
    for (const path of files_below(box.folder)) assert.ok(!readFileSync(path).includes(CANARY), path);
  });

  await t.test("a container that runs on while the box is killed and started again finds and trusts its proxy", async () => {
    const { Id } = forge.container();
    const running = forge
      .sh(`for i in $(seq 100); do ${curl(`${site.https}/api/again`)} && echo && exit; sleep 0.2; done`)
      .catch(() => undefined);
    await box.end("SIGKILL");
    await box.serve();
    await running;
    await box.until_status(ada, forge.id, "running");
    const answer = await until("it is answered", async () => {
      const { out } = await forge.sh(curl(`${site.https}/api/again`));
      return out && { out };
    });
    assert.equal(answer.out, "you sent Bearer cred:FORGE and undefined at /api/again");
    assert.equal(forge.container().Id, Id, "it is the same container");
  });

  await t.test("the agent's egress holds, also for a container that reaches nothing but the box", async () => {
    const config = { proxyCredentials: [{ variable: "FORGE_TOKEN", credential: "FORGE" }] };
    await forge.set({ ...config, egress: ["example.org"] });
    assert.match((await forge.sh(`curl -sS -m 20 ${other.url}`)).out, /egress does not admit/);
    assert.match((await forge.sh(curl(`${site.https}/api/x`))).err, /403/);
    await forge.set({ ...config, egress: [HOST] });
    await forge.restart();
    assert.match(forge.container().HostConfig.NetworkMode, /-closed$/);
    assert.equal((await forge.sh(curl(`${site.https}/api/closed`))).out, "you sent Bearer cred:FORGE and undefined at /api/closed");
    assert.match((await forge.sh(`curl -sS -m 20 ${other.url}`)).out, /egress does not admit/);
    const past = await forge.sh(`curl -sS -m 3 --noproxy '*' ${site.http}/`);
    assert.notEqual(past.code, 0, "there is no way past the proxy");
  });

  await t.test("what an agent that is stopped had signed in with opens nothing", async () => {
    const { username, password, host } = new URL(forge.environment().HTTPS_PROXY);
    const asks = async () => {
      const flags = ["-sS", "-m", "20", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "", "-x", `http://${host}`];
      return (await promisify(execFile)("curl", [...flags, "-U", `${username}:${password}`, `${site.http}/`])).stdout;
    };
    assert.equal(await asks(), "200");
    await ada.call("POST", `/api/instance/${forge.id}/stop`);
    await box.until_status(ada, forge.id, "stopped");
    assert.equal(await asks(), "407");
  });

  await t.test("configs that name no variable or no credential are refused", async () => {
    const good = { variable: "FORGE_TOKEN", credential: "FORGE" };
    for (const [entry, error] of [
      [{ ...good, variable: "2ND" }, /config\.proxyCredentials\[1\]\.variable/],
      [{ ...good, variable: "A-B" }, /\[1\]\.variable/],
      [{ ...good, variable: "HTTPS_PROXY" }, /\[1\]\.variable must not be HTTPS_PROXY/],
      [{ ...good, variable: "OPENAI_API_KEY" }, /\[1\]\.variable/],
      [good, /\[1\]\.variable must not be given twice/],
      [{ ...good, variable: "OTHER", credential: "forge" }, /\[1\]\.credential/],
      [{ variable: "OTHER" }, /\[1\]\.credential/],
    ])
      assert.match((await forge.set({ proxyCredentials: [good, entry] }, 400)).error, error, JSON.stringify(entry));
    assert.match((await forge.set({ proxyCredentials: { FORGE: "FORGE_TOKEN" } }, 400)).error, /config\.proxyCredentials/);
  });
});
