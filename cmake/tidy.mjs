// clang-tidy over many sources, several in one translation unit: nearly all of its time goes into the headers, which they
// share. Sources that cannot stand in one unit, because both define a name, are taken apart again.
// usage: node cmake/tidy.mjs SECONDS FILE...   (0: without a limit; what the time does not suffice for is left out, and counted)
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const MOST_IN_A_UNIT = 8;
const [seconds, ...sources] = process.argv.slice(2);
const deadline = Number(seconds) > 0 ? Date.now() + Number(seconds) * 1000 : Infinity;
const folder = mkdtempSync(join(tmpdir(), "tidy-"));

const commands = new Map(JSON.parse(readFileSync("build/lint/compile_commands.json", "utf8")).map((one) => [one.file, one]));

// What the compiler gets for this source, without its input and outputs.
const flags_of = (source) => {
  const { command } = commands.get(resolve(source)) ?? { command: "" };
  if (!command) throw new Error(`${source} is in no target of build/lint`);
  const words = command.split(" ").map((word) => word.replaceAll("\\", ""));
  const flags = words.slice(words.findIndex((word) => word.endsWith("clang++")) + 1);
  for (const name of ["-o", "-c", "-MF", "-MT"]) while (flags.includes(name)) flags.splice(flags.indexOf(name), 2);
  return flags.filter((flag) => flag !== "-MD");
};

const run = (program, args) =>
  promisify(execFile)(program, args, { maxBuffer: 1 << 28 }).then(
    ({ stdout }) => ({ ok: true, text: stdout }),
    (error) => ({ ok: false, text: `${error.stdout ?? ""}${error.stderr ?? error.message}` }),
  );

let looked_at = 0,
  units = 0;
const findings = [];

const look_at = async (group) => {
  if (Date.now() >= deadline) return;
  const flags = flags_of(group[0]);
  let input = group[0];
  if (group.length > 1) {
    input = join(folder, `${++units}.cpp`);
    writeFileSync(input, group.map((source) => `#include "${source}"  // NOLINT\n`).join(""));
    if (!(await run("clang++", [...flags, "-w", "-fsyntax-only", input])).ok) {
      const half = group.length >> 1;
      await look_at(group.slice(0, half));
      return look_at(group.slice(half));
    }
  }
  // g++ warns of shadowed names, and of those of one source only.
  const { ok, text } = await run("clang-tidy", [
    "--quiet",
    "--warnings-as-errors=*",
    `--config-file=${resolve(".clang-tidy")}`,
    "--extra-arg=-Wno-unknown-warning-option",
    "--extra-arg=-Wno-c99-extensions",
    "--extra-arg=-Wno-shadow",
    input,
    "--",
    ...flags,
  ]);
  looked_at += group.length;
  if (!ok) {
    findings.push(...group);
    process.stdout.write(text);
  }
};

// Of one folder each, so that they share what they include; in the order given.
const by_folder = new Map();
for (const source of sources) by_folder.set(dirname(source), [...(by_folder.get(dirname(source)) ?? []), source]);
const groups = [];
for (const all of by_folder.values())
  for (let at = 0; at < all.length; at += MOST_IN_A_UNIT) groups.push(all.slice(at, at + MOST_IN_A_UNIT));

const worker = async () => {
  for (let group; (group = groups.shift()); ) await look_at(group);
};
await Promise.all(Array.from({ length: availableParallelism() }, worker)).finally(() => rmSync(folder, { recursive: true }));
console.log(`tidy: looked at ${looked_at} of ${sources.length} files`);
process.exitCode = findings.length > 0 ? 1 : 0;
