// The commands of the docs, run as they are written, each page against its own box.
//
// Conventions of the pages:
// - A ```sh block is run. A ```sh no-run block is not: it builds, installs, or needs something a test does not have.
// - All blocks of a page run in one `bash -e`, top to bottom, so variables and files carry over.
// - The text of a comment line `# => text` must appear in the output of its block, after the text of the previous such
//   line. `…` matches any text within a line. Where the comment stands in the block does not matter.
// - A request answered with 400 or above fails the block, unless a line `# => HTTP/1.1 <status>` announces that status.
// - The environment holds what the docs name: $web, $backend and $summarizer (the docs default to the usual ports). The
//   data folder is ./agentbox-data, and the binary is where `./dev` builds it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { binary, Box, INTERNAL_KEY } from "../support/box.mjs";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const DEADLINE_MS = 120_000;

// The blocks to run, as {line, code, expected}.
const blocks_of = (text) =>
  [...text.matchAll(/^```sh[ \t]*\n(.*?)^```$/gms)].map((match) => ({
    line: text.slice(0, match.index).split("\n").length,
    code: match[1],
    expected: [...match[1].matchAll(/^# => (.*)$/gm)].map((one) => one[1]),
  }));

// The end of the first match of `wanted` in `text` at or after `from`, or -1.
const end_of = (wanted, text, from) => {
  const pattern = wanted
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[^\\n]*?");
  const found = new RegExp(pattern, "g");
  found.lastIndex = from;
  return found.test(text) ? found.lastIndex : -1;
};

// A folder that looks like the repository after `./dev run`, and the environment for commands in it: {cwd, env}.
const checkout = (t, box) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-docs-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "build/release/appliance"), { recursive: true });
  symlinkSync(binary, join(folder, "build/release/appliance/agentbox"));
  symlinkSync(box.folder, join(folder, "agentbox-data"));
  // Box gives the internal key in the environment; the docs read it from the settings file.
  const settings = join(box.folder, "agentbox.toml");
  writeFileSync(settings, readFileSync(settings, "utf8").replace(/^internal_api_key = .*$/m, `internal_api_key = "${INTERNAL_KEY}"`));
  // Every curl reports its status on stderr.
  writeFileSync(join(folder, ".curlrc"), 'write-out = "%{stderr}\\nstatus %{http_code} %{method} %{url_effective}\\n"\n');
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CURL_HOME: folder,
    LC_ALL: "C.UTF-8",
    NO_PROXY: "*",
    web: box.web,
    backend: box.backend,
    summarizer: box.summarizer,
  };
  return { cwd: folder, env };
};

// Runs the blocks in one shell. Resolves with {code, parts}; parts holds {out, err} for each block that was started.
const run_blocks = (blocks, place) =>
  new Promise((resolve) => {
    const mark = "\x1e";
    const script = blocks.map(({ code }) => `printf '\\036'; printf '\\036' >&2\n${code}`).join("\n");
    writeFileSync(join(place.cwd, "commands.sh"), script);
    const shell = spawn("bash", ["-e", "commands.sh"], { ...place, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const texts = { out: "", err: "" };
    shell.stdout.setEncoding("utf8").on("data", (text) => (texts.out += text));
    shell.stderr.setEncoding("utf8").on("data", (text) => (texts.err += text));
    const deadline = setTimeout(() => process.kill(-shell.pid, "SIGKILL"), DEADLINE_MS); // and its children
    shell.on("close", (code, signal) => {
      clearTimeout(deadline);
      const out = texts.out.split(mark).slice(1),
        err = texts.err.split(mark).slice(1);
      resolve({ code: code ?? signal, parts: out.map((text, at) => ({ out: text, err: err[at] ?? "" })) });
    });
  });

// Fails if the output or the HTTP statuses of a block are not those the page states.
const check = (block, part) => {
  const seen = `\n--- stdout:\n${part.out}\n--- stderr:\n${part.err}`;
  const answers = [...part.err.matchAll(/^status (\d+) (.*)$/gm)].map(([, status, request]) => ({ status: Number(status), request }));
  const announced = block.expected.flatMap((line) => line.match(/^HTTP\/1\.1 (\d+)/)?.[1] ?? []).map(Number);
  for (const { status, request } of answers)
    assert.ok((status >= 200 && status < 400) || announced.includes(status), `${request} returned ${status}${seen}`);
  let at = 0;
  for (const wanted of block.expected) {
    at = end_of(wanted, part.out, at);
    assert.ok(at >= 0, `missing or out of order: ${wanted}${seen}`);
  }
};

for (const page of ["README.md", "docs/api.md", "docs/quickstart.md"])
  test(`the commands in ${page} work as written`, async (t) => {
    const blocks = blocks_of(readFileSync(join(repository, page), "utf8"));
    assert.ok(blocks.length > 0, `${page} has no block to run`);
    const box = await Box.start(t, { RATE_LIMITS: "on" });
    const { code, parts } = await run_blocks(blocks, checkout(t, box));
    for (const [n, block] of blocks.entries())
      await t.test(`${page}:${block.line}`, () => {
        assert.ok(n < parts.length, "not run: an earlier block failed");
        if (code !== 0 && n === parts.length - 1)
          assert.fail(`exit status ${code}\n--- stdout:\n${parts[n].out}\n--- stderr:\n${parts[n].err}\n--- log of the box:\n${box.log}`);
        check(block, parts[n]);
      });
  });
