// A vendor with OpenAI's API that lists its models, which need not be those of the catalogue, and has no others.
import { once } from "node:events";
import { createServer } from "node:http";

const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };

export const start_vendor = async (t, listed) => {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const reply = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === "/v1/models") return reply(200, { data: listed.map((id) => ({ id })) });
    const { model, stream } = JSON.parse(text);
    vendor.asked.push(model);
    if (!listed.includes(model))
      return reply(404, { error: { message: `The model \`${model}\` does not exist`, code: "model_not_found" } });
    if (!stream) {
      const choices = [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }];
      return reply(200, { id: "a", object: "chat.completion", model, choices, usage });
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of [
      { choices: [{ index: 0, delta: { role: "assistant", content: "Yes." }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { choices: [], usage },
    ])
      response.write(`data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", model, ...chunk })}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const vendor = { url: `http://127.0.0.1:${server.address().port}/v1`, asked: [] };
  return vendor;
};
