// What the box makes of kill -9 at the worst moment, of agents that die, and of a disk that is full.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { request as http_request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, binary, Box, INTERNAL_KEY, PASSWORD, run, until } from "../support/box.mjs";
import { agent_processes, is_alive, own_processes } from "../support/processes.mjs";
import { about_files } from "../support/story_store.mjs";

const provision = (person, name) => person.call("POST", "/api/agents/provision", { name, tier: "enterprise" });
const health = async (box) => (await fetch(`${box.web}/health`)).json();

const COUNT = 8;
test("kill -9 in the middle of many provisionings leaves none stuck and no process behind", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network");
  const statuses = async () => (await ada.call("GET", "/api/agents")).body.agents.map(({ status }) => status);
  const running = async () => (await statuses()).filter((status) => status === "running").length;
  const provisioned = await Promise.all(Array.from({ length: COUNT }, (_, at) => provision(ada, `Scout ${at}`)));
  assert.deepEqual([...new Set(provisioned.map(({ status }) => status))], [201]);

  // Before any runs, when some have processes, and when some are done.
  for (const moment of [() => true, () => agent_processes(box).length >= COUNT / 2, async () => (await running()) >= 1]) {
    await until("the moment", moment);
    const [, summarizer] = own_processes(box).sort((a) => (a.pid === box.child.pid ? -1 : 1));
    await box.end("SIGKILL");
    await until("the summarizer ends with its box", () => !is_alive(summarizer.pid));
    await box.serve();
    assert.ok(
      (await statuses()).every((status) => ["provisioning", "running"].includes(status)),
      "nothing is lost, nothing has failed",
    );
  }
  await until("all run", async () => (await running()) === COUNT, 120_000);
  const agents = agent_processes(box).map(({ id }) => id);
  assert.deepEqual(agents.sort(), provisioned.map(({ body }) => body.agent.id).sort(), "one process each");
  const answers = await Promise.all(agents.map((agentId) => ada.call("POST", "/api/chat", { agentId, message: "are you there?" })));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200], box.log);

  for (const id of agents) assert.equal((await ada.call("DELETE", `/api/agents/${id}`)).body.deleted, true);
  assert.deepEqual(agent_processes(box), []);
  assert.deepEqual(await statuses(), []);
});

test("kill -9 in the middle of stops and deletions: they are carried out when the box is back", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "network");
  const ids = [];
  for (let at = 0; at < 4; ++at) ids.push((await provision(ada, `Scout ${at}`)).body.agent.id);
  for (const id of ids) await box.until_status(ada, id, "running");
  // They cannot obey yet, so that the box dies before they do.
  for (const { pid } of agent_processes(box)) process.kill(pid, "SIGSTOP");
  const cut_off = ids.map((id, at) =>
    assert.rejects(at < 2 ? ada.call("POST", `/api/instance/${id}/stop`) : ada.call("DELETE", `/api/agents/${id}`)),
  );
  const status_of = async (id) => (await ada.call("GET", `/api/agents/${id}`)).body.agent?.status;
  await until("the stops are under way", async () => (await status_of(ids[0])) === "stopping" && (await status_of(ids[1])) === "stopping");
  await until("the deletions are under way", async () => !(await status_of(ids[2])) && !(await status_of(ids[3])));
  await box.end("SIGKILL");
  await Promise.all(cut_off);
  for (const { pid } of agent_processes(box)) process.kill(pid, "SIGCONT");

  await box.serve();
  for (const id of ids.slice(0, 2)) await box.until_status(ada, id, "stopped");
  await until("the others are gone", async () => (await ada.call("GET", "/api/agents")).body.count === 2);
  await until("nobody runs", () => agent_processes(box).length === 0);
});

test("kill -9 in the middle of a repair: the agent runs again, once", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const [{ pid }] = agent_processes(box);
  assert.equal((await ada.call("POST", `/api/instance/${id}/repair`)).status, 200);
  await until("its process has been ended, and the next is five seconds away", () => !is_alive(pid));
  await box.end("SIGKILL");
  await box.serve();
  await box.until_status(ada, id, "running");
  assert.equal(agent_processes(box).length, 1);
  assert.equal((await ada.call("POST", "/api/chat", { agentId: id, message: "are you there?" })).status, 200);
});

