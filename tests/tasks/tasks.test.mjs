// Every task with its scripted model: what the tools do, from the message of the owner to the state at the end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box } from "../e2e/support/box.mjs";
import { serve_site } from "../e2e/peers/http_site.mjs";
import { ModelServer } from "../e2e/peers/model_server.mjs";
import { answer_site, tasks as of_days } from "./days.mjs";
import { tasks as of_documents } from "./documents.mjs";
import { tasks as of_files } from "./files.mjs";
import { perform } from "./harness.mjs";
import { tasks as of_memory } from "./memory.mjs";
import { tasks as of_messages } from "./messages.mjs";

const tasks = [...of_files, ...of_days, ...of_documents, ...of_memory, ...of_messages];

for (const area of new Set(tasks.map((task) => task.area)))
  test(`tasks of ${area}`, async (t) => {
    const model = await ModelServer.start(t);
    const site = await serve_site(
      t,
      answer_site(() => site.url),
    );
    const box = await Box.start(t, { LOCAL_MODEL_URL: model.url, SUMMARIZER_ALLOW_PRIVATE: "true", SEARCH_URL: `${site.url}/searx` });
    const person = await box.customer("ada@example.org");
    for (const task of tasks.filter((each) => each.area === area))
      await t.test(task.name, async () => {
        try {
          await perform(task, { box, person, model, site });
          model.check();
          assert.deepEqual((await person.call("GET", "/api/asks")).body.asks, [], "nothing that the owner says needs a question");
        } finally {
          model.script.length = 0;
          model.faults.length = 0;
        }
      });
  });
