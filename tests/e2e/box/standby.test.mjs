// A warm standby: it follows the box, and takes its place without losing what it has promised to keep.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, PASSWORD, run, until } from "../support/box.mjs";
import { listener_ports } from "../support/ports.mjs";
import { Standby } from "../support/standby.mjs";
import { about_files } from "../support/story_store.mjs";

// How often the box is killed; a bench does it more often.
const rounds = Number(process.env.AGENTBOX_STANDBY_ROUNDS ?? 20);

const settings = async (mode) => ({ STANDBY: mode, STANDBY_LISTEN: `127.0.0.1:${(await listener_ports(1))[0]}` });
const start_box = async (t, mode, more = {}) => Box.start(t, { ...(await settings(mode)), ...more });
// The promoted folder as a box.
const open_promoted = async (t, standby, mode = "off") => Box.open(t, standby.folder, await settings(mode));

// One durable change; resolves with its name once the box has acknowledged it.
let written = 0;
const write = async (box) => {
  const note = `change ${++written}`;
  const answer = await fetch(`${box.backend}/api/admin/invites`, {
    method: "POST",
    headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ note }),
    signal: AbortSignal.timeout(20_000),
  });
  assert.equal(answer.status, 201);
  await answer.arrayBuffer();
  return note;
};
// Writes until the box is gone; `acknowledged` holds what it has promised.
const keep_writing = (box, clients) => {
  const acknowledged = [];
  const loop = async () => {
    for (;;) {
      try {
        acknowledged.push({ note: await write(box), at: Date.now() });
      } catch {
        return;
      }
    }
  };
  return { acknowledged, ended: Promise.all(Array.from({ length: clients }, loop)) };
};
const notes_of = async (box) => {
  const notes = new Set();
  for (let after = ""; after !== undefined; ) {
    const page = await box.backend_call("GET", `/api/admin/invites?limit=1000${after && `&after=${after}`}`);
    for (const { note } of page.invites) notes.add(note);
    after = page.next ?? undefined;
  }
  return notes;
};
// Whether the log of a sync box ends with its standby there: it begins without one.
const waits_for_standby = ({ whole_log }) => whole_log.lastIndexOf("standby_back") >= whole_log.lastIndexOf("standby_lost");
const health = async (box) => (await fetch(`${box.web}/health`)).json();

test(`sync: the box is killed ${rounds} times under load, and no acknowledged change is lost`, { skip: about_files }, async (t) => {
  let box = await start_box(t, "sync");
  const promised = [];
  let alone = 0; // rounds before whose end the box gave its standby up, as it says aloud after five seconds: a busy machine
  for (let round = 0; round < rounds; ) {
    const standby = await Standby.invite(t, box);
    await standby.follow();
    await until("it waits", async () => (await health(box)).standbyDegraded === false);
    const load = keep_writing(box, 8);
    await until("a few changes", () => load.acknowledged.length > 20 + (round % 5) * 7);
    await box.end("SIGKILL");
    await load.ended;
    if (!waits_for_standby(box)) {
      assert.ok(++alone <= 1 + rounds / 20, "the box goes on alone too often");
      await standby.end();
      promised.push(...load.acknowledged.map(({ note }) => note));
      await box.serve();
      continue;
    }
    promised.push(...load.acknowledged.map(({ note }) => note));
    const promoted = await standby.promote();
    assert.equal(promoted.code, 0, promoted.err);
    const next = await open_promoted(t, standby, "sync");
    const kept = await notes_of(next);
    assert.deepEqual(
      promised.filter((note) => !kept.has(note)),
      [],
      `round ${round}`,
    );
    await box.discard();
    box = next;
    if (++round % 50 === 0) t.diagnostic(`${round} rounds, ${promised.length} acknowledged changes, none lost`);
  }
  assert.ok(promised.length > rounds * 20);
  t.diagnostic(`${rounds} rounds, ${promised.length} acknowledged changes, none lost; ${alone} rounds repeated`);
});
test("async: what is older than a second is there after kill -9", { skip: about_files }, async (t) => {
  const box = await start_box(t, "async");
  const standby = await Standby.invite(t, box);
  await standby.follow();
  const load = keep_writing(box, 8);
  await until(
    "three seconds of changes",
    () => load.acknowledged.length > 50 && load.acknowledged.at(-1).at - load.acknowledged[0].at > 3_000,
  );
  const killed = Date.now();
  await box.end("SIGKILL");
  await load.ended;
  assert.equal((await standby.promote()).code, 0);
  const kept = await notes_of(await open_promoted(t, standby));
  const lost = load.acknowledged.filter(({ note, at }) => !kept.has(note) && at < killed - 1_000);
  assert.deepEqual(lost, []);
});

