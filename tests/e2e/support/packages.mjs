// The npm packages of the stories: they live in the build tree, where node does not look by itself.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = process.env.AGENTBOX_STORY_PACKAGES;
assert.ok(folder, "AGENTBOX_STORY_PACKAGES names the folder that holds the stories' node_modules");

export const package_named = createRequire(join(folder, "package.json"));
