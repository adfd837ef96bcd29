// What no model is asked: bad input at both doors is 400 by the name of the field, before anybody is asked or anything metered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAST, messages, story_of } from "../support/ai_story.mjs";
import { INTERNAL_KEY, send } from "../support/box.mjs";

const says = (content, role = "user") => ({ messages: [{ role, content }] });
const with_number = (field, text) => `{"messages":[{"role":"user","content":"x"}],"${field}":${text}}`;
const tool = (name) => ({ type: "function", function: { name } });

// By the field that the answer names: bodies as objects, or as they go over the wire.
const BAD = {
  messages: [
    {},
    { messages: null },
    { messages: [] },
    { messages: "hi" },
    { messages: {} },
    { messages: Array(10_000).fill(messages[0]) },
    `{"messages":${"[".repeat(100)}${"]".repeat(100)}}`,
    '{"messages":[{"role":"user","content":"x"}],"messages":[]}',
  ],
  "messages[0].role": [says("x", "robot"), says("x", ""), says("x", 7), says("x", null), { messages: [{ content: "x" }] }],
  "messages[0].content": [
    says(""),
    says(null),
    says([]),
    says([{ type: "text", text: "" }]),
    says(7),
    says({}),
    { messages: [{ role: "user" }] },
    '{"messages":[{"role":"user","content":"\\ud800"}]}',
    Buffer.from([...Buffer.from('{"messages":[{"role":"user","content":"'), 0xff, ...Buffer.from('"}]}')]),
  ],
  model: [
    { messages, model: "nobody/nothing" },
    { messages, model: 7 },
    { messages, model: "x".repeat(201) },
    { messages, model: "a\nb" },
    { messages, model: "../../etc/passwd" },
  ],
  temperature: [...["NaN", "-Infinity", "1e999", "-0.1", "2.1", '"1"', "[]", "true"].map((text) => with_number("temperature", text))],
  top_p: ["-1", "1.1", "NaN", '"1"'].map((text) => with_number("top_p", text)),
  max_tokens: [
    ...["0", "-5", "1.5", "1e300", "9223372036854775808", "1000001", "NaN", "true", '"5"'].map((text) => with_number("max_tokens", text)),
    { messages, model: FAST[1], max_tokens: 900_000 },
    { messages, model: FAST[0], max_tokens: 65_537 },
  ],
  stream: [
    { messages, stream: "yes" },
    { messages, stream: 1 },
  ],
  Body: ["", "[]", "null", "{", `${JSON.stringify({ messages })}x`],
};
const ONLY_CONTRACT = {
  "messages[0].role": [says("x", "tool"), says("x", "developer")],
  "messages[0].content": [says(" \n\t"), says("", "system")],
  "messages[1].content": [{ messages: [...messages, { role: "assistant", content: "" }] }],
  "messages[0].tool_calls": [
    {
      messages: [
        { role: "assistant", content: "x", tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }] },
      ],
    },
  ],
  taskType: [
    { messages, taskType: 7 },
    { messages, taskType: "x".repeat(101) },
  ],
};
const ONLY_CLIENTS = {
  max_completion_tokens: [
    { messages, max_tokens: 5, max_completion_tokens: 900_000_000 },
    { messages, max_completion_tokens: 0 },
  ],
  max_tokens: [{ messages, model: FAST[0], max_completion_tokens: 65_537 }],
  tools: [
    { messages, tools: {} },
    { messages, tools: Array(129).fill(tool("f")) },
  ],
  "tools[0]": [
    { messages, tools: [7] },
    { messages, tools: [tool("no spaces please")] },
    { messages, tools: [tool("x".repeat(65))] },
  ],
  "messages[0].tool_call_id": [says("x", "tool")],
  n: [
    { messages, n: 5 },
    { messages, n: -1 },
  ],
  stop: [
    { messages, stop: Array(17).fill("x") },
    { messages, stop: 7 },
  ],
  seed: [with_number("seed", "1.5"), with_number("seed", "1e30")],
  logit_bias: [
    { messages, logit_bias: { 1: 101 } },
    { messages, logit_bias: [] },
  ],
  presence_penalty: [{ messages, presence_penalty: 3 }],
  nonsense: [{ messages, nonsense: 1 }],
};

test("bad input is refused by the name of the field, and nobody is asked", async (t) => {
  const { box, router, paying, door, month } = await story_of(t);
  const { key } = await door();
  const doors = [
    ["/api/ai/chat", { authorization: `Bearer ${INTERNAL_KEY}`, ...paying }, ONLY_CONTRACT],
    ["/v1/chat/completions", { authorization: `Bearer ${key}` }, ONLY_CLIENTS],
  ];
  for (const [path, headers, only] of doors)
    for (const [field, bodies] of [BAD, only].flatMap(Object.entries))
      for (const given of bodies) {
        const body = typeof given === "string" || Buffer.isBuffer(given) ? given : JSON.stringify(given);
        const answer = await send(box.backend, "POST", path, { headers: { "content-type": "application/json", ...headers }, body });
        const what = `${path} ${body.toString().slice(0, 100)}: ${answer.text}`;
        const is_unknown_model = path.startsWith("/v1") && answer.body?.error?.code === "model_not_found";
        assert.equal(answer.status, is_unknown_model ? 404 : 400, what); // as OpenAI has it
        const sentence = path.startsWith("/v1") ? answer.body.error.message : answer.body.error;
        assert.ok(sentence.includes(field), `${what} names ${field}`);
      }
  for (const [path, headers] of doors) {
    const long = await send(box.backend, "POST", path, {
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(says("x".repeat(1 << 20))),
    });
    assert.equal(long.status, 413, long.text);
  }
  assert.deepEqual([router.asked.length, (await month()).calls, (await month()).totalTokens], [0, 0, 0]);
});

test("unusual but valid requests pass unchanged", async (t) => {
  const { router, chat, door } = await story_of(t, "network");
  const { ask } = await door();
  const odd = ["a\u0000b", "\u202e", "👩‍👩‍👧‍👦".repeat(1000), "\\u0000", '"}]}', "x".repeat(1_000_000)];
  for (const content of odd)
    for (const asking of [
      () => chat({ messages: [{ role: "user", content }] }),
      () => ask("chat/completions", { model: FAST[0], ...says(content) }),
    ]) {
      const answer = await asking();
      assert.equal(answer.status, 200, `${content.slice(0, 20)}: ${answer.text}`);
      assert.deepEqual(router.asked.at(-1).messages, [{ role: "user", content }]);
    }
  assert.equal((await chat({ taskType: "__proto__", max_tokens: 1e3 })).status, 200);
  assert.equal(router.asked.at(-1).max_tokens, 1000);
  const least = await ask("chat/completions", { messages, max_tokens: 900, max_completion_tokens: 40 });
  assert.deepEqual([least.status, router.asked.at(-1).max_tokens], [200, 40]);
});