test("the standby has everything: workspaces, settings, and the box goes on in its folder", { skip: about_files }, async (t) => {
  const box = await start_box(t, "async");
  const ada = await box.customer("ada@example.org");
  const workspace = join(box.folder, "agents", "ag_1", "workspace");
  mkdirSync(join(workspace, "deep"), { recursive: true });
  writeFileSync(join(workspace, "deep", "notes.md"), "remember the milk");
  writeFileSync(join(box.folder, "agents", "ag_1", "token"), "not for the standby");
  symlinkSync("/etc/passwd", join(workspace, "away"));
  const standby = await Standby.invite(t, box);
  await standby.follow();
  const copy = join(standby.folder, "agents", "ag_1", "workspace");
  await until("the workspace", () => existsSync(join(copy, "deep", "notes.md")));
  assert.equal(readFileSync(join(copy, "deep", "notes.md"), "utf8"), "remember the milk");
  assert.ok(!existsSync(join(standby.folder, "agents", "ag_1", "token")));

  writeFileSync(join(workspace, "deep", "notes.md"), "and the bread");
  rmSync(join(workspace, "away"));
  const asked = await fetch(`${box.backend}/api/admin/standby/prove`, {
    method: "POST",
    headers: { authorization: `Bearer ${INTERNAL_KEY}` },
  });
  assert.equal(asked.status, 202);
  const { proof } = await until("the proof", async () => {
    const state = await standby.state();
    return state.proof && state;
  });
  assert.equal(proof.problem, null);
  assert.ok(proof.records > 20 && proof.compared > 5, JSON.stringify(proof));
  await until("the change of the workspace", () => readFileSync(join(copy, "deep", "notes.md"), "utf8") === "and the bread");
  const view = await health(box);
  assert.equal(view.standby, "following");
  assert.ok(view.standbyLagMs < 5_000);
  const metrics = await (await fetch(`${box.backend}/metrics`, { headers: { authorization: `Bearer ${INTERNAL_KEY}` } })).text();
  assert.match(metrics, /^agentbox_standby_following 1$/m);

  const refused = await standby.promote();
  assert.equal(refused.code, 2);
  assert.match(refused.err, /answers: stop it first/);
  const served = await run(["serve", "--data", standby.folder], { env: { WEB_LISTEN: "127.0.0.1:0" } });
  assert.equal(served.code, 2);
  assert.match(served.err, /is the standby of/);

  assert.equal(await box.end("SIGTERM"), 0);
  const promoted = await standby.promote();
  assert.equal(promoted.code, 0, promoted.err);
  const verified = await run(["verify", "--data", standby.folder]);
  assert.equal(verified.code, 0, verified.out + verified.err);
  const next = await open_promoted(t, standby);
  assert.equal((await next.person().log_in("ada@example.org", PASSWORD)).status, 200);
  assert.ok(ada.id);
});

test("--force ends a box that answers, and it is never served again", { skip: about_files }, async (t) => {
  const box = await start_box(t, "sync");
  const standby = await Standby.invite(t, box);
  await standby.follow();
  const note = await write(box);
  const promoted = await standby.promote("--force");
  assert.equal(promoted.code, 0, promoted.err);
  assert.equal((await box.ended)[0], 2, "the old box has ended by itself");
  await assert.rejects(box.serve(), /was replaced by its standby \(epoch 2\)/);
  const next = await open_promoted(t, standby);
  assert.ok((await notes_of(next)).has(note));
});

