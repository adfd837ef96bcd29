// Isolation by the database itself, whatever the box does: psql as the tenants' role, in every table.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, run } from "../support/box.mjs";
import { no_postgres, PostgresServer } from "../support/postgres.mjs";

const schema = "agentbox";
const lines = (text) => text.split("\n").filter(Boolean);

test("in every table the tenants' role reads and writes the rows of its scope only", { skip: no_postgres }, async (t) => {
  const database = await PostgresServer.start(t);
  const url = database.url("box");
  // By an administrator who is no superuser; the second time changes nothing.
  database.sql("CREATE ROLE manager LOGIN CREATEROLE; ALTER DATABASE agentbox OWNER TO manager");
  for (let time = 0; time < 2; ++time) {
    const made = await run(["store", "init", "--store-url", url, "--admin", database.url("manager")]);
    assert.equal(made.code, 0, made.err);
  }
  const above = mkdtempSync(join(tmpdir(), "agentbox-postgres-rows-"));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  const folder = join(above, "data");
  const set_up = await run(["init", "--data", folder, "--email", ADMIN.email, "--password", ADMIN.password], { env: { STORE_URL: url } });
  assert.equal(set_up.code, 0, set_up.err);
  const box = await Box.open(t, folder, { STORE_URL: url });
  const people = [];
  for (const name of ["ada", "bob"]) {
    const person = await box.customer(`${name}@example.org`, "network");
    await box.running_agent(person);
    const key = await person.call("POST", "/api/keys", { name: "mine", scopes: ["agents:read"] });
    assert.ok(key.status < 300, JSON.stringify(key.body));
    people.push(person);
  }
  const [ada, bob] = people;
  await box.end("SIGTERM");

  database.sql("CREATE ROLE curious LOGIN; GRANT agentbox_tenant TO curious");
  const as_tenant = (text) => database.sql(text, { user: "curious" });
  const of_schema = (text) => lines(database.sql(text));
  const tables = of_schema(
    `SELECT relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`,
  );
  const functions = new Set(of_schema(`SELECT proname FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace`));
  assert.ok(tables.length > 50);

  // No table at all, with or without an owner that the role has set by itself.
  const attempts = tables.flatMap((table) => {
    const name = `${schema}.${table}`;
    const [column] = of_schema(`SELECT attname FROM pg_attribute WHERE attrelid = '${name}'::regclass AND attnum = 1`);
    return [`SELECT * FROM ${name}`, `UPDATE ${name} SET ${column} = DEFAULT`, `INSERT INTO ${name} DEFAULT VALUES`, `DELETE FROM ${name}`];
  });
  for (const owner of ["", bob.id])
    as_tenant(`SET agentbox.owner = '${owner}';
      DO $do$ DECLARE attempt text; BEGIN
        FOREACH attempt IN ARRAY ARRAY[${attempts.map((text) => `'${text}'`)}] LOOP
          BEGIN EXECUTE attempt; RAISE EXCEPTION 'allowed: %', attempt; EXCEPTION WHEN insufficient_privilege THEN NULL; END;
        END LOOP;
      END $do$`);
  assert.equal(
    database.sql(`SELECT count(*) FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND NOT
    (relrowsecurity AND relforcerowsecurity)`),
    "0",
  );

  const owned = tables.filter((table) => functions.has(`tenant_scan_${table}`));
  assert.ok(owned.length > 20, String(owned.length));
  let foreign = 0;
  for (const table of owned) {
    const name = `${schema}.${table}`;
    const is_index = database.sql(`SELECT count(*) FROM pg_attribute WHERE attrelid = '${name}'::regclass AND attname = 'number'`) === "1";
    const own = (id) => `owner = ${id}${is_index ? ` AND number IN (SELECT number FROM ${schema}._owned_numbers)` : ""}`;
    const scan = (scope, what = "count(*)") =>
      as_tenant(`SELECT ${what} FROM ${schema}.tenant_scan_${table}(${scope}, '', NULL, 0, 1000000)`);
    const digest = (id) =>
      database.sql(`SELECT md5(string_agg(md5(key) || md5(value), '' ORDER BY key)) FROM ${name} WHERE NOT coalesce(${own(id)}, false)`);

    // Reading.
    assert.throws(() => scan("NULL"), table);
    assert.equal(scan("987654321"), "0", table);
    for (const { id } of people) {
      const all = `md5(string_agg(md5(found) || md5(bytes), '' ORDER BY found))`;
      const mine = `SELECT md5(string_agg(md5(key) || md5(value), '' ORDER BY key)) FROM ${name} WHERE ${own(id)}`;
      assert.equal(scan(id, all), database.sql(mine), `${table}: exactly its own rows`);
    }

    // Writing what is another owner's: its rows stay as they are.
    const before = digest(ada.id);
    const theirs = `(SELECT key FROM ${name} WHERE NOT coalesce(${own(ada.id)}, false) ORDER BY key LIMIT 1)`;
    const hex = database.sql(`SELECT encode(${theirs}, 'hex') || ' ' || encode((SELECT value FROM ${name} WHERE key = ${theirs}), 'hex')`);
    const [key, value] = hex.split(" ").map((bytes) => `'\\x${bytes}'::bytea`);
    const write = (function_name, ...rows) => {
      const arrays = ["bigint", "bytea", "bytea"].map((type, at) => `ARRAY[${rows.map((row) => row[at])}]::${type}[]`);
      return as_tenant(`SELECT ${schema}.${function_name}_${table}(${arrays})`);
    };
    const refused = (...rows) => assert.throws(() => write(...rows), /not of its scope|row-level security/, `${table}: ${rows[0]}`);
    const made_up = `('\\x' || lpad(to_hex(${bob.id}), 16, '0') || 'ffff')::bytea`; // of Bob
    const made_up_row = is_index ? [`'\\xff00'::bytea`, made_up] : [made_up, `'x'::bytea`];
    refused("tenant_put", [ada.id, ...made_up_row]);
    if (hex) {
      ++foreign;
      for (const scope of [ada.id, "NULL"]) {
        refused("tenant_put", [scope, key, value]);
        refused("tenant_put", [scope, key, "'x'::bytea"]);
        refused("tenant_erase", [scope, key, value]);
      }
    }
    assert.equal(digest(ada.id), before, `${table}: nothing of others has changed`);
  }
  assert.ok(foreign > 5, `${foreign} tables had rows of others`);

  // Its own it may write.
  const row = `'\\x${BigInt(ada.id).toString(16).padStart(16, "0")}ff'::bytea`;
  const count = () => as_tenant(`SELECT count(*) FROM ${schema}.tenant_scan_agents(${ada.id}, '', NULL, 0, 1000)`);
  const own_row = `ARRAY[${ada.id}], ARRAY[${row}], ARRAY['{}'::bytea]`;
  as_tenant(`SELECT ${schema}.tenant_put_agents(${own_row})`);
  assert.equal(count(), "2");
  as_tenant(`SELECT ${schema}.tenant_erase_agents(${own_row})`);
  assert.equal(count(), "1");

  // A schema of an earlier version is refused with what to do.
  database.sql("DROP FUNCTION agentbox.tenant_put_agents");
  const env = { STORE_URL: url };
  const doctor = await run(["doctor", "--json", "--data", folder], { env });
  const { findings } = JSON.parse(doctor.out);
  assert.ok(findings.some(({ level, found }) => level === "problem" && found === "functions are missing: tenant_put_agents"));
  const old = await run(["serve", "--data", folder], { env });
  assert.match(old.err, /lacks the function tenant_put_agents of this agentbox: run `agentbox store init`/);
  assert.equal((await run(["store", "init", "--store-url", url, "--admin", database.url("manager")])).code, 0);
  await box.serve();
  assert.equal((await bob.call("GET", "/api/agents")).body.agents.length, 1);
});
