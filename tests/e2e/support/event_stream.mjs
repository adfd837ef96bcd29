// A reader of server-sent events: {status, events: [{id, event, data}], closed, close(), of(name)}, of() with the data of
// the events of one name. It ends with the story.
import { get } from "node:http";

export const follow_events = (t, url, headers) => {
  const stream = { events: [], closed: false };
  const asked = get(url, { headers, agent: false });
  t.after(() => asked.destroy());
  asked.on("error", () => (stream.closed = true));
  asked.on("response", (answer) => {
    stream.status = answer.statusCode;
    let text = "";
    answer.setEncoding("utf8");
    answer.on("data", (piece) => {
      const blocks = (text += piece).split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        const field = Object.fromEntries(
          block.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
        );
        if (field.event) stream.events.push({ ...field, data: JSON.parse(field.data) });
      }
    });
    answer.on("close", () => (stream.closed = true));
    answer.on("error", () => (stream.closed = true));
  });
  stream.close = () => asked.destroy();
  stream.of = (name) => stream.events.filter(({ event }) => event === name).map(({ data }) => data);
  return stream;
};