test("a box that comes back after its standby was promoted learns of it before it serves", { skip: about_files }, async (t) => {
  const box = await start_box(t, "sync");
  const standby = await Standby.invite(t, box);
  await standby.follow();
  await box.end("SIGKILL");
  assert.equal((await standby.promote()).code, 0);
  await open_promoted(t, standby);
  await assert.rejects(box.serve(), /serve ended with 2/);
});

test("sync: without its standby for five seconds the box says so and goes on; then it waits again", { skip: about_files }, async (t) => {
  const box = await start_box(t, "sync");
  const standby = await Standby.invite(t, box);
  await standby.follow();
  await until("it waits", async () => (await health(box)).standbyDegraded === false);
  const lost_mails = async () =>
    (await box.backend_call("GET", "/api/admin/outbox?limit=1000")).mails.filter(
      ({ subject }) => subject === "The standby does not keep up",
    );
  const before = (await lost_mails()).length;
  await write(box);
  standby.child.kill("SIGSTOP");
  const begun = Date.now();
  const alone = await write(box);
  assert.ok(Date.now() - begun > 4_000, "it has waited");
  const view = await health(box);
  assert.equal(view.standbyDegraded, true);
  assert.match(box.log, /standby_lost/);
  const quickly = Date.now();
  await write(box);
  assert.ok(Date.now() - quickly < 3_000, "further changes do not wait");
  await until("a mail", async () => (await lost_mails()).length > before);
  standby.child.kill("SIGCONT");
  await until("it waits again", async () => (await health(box)).standbyDegraded === false);
  await write(box);
  await box.end("SIGKILL");
  assert.equal((await standby.promote()).code, 0);
  assert.ok((await notes_of(await open_promoted(t, standby))).has(alone));
});

// A network between the two that can be cut, or stop forwarding without a word.
const start_network = async (t, to) => {
  const sockets = new Set(),
    pairs = [];
  const server = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one);
      one.on("error", () => {}).on("close", () => other.destroy());
      pairs.push([one, other]);
      if (!network.is_silent) one.pipe(other);
    }
    if (network.is_cut) near.destroy();
  });
  const network = {
    is_cut: false,
    is_silent: false,
    be_silent() {
      this.is_silent = true;
      for (const [one, other] of pairs) one.unpipe(other).pause();
    },
    forward_again() {
      this.is_silent = false;
      for (const [one, other] of pairs) one.pipe(other);
    },
    cut() {
      this.is_cut = true;
      for (const socket of sockets) socket.destroy();
    },
    close() {
      this.cut();
      server.close();
    },
  };
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    network.cut();
    server.close();
  });
  return Object.assign(network, { port: server.address().port });
};

test("the network is cut: the gap is filled from the log, without a new copy", { skip: about_files }, async (t) => {
  const box = await start_box(t, "async");
  const network = await start_network(t, Number(box.env.STANDBY_LISTEN.split(":")[1]));
  const standby = await Standby.invite(t, box, network.port);
  await standby.follow();
  for (let round = 0; round < 3; ++round) {
    network.cut();
    await until("the box notices", async () => (await standby.state()).state === "waiting");
    const load = keep_writing_until(box, 30);
    const notes = await load;
    network.is_cut = false;
    await until("it has caught up", async () => {
      const { state, acknowledged, newest } = await standby.state();
      return state === "following" && acknowledged >= newest;
    });
    assert.ok(notes.length === 30);
  }
  assert.equal((await standby.state()).bases, 1);
  await box.end("SIGTERM");
  network.close(); // what still listens there would count as the box
  assert.equal((await standby.promote()).code, 0);
  assert.equal((await notes_of(await open_promoted(t, standby))).size >= 90, true);
});

