// The conversation with an agent: search, sending again, changed questions, files that are given to the agent, code.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { DESKTOP, open_browser, Person, PHONE } from "./browser.mjs";
import { ModelServer, say } from "../peers/model_server.mjs";

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
