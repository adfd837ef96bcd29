// docs/postgres.md, "High availability", carried out: the database is killed, paused and crashes, and fails over to a
// synchronous standby, again and again, while users write and spend. AGENTBOX_FAILOVER_ROUNDS: how often; 20.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { RouterServer } from "../e2e/peers/router_server.mjs";
import { ADMIN, Box, INTERNAL_KEY, run, until } from "../e2e/support/box.mjs";
import { no_postgres, PostgresServer, program } from "../e2e/support/postgres.mjs";

const execute = promisify(execFile); // the load goes on meanwhile
const ROUNDS = Number(process.env.AGENTBOX_FAILOVER_ROUNDS ?? 20);
const CAP = 20_000; // tokens a day

// Of a primary: without a standby nothing that is durable returns.
const wait_for_standby = (server, names) => {
  server.sql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, { database: "postgres" });
  server.sql("SELECT pg_reload_conf()", { database: "postgres" });
};

// A new standby of `primary`, which follows it when this resolves.
const follow = async (standby, primary) => {
  rmSync(standby.data, { recursive: true, force: true });
  const args = ["-h", primary.folder, "-p", String(primary.port), "-U", "admin", "-D", standby.data, "-R", "-X", "stream", "-c", "fast"];
  await execute(program("pg_basebackup"), [...args, "--no-sync"], { cwd: "/", ...standby.user });
  appendFileSync(join(standby.data, "postgresql.auto.conf"), "\nsynchronous_standby_names = ''\n");
  await standby.run();
  await until(
    "the standby streams",
    () => primary.sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", { database: "postgres" }) === "1",
  );
  wait_for_standby(primary, "*");
  await until("it is synchronous", () => primary.sql("SELECT sync_state FROM pg_stat_replication", { database: "postgres" }) === "sync");
};

const promote = async (standby) => {
  await execute(program("pg_ctl"), ["promote", "-D", standby.data, "-w"], { cwd: "/", ...standby.user });
  await until("it takes writes", () => standby.sql("SELECT pg_is_in_recovery()", { database: "postgres" }) === "f");
};

// All of its processes at once, as if its machine were switched off.
const switch_off = async (server) => {
  for (const pid of server.processes().slice(1)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error; // it has ended by itself
    }
  }
  await server.end("SIGKILL");
  rmSync(join(server.data, "postmaster.pid"), { force: true });
};

// What happens to the primary in each round, in turn. Resolves with whether the standby takes its place.
const faults = [
  async function killed(primary) {
    await switch_off(primary);
    return true;
  },
  // It answers nothing and refuses nothing; whoever promotes the standby switches it off before.
  async function paused(primary) {
    primary.pause();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await switch_off(primary);
    return true;
  },
  async function crashed(primary) {
    await switch_off(primary);
    await primary.run();
    return false;
  },
];