test("sync: the network stops forwarding: the box goes on alone, and both are level again afterwards", { skip: about_files }, async (t) => {
  const box = await start_box(t, "sync");
  const network = await start_network(t, Number(box.env.STANDBY_LISTEN.split(":")[1]));
  const standby = await Standby.invite(t, box, network.port);
  await standby.follow();
  await until("it waits", async () => (await health(box)).standbyDegraded === false);
  const notes = [await write(box)];
  network.be_silent();
  const begun = Date.now();
  notes.push(await write(box));
  assert.ok(Date.now() - begun > 4_000, "it has waited");
  assert.equal((await health(box)).standbyDegraded, true);
  assert.match(box.log, /standby_lost/);
  const quickly = Date.now();
  notes.push(await write(box));
  assert.ok(Date.now() - quickly < 3_000, "further changes do not wait");
  network.forward_again();
  await until("it waits again", async () => (await health(box)).standbyDegraded === false);
  notes.push(await write(box));
  await box.end("SIGKILL");
  network.close();
  assert.equal((await standby.promote()).code, 0);
  const kept = await notes_of(await open_promoted(t, standby));
  for (const note of notes) assert.ok(kept.has(note), note);
});

const keep_writing_until = async (box, count) => {
  const notes = [];
  while (notes.length < count) notes.push(await write(box));
  return notes;
};

test("a standby whose store has what the box has lost begins anew", { skip: about_files }, async (t) => {
  const box = await start_box(t, "async");
  const standby = await Standby.invite(t, box);
  await standby.follow();
  await box.end("SIGTERM");
  const before = mkdtempSync(join(tmpdir(), "agentbox-before-"));
  t.after(() => rmSync(before, { recursive: true, force: true }));
  const saved = await run(["backup", "--data", box.folder, "--to", join(before, "backup"), "--with-key"]);
  assert.equal(saved.code, 0, saved.err);
  await box.serve();
  await keep_writing_until(box, 10);
  await until("the standby has them", async () => {
    const { state, acknowledged, newest } = await standby.state();
    return state === "following" && acknowledged >= newest;
  });
  // The box as it was before: its standby is ahead, of another history.
  await box.end("SIGTERM");
  rmSync(join(box.folder, "store"), { recursive: true });
  const restored = join(before, "restored");
  assert.equal((await run(["restore", "--from", join(before, "backup"), "--data", restored])).code, 0);
  const { renameSync } = await import("node:fs");
  renameSync(join(restored, "store"), join(box.folder, "store"));
  await box.serve();
  const after = await write(box);
  await until("the standby has begun anew", async () => {
    const { state, bases } = await standby.state();
    return state === "following" && bases === 1;
  });
  await box.end("SIGKILL");
  assert.equal((await standby.promote()).code, 0);
  const kept = await notes_of(await open_promoted(t, standby));
  assert.equal(kept.size, 1);
  assert.ok(kept.has(after));
});

test("certificates: another authority's, an earlier invitation's and none are refused", { skip: about_files }, async (t) => {
  const box = await start_box(t, "async");
  const earlier = await Standby.invite(t, box);
  const standby = await Standby.invite(t, box); // replaces the earlier one
  earlier.start();
  await until("it is refused", () => earlier.log.includes("standby_not_following"));
  assert.equal((await earlier.state()).state, "waiting");
  assert.ok(!existsSync(join(earlier.folder, "store")));
  await earlier.end();

  const stranger = await new Promise((resolve) => {
    const socket = connect(Number(box.env.STANDBY_LISTEN.split(":")[1]), "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\n\r\n");
    socket.on("error", () => {}).on("close", () => resolve("closed"));
    socket.resume();
  });
  assert.equal(stranger, "closed");
  await standby.follow();
  assert.equal((await standby.state()).bases, 1);
});

test("nobody but an invited standby needs a port: STANDBY off listens nowhere, and the page says so", { skip: about_files }, async (t) => {
  const box = await Box.start(t);
  const state = await box.backend_call("GET", "/api/admin/standby");
  assert.deepEqual([state.mode, state.state], ["off", "off"]);
  assert.equal((await health(box)).standby, null);
  assert.ok(!box.log.includes("standby_listening"));
  const refused = await run(["promote", "--data", box.folder]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /is no standby/);
  const holds = await run(["standby", "--data", box.folder, "--of", "https://127.0.0.1:1", "--invitation", join(box.folder, "none.json")]);
  assert.equal(holds.code, 2);
  assert.match(holds.err, /holds a box/);
});
