// Skills from elsewhere: what they bring is shown before anything is installed, and nothing else is installed.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, send } from "../support/box.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { zip } from "../support/zip.mjs";

const PACKAGES = "/api/skill-packages";
const MODE_LINK = 0o120777;

const skill_md = (version, text = "Look at https://tides.example.org/table first.\n", more = "") =>
  `---\nname: tide-table\ndescription: Finds tides.\nversion: ${version}\nlicense: MIT\ncompatibility: Needs curl\nallowed-tools: Bash(git log:*), Read\n${more}---\n# Tides\n\n${text}`;
const archive = (version, { text, more, files = [] } = {}) =>
  zip([{ name: "tide/SKILL.md", content: skill_md(version, text, more) }, ...files]);
const SCRIPT = { name: "tide/scripts/fetch.sh", content: "#!/bin/sh\ncurl https://data.example.net/tides\n" };

class Story {
  static async start(t, env = {}) {
    const story = new Story();
    story.box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on", ...env });
    story.ada = await story.box.customer("ada@example.org");
    story.agent = await story.box.running_agent(story.ada);
    return story;
  }
  // `source`: an archive, or an address.
  async post(path, source, query = {}, person = this.ada) {
    const at = new URLSearchParams({ ...query, ...(typeof source === "string" && { url: source }) });
    const body = typeof source === "string" ? undefined : source;
    return send(this.box.web, "POST", `${path}?${at}`, { headers: { cookie: person.cookie }, body });
  }
  review(source, agentId = this.agent, person) {
    return this.post(`${PACKAGES}/review`, source, { agentId }, person);
  }
  install(source, digest, agentId = this.agent, person) {
    return this.post(PACKAGES, source, { agentId, digest }, person);
  }
  async list(person = this.ada) {
    return (await person.call("GET", PACKAGES)).body.packages;
  }
  file(path) {
    return join(this.box.folder, "agents", this.agent, "workspace", path);
  }
}

const change_of = (review) => Object.fromEntries(review.files.map(({ path, change }) => [path, change]));

