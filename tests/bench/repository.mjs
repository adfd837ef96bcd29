// The file explorer on a repository of 10,000 files and 1,000 commits, over HTTP, beside git as a process.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { start_box, stop } from "./processes.mjs";

const FILES = 10_000,
  COMMITS = 1_000,
  EDITED = 20;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const path_of = (file) => `part${Math.floor(file / 1_000)}/module${Math.floor(file / 100) % 10}/file${file}.txt`;
const text_of = (file, version) =>
  Array.from({ length: 30 }, (_, line) => `file ${file} line ${line} ${line === file % 30 ? `version ${version}` : "as it was"}\n`).join(
    "",
  );

const environment = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };
const git = (folder, args, input) =>
  execFileSync("git", ["-C", folder, ...args], { env: environment, input, maxBuffer: 1 << 30 }).toString();

// One stream for git fast-import: all files in the first commit, some of them again in each other one.
const history = function* () {
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  for (let commit = 0; commit < COMMITS; ++commit) {
    yield `commit refs/heads/main\ncommitter Bench <bench@example.org> ${1_700_000_000 + commit * 60} +0000\n${data(`Commit ${commit}`)}`;
    if (commit === 0) for (let file = 0; file < FILES; ++file) yield `M 100644 inline ${path_of(file)}\n${data(text_of(file, 0))}`;
    else
      for (let edit = 0; edit < 5; ++edit) {
        const file = (commit * 37 + edit * 1_999) % FILES;
        yield `M 100644 inline ${path_of(file)}\n${data(text_of(file, commit))}`;
      }
  }
};

const make_repository = (folder) => {
  mkdirSync(folder, { recursive: true });
  git(folder, ["init", "-q", "-b", "main"]);
  git(folder, ["fast-import", "--quiet"], [...history()].join(""));
  git(folder, ["reset", "-q", "--hard", "main"]);
  const edit = (file) =>
    writeFileSync(join(folder, path_of(file)), readFileSync(join(folder, path_of(file)), "utf8").replace("as it was", "edited"));
  for (let count = 0; count < EDITED; ++count) edit((count * 499 + 7) % FILES);
  git(folder, ["add", "-A"]);
  for (let count = 0; count < EDITED; ++count) edit((count * 499 + 211) % FILES);
  for (let count = 0; count < 3; ++count) writeFileSync(join(folder, `new${count}.txt`), "new\n");
  // What was written within the second of the index has to be read again each time, by git as by us.
  execFileSync("sleep", ["1.1"]);
  git(folder, ["status"]);
};

const asker = (box) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 }),
    { hostname, port } = new URL(box.backend);
  return (path, method = "GET") =>
    new Promise((resolve, reject) => {
      const began = performance.now(),
        pieces = [];
      request({ host: hostname, port, path, method, agent, headers: { authorization: "Bearer bench-internal-key" } }, (answer) => {
        answer
          .on("data", (piece) => pieces.push(piece))
          .once("end", () => {
            const took = performance.now() - began,
              text = Buffer.concat(pieces).toString();
            if (answer.statusCode !== 200) return reject(new Error(`${path}: ${answer.statusCode} ${text.slice(0, 200)}`));
            resolve({ took, text });
          });
      })
        .once("error", reject)
        .end();
    });
};

const timed_git = (folder, ...args) => {
  const began = performance.now();
  const { status, stdout } = spawnSync("git", ["-C", folder, ...args], { env: environment, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`git ${args.join(" ")} failed`);
  return { took: performance.now() - began, text: stdout.toString() };
};

export const repository = async (bench) => {
  const folder = join(bench.folder, "repository");
  make_repository(folder);
  const box = await start_box(bench.binary, join(bench.folder, "explorer"), { env: { BROWSE_ROOT: folder } });
  const ask = asker(box);
  const times = {};
  const note = (name, took) => (times[name] ??= []).push(took);
  for (let round = 0; round < 7 * bench.rounds; ++round) {
    const status = await ask("/api/browse/git-status"),
      porcelain = timed_git(folder, "status", "--porcelain");
    const same = JSON.parse(status.text).changes.length === porcelain.text.trimEnd().split("\n").length;
    if (!same) throw new Error("git and the explorer see different changes");
    note("status", status.took);
    note("git status", porcelain.took);
    const diff = await ask("/api/browse/git-diff"),
      unstaged = timed_git(folder, "diff"),
      staged = timed_git(folder, "diff", "--cached");
    const { unstaged: ours, staged: our_staged } = JSON.parse(diff.text);
    // How far git abbreviates the hashes depends on how many objects there are.
    const bare = (patch) => patch.replaceAll(/^index \w+\.\.\w+/gm, "index");
    if (bare(ours) !== bare(unstaged.text) || bare(our_staged) !== bare(staged.text))
      throw new Error("git and the explorer write different patches");
    note("diff", diff.took);
    note("git diff", unstaged.took + staged.took);
    const log = await ask("/api/browse/git-log?limit=100");
    if (JSON.parse(log.text).commits.length !== 100) throw new Error("the log is not of 100 commits");
    note("log", log.took);
    note("git log", timed_git(folder, "log", "-100", "--format=%H %h %s %an %aI").took);
    note("tree", (await ask("/api/browse/tree?depth=4")).took);
    note("search", (await ask("/api/browse/search?q=version%20999")).took);
  }
  // Committing everything must leave the index as git would: with the trees it knows.
  const cached_before = median(Array.from({ length: 5 }, () => timed_git(folder, "diff", "--cached").took));
  await ask("/api/browse/git-sync", "POST");
  const cached_after = median(Array.from({ length: 5 }, () => timed_git(folder, "diff", "--cached").took));
  await stop(box.child);
  const value = (name) => median(times[name]);
  return [
    { what: "GET /api/browse/git-status, 10,000 files, 43 changes", value: value("status"), unit: "ms" },
    { what: "git status --porcelain", value: value("git status"), unit: "ms" },
    { what: "  beside git's", value: value("status") / value("git status"), unit: "x", goal: 1, at_most: true },
    { what: "GET /api/browse/git-diff, both patches", value: value("diff"), unit: "ms" },
    { what: "git diff and git diff --cached", value: value("git diff"), unit: "ms" },
    { what: "  beside git's", value: value("diff") / value("git diff"), unit: "x", goal: 1, at_most: true },
    { what: "GET /api/browse/git-log?limit=100", value: value("log"), unit: "ms", goal: 2, at_most: true },
    { what: "git log -100", value: value("git log"), unit: "ms" },
    { what: "GET /api/browse/tree?depth=4", value: value("tree"), unit: "ms", goal: 20, at_most: true },
    { what: "GET /api/browse/search over all files", value: value("search"), unit: "ms" },
    { what: "git diff --cached before a git-sync of the box", value: cached_before, unit: "ms" },
    { what: "  after it, beside before", value: cached_after / cached_before, unit: "x", goal: 1.2, at_most: true },
  ];
};
