// An agent's files: the tree, the editor, uploads, changes, commits and their history.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { HOSTILE, open_browser, Person, PHONE } from "./browser.mjs";

const story_of = async (t, options = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const id = await box.running_agent(owner);
  const ada = await Person.at(browser, box, options);
  t.after(() => ada.check());
  const files = (method, row, body) => owner.call(method, `/api/agents/${id}/files/${row}`, body);
  const write = async (path, content) => assert.equal((await files("POST", "write", { path, content })).status, 200);
  const read = async (path) => (await files("GET", `read?path=${encodeURIComponent(path)}`)).body.content;
  await ada.enter("ada@example.org");
  const opens = (query = "") => ada.page.goto(`/agents/${id}/files${query}`);
  const editor = ada.page.locator(".cm-content");
  return { ada, owner, id, files, write, read, opens, editor };
};

test("a file is made, edited, saved with the keyboard, renamed, downloaded and deleted", async (t) => {
  const { ada, read, opens, editor } = await story_of(t);
  await opens();
  await ada.button("New file").click();
  await ada.label("Path").fill("notes/today.md");
  await ada.button("Create").click();
  await ada.heading("today.md").waitFor();
  await editor.click();
  await ada.page.keyboard.type("# Today\n\nwrite <b>tests</b>");
  await ada.text("not saved").waitFor();
  await ada.page.keyboard.press("Control+s");
  await ada.text("Saved.").waitFor();
  assert.equal(await read("notes/today.md"), "# Today\n\nwrite <b>tests</b>");
  await ada.is_accessible();

  await ada.in_menu("More about today.md", "Rename");
  await ada.label("Path").fill("notes/<b>later.md");
  await ada.dialog.getByRole("button", { name: "Rename" }).click();
  await ada.heading("<b>later.md").waitFor();
  await ada.is_sound();
  const [download] = await Promise.all([ada.page.waitForEvent("download"), ada.link("Download").click()]);
  assert.equal(readFileSync(await download.path(), "utf8"), "# Today\n\nwrite <b>tests</b>");
  await ada.in_menu("More about <b>later.md", "Delete");
  await ada.dialog.getByRole("button", { name: "Delete" }).click();
  await ada.text("Choose a file to read or edit it.").waitFor();
});

test("what is not saved stays, and what the agent wrote meanwhile is not overwritten unasked", async (t) => {
  const { ada, write, read, opens, editor } = await story_of(t);
  await write("plan.txt", "first");
  await opens("?path=plan.txt");
  await editor.click();
  await ada.page.keyboard.press("End");
  await ada.page.keyboard.type(" and mine");
  await ada.opens("Memory");
  await ada.opens("Files");
  await ada.link("plan.txt").click();
  await ada.text("first and mine").waitFor();
  await write("plan.txt", "of the agent");
  await ada.button("Save").click();
  await ada.heading("plan.txt has changed meanwhile").waitFor();
  await ada.button("Cancel").click();
  assert.equal(await read("plan.txt"), "of the agent");
  await ada.button("Save").click();
  await ada.button("Overwrite").click();
  await ada.text("Saved.").waitFor();
  assert.equal(await read("plan.txt"), "first and mine");
});

test("files are uploaded, searched, and shown as far as they are text", async (t) => {
  const { ada, write, opens, files } = await story_of(t, { viewport: PHONE });
  ada.expected = ["status of 400"];
  await write("docs/guide.md", "The lighthouse is in the north.\n");
  await opens();
  const [chooser] = await Promise.all([ada.page.waitForEvent("filechooser"), ada.button("Upload").click()]);
  await chooser.setFiles([{ name: "noise.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 255, 254, 1]) }]);
  await ada.text("1 file uploaded.").waitFor();
  await ada.link("noise.bin").click();
  await ada.page.getByRole("alert").waitFor();
  await ada.text("Only texts of at most 1 MB are shown here.").waitFor();
  await ada.fits_the_screen();
  await ada.page.locator(".file").getByRole("link", { name: "All files" }).click();
  await ada.label("Search in all files").fill("LIGHTHOUSE");
  await ada.text("1 found").waitFor();
  await ada.is_accessible();
  await ada.link(/^docs\/guide\.md ?:1$/).click();
  await ada.heading("guide.md").waitFor();
  assert.equal(
    (await files("GET", "tree?depth=1")).body.root.children.some(({ name }) => name === "noise.bin"),
    true,
  );
});

test("changes are shown as patches, committed, and found in the history", async (t) => {
  const { ada, write, opens, files } = await story_of(t);
  await write("plan.txt", "one\ntwo\n");
  await write(`${HOSTILE.replaceAll("/", "")}.txt`, "hostile\n");
  await opens("?view=changes");
  await ada
    .heading("Nothing has changed")
    .or(ada.text(/files? (has|have) changed/))
    .first()
    .waitFor();
  await ada.label("Message").fill("plan: begin");
  await ada.button("Commit everything").click();
  await ada.text(/^Committed as [0-9a-f]{7}\.$/).waitFor();
  await ada.heading("Nothing has changed").waitFor();
  await write("plan.txt", "one\n2 <i>\n");
  await opens("?view=changes");
  const patch = ada.page.locator(".patch");
  await patch.locator(".added", { hasText: "+2 <i>" }).waitFor();
  assert.equal(await patch.locator("i").count(), 0);
  await ada.is_sound();
  await ada.button("Commit everything").click();
  await ada.heading("Nothing has changed").waitFor();

  await opens("?view=history");
  await ada.label("Search").fill("begin");
  await ada.link("plan: begin").click();
  await ada.page.locator(".patch .added", { hasText: "+one" }).waitFor();
  await ada.is_sound();
  await ada.link("All commits").click();
  await until("two commits or more", async () => (await ada.page.locator(".rows > li").count()) >= 2);
  assert.ok((await files("GET", "log")).body.commits.length >= 2);
});
