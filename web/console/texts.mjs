// The texts of src/messages: the build fails where a component holds one that people read, or where no source uses one; and
// they are split into files, so that a page loads those that it uses.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

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
      const { code } = await build.esbuild.transform(contents, { loader: "tsx", jsx: "automatic", jsxImportSource: "preact" });
      const errors = spoken_texts(code).map((text) => ({
        text: `"${text}" is a text in a component: put it in src/messages`,
        location: { file: path },
      }));
      return { contents, loader: "tsx", errors };
    });
  },
};

// Which of the keys a source uses: those that stand in it, with all plural forms of a count, and those that begin with
// what stands in it. A key that begins with a value could be any of them, which is an error.
function keys_in(source, text, keys) {
  if (/\b(?:t|tn|has)\(`\$\{|\bnamed\([^"]/.test(text.replaceAll("function named(", "")))
    throw new Error(`${source}: a key has to begin with its own words, so that the page's texts are known`);
  const whole = new Set([...text.matchAll(/"([\w.]+)"/g)].map(([, key]) => key));
  const begun = [...text.matchAll(/`([\w.]+\.[\w.]*)\$\{/g)].map(([, prefix]) => prefix);
  const of_values = [...text.matchAll(/\bnamed\(\s*"([\w.]+)"/g)].map(([, prefix]) => `${prefix}.`);
  const prefixes = [...begun, ...of_values];
  const singular = (key) => key.replace(/\.(?:zero|one|two|few|many|other)$/, "");
  return keys.filter((key) => whole.has(key) || whole.has(singular(key)) || prefixes.some((prefix) => key.startsWith(prefix)));
}

// The keys of each file of texts, and the file of each page that needs one besides "frame", which has what the frame and
// the pages in `first` use. The others have a file for each folder. `inputs` is esbuild's account of the sources;
// `page_rows` [[path, source]] are the pages.
export function text_files({ inputs, page_rows, first, keys, read = (path) => readFileSync(path, "utf8") }) {
  const sources = Object.keys(inputs).filter((path) => /^src\/.*\.tsx?$/.test(path));
  const used = new Map(sources.map((source) => [source, keys_in(source, read(source), keys)]));
  const all_used = new Set([...used.values()].flat());
  const unused = keys.filter((key) => !all_used.has(key));
  if (unused.length > 0) throw new Error(`texts that no source uses: ${unused.join(", ")}`);

  const reached_from = (source, seen = new Set()) => {
    if (seen.has(source)) return seen;
    seen.add(source);
    for (const { path, kind } of inputs[source]?.imports ?? [])
      if (kind !== "dynamic-import" || source !== "src/app/pages.ts") reached_from(path, seen);
    return seen;
  };
  const keys_from = (source) => [...reached_from(source)].flatMap((one) => used.get(one) ?? []);
  const source_of = ([, source]) => `src/${source}.tsx`;
  const eager = page_rows.filter(([path]) => first.includes(path)).map(source_of);
  const files = { frame: new Set(["src/main.tsx", ...eager].flatMap(keys_from)) };
  const file_of_page = {};
  for (const row of page_rows) {
    const needed = keys_from(source_of(row)).filter((key) => !files.frame.has(key));
    if (needed.length === 0) continue;
    const folder = row[1].split("/").at(-2);
    files[folder] = new Set([...(files[folder] ?? []), ...needed]);
    file_of_page[row[0]] = folder;
  }
  return { files, file_of_page };
}
