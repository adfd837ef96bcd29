// The console's pages about skills and data feeds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, send, until } from "../support/box.mjs";
import { HOSTILE, open_browser, Person, PHONE } from "./browser.mjs";
import { serve_site } from "../peers/http_site.mjs";
import { ModelServer, say } from "../peers/model_server.mjs";
import { zip } from "../support/zip.mjs";

const story_of = async (t, { env = {}, viewport } = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, env);
  const owner = await box.customer("ada@example.org");
  const ada = await Person.at(browser, box, viewport ? { viewport } : {});
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  return { box, owner, ada };
};

test("a skill is found, installed, used with its inputs, and uninstalled", async (t) => {
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const { box, owner, ada } = await story_of(t, { env: { LOCAL_MODEL_URL: model.url } });
  const id = await box.running_agent(owner, HOSTILE);
  await ada.page.goto("/skills");
  await ada.heading("web-research").waitFor();
  await ada.text(/^0 of \d+ installed$/).waitFor();
  await ada.is_sound();
  await ada.label("Search").fill("research");
  await until("one card", async () => (await ada.page.locator(".cards li").count()) === 1);
  await ada.label("State").selectOption({ label: "Installed" });
  await ada.heading("Nothing matches").waitFor();
  await ada.button("Show everything").click();
  await ada.link("web-research").click();
  await ada.page.waitForURL("**/skills/web-research");
  await ada.text("No agent of yours has it.").waitFor();
  await ada.page.locator("summary", { hasText: "Instructions" }).click();
  await ada.is_sound();
  await ada.button("Install").click();
  await ada.page.getByRole("button", { name: /^Uninstall from / }).waitFor();

  model.will(say(`The tide is **high**. ${HOSTILE}`));
  await ada.label("question").fill("How is the tide?");
  await ada.label("Anything else").fill("Be brief.");
  await ada.button("Use the skill").click();
  await ada.text("The tide is").waitFor();
  await ada.text("succeeded").waitFor();
  assert.match(model.asked.at(-1).messages.at(-1).content, /Be brief\.[^]*How is the tide\?/);
  assert.equal(await ada.page.locator(".markdown strong").last().innerText(), "high");
  await ada.is_sound();
  const { runs } = (await owner.call("GET", "/api/skills/web-research/runs")).body;
  assert.deepEqual([runs.length, runs[0].agentId, runs[0].inputs.question], [1, id, "How is the tide?"]);

  await ada.page.goto("/skills?filter=installed");
  await ada.heading("web-research").waitFor();
  assert.equal(await ada.page.locator(".cards li").count(), 1);
  await ada.is_sound();
  await ada.link("web-research").click();
  await ada.page.getByRole("button", { name: /^Uninstall from / }).click();
  await ada.dialog.getByRole("button", { name: "Uninstall" }).click();
  await ada.text("No agent of yours has it.").waitFor();
  await ada.text("Install it for an agent first.").waitFor();
});

test("a refused input is named beside its field, and an outdated copy is brought up to date", async (t) => {
  const { box, owner, ada } = await story_of(t, { viewport: PHONE });
  await box.running_agent(owner);
  const upload = async (version) => {
    const text = `---\nname: tide-table\ndescription: Finds tides. <b>bold</b>\nversion: ${version}\nprice: 0.02\ninputs:\n  - name: harbour\n    description: Its name\n    required: true\n---\nLook it up.\n`;
    const answer = await send(box.backend, "POST", "/api/admin/skills", {
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/zip" },
      body: zip([{ name: "SKILL.md", content: text }]),
    });
    assert.ok(answer.status < 300, answer.text);
  };
  await upload("1.0.0");
  await ada.page.goto("/skills/tide-table");
  await ada.text("US$0.02 a use").waitFor();
  await ada.button("Install").click();
  ada.expected = ["status of 400"];
  await ada.label("harbour").evaluate((field) => field.removeAttribute("required"));
  await ada.button("Use the skill").click();
  await ada.alert.getByText("harbour is required.").waitFor();
  await ada.is_sound();
  await upload("1.1.0");
  await ada.page.reload();
  await ada.text("has version 1.0.0").waitFor();
  await ada.button("Update for Scout").click();
  await ada.text("has version 1.0.0").waitFor({ state: "detached" });
  await ada.page.goto("/skills/instant-split");
  await ada.link("Open its page").click();
  await ada.page.waitForURL("**/wallet/splits");
  ada.expected.push("status of 404");
  await ada.page.goto("/skills/nothing");
  await ada.alert.getByText("No such skill.").waitFor();
});

