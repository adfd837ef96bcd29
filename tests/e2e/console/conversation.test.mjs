// The conversation with an agent: search, sending again, changed questions, files that are given to the agent, code.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { DESKTOP, open_browser, Person, PHONE } from "./browser.mjs";
import { call, hang, ModelServer, say } from "../peers/model_server.mjs";

const story_of = async (t, { viewport = DESKTOP } = {}) => {
  const browser = await open_browser(t);
  const model = await ModelServer.start(t);
  t.after(() => model.check());
  const box = await Box.start(t, { LOCAL_MODEL_URL: model.url });
  const owner = await box.customer("ada@example.org");
  const id = await box.running_agent(owner);
  const ada = await Person.at(browser, box, { viewport });
  t.after(() => ada.check());
  const talk = async (question, answer) => {
    model.will(say(answer));
    assert.equal((await owner.call("POST", "/api/chat", { agentId: id, message: question })).status, 200);
  };
  await ada.enter("ada@example.org");
  return { box, owner, id, ada, model, talk };
};

const asked = (messages) => messages.filter(({ role }) => role === "user").map(({ content }) => content);

test("a question is sent again, or changed and sent again", async (t) => {
  const { ada, id, owner, model, talk } = await story_of(t);
  await talk("What is the plan?", "First **plan**.");
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  model.will(say("Second plan."));
  await ada.button("Send again").click();
  await ada.log.getByText("Second plan.").waitFor();
  await ada.text("Scout is working").waitFor({ state: "detached" });
  await ada.log.getByText("First plan.").waitFor({ state: "detached" });
  await ada.log.getByText("Version 2 of 2").waitFor();

  const draft = ada.page.getByRole("textbox", { name: "Message to Scout" });
  await draft.fill("a note of mine");
  await ada.button("Edit and send again").first().click();
  assert.equal(await draft.inputValue(), "What is the plan?");
  await ada.text("You are changing an earlier question").waitFor();
  await ada.is_accessible();
  await draft.press("Escape");
  assert.equal(await draft.inputValue(), "a note of mine", "what was typed before comes back");
  await ada.button("Edit and send again").last().click();
  await draft.fill("What is the better plan?");
  model.will(say("Third plan."));
  await draft.press("Enter");
  await ada.log.getByText("Third plan.").waitFor();
  await ada.text("Scout is working").waitFor({ state: "detached" });
  const { messages } = (await owner.call("GET", `/api/chat?agentId=${id}`)).body;
  assert.deepEqual(asked(messages), ["What is the plan?", "What is the plan?", "What is the better plan?"]);

  // The arrows lead from version to version, each a conversation of its own; the list has one of them.
  const list = ada.page.getByRole("navigation", { name: "Conversations" });
  await until("one of the family", async () => (await list.getByRole("link").count()) === 1);
  await ada.log.getByText("Version 3 of 3").waitFor();
  await ada.is_accessible();
  await ada.button("Previous version").click();
  await ada.log.getByText("Second plan.").waitFor();
  await ada.button("Previous version").click();
  await ada.log.getByText("First plan").waitFor();
  await ada.log.getByText("Version 1 of 3").waitFor();
  assert.ok(await ada.button("Previous version").isDisabled());
  assert.equal((await ada.said()).length, 2, "the origin stays as it was");
  await ada.button("Next version").click();
  await ada.log.getByText("Second plan.").waitFor();
  // What follows is said in the version that is shown.
  model.will(say("As in the second."));
  await ada.say("And then?");
  await ada.log.getByText("As in the second.").waitFor();
  assert.doesNotMatch(JSON.stringify(model.asked.at(-1).messages), /First|Third/);
});

