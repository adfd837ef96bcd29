// Stand-ins for the APIs of Anthropic and Google: strict about their published forms, and quick to answer.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

const only = (object, known, where) => {
  for (const name of Object.keys(object)) assert.ok(known.includes(name), `${where} has no ${name}`);
};
const check_base64 = (data, where) => assert.equal(Buffer.from(data, "base64").toString("base64"), data, `${where} is base64`);
const check_image_type = (type, where) =>
  assert.ok(["image/png", "image/jpeg", "image/gif", "image/webp"].includes(type), `${where} is a type of image: ${type}`);

const check_block = (block, where) => {
  assert.ok(["text", "image"].includes(block.type), `${where} has a known type`);
  if (block.type === "text") return assert.ok(block.text.length > 0, `${where} says something`);
  const { type, ...source } = block.source;
  if (type === "url") {
    only(source, ["url"], where);
    return assert.match(source.url, /^https:/);
  }
  assert.equal(type, "base64");
  only(source, ["media_type", "data"], where);
  check_image_type(source.media_type, where);
  check_base64(source.data, where);
};
const check_anthropic = ({ method, url, headers }, body) => {
  assert.deepEqual([method, url, headers["anthropic-version"]], ["POST", "/v1/messages", "2023-06-01"]);
  only(body, ["model", "max_tokens", "messages", "system", "stream", "temperature", "top_p", "stop_sequences"], "the body");
  assert.ok(Number.isInteger(body.max_tokens) && body.max_tokens > 0, "an answer has a limit");
  for (const [at, message] of body.messages.entries()) {
    assert.equal(message.role, at % 2 === 0 ? "user" : "assistant", "turns alternate");
    for (const [index, block] of message.content.entries()) check_block(block, `messages[${at}].content[${index}]`);
  }
};
const anthropic_answer = ({ model, stream }, text) => {
  const usage = { input_tokens: 30, output_tokens: 5 };
  const head = { id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null };
  if (!stream) return { body: { ...head, content: [{ type: "text", text }], stop_reason: "end_turn", usage } };
  const events = [
    { type: "message_start", message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    ...text.split(/(?<= )/).map((piece) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  return { events: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) };
};

const check_part = (part, where) => {
  if (part.text !== undefined) {
    only(part, ["text"], where);
    return assert.ok(part.text.length > 0, `${where} says something`);
  }
  only(part, ["inlineData"], where);
  check_image_type(part.inlineData.mimeType, where);
  check_base64(part.inlineData.data, where);
};
const check_google = ({ method, url }, body) => {
  assert.equal(method, "POST");
  assert.match(url, /^\/v1beta\/models\/[\w.-]+:(generateContent|streamGenerateContent\?alt=sse)$/);
  only(body, ["contents", "generationConfig", "systemInstruction"], "the body");
  assert.ok(body.generationConfig.maxOutputTokens > 0, "an answer has a limit");
  for (const [at, { role, parts }] of body.contents.entries()) {
    assert.equal(role, at % 2 === 0 ? "user" : "model", "turns alternate");
    for (const [index, part] of parts.entries()) check_part(part, `contents[${at}].parts[${index}]`);
  }
};
const google_answer = (body, text, url) => {
  const answer = (piece, finish) => ({
    candidates: [{ content: { role: "model", parts: [{ text: piece }] }, index: 0, ...finish }],
    usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 5, totalTokenCount: 35 },
    modelVersion: "gemini",
    responseId: "r1",
  });
  if (!url.includes("alt=sse")) return { body: answer(text, { finishReason: "STOP" }) };
  const pieces = text.split(/(?<= )/);
  return {
    events: pieces.map(
      (piece, at) => `data: ${JSON.stringify(answer(piece, at === pieces.length - 1 && { finishReason: "STOP" }))}\r\n\r\n`,
    ),
  };
};

class VendorServer {
  asked = []; // the bodies, oldest first
  keys = [];
  faults = []; // what was wrong with a request; there must be none at the end of the test

  static async start(t, path, key_header, check, answer) {
    const vendor = new VendorServer();
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const part of request) text += part;
      if (request.method === "GET") return response.writeHead(404).end(); // it does not say which models it has
      const body = JSON.parse(text);
      vendor.asked.push(body);
      vendor.keys.push(request.headers[key_header]);
      try {
        check(request, body);
      } catch (fault) {
        vendor.faults.push(fault.message);
        return response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: { message: fault.message } }));
      }
      const given = answer(body, "A small picture.", request.url);
      response.writeHead(200, { "content-type": given.events ? "text/event-stream" : "application/json" });
      response.end(given.events ? given.events.join("") : JSON.stringify(given.body));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    vendor.url = `http://127.0.0.1:${server.address().port}${path}`;
    return vendor;
  }
}

export const start_anthropic = (t) => VendorServer.start(t, "/v1", "x-api-key", check_anthropic, anthropic_answer);
export const start_google = (t) => VendorServer.start(t, "/v1beta", "x-goog-api-key", check_google, google_answer);