test("kill -9 in the middle of a reset: it forgets, and runs, when the box is back", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const remembered = async () => (await ada.call("GET", `/api/memory?agentId=${id}`)).body.memories.map(({ text }) => text);
  assert.equal((await ada.call("POST", "/api/chat", { agentId: id, message: "remember that the tide turns at six" })).status, 200);
  assert.equal((await remembered()).length, 1);
  const [{ pid }] = agent_processes(box);
  process.kill(pid, "SIGSTOP"); // it cannot obey yet, so that the box dies before it does
  const cut_off = assert.rejects(ada.call("POST", `/api/instance/${id}/reset-memory`));
  await until("the reset is under way", async () => (await ada.call("GET", `/api/agents/${id}`)).body.agent.status === "provisioning");
  await box.end("SIGKILL");
  await cut_off;
  process.kill(pid, "SIGCONT");

  await box.serve();
  await until("another process", () => agent_processes(box).some((one) => one.pid !== pid));
  await box.until_status(ada, id, "running");
  assert.deepEqual(await remembered(), []);
  assert.deepEqual(
    agent_processes(box).map((one) => one.id),
    [id],
  );
});

test("an agent that is killed is started again, and remembers", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const say = (message) => ada.call("POST", "/api/chat", { agentId: id, message });
  assert.equal((await say("remember that the tide turns at six")).status, 200);
  const [{ pid }] = agent_processes(box);
  process.kill(pid, "SIGKILL");
  const fresh = await until("another process", () => agent_processes(box).find((one) => one.id === id && one.pid !== pid));
  await box.until_status(ada, id, "running");
  assert.match((await say("what do you remember?")).body.message.content, /tide/);
  assert.ok(is_alive(fresh.pid));
});

// A folder on a file system of its own, small enough to be filled.
const small_disk = (t) => {
  const mount = mkdtempSync(join(tmpdir(), "agentbox-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m,mode=0755", "tmpfs", mount], { stdio: "pipe" });
  } catch (error) {
    rmdirSync(mount);
    return { why_not: `no disk can be mounted: ${error.stderr}` };
  }
  const folder = join(mount, "data"),
    filler = join(mount, "filler");
  mkdirSync(folder);
  const fill = () => {
    const file = openSync(filler, "w");
    for (let size = 1 << 20; size >= 1; size >>= 1)
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        assert.equal(error.code, "ENOSPC");
      }
    closeSync(file);
  };
  const unmount = () => {
    execFileSync("umount", ["--lazy", mount]);
    rmdirSync(mount);
  };
  return { folder, fill, free: () => rmSync(filler), unmount };
};

