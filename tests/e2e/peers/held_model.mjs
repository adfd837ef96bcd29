// A model server that works on few requests at once.
import { once } from "node:events";
import { createServer } from "node:http";

// A server that answers each request when the test says so, and tells its slots as llama.cpp does.
export const start_server = async (t, slots) => {
  const held = []; // {prompt, answer}, in the order in which they came
  const load = {}; // running and waiting, in vLLM's metrics, once they are set
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const reply = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === "/props" && slots) return reply(200, { total_slots: slots });
    if (request.url === "/metrics" && load.running !== undefined)
      return response
        .writeHead(200, { "content-type": "text/plain" })
        .end(
          `vllm:num_requests_running{model_name="small"} ${load.running}\nvllm:num_requests_waiting{model_name="small"} ${load.waiting}\n`,
        );
    if (request.url === "/v1/models") return reply(200, { data: [{ id: "small" }] });
    if (request.url !== "/v1/chat/completions") return reply(404, { error: { message: "not found" } });
    const { messages } = JSON.parse(text);
    const prompt = messages.at(-1).content;
    const choices = [{ index: 0, message: { role: "assistant", content: `Answer to ${prompt}.` }, finish_reason: "stop" }];
    held.push({
      prompt,
      answer: () =>
        reply(200, {
          id: "a",
          object: "chat.completion",
          model: "small",
          choices,
          usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
        }),
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/v1`, held, load };
};
