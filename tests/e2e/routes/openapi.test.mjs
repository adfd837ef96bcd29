// The OpenAPI documents as others' tools read them: Redocly's validator, and the generator of TypeScript clients.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { binary } from "../support/box.mjs";

const command = (name) => join(process.env.AGENTBOX_STORY_PACKAGES, "node_modules/.bin", name);
const run = promisify(execFile);

for (const listener of ["web", "backend", "summarizer"])
  test(`the document of the ${listener} listener is valid, and a client can be generated from it`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "agentbox-openapi-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = (name) => join(folder, name);
    writeFileSync(file("api.json"), (await run(binary, ["openapi", listener], { maxBuffer: 1 << 25 })).stdout);
    const options = {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      maxBuffer: 1 << 25,
    };
    const linted = await run(command("redocly"), ["lint", "api.json", "--extends=spec", "--format=stylish"], options).catch(
      (error) => error,
    );
    assert.equal(linted.code ?? 0, 0, `${linted.stdout}${linted.stderr}`);
    await run(command("openapi-typescript"), ["api.json", "-o", "api.d.ts"], options);
    assert.match(readFileSync(file("api.d.ts"), "utf8"), /export interface paths \{/);
    writeFileSync(
      file("use.ts"),
      `import type { paths } from "./api";\nexport type Health = paths["/health"]["get"]["responses"][200]["content"]["application/json"];\n`,
    );
    const checked = await run(command("tsc"), ["--noEmit", "--strict", "--skipLibCheck", "false", "use.ts"], options).catch(
      (error) => error,
    );
    assert.equal(checked.code ?? 0, 0, checked.stdout);
  });

test("texts that must not be blank have a pattern that says so, and texts that are taken as they are have none", async () => {
  const { paths } = JSON.parse((await run(binary, ["openapi", "backend"], { maxBuffer: 1 << 25 })).stdout);
  const members = (path) => paths[path].post.requestBody.content["application/json"].schema.properties;
  const { shell, folder } = members("/api/agent-commands");
  assert.deepEqual([shell.minLength, shell.pattern], [1, undefined]);
  assert.deepEqual([folder.minLength, folder.pattern], [1, "\\S"]);
});
