// Every #include "..." is held against modules.txt: no module includes one that it may not know.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const top = join(dirname(fileURLToPath(import.meta.url)), "..");

const modules = readFileSync(join(top, "modules.txt"), "utf8")
  .split("\n")
  .filter((line) => line.trim() && !line.startsWith("#"))
  .map((line) => line.split(":").map((part) => part.trim()))
  .map(([name, folder, known]) => ({ name, folder, known: known.split(/\s+/).filter(Boolean) }));

const module_of = (path) => modules.find(({ folder }) => path.startsWith(`${folder}/`));

// The module itself, those it names, and what those may include. Throws for a cycle.
const reach = (name, path = []) => {
  assert.ok(!path.includes(name), `modules.txt has a cycle: ${[...path, name].join(" -> ")}`);
  const module = modules.find((one) => one.name === name);
  assert.ok(module, `modules.txt: ${path.at(-1)} names ${name}, which is no module`);
  return new Set([name, ...module.known.flatMap((known) => [...reach(known, [...path, name])])]);
};

const violations = (path, text, allowed) =>
  text.split("\n").flatMap((line, index) => {
    const included = line.match(/^\s*#\s*include "([^"]+)"/)?.[1];
    const target = included && module_of(included);
    return target && !allowed.has(target.name) ? [`${path}:${index + 1}: ${line.trim()} (${target.name})`] : [];
  });

const sources = (folder) =>
  readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(cpp|h|in)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(top.length + 1));

for (const { name, folder } of modules)
  test(`${name} includes only what it may know`, () => {
    const allowed = reach(name),
      paths = sources(folder);
    assert.ok(paths.length > 0, `${folder} holds no sources`);
    const found = paths.flatMap((path) => violations(path, readFileSync(join(top, path), "utf8"), allowed));
    assert.deepEqual(found, []);
  });

test("a line that reaches up is found", () => {
  assert.deepEqual(violations("store/x.h", '#include "web/log.h"\n#include "store/y.h"', reach("store")), [
    'store/x.h:1: #include "web/log.h" (web)',
  ]);
});

// What compares with files, with peers' clocks or with certificates, or adds to the log of an agent's process, asks the
// machine; all else store::now().
const machine_clock = [
  "appliance/box/acme/directory.cpp",
  "appliance/box/acme/renewal.cpp",
  "appliance/box/cli/doctor/certificates.cpp",
  "appliance/box/cli/doctor/machine.cpp",
  "appliance/box/cli/setup/own_authority.cpp",
  "appliance/box/health/gauges.cpp",
  "appliance/demo/fake_clock.h",
  "appliance/demo/history_seeder.cpp",
  "appliance/files/explorer/raw.cpp",
  "appliance/runtime/docker/docker_engine.cpp",
  "appliance/runtime/process_launcher.cpp",
  "store/clock.h",
];

test("the time of all that is stored comes from store::now()", () => {
  const asks = ["appliance", "store"]
    .flatMap(sources)
    .filter((path) => /system_clock::now\(\)/.test(readFileSync(join(top, path), "utf8")));
  assert.deepEqual(asks.sort(), machine_clock);
});

test("every source of the product is in a module", () => {
  assert.deepEqual(
    ["appliance", "store", "web", "summarizer", "sandbox"].flatMap(sources).filter((path) => !module_of(path)),
    [],
  );
});