const call = async (box, method, path, body, headers = {}) => {
  const start = Date.now();
  try {
    const answer = await fetch(box.backend + path, {
      method,
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json", ...headers },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: answer.status, text: await answer.text(), took: Date.now() - start };
  } catch (error) {
    return { status: 0, text: String(error), took: Date.now() - start };
  }
};

// Reads on a thread of its own, which nothing here holds up.
const start_reader = (t, box) => {
  const code = `
    const { parentPort, workerData: { url, key } } = require("node:worker_threads");
    let slowest = 0, failed = 0, is_over = false;
    parentPort.on("message", () => (is_over = true));
    (async () => {
      while (!is_over) {
        const start = Date.now();
        try {
          const answer = await fetch(url, { headers: { authorization: "Bearer " + key } });
          await answer.arrayBuffer();
          if (answer.status !== 200) ++failed;
        } catch { ++failed; }
        slowest = Math.max(slowest, Date.now() - start);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      parentPort.postMessage({ slowest, failed });
      parentPort.close();
    })();`;
  const worker = new Worker(code, { eval: true, workerData: { url: `${box.backend}/api/agents`, key: INTERNAL_KEY } });
  t.after(() => worker.terminate());
  return worker;
};
const reads_of = async (worker) => {
  worker.postMessage("stop");
  return (await once(worker, "message"))[0];
};

test(`the database fails over ${ROUNDS} times under load, and nothing acknowledged is lost`, { skip: no_postgres }, async (t) => {
  const settings = { wal_retrieve_retry_interval: "200ms" }; // a standby asks for a primary that has crashed this often
  let primary = await PostgresServer.start(t, settings);
  let standby = await PostgresServer.make(settings);
  t.after(() => standby.discard());
  await standby.end();
  const url = `postgres://box@/agentbox?host=${primary.folder},${standby.folder}&port=${primary.port},${standby.port}`;
  const made = await run(["store", "init", "--store-url", url, "--admin", primary.url("admin")]);
  assert.equal(made.code, 0, made.err);
  await follow(standby, primary);

  const above = mkdtempSync(join(tmpdir(), "agentbox-failover-"));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  const folder = join(above, "data");
  const set_up = await run(["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], { env: { STORE_URL: url } });
  assert.equal(set_up.code, 0, set_up.err);
  const router = await RouterServer.start(t);
  const box = await Box.open(t, folder, { STORE_URL: url, OPENROUTER_API_KEY: "sk-router", OPENROUTER_BASE_URL: router.url });
  const ada = await box.customer("ada@example.org", "network");
  const { subscriptionId } = await box.backend_call("GET", "/api/admin/users/ada@example.org");
  const paying = { "x-user-plan": "network", "x-billing-subscription-id": subscriptionId };
  assert.equal((await ada.call("PUT", "/api/caps", { scope: "user", period: "day", tokens: CAP })).status, 200);

  const acknowledged = [];
  let is_over = false,
    number = 0,
    last_write = 0,
    answered = 0;
  t.after(() => (is_over = true));
  const loops = [
    async () => {
      const note = `note ${++number}`;
      const answer = await call(box, "POST", "/api/admin/invites", { note });
      if (answer.status !== 201) return void (await new Promise((resolve) => setTimeout(resolve, 20)));
      acknowledged.push(note);
      last_write = Date.now();
    },
    async () => {
      const answer = await call(box, "POST", "/api/ai/chat", { messages: [{ role: "user", content: "Where?" }], max_tokens: 50 }, paying);
      if (answer.status === 200) ++answered;
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  ];
  const load = Promise.all(
    [loops[0], loops[0], loops[1], loops[1]].map(async (loop) => {
      while (!is_over) await loop();
    }),
  );
  await until("there is load", () => acknowledged.length > 10);

  const reader = start_reader(t, box);
  const back = [];
  for (let round = 0; round < ROUNDS; ++round) {
    const before = acknowledged.length;
    const fails_over = await faults[round % faults.length](primary);
    if (fails_over) await promote(standby);
    const answers = Date.now();
    await until("writes go on", () => acknowledged.length > before + 2 && last_write > answers);
    back.push(Date.now() - answers);
    if (fails_over) {
      [primary, standby] = [standby, primary];
      await follow(standby, primary);
    } else {
      await until(
        "the standby is back",
        () => primary.sql("SELECT sync_state FROM pg_stat_replication", { database: "postgres" }) === "sync",
      );
    }
    const now = acknowledged.length;
    await until("writes wait for the standby", () => acknowledged.length > now + 5);
  }
  is_over = true;
  await load;

  const notes = new Set();
  for (let after = ""; after !== undefined; ) {
    const page = await box.backend_call("GET", `/api/admin/invites?limit=1000${after && `&after=${after}`}`);
    for (const { note } of page.invites) notes.add(note);
    after = page.next ?? undefined;
  }
  const lost = acknowledged.filter((note) => !notes.has(note));
  const { caps } = (await ada.call("GET", "/api/caps")).body;
  const [{ usedTokens: used }] = caps;
  const { calls } = (await box.backend_call("GET", `/api/usage/summary?userId=${ada.id}`)).month;
  const { slowest, failed } = await reads_of(reader);
  t.diagnostic(
    JSON.stringify({
      acknowledged: acknowledged.length,
      lost: lost.length,
      slowest_read: slowest,
      failed_reads: failed,
      back,
      cap: CAP,
      used,
      calls,
      answered,
    }),
  );
  assert.deepEqual(lost, []);
  assert.ok(Math.max(...back) < 2_000, "service is back within two seconds of the promotion, or of the start");
  assert.ok(slowest < 2_000, "reads fail within about a second");
  assert.ok(used <= CAP, "the cap holds");
  assert.ok(calls >= answered, "every call that was answered was counted");
});