test("a skill from an address is reviewed before it is installed, and so is its update", async (t) => {
  const skill_md = (version, text) =>
    `---\nname: tide-table\ndescription: Finds tides. <b>bold</b>\nversion: ${version}\nallowed-tools: Read\n---\n${text}\n`;
  const archive = (version, text) =>
    zip([
      { name: "SKILL.md", content: skill_md(version, text) },
      { name: "fetch.sh", content: "#!/bin/sh\ncurl https://data.example.net/tides\n" },
    ]);
  let served = archive("1.0.0", "Look it up.");
  const site = await serve_site(t, ({ url }) => (url.pathname === "/tide.zip" ? { body: served } : undefined));
  const { box, owner, ada } = await story_of(t, { env: { SUMMARIZER_ALLOW_PRIVATE: "on" } });
  const agent = await box.running_agent(owner);
  await ada.page.goto("/skills");
  await ada.button("Add a skill").click();
  ada.expected = ["status of 400"];
  await ada.dialog.getByLabel("Address of the archive").fill(`${site.url}/nothing.zip`);
  await ada.dialog.getByRole("button", { name: "Review" }).click();
  await ada.dialog.getByText(/answered with status 404/).waitFor();
  await ada.dialog.getByLabel("Address of the archive").fill(`${site.url}/tide.zip`);
  await ada.dialog.getByRole("button", { name: "Review" }).click();
  await ada.dialog.getByRole("heading", { name: /tide-table/ }).waitFor();
  await ada.dialog.getByText("data.example.net").first().waitFor();
  await ada.dialog.getByText("fetch.sh").first().waitFor();
  await ada.is_sound();
  assert.equal((await owner.call("GET", "/api/skill-packages")).body.count, 0);
  await ada.dialog.getByRole("button", { name: "Install" }).click();
  await ada.button("Look for updates of tide-table").waitFor();
  await ada.is_sound();

  served = archive("1.1.0", "Ask the harbour.");
  await ada.button("Look for updates of tide-table").click();
  await ada.text("update available").waitFor();
  await ada.button("Review the update of tide-table").click();
  await ada.dialog.getByRole("button", { name: "Review" }).click();
  await ada.dialog.getByText("+Ask the harbour.").waitFor();
  await ada.is_sound();
  await ada.dialog.getByRole("button", { name: "Take the update" }).click();
  await ada.text("version 1.1.0").waitFor();
  await ada.text("update available").waitFor({ state: "detached" });
  const { packages } = (await owner.call("GET", "/api/skill-packages")).body;
  assert.deepEqual([packages[0].agentId, packages[0].version], [agent, "1.1.0"]);

  await ada.in_menu("More about tide-table", "Uninstall");
  await ada.dialog.getByRole("button", { name: "Uninstall" }).click();
  await ada.button("More about tide-table").waitFor({ state: "detached" });

  // A file, on the same dialog.
  await ada.button("Add a skill").click();
  await ada.dialog.locator("input[type=file]").setInputFiles({ name: "tide.zip", mimeType: "application/zip", buffer: served });
  await ada.dialog.getByText("The file is read when you review it.").waitFor();
  await ada.dialog.getByRole("button", { name: "Review" }).click();
  await ada.dialog.getByRole("button", { name: "Install" }).click();
  await ada.text("from a file").waitFor();
});

test("feeds are listed with their age and state, and their entries are read harmlessly", async (t) => {
  const RSS = `<?xml version="1.0"?><rss version="2.0"><channel><title>Box news</title><link>https://news.example.org/</link><description>x</description>
<item><title>First &lt;b&gt;bold&lt;/b&gt; \u202Egnp</title><link>https://news.example.org/1</link><guid>n-1</guid>
<description><![CDATA[<p>Hello <img src=x onerror="document.title='mine'"> there</p><script>document.title = "mine"</script>]]></description>
<pubDate>Tue, 10 Jun 2025 04:00:00 GMT</pubDate></item>
<item><title>Second</title><link>javascript:alert(1)</link></item></channel></rss>`;
  const site = await serve_site(t, ({ url }) => {
    if (url.pathname === "/news") return { headers: { "content-type": "application/rss+xml" }, body: RSS };
    if (url.pathname === "/prices") return { json: { btc: "100.5", note: "<img src=x onerror=alert(1)>" } };
  });
  const { box, owner, ada } = await story_of(t, { env: { FEEDS_ALLOW_PRIVATE: "on" } });
  for (const [name, kind, path] of [
    ["news", "rss", "/news"],
    ["prices", "json", "/prices"],
    ["gone", "rss", "/gone"],
  ])
    await box.backend_call("PUT", `/api/admin/data-feeds/${name}`, { kind, url: site.url + path, description: `All of <b>${name}</b>` });
  for (const name of ["news", "prices", "gone"])
    await until(name, async () => (await owner.call("GET", `/api/data-feeds?feed=${name}`)).body.feed.status !== "pending");

  await ada.page.goto("/feeds");
  await ada.link("news").waitFor();
  await ada.text("fetched every").first().waitFor();
  await ada.is_sound();
  await ada.label("State").selectOption({ label: "failed" });
  await until("one feed", async () => (await ada.page.locator(".rows > li").count()) === 1);
  await ada.link("gone").click();
  await ada.heading("No data yet").waitFor();
  await ada.text(/404/).waitFor();
  await ada.is_sound();
  await ada.link("Feeds").click();
  await ada.link("news").click();
  await ada.heading("Box news").waitFor();
  await ada.text("Hello there").waitFor();
  assert.deepEqual(
    await ada.page
      .getByRole("main")
      .locator(".rows a")
      .evaluateAll((links) => links.map(({ href, rel }) => [href, rel])),
    [["https://news.example.org/1", "noopener noreferrer nofollow"]],
  );
  await ada.is_sound();
  await ada.label("Search").fill("second");
  await until("one entry", async () => (await ada.page.locator(".rows > li").count()) === 1);
  // Administrators choose the sources here.
  const admin = await Person.at(ada.context.browser(), box);
  t.after(() => admin.check());
  await admin.enter(ADMIN.email, ADMIN.password);
  await admin.page.goto("/feeds");
  await admin.button("New feed").click();
  await admin.label("Name").fill("boats");
  await admin.label("Format").selectOption("json");
  await admin.label("Address").fill(`${site.url}/prices`);
  await admin.is_accessible();
  await admin.button("Save").click();
  await admin.link("boats").waitFor();
  await admin.in_menu("More about boats", "Remove");
  await admin.dialog.getByRole("button", { name: "Remove" }).click();
  await admin.link("boats").waitFor({ state: "detached" });

  await ada.page.goto("/feeds/prices");
  await ada.text('"btc": "100.5"').waitFor();
  await ada.is_sound();
  await ada.page.goto("/feeds/models");
  await ada.page.locator("pre").waitFor();
  ada.expected = ["status of 404"];
  await ada.page.goto("/feeds/nothing");
  await ada.alert.first().waitFor();
});
