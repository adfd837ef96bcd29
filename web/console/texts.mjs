// Fails the build where a component holds a text that people read: texts are in src/messages.
import { readFile } from "node:fs/promises";
import { transform } from "esbuild";

// What an element shows or says, as esbuild writes compiled JSX: an attribute, an only child, or a child on a line of its
// own, where the line before does not begin an element.
const text = '"((?:[^"\\\\]|\\\\.)*)"';
const spoken = new RegExp(`\\b(?:children|title|label|placeholder|hint|submit|confirm|alt|"aria-label"): \\[?${text}`, "g");
const lone_child = new RegExp(`(?<!jsxs?\\()\\n\\s*${text},?(?=\\n)`, "g");
// Names that are the same in every language, and keys of texts.
const is_name = (found) => found === "agentbox" || /^[a-z_]+(\.[a-z_]+)+$/.test(found);
const holds_words = (found) => /\p{L}{2,}/u.test(JSON.parse(`"${found.replace(/\\x(..)/g, "\\u00$1")}"`)) && !is_name(found.trim());

export function spoken_texts(compiled) {
  return [spoken, lone_child].flatMap((pattern) => [...compiled.matchAll(pattern)].map((match) => match[1])).filter(holds_words);
}

export const texts_in_message_files = {
  name: "texts in message files",
  setup(build) {
    build.onLoad({ filter: /\.tsx$/ }, async ({ path }) => {
      const contents = await readFile(path, "utf8");
      const { code } = await transform(contents, { loader: "tsx", jsx: "automatic", jsxImportSource: "preact" });
      const errors = spoken_texts(code).map((text) => ({
        text: `"${text}" is a text in a component: put it in src/messages`,
        location: { file: path },
      }));
      return { contents, loader: "tsx", errors };
    });
  },
};
