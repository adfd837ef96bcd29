// The words of the AI layer's stories.
import assert from "node:assert/strict";
import { Box, INTERNAL_KEY, send } from "./box.mjs";
import { RouterServer } from "../peers/router_server.mjs";

export const FAST = ["google/gemini-3.1-flash-lite", "openai/gpt-4o-mini", "anthropic/claude-haiku-4.5"]; // the tier, in order
export const messages = [{ role: "user", content: "Where is the lighthouse?" }];

// A box with the router, Ada with a plan, and the words to ask as whoever her headers say.
export const story_of = async (t, plan = "solo", env = {}) => {
  const router = await RouterServer.start(t);
  const box = await Box.start(t, { OPENROUTER_API_KEY: "sk-router", OPENROUTER_BASE_URL: router.url, ...env });
  const ada = await box.customer("ada@example.org", plan);
  const { subscriptionId } = await box.backend_call("GET", "/api/admin/users/ada@example.org");
  const paying = { "x-user-plan": plan, "x-billing-subscription-id": subscriptionId };
  const call = (method, path, body, headers = paying) =>
    send(box.backend, method, path, {
      headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
  const chat = (body = {}, headers = paying) => call("POST", "/api/ai/chat", { messages, ...body }, headers);
  const month = async (user = ada.id) => (await box.backend_call("GET", `/api/usage/summary?userId=${user}`)).month;
  // The door for OpenAI's clients, with a new key of a person's: a function (path, body) that asks, and the key's id.
  const door = async (person = ada, given = {}) => {
    const { key, id } = (await person.call("POST", "/api/keys", { name: "script", ...given })).body;
    const ask = (path, body) =>
      send(box.backend, "POST", `/v1/${path}`, {
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    return { ask, key, id };
  };
  return { box, router, ada, paying, call, chat, month, door };
};
export const refused = (answer, status, code) => {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual([answer.body.success, answer.body.code, typeof answer.body.error], [false, code, "string"], answer.text);
  return answer;
};
