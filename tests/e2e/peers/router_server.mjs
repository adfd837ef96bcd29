// A stand-in for the multi-model router, or for OpenAI: answers by the model that is asked, embeds, and tells when a caller has
// hung up.
import { once } from "node:events";
import { createServer } from "node:http";

export const served = (model, { usage = [10, 5], text = `Served by ${model}.` } = {}) => ({
  status: 200,
  body: {
    id: "gen-1",
    object: "chat.completion",
    model: `${model}-20260101`,
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: usage[0], completion_tokens: usage[1], total_tokens: usage[0] + usage[1] },
  },
});
export const failed = (status, headers = {}) => ({ status, headers, body: { error: { message: `status ${status}` } } });
export const hangs = { hangs: true };
export const resets = { resets: true }; // the connection, with the request read whole
export const pings = { pings: true }; // comments of a stream, and no event ever

const embedded = ({ model, input }) => ({
  object: "list",
  model,
  usage: { prompt_tokens: 4, total_tokens: 4 },
  data: [input].flat().map((_, index) => ({ object: "embedding", index, embedding: [0.5, index] })),
});

export class RouterServer {
  asked = []; // the bodies, oldest first
  keys = []; // what each was asked with
  connections = 0;
  hung_up = 0; // calls whose caller left before the answer
  answers = {}; // by model: an answer, a promise of one, or a function of the body that makes one; else the model serves

  static async start(t) {
    const router = new RouterServer();
    const server = createServer((request, response) => void router.#answer(request, response));
    server.on("connection", () => ++router.connections);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    router.url = `http://127.0.0.1:${server.address().port}`;
    return router;
  }
  get models() {
    return this.asked.map((body) => body.model);
  }
  get newest_key() {
    return this.keys.at(-1);
  }

  async #answer(request, response) {
    let text = "";
    for await (const part of request) text += part;
    // It does not say which models it has.
    if (request.method === "GET")
      return void response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"not found"}}');
    const body = JSON.parse(text || "{}");
    this.asked.push(body);
    this.keys.push(request.headers.authorization?.replace("Bearer ", ""));
    if (request.url.endsWith("/embeddings"))
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(embedded(body)));
    response.on("close", () => (this.hung_up += response.writableFinished ? 0 : 1));
    const planned = this.answers[body.model] ?? served(body.model);
    const answer = await (typeof planned === "function" ? planned(body) : planned);
    if (answer.hangs) return;
    if (answer.resets) return void request.socket.resetAndDestroy();
    if (answer.pings) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const beat = setInterval(() => response.write(": ping\n\n"), 20);
      return void response.on("close", () => clearInterval(beat));
    }
    if (answer.status !== 200 || !body.stream)
      return void response
        .writeHead(answer.status, { "content-type": "application/json", ...answer.headers })
        .end(JSON.stringify(answer.body));
    const {
      choices: [{ message }],
      usage,
      ...head
    } = answer.body;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (event) => response.write(`data: ${JSON.stringify({ ...head, ...event })}\n\n`);
    for (const word of message.content.split(/(?<= )/)) send({ choices: [{ index: 0, delta: { content: word }, finish_reason: null }] });
    if (answer.stalls) return;
    if (answer.breaks) return void response.end(`data: ${JSON.stringify({ error: { message: answer.breaks } })}\n\n`);
    send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    send({ choices: [], usage });
    if (answer.lingers) return void response.write("data: [DONE]\n\n");
    response.end("data: [DONE]\n\n");
  }
}
