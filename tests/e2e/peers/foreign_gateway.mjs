// A program of a foreign image, which behaves as OpenClaw does at the points where it differs from the box's own agent:
// it refuses requests that show signs of a proxy, answers only to its own model name, finds its models by OpenAI's
// environment variables, and keeps its state in its home folder. It runs inside the container.
import { appendFileSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";

const { HOME, OPENAI_BASE_URL, OPENAI_API_KEY, OPENCLAW_GATEWAY_TOKEN } = process.env;
const state = `${HOME}/.openclaw`;
mkdirSync(state, { recursive: true });

const reply = (response, status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const refuse = (response, status, type, message) => reply(response, status, { error: { type, message } });

const complete = async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  const { model, messages, stream } = JSON.parse(text);
  if (!/^openclaw([/:]|$)/.test(model))
    return refuse(response, 400, "invalid_request_error", "Invalid `model`. Use `openclaw` or `openclaw/<agentId>`.");
  appendFileSync(`${state}/session.jsonl`, `${JSON.stringify(messages)}\n`);
  const answer = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages, stream }),
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") });
  for await (const part of answer.body) response.write(part);
  response.end();
};

createServer((request, response) => {
  if (request.url === "/healthz") return reply(response, 200, { ok: true });
  if (request.url === "/readyz") return reply(response, 200, { ready: true });
  const signs = Object.keys(request.headers).filter((name) => /^(x-)?forwarded|^x-real-ip$/.test(name));
  if (signs.length > 0) return refuse(response, 403, "proxy_attribution_required", signs.join());
  if (request.headers.authorization !== `Bearer ${OPENCLAW_GATEWAY_TOKEN}`) return refuse(response, 401, "unauthorized", "No token.");
  if (request.url === "/v1/models")
    return reply(response, 200, { object: "list", data: ["openclaw", "openclaw/main"].map((id) => ({ id, object: "model" })) });
  if (request.url === "/v1/chat/completions") return complete(request, response).catch((error) => response.destroy(error));
  reply(response, 200, { page: request.url });
}).listen(18789, "0.0.0.0");
process.on("SIGTERM", () => process.exit(0));
