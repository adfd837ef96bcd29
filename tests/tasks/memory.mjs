// Tasks with what an agent remembers: over restarts, in other conversations, and in blocks.
import assert from "node:assert/strict";
import { call, say } from "../e2e/peers/model_server.mjs";
import { includes, NEW, RESTART, results_in } from "./harness.mjs";

const prompt_of = (request) => request.messages[0].content;
const texts = async (world) => (await world.memories()).map(({ text }) => text).join("\n");

export const tasks = [
  {
    name: "uses a preference in another conversation",
    say: [
      "I always want temperatures in degrees Celsius. Remember that.",
      NEW,
      "Water boils at 212 degrees Fahrenheit. Say it in my unit.",
    ],
    check: async (world) => assert.match(world.answer, /100/),
    script: () => [
      call(["remember", { text: "The owner wants temperatures in degrees Celsius" }]),
      say("Noted."),
      (request) => {
        assert.equal(request.messages.length, 2, "the new conversation is empty");
        includes(prompt_of(request), "degrees Celsius");
        return say("At 100 °C.");
      },
    ],
  },
  {
    name: "corrects a fact instead of keeping both",
    say: ["Remember: my dentist is Dr. Finch.", "I have changed my dentist: it is Dr. Wren now. Keep only that."],
    check: async (world) => {
      const kept = await texts(world);
      includes(kept, "Wren");
      assert.doesNotMatch(kept, /is Dr\. Finch/);
    },
    script: () => [
      call(["remember", { text: "The owner's dentist is Dr. Finch" }]),
      say("Noted."),
      call(["forget", { query: "dentist is Dr. Finch" }], ["remember", { text: "The owner's dentist is Dr. Wren" }]),
      say("Changed."),
    ],
  },
  {
    name: "forgets one of two similar facts",
    say: ["Remember two things: my bike lock is 4711, and my gym lock is 1234.", "Forget the code of the gym lock, and nothing else."],
    check: async (world) => {
      const kept = await texts(world);
      includes(kept, "4711");
      assert.doesNotMatch(kept, /1234/);
    },
    script: () => [
      call(["remember", { text: "The bike lock is 4711" }], ["remember", { text: "The gym lock is 1234" }]),
      say("Noted."),
      call(["recall", { query: "gym lock" }]),
      (request) => {
        const found = results_in(request)[0].memories.find(({ text }) => text.includes("1234"));
        return call(["forget", { query: found.id }]);
      },
      say("Forgotten."),
    ],
  },
  {
    name: "keeps current projects in a block",
    say: [
      "I am building a boat and writing a book. Keep my current projects in your memory block.",
      "The boat is finished. Update it.",
      RESTART,
      "Which projects do I have?",
    ],
    check: async (world) => {
      includes(world.answer.toLowerCase(), "book");
      const [block] = (await world.memories()).filter(({ block }) => block !== "");
      includes(block.text.toLowerCase(), "book");
    },
    script: () => [
      call(["write_memory_block", { block: "current projects", text: "- building a boat\n- writing a book" }]),
      say("Noted."),
      call(["write_memory_block", { block: "current projects", text: "- writing a book\n- done: the boat" }]),
      say("Updated."),
      (request) => {
        includes(prompt_of(request), "[current projects]", "writing a book");
        return say("You are writing a book.");
      },
    ],
  },
  {
    name: "remembers nothing that it was asked to keep to itself",
    say: ["My sister is planning a surprise party. Do not remember this anywhere.", NEW, "What do you remember about my sister?"],
    check: async (world) => assert.doesNotMatch(await texts(world), /party/i),
    script: () => [
      say("I will not keep it."),
      (request) => {
        assert.doesNotMatch(JSON.stringify(request.messages), /party/);
        return say("Nothing.");
      },
    ],
  },
  {
    name: "finds a number that was said in an old conversation",
    say: ["The serial number of my boiler is KX-88120.", NEW, RESTART, "Search what I told you: what is the serial number of my boiler?"],
    check: async (world) => includes(world.answer, "KX-88120"),
    script: () => [
      say("Good."),
      call(["search_history", { words: "boiler serial" }]),
      (request) => {
        assert.ok(results_in(request)[0].matches.some(({ text }) => text.includes("KX-88120")));
        return say("KX-88120.");
      },
    ],
  },
  {
    name: "keeps a diary over days",
    files: { "diary.md": "# Diary\n" },
    say: ["Add to diary.md: Monday, saw 3 herons.", RESTART, "Add: Tuesday, saw 5 herons. Then tell me the sum of all days."],
    check: async (world) => {
      includes(await world.file("diary.md"), "Monday", "3", "Tuesday", "5");
      includes(world.answer, "8");
    },
    script: () => [
      call(["edit_file", { path: "diary.md", old_text: "# Diary\n", new_text: "# Diary\n- Monday: 3 herons\n" }]),
      say("Added."),
      call(["read_file", { path: "diary.md" }]),
      call(["edit_file", { path: "diary.md", old_text: "- Monday: 3 herons\n", new_text: "- Monday: 3 herons\n- Tuesday: 5 herons\n" }]),
      say("8 herons."),
    ],
  },
  {
    name: "remembers several facts of one message",
    say: ["Keep in mind: I live in Larnsby, my cat is called Pixel, and I wake up at six.", RESTART, "What is my cat called?"],
    check: async (world) => {
      includes(world.answer, "Pixel");
      const kept = await texts(world);
      includes(kept, "Larnsby", "Pixel");
      assert.match(kept, /six|6/);
    },
    script: () => [
      call(
        ["remember", { text: "The owner lives in Larnsby" }],
        ["remember", { text: "The owner's cat is called Pixel" }],
        ["remember", { text: "The owner wakes up at six" }],
      ),
      say("Noted."),
      (request) => {
        includes(prompt_of(request), "called Pixel");
        return say("Pixel.");
      },
    ],
  },
  {
    name: "does not keep the same fact twice",
    say: ["Remember that I play the cello.", "Remember that I play the cello."],
    check: async (world) => assert.equal((await world.memories()).filter(({ text }) => /cello/i.test(text)).length, 1),
    script: () => [
      call(["remember", { text: "The owner plays the cello" }]),
      say("Noted."),
      call(["remember", { text: "The owner plays the cello" }]),
      say("I know."),
    ],
  },
  {
    name: "goes on with a task after a restart",
    files: { "a.txt": "alpha\n", "b.txt": "beta\n" },
    say: ["I want a.txt and b.txt in upper case. Do a.txt now; keep what is left in your memory.", RESTART, "Go on with what is left."],
    check: async (world) => {
      assert.equal(await world.file("a.txt"), "ALPHA\n");
      assert.equal(await world.file("b.txt"), "BETA\n");
    },
    script: () => [
      call(
        ["edit_file", { path: "a.txt", old_text: "alpha", new_text: "ALPHA" }],
        ["write_memory_block", { block: "current projects", text: "Upper case: a.txt is done, b.txt is left" }],
      ),
      say("a.txt is done."),
      (request) => {
        includes(prompt_of(request), "b.txt is left");
        return call(
          ["edit_file", { path: "b.txt", old_text: "beta", new_text: "BETA" }],
          ["write_memory_block", { block: "current projects", text: "none" }],
        );
      },
      say("Both are done."),
    ],
  },
].map((task) => ({ area: "memory", ...task }));
