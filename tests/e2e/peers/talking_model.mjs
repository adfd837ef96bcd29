// A model server that answers each question by a function of the story, at once or piece by piece.
import { once } from "node:events";
import { createServer } from "node:http";

export class TalkingModel {
  asked = []; // texts of the last user messages, oldest first
  hears = undefined; // what is said in every sound; then there is a model that writes it down
  heard = []; // the forms with sounds
  reply = (text) => `You said: ${text}`; // text, or a promise of it; with (text, says): says(piece) sends a piece at once
  #server = createServer((request, response) => void this.#answer(request, response));

  static async start(t) {
    const model = new TalkingModel();
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    model.url = `http://127.0.0.1:${model.#server.address().port}/v1`;
    t.after(() => {
      model.#server.closeAllConnections();
      model.#server.close();
    });
    return model;
  }

  async #answer(request, response) {
    let text = "";
    for await (const part of request) text += part;
    if (request.method === "GET") {
      response.setHeader("content-type", "application/json");
      const models = ["parrot", ...(this.hears ? ["whisper-1"] : [])];
      return response.end(JSON.stringify({ object: "list", data: models.map((id) => ({ id, object: "model" })) }));
    }
    if (request.url.endsWith("/audio/transcriptions")) {
      this.heard.push(text);
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify({ text: this.hears }));
    }
    const { messages, tools } = JSON.parse(text);
    const question = messages.findLast(({ role }) => role === "user").content;
    this.asked.push(question);
    this.last = messages;
    this.tools = tools;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (delta, finish_reason = null) =>
      response.write(
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "parrot", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      );
    const rest = await this.reply(question, (content) => chunk({ content }));
    if (response.destroyed) return;
    if (rest) chunk({ content: rest });
    chunk({}, "stop");
    response.end("data: [DONE]\n\n");
  }
}
