// Skills from outside: the catalogue, installing for an agent that then really has the skill, uses, limits, and the
// administrator's uploads.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, run, send, until } from "../support/box.mjs";
import { call, ModelServer, MODEL, fail, hang, say } from "../peers/model_server.mjs";
import { zip } from "../support/zip.mjs";

const SKILLS = "/api/skills";
const SHIPPED = ["daily-brief", "git-report", "page-watch", "web-research"];

const skill_md = (fields, text = "Do it well.\n") =>
  `---\n${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("")}---\n${text}`;

// Ada with an agent, whose model is scripted if there is a script.
class Story {
  static async start(t, { plan = "solo", scripted = false, env = {} } = {}) {
    const story = new Story();
    if (scripted) story.model = await ModelServer.start(t);
    story.box = await Box.start(t, { ...(scripted && { LOCAL_MODEL_URL: story.model.url }), ...env });
    story.ada = await story.box.customer("ada@example.org", plan);
    story.agent = await story.box.running_agent(story.ada);
    if (scripted) t.after(() => story.model.check());
    return story;
  }
  get(path) {
    return this.ada.call("GET", SKILLS + path);
  }
  install(name, agentId = this.agent) {
    return this.ada.call("POST", SKILLS, { name, agentId });
  }
  use(name, body) {
    return this.ada.call("POST", `${SKILLS}/${name}`, body);
  }
  uninstall(name, agentId = this.agent) {
    return this.ada.call("DELETE", `${SKILLS}/${name}`, { agentId });
  }
  file(path, agent = this.agent) {
    return join(this.box.folder, "agents", agent, "workspace", path);
  }
  upload(archive, headers = {}) {
    return send(this.box.backend, "POST", "/api/admin/skills", {
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/zip", ...headers },
      body: archive,
    });
  }
}

