// Where the boxes of the stories have their stores: in their folders, or with AGENTBOX_STORY_STORE=postgres each in a
// database of its own, on the server that AGENTBOX_STORY_POSTGRES names (with_postgres.mjs), else on one that this
// process starts and ends.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { no_postgres, PostgresServer } from "./postgres.mjs";

const choice = process.env.AGENTBOX_STORY_STORE ?? "embedded";
assert.ok(["embedded", "postgres"].includes(choice), `AGENTBOX_STORY_STORE is ${choice}: embedded or postgres`);
export const over_postgres = choice === "postgres";

// For `skip`: why a story cannot run over PostgreSQL; false if it can.
export const about_files = over_postgres && "is about the files of the embedded store";

const template = "agentbox_template";

// Makes the schema that each database of a box is copied from.
export const make_template = (server, binary) => {
  server.sql(`CREATE DATABASE ${template}`, { database: "postgres" });
  const url = (user) => server.url(user, server.folder, template);
  execFileSync(binary, ["store", "init", "--store-url", url("box"), "--admin", url("admin")], { stdio: ["ignore", "ignore", "inherit"] });
};

let server;
const started_server = async (binary) => {
  assert.ok(!no_postgres, `AGENTBOX_STORY_STORE=postgres: ${no_postgres}`);
  const known = process.env.AGENTBOX_STORY_POSTGRES;
  if (known) return PostgresServer.at(...known.split(":"));
  const own = await PostgresServer.make({ fsync: "off", max_connections: 400 });
  process.on("exit", () => own.end_now());
  make_template(own, binary);
  return own;
};

let count = 0;
// Makes an empty database; resolves with its URL, and what removes it.
export const new_database = async (binary) => {
  server ??= started_server(binary);
  const ready = await server;
  const name = `story_${process.pid}_${++count}`;
  ready.sql(`CREATE DATABASE ${name} TEMPLATE ${template}`, { database: "postgres" });
  return {
    url: ready.url("box", ready.folder, name),
    remove: () => ready.sql(`DROP DATABASE ${name} WITH (FORCE)`, { database: "postgres" }),
  };
};

// In a folder that was restored from a backup of a box, beside its settings: the store is in the folder.
export const keep_in_folder = (folder) => {
  const settings = join(folder, "agentbox.toml");
  if (over_postgres) writeFileSync(settings, readFileSync(settings, "utf8").replace(/^store_url = .*$/m, ""));
};

// For every command on the data folder, whatever its environment.
export const write_store_url = (folder, url) => appendFileSync(join(folder, "agentbox.toml"), `\nstore_url = "${url}"\n`);