test("the owner goes back to before a message, and sees first what cannot be undone", async (t) => {
  const { ada, id, owner, model, talk } = await story_of(t);
  await talk("The plan is one.", "Noted.");
  model.will(
    call(
      ["write_file", { path: "plan.txt", content: "two" }],
      ["remember", { text: "The plan is two" }],
      ["notify_owner", { text: "Changed" }],
    ),
    say("Changed."),
  );
  assert.equal((await owner.call("POST", "/api/chat", { agentId: id, message: "The plan is two." })).status, 200);
  const { messages } = (await owner.call("GET", `/api/chat?agentId=${id}`)).body;
  const target = messages.find(({ content }) => content === "The plan is two.");
  await until("the trace", async () => {
    const preview = await owner.call("POST", `/api/agents/${id}/rewind`, { message: target.id, preview: true });
    return preview.body.notUndone.length > 0;
  });
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  await ada.log.getByText("The plan is two.").waitFor();
  const back = ada.button("Go back to before this message").last();
  await back.click();
  await ada.dialog.getByRole("list", { name: "Files that change" }).getByText("plan.txt").waitFor();
  await ada.dialog.getByRole("list", { name: "This cannot be undone:" }).getByText("notify_owner").waitFor();
  await ada.dialog.getByText("1 turn is undone").waitFor();
  await ada.is_accessible();

  await ada.dialog.getByRole("button", { name: "Go back" }).click();
  await ada.dialog.waitFor({ state: "detached" });
  await ada.log.getByText("The plan is two.").waitFor({ state: "detached" });
  const read = await owner.call("GET", `/api/agents/${id}/files/read?path=plan.txt`);
  assert.equal(read.status, 404, "the file is gone, too");
});

test("a clone begins at a point of its parent's past", async (t) => {
  const { ada, id, owner, talk } = await story_of(t);
  await talk("The plan is one.", "Noted.");
  await talk("The plan is two.", "Changed.");
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  await ada.log.getByText("The plan is two.").waitFor();
  await ada.button("Go back to before this message").last().click();
  await ada.dialog.getByRole("button", { name: "Make a clone from here instead…" }).click();
  await ada.label("Name of the clone").fill("Fork");
  await ada.dialog.getByRole("button", { name: "Create the clone" }).click();
  await ada.page.getByRole("heading", { name: "Fork" }).waitFor();
  await ada.sees_status("running");
  await ada.log.getByText("Noted.").waitFor();
  assert.deepEqual(
    (await ada.said()).map(([, words]) => words),
    ["The plan is one.", "Noted."],
  );
  assert.equal((await owner.call("GET", "/api/agents")).body.agents.length, 2);
});

test("the guard's stop says why, and the owner lets the agent go on", async (t) => {
  const { ada, id, model } = await story_of(t);
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  model.will(...Array.from({ length: 5 }, () => call(["list_files"])));
  await ada.say("List my files.");
  await ada.text("it made the same call again and again").waitFor();
  await ada.is_accessible();
  model.will(...Array.from({ length: 6 }, () => call(["list_files"])), say("Still none."));
  await ada.button("Go on").click();
  await ada.log.getByText("Still none.").waitFor();
  await ada.text("it made the same call again and again").waitFor({ state: "detached" });
});

test("the builtin model's answers say that no model is configured", async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t);
  const owner = await box.customer("ada@example.org");
  const id = await box.running_agent(owner);
  const ada = await Person.at(browser, box);
  t.after(() => ada.check());
  await ada.enter("ada@example.org");
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  await ada.say("Hello");
  await ada.log.getByText("No model is configured").waitFor();
  await ada.is_accessible();
});

test("the list that the agent keeps of a long task stands beside its turn, the newest only", async (t) => {
  const { ada, id, model } = await story_of(t);
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  const list = (first, second) =>
    call([
      "todo",
      {
        items: [
          { text: "Read <b>all</b>", status: first },
          { text: "Write", status: second },
        ],
      },
    ]);
  model.will(list("in_progress", "open"), list("done", "in_progress"), hang());
  const draft = ada.page.getByRole("textbox", { name: "Message to Scout" });
  await draft.fill("Read all, then write");
  await draft.press("Enter");
  const shown = ada.log.getByRole("list", { name: "The agent's list" });
  await shown
    .getByRole("listitem")
    .filter({ hasText: /done\s*Read <b>all<\/b>/ })
    .waitFor();
  assert.equal(await shown.count(), 1);
  await shown
    .getByRole("listitem")
    .filter({ hasText: /in progress\s*Write/ })
    .waitFor();
  await ada.is_accessible();
  await until("the model is asked for the third time", () => model.asked.length === 3);
  model.answer_hanging(say("Read and written."));
  await ada.log.getByText("Read and written.").waitFor();
  await ada.text("Scout is working").waitFor({ state: "detached" });
  assert.equal(await shown.count(), 1, "the steps stay");
  await ada.page.reload();
  await shown.waitFor();
});

