// Runs a task of tests/tasks: a workspace, a conversation with an agent, and a check of what is then the case. The same task
// runs with a scripted model (tasks.test.mjs) and with a real one (run.mjs).
//
//   {
//     name: "fixes a failing function",
//     area: "files",                          files, web, memory or schedules
//     files: { "src/sum.js": "…" },           the workspace before
//     say: ["Fix the bug in src/sum.js"],     the owner's messages; RESTART starts the agent again, NEW begins a conversation
//     uploads: { "a.docx": () => bytes },     further files
//     neighbour: true,                        another agent of the owner is there: world.neighbour
//     check: async (world) => { … },          throws if the task was not done
//     script: (world) => [call(…), say(…)],   what a good model does, for the peers' model server
//   }
import assert from "node:assert/strict";
import { until } from "../e2e/support/box.mjs";
import { upload } from "../e2e/support/office.mjs";

export const RESTART = Symbol("restart");
export const NEW = Symbol("a new conversation");

// The results of the tools that the model server's last request brought back.
export const results_in = ({ messages }) => {
  const spoken = messages.findLastIndex((message) => message.role !== "tool");
  return messages.slice(spoken + 1).map((message) => JSON.parse(message.content));
};

export class World {
  constructor(box, person, agent, extras = {}) {
    Object.assign(this, { box, person, agent, answers: [], ...extras });
  }

  #files(method, path, body) {
    return this.person.call(method, `/api/agents/${this.agent}/files${path}`, body);
  }
  async write(path, content) {
    const { status, body } = await this.#files("POST", "/write", { path, content });
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  }
  // The file's text; undefined if there is none.
  async file(path) {
    const { status, body } = await this.#files("GET", `/read?path=${encodeURIComponent(path)}`);
    return status === 200 ? body.content : undefined;
  }
  // The paths of all files, sorted.
  async paths() {
    const { body } = await this.#files("GET", "/tree?depth=10");
    const below = (node) => (node.type === "file" ? [node.path] : (node.children ?? []).flatMap(below));
    return below(body.root).sort();
  }
  async say(message) {
    const { status, body } = await this.person.call("POST", "/api/chat", { agentId: this.agent, message });
    assert.equal(status, 200, `${JSON.stringify(body)} ${this.model?.faults ?? ""}`);
    this.answers.push(body);
    return body.message.content;
  }
  async begin_conversation() {
    assert.equal((await this.person.call("POST", `/api/agents/${this.agent}/conversations`, {})).status, 201);
  }
  async history() {
    return (await this.person.call("GET", `/api/chat?agentId=${this.agent}`)).body.messages;
  }
  async tasks() {
    return (await this.person.call("GET", `/api/scheduled-tasks?agentId=${this.agent}`)).body.tasks;
  }
  async memories() {
    return (await this.person.call("GET", `/api/memory?agentId=${this.agent}`)).body.memories;
  }
  async restart() {
    assert.equal((await this.person.call("POST", `/api/instance/${this.agent}/restart`)).status, 200);
    await this.box.until_status(this.person, this.agent, "running");
  }
  get answer() {
    return this.answers.at(-1)?.message.content ?? "";
  }
  get tokens() {
    return this.answers.reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
  }
}

// Begins with an agent of its own, which is deleted at the end.
export const perform = async (task, { box, person, model, site }) => {
  const agent = await box.running_agent(person, "Worker");
  const world = new World(box, person, agent, { model, site });
  try {
    for (const [path, content] of Object.entries(task.files ?? {})) await world.write(path, content);
    for (const [name, bytes] of Object.entries(task.uploads ?? {})) await upload(box, person, agent, name, bytes());
    if (task.neighbour)
      world.neighbour = (await box.backend_call("POST", "/api/agents", { name: "Neighbour", userId: person.id, config: {} })).id;
    if (model) model.will(...task.script(world));
    for (const message of task.say)
      if (message === RESTART) await world.restart();
      else if (message === NEW) await world.begin_conversation();
      else await world.say(typeof message === "function" ? message(world) : message);
    await task.check(world);
    return world;
  } finally {
    if (world.neighbour) await person.call("DELETE", `/api/agents/${world.neighbour}`);
    await person.call("DELETE", `/api/agents/${agent}`);
    await until("the agent is gone", async () => (await person.call("GET", `/api/agents/${agent}`)).status === 404);
  }
};

export const includes = (text, ...parts) => {
  for (const part of parts) assert.ok(text?.includes(part), `${JSON.stringify(part)} is in ${JSON.stringify(text)}`);
};