test("a file is reviewed, installed as it was shown, updated with its difference, and uninstalled", async (t) => {
  const story = await Story.start(t);
  const first = archive("1.0.0", { files: [SCRIPT, { name: "tide/logo.png", content: Buffer.from([0x89, 0, 0xff]) }] });
  const shown = await story.review(first);
  assert.equal(shown.status, 200, shown.text);
  const review = shown.body;
  assert.deepEqual(
    [review.name, review.version, review.license, review.compatibility, review.allowedTools, review.isUpdate, review.hasHiddenText],
    ["tide-table", "1.0.0", "MIT", "Needs curl", ["Bash(git log:*)", "Read"], false, false],
  );
  assert.deepEqual(
    review.files.map(({ path, kind, change }) => [path, kind, change]),
    [
      ["SKILL.md", "instructions", "added"],
      ["logo.png", "binary", "added"],
      ["scripts/fetch.sh", "script", "added"],
    ],
  );
  assert.deepEqual(review.hosts, ["data.example.net", "tides.example.org"]);
  assert.match(review.patch, /\+curl https:\/\/data\.example\.net/);
  assert.match(review.instructions, /^# Tides/);
  assert.equal(existsSync(story.file("skills/tide-table")), false, "a review installs nothing");
  assert.deepEqual(await story.list(), []);

  // The same files in another archive are the same content; other files are not installed under this digest.
  const other = await story.install(archive("1.0.1"), review.digest);
  assert.deepEqual([other.status, other.body.code], [409, "PACKAGE_CHANGED"]);
  const repacked = zip([
    { name: "SKILL.md", content: skill_md("1.0.0") },
    { name: "logo.png", content: Buffer.from([0x89, 0, 0xff]) },
    { name: "scripts/fetch.sh", content: SCRIPT.content },
  ]);
  const installed = await story.install(repacked, review.digest);
  assert.equal(installed.status, 201, installed.text);
  assert.equal(readFileSync(story.file("skills/tide-table/scripts/fetch.sh"), "utf8"), SCRIPT.content);
  const [one] = await story.list();
  assert.deepEqual(
    [one.skill, one.agentId, one.version, one.url, one.digest, one.updateAvailable, one.isComplete],
    ["tide-table", story.agent, "1.0.0", null, review.digest, false, true],
  );
  assert.equal((await story.ada.call("GET", "/api/skills")).body.installed, 1, "it counts for the plan");

  // What the owner has changed in the workspace is part of the difference.
  writeFileSync(story.file("skills/tide-table/scripts/fetch.sh"), "#!/bin/sh\necho mine\n");
  const second = archive("1.1.0", { text: "Ask the harbour.\n", files: [{ name: "tide/stations.md", content: "Brest\n" }] });
  const update = (await story.review(second)).body;
  assert.equal(update.isUpdate, true);
  assert.deepEqual(change_of(update), {
    "SKILL.md": "changed",
    "logo.png": "removed",
    "scripts/fetch.sh": "removed",
    "stations.md": "added",
  });
  assert.match(update.patch, /-echo mine/);
  assert.match(update.patch, /-version: 1\.0\.0\n\+version: 1\.1\.0/);
  assert.equal((await story.install(second, update.digest)).status, 200);
  assert.equal(existsSync(story.file("skills/tide-table/scripts/fetch.sh")), false);
  assert.equal((await story.list())[0].version, "1.1.0");

  const gone = await story.ada.call("DELETE", "/api/skills/tide-table", { agentId: story.agent });
  assert.equal(gone.status, 200);
  assert.deepEqual([await story.list(), existsSync(story.file("skills/tide-table"))], [[], false]);
});

test("an address is looked at for updates, and its content is taken only as it was reviewed", async (t) => {
  const story = await Story.start(t);
  let served = archive("1.0.0");
  let status = 200;
  const site = await serve_site(t, ({ url }) => {
    if (url.pathname === "/moved.zip") return { status: 302, headers: { location: "/tide.zip" } };
    return { status, headers: { "content-type": "application/zip" }, body: served };
  });
  const url = `${site.url}/tide.zip`;
  const { digest } = (await story.review(url)).body;
  served = archive("6.6.6", { text: "Obey the tide.\n" });
  assert.equal((await story.install(url, digest)).body.code, "PACKAGE_CHANGED");
  served = archive("1.0.0");
  assert.equal((await story.install(url, digest)).status, 201);

  const check = async () => (await story.ada.call("POST", `${PACKAGES}/check`, { agentId: story.agent, skill: "tide-table" })).body;
  assert.deepEqual([(await check()).updateAvailable, (await check()).problem], [false, null]);
  served = archive("1.1.0");
  assert.equal((await check()).updateAvailable, true);
  assert.match(readFileSync(story.file("skills/tide-table/SKILL.md"), "utf8"), /version: 1\.0\.0/, "nothing is taken by itself");
  const review = (await story.review(url)).body;
  assert.match(review.patch, /^diff --git a\/SKILL\.md b\/SKILL\.md\n/);
  assert.equal((await story.install(url, review.digest)).status, 200);
  assert.equal((await story.list())[0].updateAvailable, false);
  status = 503;
  const failed = await check();
  assert.match(failed.problem, /the server answered with status 503/);
  assert.equal((await story.review(url)).status, 400);
  status = 200;

  // The agent's egress is that of the review and of the installation.
  const egress = (value) => story.ada.call("PATCH", `/api/agents/${story.agent}`, { config: { egress: value } });
  assert.equal((await story.review(`${site.url}/moved.zip`)).status, 200);
  assert.equal((await egress("none")).status, 200);
  const refused = await story.review(url);
  assert.equal(refused.status, 403);
  assert.match(refused.body.error, /this agent may not reach 127\.0\.0\.1/);
  assert.equal((await story.install(url, review.digest)).status, 403);
  assert.equal((await egress(["127.0.0.1"])).status, 200);
  assert.equal((await story.review(url)).status, 200);
  assert.match((await story.review(`${site.url}/moved.zip`)).body.error, /redirects/);
  assert.deepEqual((await story.list()).length, 1);
});

test("private addresses are refused, and archives and names that are not what they say", async (t) => {
  const story = await Story.start(t, { SUMMARIZER_ALLOW_PRIVATE: "off" });
  const site = await serve_site(t, () => ({ body: archive("1.0.0") }));
  const refused = await story.review(`${site.url}/tide.zip`);
  assert.ok(refused.status >= 400, refused.text);
  assert.deepEqual(site.requests, []);
  for (const [what, source, why] of [
    ["no archive", Buffer.from("hello"), /damaged or not a zip archive/],
    ["nothing", Buffer.alloc(0), /url must name one/],
    [
      "a way out",
      zip([
        { name: "SKILL.md", content: skill_md("1") },
        { name: "../../boot.json", content: "x" },
      ]),
      /\.\./,
    ],
    ["a link", archive("1", { files: [{ name: "tide/link", content: "/etc/passwd", mode: MODE_LINK }] }), /is not a plain file/],
    ["a bomb", archive("1", { files: [{ name: "tide/zeros", content: Buffer.alloc(3 << 20) }] }), /is too large/],
    ["a file of the browser", "file:///etc/passwd", /url/],
  ]) {
    const answer = await story.review(source);
    assert.equal(answer.status, 400, `${what}: ${answer.text}`);
    assert.match(answer.body.error, why, what);
  }
  const both = await story.post(`${PACKAGES}/review`, archive("1"), { agentId: story.agent, url: "https://example.org/x.zip" });
  assert.match(both.body.error, /not both/);
  // The name of a skill of the catalogue.
  const taken = zip([{ name: "SKILL.md", content: skill_md("1").replace("tide-table", "web-research") }]);
  assert.equal((await story.review(taken)).status, 409);
  // A text that hides something.
  const hidden = (await story.review(archive("1", { text: "Be kind.\u{e0041}\u{e0042}\n" }))).body;
  assert.equal(hidden.hasHiddenText, true);
  // A link that the agent left where the skill goes is not followed.
  mkdirSync(story.file("skills"), { recursive: true });
  mkdirSync(story.file("elsewhere"), { recursive: true });
  symlinkSync(story.file("elsewhere"), story.file("skills/tide-table"));
  const { digest } = (await story.review(archive("1.0.0"))).body;
  assert.ok((await story.install(archive("1.0.0"), digest)).status >= 400);
  assert.equal(existsSync(story.file("elsewhere/SKILL.md")), false);
  assert.deepEqual(await story.list(), [], "what could not be written is not kept");
  // Another user's agent.
  const eve = await story.box.customer("eve@example.org");
  assert.equal((await story.review(archive("1.0.0"), story.agent, eve)).status, 404);
  assert.equal((await story.install(archive("1.0.0"), digest, story.agent, eve)).status, 404);
  assert.deepEqual(await story.list(eve), []);
});

test("the administrator reviews what an address would bring to the catalogue", async (t) => {
  const story = await Story.start(t);
  let served = archive("1.0.0");
  const site = await serve_site(t, () => ({ body: served }));
  const admin = story.box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  const review = await story.post("/api/admin/skills/review", `${site.url}/tide.zip`, {}, admin);
  assert.equal(review.status, 200, review.text);
  const { digest } = review.body;
  served = archive("2.0.0");
  const changed = await story.post("/api/admin/skills", `${site.url}/tide.zip`, { digest }, admin);
  assert.equal(changed.body.code, "PACKAGE_CHANGED");
  served = archive("1.0.0");
  assert.equal((await story.post("/api/admin/skills", `${site.url}/tide.zip`, { digest }, admin)).status, 201);
  assert.equal((await story.ada.call("GET", "/api/skills/tide-table")).body.source, "admin");
  const update = (await story.post("/api/admin/skills/review", archive("1.1.0"), {}, admin)).body;
  assert.deepEqual([update.isUpdate, change_of(update)], [true, { "SKILL.md": "changed" }]);
  // Agents that want it take it from there.
  assert.equal((await story.review(archive("1.1.0"))).status, 409);
  const backend = await send(story.box.backend, "POST", "/api/admin/skills/review", {
    headers: { authorization: `Bearer ${INTERNAL_KEY}` },
    body: archive("1.1.0"),
  });
  assert.equal(backend.status, 200);
});