test("the history is searched, in the address, and shown as it was on the way back", async (t) => {
  const { ada, id, talk } = await story_of(t, { viewport: PHONE });
  await talk("Where is the office?", "In *Leipzig*, near the <b>park</b>.");
  await talk("And the demo?", "On Friday.");
  await ada.page.goto(`/agents/${id}?q=LEIPZIG`);
  await ada.text("1 found").waitFor();
  const result = ada.page.locator(".result");
  assert.equal(await result.locator("mark").innerText(), "Leipzig");
  assert.equal(await result.locator("b").count(), 0, "markup is text");
  await ada.fits_the_screen();
  await ada.is_accessible();
  await ada.label("Search the conversation").fill("no such words");
  await ada.heading("Nothing matches").waitFor();
  await ada.button("Back to the conversation").click();
  await ada.log.getByText("On Friday.").waitFor();
  assert.equal((await ada.said()).length, 4);
});

test("the search looks through everything, page by page, and only in the user's own agents", async (t) => {
  const { owner, id, box, talk } = await story_of(t);
  for (const round of [1, 2, 3]) await talk(`needle ${round} Straße`, `answer ${round}`);
  const search = (query) => owner.call("GET", `/api/chat?agentId=${id}&${query}`);
  const first = (await search("q=NEEDLE&limit=2")).body;
  assert.deepEqual(asked(first.messages), ["needle 2 Straße", "needle 3 Straße"]);
  const rest = (await search(`q=NEEDLE&limit=2&before=${first.next}`)).body;
  assert.deepEqual([asked(rest.messages), rest.next ?? null], [["needle 1 Straße"], null]);
  assert.equal((await search(`q=${encodeURIComponent("Straße")}`)).body.count, 3);
  const of_agent = await owner.call("GET", `/api/agents/${id}/messages?q=answer`);
  assert.equal(of_agent.body.count, 3);
  assert.equal((await search("q=%20")).status, 400);
  const mallory = await box.customer("mallory@example.org");
  assert.equal((await mallory.call("GET", `/api/chat?agentId=${id}&q=needle`)).status, 404);
});

test("files are put into the workspace and named in the question", async (t) => {
  const { ada, id, owner, model } = await story_of(t);
  await ada.page.goto(`/agents/${id}`);
  await ada.sees_status("running");
  const [chooser] = await Promise.all([ada.page.waitForEvent("filechooser"), ada.button("Attach files").click()]);
  await chooser.setFiles([
    { name: "plan.md", mimeType: "text/markdown", buffer: Buffer.from("# Plan\n") },
    { name: "<b>x</b>.txt", mimeType: "text/plain", buffer: Buffer.from("x") },
  ]);
  const attached = ada.page.getByRole("list", { name: "Files for the agent" });
  await attached.getByText("uploads/plan.md").waitFor();
  await ada.is_accessible();
  await ada.button("Remove uploads/<b>x</b>.txt").click();
  // Files can be dropped on the conversation, too.
  await ada.page.evaluate(() => {
    const files = new DataTransfer();
    files.items.add(new File(["dropped"], "dropped.txt"));
    const zone = document.querySelector(".chat");
    for (const type of ["dragenter", "dragover", "drop"])
      zone.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: files }));
  });
  await attached.getByText("uploads/dropped.txt").waitFor();
  // And pasted.
  await ada.page.evaluate((png) => {
    const files = new DataTransfer();
    files.items.add(new File([Uint8Array.from(atob(png), (c) => c.charCodeAt(0))], "dot.png", { type: "image/png" }));
    document.querySelector("#draft").dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: files }));
  }, "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");
  await attached.getByText("uploads/dot.png").waitFor();
  model.knows_caller = false; // it gets the picture
  model.will(say("I have read it."));
  await ada.say("Please read this.");
  await ada.log.getByText("I have read it.").waitFor();
  const { messages } = (await owner.call("GET", `/api/chat?agentId=${id}`)).body;
  assert.deepEqual(asked(messages), ["Please read this."]);
  assert.match(JSON.stringify(model.asked[0].messages.at(-1).content), /"image_url"/);
  assert.deepEqual(messages[0].files, ["uploads/plan.md", "uploads/dropped.txt", "uploads/dot.png"]);
  // They are shown in the conversation, pictures as pictures, and lead to the files.
  const shown = ada.log.getByRole("list", { name: "Attached files" });
  await until("the picture", () => shown.locator("img").evaluate(({ naturalWidth }) => naturalWidth === 1));
  await ada.is_accessible();
  await ada.fits_the_screen();
  assert.match(await shown.getByRole("link", { name: "plan.md" }).getAttribute("href"), /\/files\?path=uploads%2Fplan\.md$/);
  // A question may be files alone.
  await ada.page.evaluate(() => {
    const files = new DataTransfer();
    files.items.add(new File(["more"], "more.txt"));
    document.querySelector("#draft").dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: files }));
  });
  await attached.getByText("uploads/more.txt").waitFor();
  model.will(say("And that one."));
  await ada.button("Send").click();
  await ada.log.getByText("See the attached files.").waitFor();
  await ada.log.getByText("And that one.").waitFor();
  const { files } = (await owner.call("GET", `/api/files?agentId=${id}&path=uploads`)).body;
  const paths = files.filter(({ type }) => type === "file").map(({ path }) => path);
  assert.deepEqual(paths.sort(), ["uploads/<b>x</b>.txt", "uploads/dot.png", "uploads/dropped.txt", "uploads/more.txt", "uploads/plan.md"]);
});