test("a full disk: writes are refused with a sentence, reads go on, and with space all is well again", { skip: about_files }, async (t) => {
  if (process.getuid() !== 0) return t.skip("only root may mount a small disk");
  const disk = small_disk(t);
  if (disk.why_not) return t.skip(disk.why_not);
  const made = await run(["init", "--data", disk.folder, "--email", ADMIN.email, "--password", ADMIN.password]);
  assert.equal(made.code, 0, made.err);
  const box = await Box.open(t, disk.folder);
  t.after(disk.unmount); // after the box is gone
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada);
  const key = (await ada.call("POST", "/api/keys", { name: "before" })).body.key;
  const name_is = async () => (await ada.call("GET", "/api/settings")).body.name;
  const rename = (name) => ada.call("PATCH", "/api/settings", { name });
  assert.equal((await rename("Ada before")).status, 200);

  disk.fill();
  let acknowledged, refused;
  const bulk = { bulk: "x".repeat(60_000) };
  for (let round = 0; !refused; ++round) {
    assert.ok(round < 2000, "the space that was taken in advance ends");
    await box.backend_call("PUT", `/api/agents/${id}`, { config: { custom: bulk } });
    const name = `Ada ${round}`,
      answer = await rename(name);
    if (answer.status === 200) acknowledged = name;
    else refused = answer;
  }
  assert.equal(refused.status, 503, JSON.stringify(refused.body));
  assert.match(refused.headers.get("retry-after"), /^\d+$/);
  assert.match(refused.body.error, /read-only.*(space|disk)|(space|disk).*read-only/i);
  const { status, degraded, store, reason } = await health(box);
  assert.deepEqual([status, degraded, store], ["ok", true, "read-only"]);
  const probe = async (path) => {
    const answer = await fetch(box.web + path);
    return [answer.status, await answer.json()];
  };
  assert.equal((await probe("/health"))[0], 200, "as the contract has it");
  assert.deepEqual((await probe("/health?strict"))[0], 503);
  assert.deepEqual(await probe("/healthz"), [503, { ok: false, status: "live" }]);
  const [ready_status, { ready, failing }] = await probe("/readyz");
  assert.deepEqual([ready_status, ready, failing], [503, false, ["store"]]);
  assert.match(reason, /space|disk/i);
  // Where the files lie is for the operators: in the log, and behind the internal key.
  for (const sentence of [reason, refused.body.error]) assert.doesNotMatch(sentence, /\/|\.log|\.sst/);
  assert.ok((await box.backend_call("PATCH", "/api/admin/users/ada@example.org", { isAdmin: false })).error.includes(disk.folder));
  assert.ok(box.log.includes(disk.folder));

  // Every other write says the same.
  for (const [method, path, body] of [
    ["POST", "/api/register", { email: "bob@example.org", password: PASSWORD }],
    ["POST", "/api/auth/login", { email: "ada@example.org", password: PASSWORD }],
    ["POST", "/api/keys", { name: "after" }],
    ["DELETE", `/api/agents/${id}`],
    ["POST", `/api/instance/${id}/stop`],
    ["POST", "/api/chat", { agentId: id, message: "hello" }],
  ]) {
    const answer = await ada.call(method, path, body);
    assert.equal(answer.status, 503, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    assert.match(answer.body.error, /read-only/);
  }
  const out = await ada.call("POST", "/api/auth/signout");
  assert.deepEqual([out.status, out.body.ok, out.body.sessionEnded], [200, true, false], "it does not claim what is not so");
  assert.match(out.headers.getSetCookie()[0], /^app-session=;.*Max-Age=0/);

  // Reads go on: the session, the lists, a key's check.
  assert.equal((await ada.call("GET", "/api/auth/session")).body.user.email, "ada@example.org");
  assert.equal((await ada.call("GET", "/api/agents")).body.agents[0].status, "running");
  const validated = await fetch(`${box.web}/api/keys/validate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiKey: key, key }),
  });
  assert.equal(validated.status, 200, await validated.text());

  // With space again the store is reopened and checked, without a restart.
  const machine = async () => (await fetch(`${box.web}/api/health`)).json();
  assert.equal((await machine()).store, "read-only");
  disk.free();
  await until("the store accepts changes again", async () => (await machine()).store === "ok");
  assert.deepEqual([(await health(box)).status, (await health(box)).store], ["ok", "ok"]);
  assert.equal(await name_is(), acknowledged, "what was acknowledged is there, what was refused is not");
  assert.equal((await rename((acknowledged = "Ada again"))).status, 200);
  assert.equal((await ada.call("POST", "/api/chat", { agentId: id, message: "hello" })).status, 200);
  assert.match(box.log, /reopened and checked/);

  disk.fill();
  assert.equal(await box.end("SIGTERM"), 0, `it ends in order: ${box.log}`);
  disk.fill(); // the end has given room back
  const refused_start = await run(["serve", "--data", disk.folder], {
    env: { ...box.env, INTERNAL_API_KEY: INTERNAL_KEY },
    timeout: 60_000,
  });
  assert.equal(refused_start.code, 2, `a start on a full disk is refused in order: ${refused_start.err}`);
  assert.match(refused_start.err.trim().split("\n").at(-1), /^agentbox: .*(space|full)/i);
  disk.free();
  await box.serve();
  assert.deepEqual([(await health(box)).status, (await health(box)).store], ["ok", "ok"]);
  for (const path of ["/health?strict", "/healthz", "/readyz"]) assert.equal((await probe(path))[0], 200, path);
  assert.equal(await name_is(), acknowledged, "what was acknowledged is there, what was refused is not");
  assert.equal((await rename("Ada after")).status, 200);
  await box.until_status(ada, id, "running");
  assert.equal((await ada.call("POST", "/api/chat", { agentId: id, message: "hello" })).status, 200);
});

test("verify reports a log that ends in the middle of a write, with an exit code of its own", { skip: about_files }, async (t) => {
  const box = await Box.start(t);
  await box.customer("ada@example.org");
  await box.end("SIGKILL");
  const verify = () => run(["verify", "--data", box.folder]);
  assert.equal((await verify()).code, 0, "what a killed process leaves is whole");
  const store = join(box.folder, "store");
  const log = join(
    store,
    readdirSync(store)
      .filter((name) => name.endsWith(".log"))
      .sort()
      .at(-1),
  );
  const bytes = readFileSync(log);
  let end = bytes.length;
  while (bytes[end - 1] === 0) --end; // room made in advance
  truncateSync(log, end - 3);
  const torn = await verify();
  assert.equal(torn.code, 3, torn.out + torn.err);
  assert.match(torn.out, /^note: .* is not whole from byte \d+ on/m);
  assert.match((await run(["verify", "--help"])).out, /3: sound, but the log ends in the middle of a write/);
  await box.serve(); // which cuts it off
  assert.equal(await box.end("SIGTERM"), 0);
  assert.equal((await verify()).code, 0);
});

test("a crash is named by the next start, and so is a request that was in progress at two in a row", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  const crash = async () => {
    // An upload of which the second half does not come.
    const upload = http_request(`${box.web}/api/agents/${agent}/files/upload`, {
      method: "POST",
      headers: { cookie: ada.cookie, "content-type": "multipart/form-data; boundary=b", "content-length": 4 << 20 },
    });
    upload.on("error", () => {});
    upload.write('--b\r\ncontent-disposition: form-data; name="file"; filename="half"\r\n\r\n');
    upload.write(Buffer.alloc(2 << 20, "x"));
    await until("the upload is in progress", async () =>
      /^agentbox_http_requests_in_flight\{listener="web"\} [1-9]/m.test(
        await (await fetch(`${box.backend}/metrics`, { headers: { authorization: `Bearer ${INTERNAL_KEY}` } })).text(),
      ),
    );
    box.child.kill("SIGSEGV");
    await box.ended;
    assert.equal(box.child.signalCode, "SIGSEGV", "whoever supervises the box sees how it ended");
    await box.serve();
    return JSON.parse(readFileSync(join(box.folder, "crashes.json"), "utf8")).crashes;
  };
  const route = "POST /api/agents/:id/files/upload";
  const [first] = await crash();
  assert.deepEqual([first.signal, first.inProgress.includes(route), first.alsoBefore], ["SIGSEGV", true, []]);
  assert.notEqual(first.lastRequest, "");
  assert.ok(first.stack.length > 2, JSON.stringify(first));
  for (const frame of first.stack) assert.match(frame, /^[^/ []+$/);
  assert.match(box.log, /"event":"crashed".*"signal":"SIGSEGV"/);
  const crashes = await crash();
  assert.deepEqual([crashes.length, crashes[0].alsoBefore], [2, [route]]);
  assert.match(box.log, /in_progress_at_the_crash_before_too":"POST \/api\/agents\/:id\/files\/upload/);
  const bundle = join(box.folder, "bundle.tar");
  const examined = await run(["doctor", "--data", box.folder, "--bundle", bundle]);
  assert.match(examined.out, /crashes +the box crashed \(SIGSEGV\).*was in progress at the crash before, too; 2 crashes/);
  assert.match(execFileSync("tar", ["-tf", bundle], { encoding: "utf8" }), /crashes\.json/);
  await box.end("SIGTERM");
  await box.serve();
  assert.doesNotMatch(box.log, /"crashed"/, "a stop is none");
});

test("a store that cannot be finished is refused with a sentence, and made whole by the next init", { skip: about_files }, async (t) => {
  for (const calls of ["fsync:error=EIO:when=3+", "unlink:error=EIO:when=1+"]) {
    const data = mkdtempSync(join(tmpdir(), "agentbox-init-"));
    t.after(() => rmSync(data, { recursive: true, force: true }));
    const init = [binary, "init", "--data", data, "--email", ADMIN.email, "--password", ADMIN.password];
    const failed = spawnSync("strace", ["-f", "-o", "/dev/null", "-e", `inject=${calls}`, ...init], { encoding: "utf8" });
    if (failed.error || /ptrace/.test(failed.stderr)) return t.skip("strace is not here");
    assert.equal(failed.status, 2, JSON.stringify(failed));
    assert.match(failed.stderr, /cannot be written: Input\/output error/);
    execFileSync(init[0], init.slice(1));
  }
});
