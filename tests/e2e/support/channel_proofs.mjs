// The table at the end of docs/channels.md: which stories of channel_suite.mjs hold for which kind of channel.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const page = new URL("../../../docs/channels.md", import.meta.url);
const heading = "## What is tested";

// By the first column of the table. What a kind has none of, its driver says; see channel_suite.mjs.
const proofs_of = (Driver) => {
  const driver = new Driver();
  return {
    "pairing, owner, stranger": true,
    group: !Driver.has_no_groups,
    "long answer": true,
    "file in and out": Driver.has_files !== false,
    "answer that grows by edits": Boolean(Driver.can_edit),
    "provider away": true,
    "rate limit": true,
    "the same event twice": Driver.repeats_events !== false,
    "box killed before it acknowledges": Driver.repeats_events !== false,
    "written while the box is away": Boolean(Driver.keeps_messages),
    "box killed between a message and its answer": true,
    "wrong token": Boolean(driver.wrong_token),
    "revoked token": Boolean(driver.revoke),
    "agent stopped": true,
    "caps of a person and of the channel": true,
  };
};

const rows_of = (text) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );

export const proof_stories = (Driver) =>
  test(`${Driver.kind}: the documentation says what these stories prove`, () => {
    const section = readFileSync(page, "utf8").split(`${heading}\n`)[1]?.split("\n## ")[0];
    assert.ok(section, `${page.pathname} has the section ${heading}`);
    const [kinds, , ...rows] = rows_of(section);
    const column = kinds.indexOf(Driver.kind);
    assert.ok(column > 0, `the table has a column ${Driver.kind}`);
    const expected = Object.entries(proofs_of(Driver)).map(([proof, holds]) => [proof, holds ? "✓" : "–"]);
    assert.deepEqual(
      rows.map((row) => [row[0], row[column]]),
      expected,
    );
  });