test("code is coloured in both schemes, and unknown languages are plain", async (t) => {
  const { ada, id, talk } = await story_of(t);
  await talk("Code?", "```python\ndef answer():\n    return 42  # always\n```\n\n```nosuch\n<script>alert(1)</script>\n```");
  await ada.page.goto(`/agents/${id}`);
  await ada.log.locator(".hljs-keyword").first().waitFor();
  assert.equal(await ada.log.locator("pre").first().innerText(), "def answer():\n    return 42  # always");
  assert.equal(await ada.log.locator("pre").last().innerText(), "<script>alert(1)</script>");
  await until("accessible colours", async () => (await ada.is_accessible(), true));
});

for (const [place, viewport] of Object.entries({ "a desktop": DESKTOP, "a phone": PHONE }))
  test(`conversations are begun, renamed, archived and deleted on ${place}`, async (t) => {
    const { ada, id, owner, model, talk } = await story_of(t, { viewport });
    await talk("Where do herons nest?", "In reeds.");
    await ada.page.goto(`/agents/${id}`);
    await ada.sees_status("running");
    await ada.log.getByText("In reeds.").waitFor();
    const list = ada.page.getByRole("navigation", { name: "Conversations" });
    const opens_list = async () => {
      const toggle = list.getByRole("button", { name: /^Conversations \(/ });
      if ((await toggle.isVisible()) && (await toggle.getAttribute("aria-pressed")) !== "true") await toggle.click();
    };
    await opens_list();
    await list.getByRole("link", { name: "Where do herons nest?" }).waitFor();

    await ada.button("New conversation").click();
    await ada.page.waitForURL(/\?c=c_/);
    await ada.log.getByText("In reeds.").waitFor({ state: "detached" });
    model.will(say("In trees."));
    const draft = ada.page.getByRole("textbox", { name: "Message to Scout" });
    await draft.fill("And storks?");
    await draft.press("Enter");
    await ada.log.getByText("In trees.").waitFor();
    assert.doesNotMatch(JSON.stringify(model.asked.at(-1)), /herons/);
    await opens_list();
    await list.getByRole("link", { name: "And storks?" }).waitFor();
    await ada.is_accessible();

    await ada.in_menu("More about “And storks?”", "Rename");
    const dialog = ada.page.getByRole("dialog");
    await dialog.getByLabel("Title").fill("Birds");
    await dialog.getByRole("button", { name: "Save" }).click();
    await list.getByRole("link", { name: "Birds" }).waitFor();
    await list.getByRole("link", { name: "Where do herons nest?" }).click();
    await ada.log.getByText("In reeds.").waitFor();
    await ada.in_menu("More about “Where do herons nest?”", "Archive");
    await opens_list();
    await list.getByRole("link", { name: "Birds" }).click();
    await list.getByRole("link", { name: "Where do herons nest?" }).waitFor({ state: "detached" });
    await ada.in_menu("More about “Birds”", "Delete");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await list.getByRole("link", { name: "Birds" }).waitFor({ state: "detached" });
    const { conversations } = (await owner.call("GET", `/api/agents/${id}/conversations`)).body;
    assert.deepEqual(
      conversations.map(({ title, archived }) => [title, archived]),
      [["Where do herons nest?", true]],
    );
  });
