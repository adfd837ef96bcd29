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

  const draft = ada.page.getByRole("textbox", { name: "Message to Scout" });
  await draft.fill("a note of mine");
  await ada.button("Edit and send again").first().click();
  assert.equal(await draft.inputValue(), "What is the plan?");
  await ada.text("You are changing an earlier question.").waitFor();
  await ada.is_accessible();
  await draft.press("Escape");
  assert.equal(await draft.inputValue(), "a note of mine", "what was typed before comes back");
  await ada.button("Edit and send again").last().click();
  await draft.fill("What is the better plan?");
  model.will(say("Third plan."));
  await draft.press("Enter");
  await ada.log.getByText("Third plan.").waitFor();
  const { messages } = (await owner.call("GET", `/api/chat?agentId=${id}`)).body;
  assert.deepEqual(asked(messages), ["What is the plan?", "What is the plan?", "What is the better plan?"]);
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
  model.will(say("I have read it."));
  await ada.say("Please read this.");
  await ada.log.getByText("I have read it.").waitFor();
  const { messages } = (await owner.call("GET", `/api/chat?agentId=${id}`)).body;
  assert.deepEqual(asked(messages), ["Please read this.\n\nFiles in your workspace: uploads/plan.md, uploads/dropped.txt"]);
  const { files } = (await owner.call("GET", `/api/files?agentId=${id}&path=uploads`)).body;
  const paths = files.filter(({ type }) => type === "file").map(({ path }) => path);
  assert.deepEqual(paths.sort(), ["uploads/<b>x</b>.txt", "uploads/dropped.txt", "uploads/plan.md"]);
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
