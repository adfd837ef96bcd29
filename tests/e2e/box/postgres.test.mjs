// A box whose store is in PostgreSQL.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, PASSWORD, run, until } from "../support/box.mjs";
import { ModelServer, say } from "../peers/model_server.mjs";
import { no_postgres, PostgresServer } from "../support/postgres.mjs";
import { about_files } from "../support/story_store.mjs";

const skip = no_postgres;
const init = (folder, env) => run(["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], { env });

// By its socket, or over TCP.
const ready_database = async (t, host) => {
  const database = await PostgresServer.start(t);
  const url = database.url("box", host);
  const made = await run(["store", "init", "--store-url", url, "--admin", database.url("admin", host)]);
  assert.equal(made.code, 0, made.err);
  return { database, url };
};

const new_folder = (t) => {
  const above = mkdtempSync(join(tmpdir(), "agentbox-postgres-story-"));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  return join(above, "data");
};

const start_box = async (t, url, env = {}) => {
  const folder = new_folder(t);
  const set_up = await init(folder, { STORE_URL: url });
  assert.equal(set_up.code, 0, set_up.err);
  return Box.open(t, folder, { STORE_URL: url, ...env });
};

const metric = async (box, name) => {
  const answer = await fetch(`${box.backend}/metrics`, { headers: { authorization: `Bearer ${INTERNAL_KEY}` } });
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(await answer.text())?.[1]);
};

test("a box serves from PostgreSQL, through restarts, crashes and outages", { skip }, async (t) => {
  const { database, url } = await ready_database(t);
  const model = await ModelServer.start(t);
  const box = await start_box(t, url, { LOCAL_MODEL_URL: model.url });
  assert.ok(!existsSync(join(box.folder, "store", "CURRENT")), "no embedded store");
  const ada = await box.customer("ada@example.org");
  const agent = await box.running_agent(ada);
  model.will(say("Hello, Ada."));
  const asked = await ada.call("POST", "/api/chat", { agentId: agent, message: "Hello?" });
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const told = async () => (await ada.call("GET", `/api/chat?agentId=${agent}`)).body.messages.map(({ content }) => content);
  assert.deepEqual(await told(), ["Hello?", "Hello, Ada."]);
  const bob = await box.customer("bob@example.org");
  assert.notEqual(ada.id, bob.id);
  assert.deepEqual((await bob.call("GET", "/api/agents")).body.agents, []);
  assert.ok((await metric(box, "agentbox_store_round_trips_total")) > 10);
  assert.equal(await metric(box, "agentbox_store_database_up"), 1);

  // Restarts.
  for (const signal of ["SIGTERM", "SIGKILL"]) {
    await box.end(signal);
    await box.serve();
    assert.equal((await ada.call("GET", `/api/agents/${agent}`)).status, 200, `the session lives on after ${signal}`);
    assert.deepEqual(await told(), ["Hello?", "Hello, Ada."]);
    assert.equal((await box.person().log_in("bob@example.org", PASSWORD)).status, 200);
  }
  assert.notEqual((await box.customer("eve@example.org")).id, bob.id, "ids are not handed out twice");

  // The database is stopped, and comes back.
  await database.end();
  const start = Date.now();
  const refused = await box.person().log_in("bob@example.org", PASSWORD);
  assert.equal(refused.status, 503, JSON.stringify(refused.body));
  assert.ok(Date.now() - start < 3000, "not held for long");
  await database.run();
  await until("the box serves again", async () => (await box.person().log_in("bob@example.org", PASSWORD)).status === 200);

  // It crashes while users register: those who were told so are there.
  const registered = [];
  const registering = (async () => {
    for (let i = 0; i < 30; ++i) {
      const answer = await box.person().call("POST", "/api/register", { email: `user${i}@example.org`, password: PASSWORD });
      if (answer.status === 200) registered.push(`user${i}@example.org`);
    }
  })();
  await until("a few", () => registered.length >= 3);
  await database.end("SIGKILL");
  rmSync(join(database.data, "postmaster.pid"), { force: true });
  await database.run();
  await registering;
  await until("the box serves again", async () => (await box.person().log_in("bob@example.org", PASSWORD)).status === 200);
  for (const email of registered) assert.equal((await box.person().log_in(email, PASSWORD)).status, 200, email);

  // Roles.
  const tables = database.sql("SELECT relname FROM pg_class WHERE relnamespace = 'agentbox'::regnamespace AND relkind = 'r'").split("\n");
  assert.ok(tables.length > 50);
  for (const table of tables)
    assert.throws(() => database.sql(`SET ROLE agentbox_tenant; SELECT * FROM agentbox.${table}`), /permission denied/, table);
  const owned = (scope) =>
    Number(database.sql(`SET ROLE agentbox_tenant; SELECT count(*) FROM agentbox.tenant_scan_agents(${scope}, '', NULL, 0, 100)`));
  assert.equal(owned(ada.id), 1);
  assert.equal(owned(bob.id), 0);
  assert.throws(() => owned("NULL"), "nothing without a scope");
  assert.throws(() => database.sql("SET ROLE agentbox_reader; SELECT * FROM agentbox.agents"), "nothing without a scope");
  assert.equal(database.sql("SET ROLE agentbox_owner; SELECT count(*) FROM agentbox.agents"), "0", "forced on the tables' owner, too");
});

test("an administrator who is no superuser makes the schema, as on a managed service", { skip }, async (t) => {
  const database = await PostgresServer.start(t);
  database.sql("CREATE ROLE manager LOGIN CREATEROLE; ALTER DATABASE agentbox OWNER TO manager");
  const url = database.url("box");
  for (let time = 0; time < 2; ++time) {
    const made = await run(["store", "init", "--store-url", url, "--admin", database.url("manager")]);
    assert.equal(made.code, 0, made.err);
  }
  const box = await start_box(t, url);
  await box.customer("ada@example.org");
  const doctor = await run(["doctor", "--json", "--data", box.folder], { env: { STORE_URL: url } });
  const findings = JSON.parse(doctor.out).findings.filter(({ check }) => check === "store");
  assert.ok(findings.length >= 3 && findings.every(({ level }) => level === "ok"), JSON.stringify(findings));
});

test("a database serves one box, and says so", { skip }, async (t) => {
  const { database, url } = await ready_database(t);
  const box = await start_box(t, url);
  const second = `${box.folder}-second`;
  cpSync(box.folder, second, { recursive: true });
  const refused = await run(["serve", "--data", second], { env: { STORE_URL: url, INTERNAL_API_KEY: INTERNAL_KEY } });
  assert.equal(refused.code, 2);
  assert.match(refused.err, /Another box uses the store's database/);

  const doctor = await run(["doctor", "--json", "--data", box.folder], { env: { STORE_URL: url } });
  const findings = JSON.parse(doctor.out).findings.filter(({ check }) => check === "store");
  assert.ok(findings.length >= 3 && findings.every(({ level }) => level !== "problem"), JSON.stringify(findings));
  database.sql("ALTER TABLE agentbox.agents NO FORCE ROW LEVEL SECURITY");
  const worse = await run(["doctor", "--json", "--data", box.folder], { env: { STORE_URL: url } });
  assert.ok(JSON.parse(worse.out).findings.some(({ level, found }) => level === "problem" && /not forced on: agents/.test(found)));

  const standby = await run(["serve", "--data", box.folder], { env: { STORE_URL: url, STANDBY: "async" } });
  assert.match(standby.err, /STANDBY copies the embedded store/);
  await box.end("SIGTERM");
  const without = await run(["serve", "--data", box.folder]);
  assert.match(without.err, /is in a PostgreSQL database: set STORE_URL/);
  // Over a network the server's certificate is verified unless the URL says otherwise.
  const open = await run(["serve", "--data", box.folder], { env: { STORE_URL: database.url("box", "127.0.0.1") } });
  assert.match(open.err, /SSL/);
  await box.serve();
});

test("a store moves into PostgreSQL and back", { skip: skip || about_files }, async (t) => {
  const { url } = await ready_database(t, "127.0.0.1&sslmode=disable");
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const key = await ada.call("POST", "/api/keys", { name: "mine", scopes: ["agents:read"] });
  await box.end("SIGTERM");
  const there = await run(["migrate-store", "--from", box.folder, "--to", url]);
  assert.equal(there.code, 0, there.err);
  assert.match(there.out, /^users +2 +[0-9a-f]{64}$/m);
  assert.ok(existsSync(join(box.folder, "store.embedded", "CURRENT")));
  box.env = { ...box.env, STORE_URL: url };
  await box.serve();
  assert.equal((await ada.call("GET", "/api/keys")).status, 200, JSON.stringify(key.body));
  const bob = await box.customer("bob@example.org");
  await box.end("SIGTERM");
  const back = await run(["migrate-store", "--from", url, "--to", box.folder]);
  assert.equal(back.code, 0, back.err);
  assert.match(back.out, /^users +3 +[0-9a-f]{64}$/m);
  delete box.env.STORE_URL;
  await box.serve();
  assert.equal((await bob.call("GET", "/api/agents")).status, 200);
  await box.end("SIGTERM");
  const verified = await run(["verify", "--data", box.folder]);
  assert.equal(verified.code, 0, verified.out);
});