test("the catalogue has the box's own skills, with what each needs", async (t) => {
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org", "label");
  const { status, body } = await ada.call("GET", SKILLS);
  assert.equal(status, 200);
  const names = body.skills.map(({ name }) => name);
  assert.deepEqual(names, names.toSorted());
  for (const name of SHIPPED) assert.ok(names.includes(name), name);
  assert.deepEqual([body.count, body.installed, body.limit], [names.length, 0, 3]);
  const research = body.skills.find(({ name }) => name === "web-research");
  assert.deepEqual([research.source, research.price, research.version, research.installedFor], ["box", "0.00", "1.0.0", []]);
  assert.deepEqual(research.inputs[0], { name: "question", description: "What is to be found out", required: true });

  const shown = (await ada.call("GET", `${SKILLS}/web-research`)).body;
  assert.match(shown.instructions, /^# Web research/);
  assert.deepEqual([shown.files.map(({ path }) => path), shown.installations], [["SKILL.md"], []]);
  assert.deepEqual((await ada.call("GET", `${SKILLS}/nothing`)).body, { error: "No such skill" });
  for (const [method, path] of [
    ["GET", ""],
    ["POST", ""],
    ["GET", "/web-research"],
    ["POST", "/web-research"],
  ])
    assert.equal((await box.person().call(method, SKILLS + path, method === "POST" ? {} : undefined)).status, 401);
});

test("an agent has an installed skill in its instructions and tools from the next turn on", async (t) => {
  const story = await Story.start(t, { scripted: true });
  const { ada, model, agent } = story;
  const ask = (message) => ada.call("POST", "/api/chat", { agentId: agent, message });
  const system = () => model.asked.at(-1).messages[0].content;
  model.will(say("Hello."));
  await ask("hello");
  assert.doesNotMatch(system(), /use_skill/);

  const installed = await story.install("git-report");
  assert.equal(installed.status, 201, JSON.stringify(installed.body));
  assert.deepEqual([installed.body.skill, installed.body.agentId, installed.body.isCurrent], ["git-report", agent, true]);
  assert.equal((await story.install("git-report")).status, 200, "again: the copy is brought up to date");
  assert.match(readFileSync(story.file("skills/git-report/SKILL.md"), "utf8"), /^---\nname: git-report\n/);
  assert.deepEqual((await story.get("")).body.skills.find(({ name }) => name === "git-report").installedFor, [agent]);
  assert.deepEqual(
    (await story.get(`?agentId=${agent}`)).body.skills.map(({ name }) => name),
    ["git-report"],
  );
  assert.deepEqual(
    (await story.get("/git-report")).body.installations.map(({ agentId }) => agentId),
    [agent],
  );

  // No restart: the next turn has it.
  model.will(
    call(["use_skill", { name: "git-report" }]),
    call(["git_log"], ["write_file", { path: "skills/git-report/SKILL.md", content: "obey me" }]),
    say("Two commits."),
  );
  const used = await story.use("git-report", { inputs: { since: "yesterday", reader: "a developer" } });
  assert.equal(used.status, 200, JSON.stringify([used.body, model.faults]));
  assert.match(system(), /- git-report: Reports what changed/);
  const texts = model.asked.at(-1).messages.map(({ content }) => content);
  assert.ok(texts.includes('Use your skill "git-report".\n\nsince: yesterday\nreader: a developer'), texts.join("\n---\n"));
  assert.ok(
    texts.some((text) => text.includes("# Git report")),
    "the instructions came through the tool",
  );
  assert.match(model.results[1].error, /your owner installs skills/, "an agent does not change its skills");
  const { outcome, result, model: served, inputTokens, outputTokens, price, durationMs, version, inputs } = used.body;
  assert.deepEqual([outcome, result, served, price, version], ["succeeded", "Two commits.", MODEL, "0.00", "1.0.0"]);
  assert.deepEqual([inputTokens, outputTokens, inputs], [50, 25, { since: "yesterday", reader: "a developer" }]);
  assert.ok(durationMs >= 0);
  assert.deepEqual((await story.get("/git-report/runs")).body, { runs: [used.body], count: 1 });
  assert.deepEqual((await story.get(`/git-report/runs/${used.body.id}`)).body, used.body);
  assert.equal((await story.get(`/web-research/runs/${used.body.id}`)).status, 404);

  const gone = await story.uninstall("git-report");
  assert.deepEqual([gone.status, gone.body], [200, { success: true, skill: "git-report", agentId: agent }]);
  assert.equal(existsSync(story.file("skills/git-report")), false);
  assert.equal((await story.uninstall("git-report")).status, 404);
  model.will(say("Hello."));
  await ask("hello again");
  assert.doesNotMatch(system(), /git-report: /);
});

test("a use says what is wrong with it", async (t) => {
  const story = await Story.start(t);
  const { box, ada, agent } = story;
  const refused = async (name, body) => {
    const { status, body: answer } = await story.use(name, body);
    return [status, answer.error];
  };
  assert.deepEqual(await refused("nothing", {}), [404, "No such skill"]);
  assert.deepEqual(await refused("web-research", { inputs: { question: "why?" } }), [
    409,
    "None of your agents has the skill: install it first.",
  ]);
  await story.install("web-research");
  assert.deepEqual(await refused("web-research", {}), [400, "inputs.question is required"]);
  assert.deepEqual(await refused("web-research", { inputs: { question: " " } }), [400, "inputs.question must not be blank"]);
  assert.deepEqual(await refused("web-research", { inputs: { question: ["why?"] } }), [
    400,
    "inputs.question must be a text, a number or a boolean",
  ]);
  assert.match(
    (await refused("web-research", { inputs: { question: "why?", color: "red" } }))[1],
    /^inputs\.color is not an input of this skill\. It has: question, url$/,
  );
  assert.match(
    (await refused("web-research", { inputs: { question: "x".repeat(16_385) } }))[1],
    /^inputs\.question must be at most 16 KB$/,
  );
  assert.equal((await story.use("web-research", { agentId: "ag_nobody", inputs: { question: "why?" } })).status, 409);
  assert.equal((await story.install("web-research", "ag_nobody")).status, 404);
  assert.equal((await story.install("nothing")).status, 404);

  // Another user's agent and runs do not exist.
  const eve = await box.customer("eve@example.org");
  assert.equal((await eve.call("POST", SKILLS, { name: "web-research", agentId: agent })).status, 404);
  assert.equal((await eve.call("DELETE", `${SKILLS}/web-research`, { agentId: agent })).status, 404);
  assert.equal((await eve.call("POST", `${SKILLS}/web-research`, { agentId: agent, inputs: { question: "why?" } })).status, 409);
  assert.deepEqual((await eve.call("GET", `${SKILLS}?agentId=${agent}`)).body.skills, []);

  // An agent that is stopped cannot use it: the run has failed, and says so.
  await ada.call("POST", `/api/instance/${agent}/stop`);
  const failed = await story.use("web-research", { inputs: { question: "why?" } });
  assert.deepEqual([failed.status, failed.body.outcome, failed.body.result], [200, "failed", null]);
  assert.match(failed.body.error, /not running/);
  // Skills of a stopped agent are installed and removed all the same, and those of a deleted one are gone.
  assert.equal((await story.install("page-watch")).status, 201);
  assert.equal((await story.uninstall("page-watch")).status, 200);
  await ada.call("DELETE", `/api/agents/${agent}`);
  await until("the skill is no longer installed", async () => (await story.get("")).body.installed === 0);
});

test("the builtin model, too, does something with a skill", async (t) => {
  const story = await Story.start(t);
  await story.install("web-research");
  const asked = await story.use("web-research", {
    inputs: { question: "what is it?" },
    prompt: "remember that the kettle is on",
    wait: false,
  });
  assert.deepEqual([asked.status, asked.body.outcome, asked.body.finishedAt], [202, "running", null]);
  const run = await until("the run ends", async () => {
    const { body } = await story.get(`/web-research/runs/${asked.body.id}`);
    return body.outcome !== "running" && body;
  });
  assert.equal(run.outcome, "succeeded", JSON.stringify(run));
  assert.ok(run.result.length > 0);
});

test("the plan limits how many skills are installed", async (t) => {
  const story = await Story.start(t);
  const { box, ada, agent } = story;
  await box.backend_call("POST", "/api/subscriptions/deploy", { userId: ada.id, plan: "label" });
  assert.deepEqual(await Promise.all(SHIPPED.slice(0, 3).map((name) => story.install(name).then(({ status }) => status))), [201, 201, 201]);
  const refused = await story.install(SHIPPED[3]);
  assert.deepEqual(
    [refused.status, refused.body],
    [429, { error: "Your plan has room for 3 installed skills.", code: "SKILL_LIMIT_REACHED", current: 3, limit: 3 }],
  );
  assert.equal(existsSync(story.file(`skills/${SHIPPED[3]}`)), false);
  assert.equal((await story.install(SHIPPED[0])).status, 200, "one that is there counts once");
  await story.uninstall(SHIPPED[0]);
  assert.equal((await story.install(SHIPPED[3])).status, 201);
  for (const [plan, limit] of [
    ["solo", 10],
    ["collective", 25],
    ["network", 100],
  ]) {
    await box.backend_call("POST", "/api/subscriptions/deploy", { userId: ada.id, plan });
    assert.equal((await story.get("")).body.limit, limit, plan);
  }
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  assert.equal((await admin.call("GET", SKILLS)).body.limit, null);
  assert.equal((await admin.call("POST", SKILLS, { name: SHIPPED[0], agentId: agent })).status, 404, "not the admin's agent");
});

test("installed skills survive kill -9, also in the middle", async (t) => {
  const story = await Story.start(t);
  const { box, agent } = story;
  assert.equal((await story.install("page-watch")).status, 201);
  await box.end("SIGKILL");
  await box.serve();
  assert.deepEqual(
    (await story.get("/page-watch")).body.installations.map(({ agentId, isCurrent }) => [agentId, isCurrent]),
    [[agent, true]],
  );
  assert.ok(existsSync(story.file("skills/page-watch/SKILL.md")));
});

test("an administrator uploads, replaces and removes skills", async (t) => {
  const story = await Story.start(t, { scripted: true });
  const { box, agent, model } = story;
  const files = (version, more = []) => [
    { name: "tea/", mode: 0o040755 },
    {
      name: "tea/SKILL.md",
      content: skill_md({
        name: "tea",
        description: 'Makes tea. "Hot"',
        version,
        price: "0.05",
        license: "MIT",
        inputs: "\n  - name: leaves\n    required: true",
      }),
    },
    { name: "__MACOSX/tea/._SKILL.md", content: "x" },
    ...more,
  ];
  const first = await story.upload(zip(files("1.0", [{ name: "tea/reference/water.md", content: "Boil it." }])));
  assert.equal(first.status, 201, first.text);
  assert.deepEqual(
    [first.body.name, first.body.version, first.body.price, first.body.source, first.body.license],
    ["tea", "1.0", "0.05", "admin", "MIT"],
  );
  assert.deepEqual(
    first.body.files.map(({ path }) => path),
    ["SKILL.md", "reference/water.md"],
  );
  assert.equal((await story.install("tea")).status, 201);
  assert.equal(readFileSync(story.file("skills/tea/reference/water.md"), "utf8"), "Boil it.");

  // A use is charged at its price; one that fails is not.
  model.will(say("Here is your tea."));
  const used = await story.use("tea", { inputs: { leaves: "Assam" } });
  assert.deepEqual([used.body.outcome, used.body.price], ["succeeded", "0.05"], JSON.stringify(used.body));
  const calls = (await story.ada.call("GET", "/api/dashboard/calls")).body.calls;
  assert.ok(
    calls.some(({ model: name }) => name === "skill/tea"),
    JSON.stringify(calls),
  );
  // The caps hold for it, too.
  await story.ada.call("PUT", "/api/caps", { scope: "user", period: "month", usd: "0.06" });
  const capped = await story.use("tea", { inputs: { leaves: "Darjeeling" } });
  assert.deepEqual([capped.status, capped.body.code], [429, "CAP_REACHED"], JSON.stringify(capped.body));

  const second = await story.upload(
    zip(
      files("2.0")
        .map(({ name, ...rest }) => ({ ...rest, name: name.replace(/^tea\//, "") }))
        .filter(({ name }) => name),
    ),
  );
  assert.deepEqual([second.status, second.body.version, second.body.files.length], [200, "2.0", 1], second.text);
  assert.deepEqual(
    (await story.get("/tea")).body.installations.map(({ version, isCurrent }) => [version, isCurrent]),
    [["1.0", false]],
  );
  assert.equal((await story.install("tea")).body.version, "2.0");
  assert.deepEqual(readdirSync(story.file("skills/tea")), ["SKILL.md"], "what the new version has not is gone");

  await box.end("SIGTERM");
  const backup = join(box.folder, "..", `${basename(box.folder)}-backup`);
  t.after(() => rmSync(backup, { recursive: true, force: true }));
  assert.equal((await run(["backup", "--data", box.folder, "--to", backup])).code, 0);
  assert.ok(existsSync(join(backup, "skills", "tea", "SKILL.md")), "a backup has it");
  mkdirSync(join(box.folder, "skills", "broken"));
  writeFileSync(join(box.folder, "skills", "broken", "SKILL.md"), "no front matter");
  await box.serve();
  assert.equal((await story.get("/tea")).body.version, "2.0", "it is in the data folder");
  assert.match(box.log, /skill_not_loaded.*broken/);

  const admin_call = (method, path) =>
    send(box.backend, method, `/api/admin/skills${path}`, { headers: { authorization: `Bearer ${INTERNAL_KEY}` } });
  assert.ok((await admin_call("GET", "")).body.skills.some(({ name }) => name === "tea"));
  assert.deepEqual((await admin_call("DELETE", "/tea")).body, { success: true, skill: "tea" });
  assert.equal((await admin_call("DELETE", "/tea")).status, 404);
  assert.equal((await admin_call("DELETE", "/web-research")).status, 409);
  assert.equal((await story.uninstall("tea")).status, 200, "what agents have of it can still be removed");
  assert.equal((await story.upload("x", { authorization: "Bearer wrong" })).status, 403);
});

test("the gateway sells a skill, which the agent of an administrator's choice carries out", async (t) => {
  const story = await Story.start(t, { scripted: true });
  const { box, agent, model, ada } = story;
  const admin = (method, path = "", body) => box.backend_call(method, `/api/admin/skills-on-sale${path}`, body);
  const kim = await box.customer("kim@example.org");
  const buy = (more = {}) =>
    kim.call("POST", "/api/v1/gateway", { plugin: "skills", action: "tea", input: { leaves: "Assam" }, payment: "balance", ...more });
  await story.upload(
    zip([
      {
        name: "tea/SKILL.md",
        content: skill_md({ name: "tea", description: "Makes tea", price: "0.05", inputs: "\n  - name: leaves\n    required: true" }),
      },
    ]),
  );
  assert.equal((await buy()).status, 404, "it is not for sale");
  assert.match((await admin("PUT", "/tea", { agentId: agent })).error, /install it first/);
  await story.install("tea");
  await story.install("page-watch");
  assert.match((await admin("PUT", "/page-watch", { agentId: agent })).error, /no price/);
  assert.deepEqual(
    [(await admin("PUT", "/nothing", { agentId: agent })).error, (await admin("PUT", "/tea", { agentId: "ag_nobody" })).error],
    ["No such skill", "No such agent"],
  );
  const sold = await admin("PUT", "/tea", { agentId: agent });
  assert.deepEqual([sold.skill, sold.agentId, sold.userId, sold.price], ["tea", agent, ada.id, "0.05"]);

  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: kim.id, amount: "0.12", reference: "gift" });
  const offered = await buy({ payment: undefined });
  assert.deepEqual([offered.status, offered.body.price], [402, { amount: "0.05", currency: "USDC" }]);
  assert.match((await buy({ input: {} })).body.error, /leaves/);
  assert.match((await buy({ action: undefined })).body.error, /action/);
  model.will(say("Here is your tea."));
  const paid = await buy();
  assert.deepEqual(
    [paid.status, paid.body.result, paid.body.action, paid.body.payment.amount],
    [200, { skill: "tea", version: "1.0.0", result: "Here is your tea." }, "tea", "0.05"],
    JSON.stringify(paid.body),
  );
  model.will(fail(400));
  const failed = await buy();
  assert.deepEqual([failed.status, failed.body.charged], [502, false], JSON.stringify(failed.body));
  assert.equal((await box.backend_call("GET", `/api/admin/ledger?userId=${kim.id}`)).balance, "0.07");
  const { runs } = (await story.get("/tea/runs")).body;
  assert.deepEqual(
    runs.map(({ outcome, price }) => [outcome, price]),
    [
      ["failed", "0.00"],
      ["succeeded", "0.00"],
    ],
    "her agent did it, and she was not charged",
  );

  await ada.call("DELETE", `/api/agents/${agent}`);
  await until("the sale ends with the agent", async () => (await admin("GET")).count === 0);
  assert.equal((await buy()).status, 404);
});

test("a wrong archive is refused, and says why", async (t) => {
  const story = await Story.start(t);
  const good = { name: "SKILL.md", content: skill_md({ name: "tea", description: "Makes tea" }) };
  const head = (fields) => ({ name: "SKILL.md", content: skill_md(fields) });
  const cases = [
    [Buffer.from("not a zip"), /damaged or not a zip/],
    [Buffer.alloc(0), /must be a zip archive/],
    [zip([]), /damaged or not a zip/],
    [zip([{ name: "README.md", content: "x" }]), /SKILL\.md is missing/],
    [zip([good, { name: "../outside", content: "x" }]), /outside/],
    [zip([good, { name: "/etc/passwd", content: "x" }]), /passwd/],
    [zip([good, { name: "a\\b", content: "x" }]), /a\\b/],
    [zip([good, { name: ".git/config", content: "x" }]), /\.git/],
    [zip([good, { name: "link", content: "/etc/passwd", mode: 0o120777 }]), /link: is not a plain file/],
    [zip([good, { name: "pipe", mode: 0o010644 }]), /pipe: is not a plain file/],
    [zip([good, { name: "secret", content: "x", flags: 1 }]), /secret: is encrypted/],
    [zip([good, { name: "rotten", content: "x", crc: 1 }]), /damaged/],
    [zip([good, { name: "A.md", content: "x" }, { name: "a.md", content: "y" }]), /two files have this name/],
    [zip([good, { name: "a", content: "x" }, { name: "a/b", content: "y" }]), /^a: is a file, and the folder of another/],
    [zip([good, ...Array.from({ length: 64 }, (_, n) => ({ name: `${n}.md`, content: "x" }))]), /at most 64 files/],
    [zip([good, { name: "bomb", content: Buffer.alloc(600 * 1024) }]), /bomb: is too large/],
    [zip([good, ...Array.from({ length: 5 }, (_, n) => ({ name: `${n}.bin`, content: Buffer.alloc(500 * 1024) }))]), /too large/],
    [zip([good]).subarray(0, -30), /damaged/],
    [zip([head({ name: "tea" })]), /SKILL\.md: description is required/],
    [zip([head({ name: "Tea", description: "x" })]), /SKILL\.md: name must be/],
    [zip([head({ name: "tea--pot", description: "x" })]), /SKILL\.md: name must be/],
    [zip([head({ name: "web-research", description: "x" })]), /the box's own/],
    [zip([head({ name: "tea", description: "x", price: "-1" })]), /SKILL\.md: price/],
    [zip([head({ name: "tea", description: "x", price: "1e3" })]), /SKILL\.md: price/],
    [zip([head({ name: "tea", description: "x", inputs: "[{name: a}, {name: a}]" })]), /two are named a/],
    [zip([head({ name: "tea", description: "x", metadata: "&x {a: 1}" })]), /anchors and tags/],
    [zip([head({ name: "tea", description: "[" })]), /SKILL\.md: the front matter, line/],
    [zip([{ name: "SKILL.md", content: "name: tea" }]), /first line must be ---/],
    [zip([{ name: "SKILL.md", content: "---\nname: tea\n" }]), /has no end/],
    [zip([{ name: "SKILL.md", content: Buffer.from("---\nname: \xff\n---\n", "latin1") }]), /UTF-8/],
    [zip([head({ name: "tea", description: "x" }), { name: "SKILL.md", content: "again" }]), /two files have this name/],
  ];
  for (const [archive, why] of cases) {
    const { status, body, text } = await story.upload(archive);
    assert.ok([400, 409].includes(status), `${why}: ${status} ${text}`);
    assert.match(body.error, why);
  }
  assert.equal((await story.upload(Buffer.alloc(2 * 1024 * 1024 + 1))).status, 413);
  assert.deepEqual(existsSync(join(story.box.folder, "skills")) ? readdirSync(join(story.box.folder, "skills")) : [], []);
  assert.equal((await story.get("/tea")).status, 404);
});

test("a run that the end of the box cut off has failed", async (t) => {
  const story = await Story.start(t, { scripted: true });
  await story.install("web-research");
  story.model.will(hang());
  const started = await story.use("web-research", { inputs: { question: "why?" }, wait: false });
  assert.equal(started.status, 202);
  await until("the model is asked", () => story.model.asked.length === 1);
  await story.box.end("SIGKILL");
  story.model.answer_hanging(fail(500, "too late"));
  await story.box.serve();
  const run = await until("the run has failed", async () => {
    const { body } = await story.get(`/web-research/runs/${started.body.id}`);
    return body.outcome === "failed" && body;
  });
  assert.match(run.error, /interrupted/);
});
