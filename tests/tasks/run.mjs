// ./dev tasks --model NAME [--only PART] [--times N]: the tasks with a real model. The box takes its provider from the environment, as
// always: LOCAL_MODEL_URL, OPENROUTER_API_KEY, ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_API_KEY. Prints a line for each task and, at
// the end, pass rate, rounds, tokens and cost; docs/agent.md says how to read them. Exits with 1 if a task failed.
import { parseArgs } from "node:util";
import { Box } from "../e2e/support/box.mjs";
import { serve_site } from "../e2e/peers/http_site.mjs";
import { answer_site, tasks as of_days } from "./days.mjs";
import { tasks as of_documents } from "./documents.mjs";
import { tasks as of_files } from "./files.mjs";
import { perform } from "./harness.mjs";
import { tasks as of_memory } from "./memory.mjs";
import { tasks as of_messages } from "./messages.mjs";

const { values } = parseArgs({ options: { model: { type: "string" }, only: { type: "string" }, times: { type: "string", default: "1" } } });
if (!values.model) {
  console.error("usage: ./dev tasks --model NAME [--only PART] [--times N]");
  process.exit(2);
}
const passed_on = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(LOCAL|OPENROUTER|ANTHROPIC|OPENAI|GOOGLE)_|^AI_MODEL_TIMEOUT_MS$/.test(name)),
);
const model_settings = { LOCAL_MODEL: values.model, OPENROUTER_MODEL: values.model };

const undo = [];
const t = { after: (clean) => undo.push(clean) };
let failed = 0;
try {
  const site = await serve_site(
    t,
    answer_site(() => site.url),
  );
  const box = await Box.start(t, {
    AI_MODEL_TIMEOUT_MS: "300000",
    ...passed_on,
    ...model_settings,
    SUMMARIZER_ALLOW_PRIVATE: "true",
    SEARCH_URL: `${site.url}/searx`,
  });
  const person = await box.customer("ada@example.org", "network");
  const chosen = [...of_files, ...of_days, ...of_documents, ...of_memory, ...of_messages].filter(
    ({ name, area }) => !values.only || `${area}: ${name}`.includes(values.only),
  );
  const usage = async () => (await box.backend_call("GET", `/api/usage/summary?userId=${person.id}`)).day;
  const totals = {};
  for (const task of chosen.flatMap((each) => Array(Number(values.times)).fill(each))) {
    const before = await usage();
    const began = Date.now();
    let problem = "";
    try {
      await perform(task, { box, person, site });
    } catch (error) {
      problem = error.message.split("\n")[0].slice(0, 200);
    }
    const after = await usage();
    const figures = {
      rounds: after.calls - before.calls,
      tokens: after.totalTokens - before.totalTokens,
      cost: Number(after.cost) - Number(before.cost),
      seconds: (Date.now() - began) / 1000,
    };
    const total = (totals[task.area] ??= { tasks: 0, passed: 0, rounds: 0, tokens: 0, cost: 0, seconds: 0 });
    total.tasks += 1;
    total.passed += problem ? 0 : 1;
    for (const name of Object.keys(figures)) total[name] += figures[name];
    failed += problem ? 1 : 0;
    console.log(
      `${problem ? "FAIL" : "pass"}  ${task.area}: ${task.name}  ${figures.rounds} rounds, ${figures.tokens} tokens, $${figures.cost.toFixed(4)}, ${figures.seconds.toFixed(1)} s${problem && `\n      ${problem}`}`,
    );
  }
  console.log(`\nmodel ${values.model}`);
  for (const [area, total] of Object.entries(totals))
    console.log(
      `${area}: ${total.passed} of ${total.tasks} passed, ${(total.rounds / total.tasks).toFixed(1)} rounds, ${Math.round(total.tokens / total.tasks)} tokens, $${(total.cost / total.tasks).toFixed(4)} a task`,
    );
} finally {
  for (const clean of undo.reverse()) await clean();
}
process.exit(failed ? 1 : 0);
