// Terminals as a page has them: what is typed, and what is shown.
import assert from "node:assert/strict";
import { follow_events } from "./event_stream.mjs";
import { until } from "./box.mjs";

export const include_terminals = (box, plan, included = true) =>
  box.backend_call("PUT", `/api/admin/plans/${plan}/terminals`, { included });

export const open_terminal = async (t, box, person, agent, size = { columns: 80, rows: 24 }) => {
  const path = `/api/agents/${agent}/terminals`;
  const opened = await person.call("POST", path, size);
  assert.equal(opened.status, 201, JSON.stringify(opened.body));
  const terminal = { id: opened.body.id, path: `${path}/${opened.body.id}`, seen: 0 };
  terminal.stream = follow_events(t, new URL(terminal.path, box.web), { cookie: person.cookie });
  terminal.text = () =>
    terminal.stream
      .of("output")
      .map(({ text }) => text)
      .join("");
  terminal.end = () => terminal.stream.of("end")[0];
  terminal.type = async (text) => {
    const { status, body } = await person.call("POST", `${terminal.path}/input`, { text });
    assert.equal(status, 200, JSON.stringify(body));
  };
  // Until it is shown after what was seen before.
  terminal.shows = async (words, time = 20_000) => {
    const found = () => terminal.text().indexOf(words, terminal.seen);
    await until(`the terminal shows ${JSON.stringify(words)}`, () => found() >= 0, time).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(terminal.text().slice(-2_000))}`);
    });
    terminal.seen = found() + words.length;
  };
  // What a command shows before the next prompt.
  terminal.says = async (command) => {
    const mark = `done-${Math.random().toString(36).slice(2)}`;
    const begin = terminal.text().length;
    await terminal.type(`${command}; echo ${mark.slice(0, 3)}''${mark.slice(3)}\r`);
    await terminal.shows(mark);
    return terminal.text().slice(begin);
  };
  terminal.ends = async (time = 20_000) => {
    await until("the terminal has ended", () => terminal.end() !== undefined, time);
    return terminal.end();
  };
  return terminal;
};

// The id of one that nobody reads.
export const running_terminal = async (box, owner, agent) => {
  await include_terminals(box, "solo");
  const opened = await owner.call("POST", `/api/agents/${agent}/terminals`, { columns: 80, rows: 24 });
  assert.ok(opened.status === 201 || opened.status === 409, JSON.stringify(opened.body)); // 409: as for commands
  return opened.body.id ?? "term_bbbbbbbbbbbbbbbb";
};
