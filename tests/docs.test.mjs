// The pages of the repository: their links lead somewhere, each module has a README, each table is in the README of its module.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const top = join(dirname(fileURLToPath(import.meta.url)), "..");
const read = (path) => readFileSync(join(top, path), "utf8");

// Pages of others, which the summarizer's tests read, have links of their own.
const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: top, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((path) => existsSync(join(top, path)) && !/^tests\/summarizer\/.*\/.*\/|^appliance\/network\/skills\//.test(path));

// As GitHub makes them of headings.
const anchors = (text) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );

const broken_links = (path, text) =>
  [...text.replace(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file, anchor] = target.split("#");
      const to = file ? join(dirname(path), file) : path;
      if (!existsSync(join(top, to))) return true;
      return anchor && to.endsWith(".md") && !anchors(to === path ? text : read(to)).includes(anchor);
    });

test("links between the pages lead somewhere", () => {
  assert.ok(pages.includes("docs/architecture.md"));
  const broken = pages.flatMap((path) => broken_links(path, read(path)).map((target) => `${path}: ${target}`));
  assert.deepEqual(broken, []);
  assert.deepEqual(broken_links("README.md", "# One\n[a](nothing.md) [b](#one) [c](#two)"), ["nothing.md", "#two"]);
});

test("the index of decisions has each of them", () => {
  const files = readdirSync(join(top, "docs/decisions")).filter((name) => /^\d{4}-/.test(name));
  const listed = [...read("docs/decisions/README.md").matchAll(/^- \[(\d{4})\]\((\1-[\w-]+\.md)\)/gm)].map((match) => match[2]);
  assert.deepEqual(listed.sort(), files.sort());
});

test("each module has a README, and each table is in that of its module", () => {
  const folders = [...read("modules.txt").matchAll(/^[a-z]+: +([\w/]+):/gm)].map((match) => match[1]);
  assert.ok(folders.includes("appliance/runtime"));
  const tables = folders.flatMap((folder) => {
    const section = read(`${folder}/README.md`).match(/^## Tables\n([\s\S]*?)(^## |$(?![\s\S]))/m)?.[1] ?? "";
    return [...section.matchAll(/`([a-z0-9_]+)`/g)].map((match) => match[1]);
  });
  const registered = [...read("docs/architecture.md").matchAll(/^\| \d+ \| `([a-z0-9_]+)` \|/gm)].map((match) => match[1]);
  assert.deepEqual(tables.sort(), registered.sort());
});
