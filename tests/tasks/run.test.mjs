// ./dev tasks with a provider that answers by a script: what it prints, and how it ends.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { MODEL, ModelServer, say } from "../e2e/peers/model_server.mjs";
import { tasks } from "./files.mjs";

const run = (env, ...args) =>
  new Promise((resolve) => {
    const script = join(import.meta.dirname, "run.mjs");
    execFile(process.execPath, [script, ...args], { env: { ...process.env, ...env } }, (error, out, err) =>
      resolve({ code: error ? error.code : 0, out, err }),
    );
  });

test("a model's tasks are run, measured and judged", async (t) => {
  const model = await ModelServer.start(t);
  const task = tasks.find(({ name }) => name === "finds and fixes a bug");
  const env = { LOCAL_MODEL_URL: model.url };

  model.will(...task.script(), ...task.script());
  const good = await run(env, "--model", MODEL, "--only", task.name, "--times", "2");
  assert.equal(good.code, 0, good.out + good.err);
  model.check();
  assert.ok(model.asked.every((request) => request.model === MODEL));
  const rounds = task.script().length;
  assert.match(
    good.out,
    new RegExp(`^pass  files: finds and fixes a bug  ${rounds} rounds, \\d+ tokens, \\$\\d\\.\\d{4}, [\\d.]+ s$`, "m"),
  );
  assert.match(
    good.out,
    new RegExp(`^model ${MODEL}\nfiles: 2 of 2 passed, ${rounds}\\.0 rounds, \\d+ tokens, \\$\\d\\.\\d{4} a task$`, "m"),
  );

  model.will(say("It is fixed."));
  const bad = await run(env, "--model", MODEL, "--only", task.name);
  assert.equal(bad.code, 1, bad.out + bad.err);
  assert.match(bad.out, /^FAIL {2}files: finds and fixes a bug {2}1 rounds/m);
  assert.match(bad.out, /files: 0 of 1 passed/);

  assert.equal((await run(env)).code, 2, "a model must be named");
});
