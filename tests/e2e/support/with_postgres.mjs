// Runs a command with one PostgreSQL server for all stories that it runs: node with_postgres.mjs COMMAND [ARGUMENT...]
// AGENTBOX_BINARY names the binary that makes the schema.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { no_postgres, PostgresServer } from "./postgres.mjs";
import { make_template } from "./story_store.mjs";

if (no_postgres) throw new Error(no_postgres);
const server = await PostgresServer.make({ fsync: "off", max_connections: 1000, shared_buffers: "128MB" });
try {
  make_template(server, process.env.AGENTBOX_BINARY);
  const [program, ...args] = process.argv.slice(2);
  const env = { ...process.env, AGENTBOX_STORY_STORE: "postgres", AGENTBOX_STORY_POSTGRES: `${server.folder}:${server.port}` };
  const child = spawn(program, args, { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  [process.exitCode = 1] = await once(child, "exit");
  process.exitCode ??= 1; // by a signal
} finally {
  await server.discard();
}
