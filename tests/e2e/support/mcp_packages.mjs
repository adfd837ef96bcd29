// npm packages of the stories as an administrator loads them: packed with all that they need.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { run } from "./box.mjs";

const modules = join(process.env.AGENTBOX_STORY_PACKAGES, "node_modules");

// The folder of a package as the one in `from` finds it.
const folder_of = (name, from) => {
  for (let at = from; at.startsWith(modules) || at === dirname(modules); at = dirname(at)) {
    const found = join(at, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
  }
  return join(modules, name);
};

const with_dependencies = (folder, found = new Set()) => {
  if (found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json")));
  for (const name of Object.keys(dependencies)) with_dependencies(folder_of(name, folder), found);
  return found;
};

// A gzipped archive of a folder into which `npm install --prefix` has put the package.
export const packed = (t, name) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-package-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const install = join(folder, "install");
  for (const each of with_dependencies(join(modules, name)))
    cpSync(each, join(install, "node_modules", relative(modules, each)), {
      recursive: true,
      filter: (path) => !path.slice(each.length).includes("/node_modules"),
    });
  mkdirSync(join(install, "node_modules"), { recursive: true });
  writeFileSync(join(install, "package.json"), JSON.stringify({ dependencies: { [name]: "*" } }));
  const file = join(folder, "package.tgz");
  execFileSync("tar", ["-czf", file, "-C", install, "."]);
  return file;
};

export const load = async (t, box, name) => {
  const { code, out, err } = await run(["mcp", "load", packed(t, name), "--data", box.folder]);
  assert.equal(code, 0, err);
  return out;
};
