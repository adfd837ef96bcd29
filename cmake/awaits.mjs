// Fails for two faults of g++ 12 in the operand of a co_await:
//   - both branches of a conditional operator are evaluated when one makes a temporary, so that
//     `co_await f(x ? std::optional(x->id) : std::nullopt)` reads an empty x;
//   - an aggregate that is made there, as in `co_await f({.name = text})`, or by a default argument `= {}`, is copied by
//     its bytes, so that a short string in it is freed although it is not on the heap; so is a lambda that captures copies.
// Make the value before. Aggregates are known by their definitions in the sources: structs without constructors that
// hold something that is not trivially copyable. Braces without names, as in `f({a, b})`, are not seen.
//   node cmake/awaits.mjs [FILE...]   (default: all C++ sources)
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|R"([^(\s]*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|[A-Za-z_]\w*|\d[\w.']*|::|->|&&|\S/g;
const CLOSES = { "(": ")", "[": "]", "{": "}" };
const CLOSING = Object.values(CLOSES);
const NAME = /^[A-Za-z_]\w*$/;

// The tokens of a source that are code, each {text, at}.
const tokens_of = (source) =>
  [...source.matchAll(TOKEN)].filter(([text]) => !/^\/[/*]/.test(text)).map((match) => ({ text: match[0], at: match.index }));

// The index behind the group that begins at `at`.
const group_end = (tokens, at) => {
  for (let depth = 0; at < tokens.length; ++at) {
    if (tokens[at].text in CLOSES) ++depth;
    else if (CLOSING.includes(tokens[at].text) && --depth === 0) return at + 1;
  }
  return at;
};

// The index behind the body of the lambda whose introducer begins at `at`; undefined if it is a subscript.
const lambda_end = (tokens, at) => {
  if (at > 0 && /^([\w)\]]|".*")$/.test(tokens[at - 1].text.slice(-1)) && tokens[at - 1].text !== "return") return undefined;
  let next = group_end(tokens, at);
  if (tokens[next]?.text === "(") next = group_end(tokens, next);
  while (tokens[next] && !"{;)".includes(tokens[next].text)) ++next;
  return tokens[next]?.text === "{" ? group_end(tokens, next) : undefined;
};

// The arguments of the call whose parenthesis opens at `open`, as [begin, end) of tokens. Template arguments with commas
// are no matter: they only make a list seem longer.
const arguments_of = (tokens, open) => {
  const found = [];
  const end = group_end(tokens, open) - 1;
  let begin = open + 1;
  for (let at = begin; at < end; ++at) {
    if (tokens[at].text in CLOSES) at = group_end(tokens, at) - 1;
    else if (tokens[at].text === ",") {
      found.push([begin, at]);
      begin = at + 1;
    }
  }
  if (begin < end) found.push([begin, end]);
  return found;
};

const HELD =
  /\b(string|vector|map|set|deque|list|function|shared_ptr|unique_ptr|object|array|value|path|exception_ptr|Sealed|List|Text|Prose)\b/;

// The structs of a source: {name, is_aggregate, members}, `members` being the text of their data members.
const structs_of = (tokens) => {
  const found = [];
  tokens.forEach(({ text }, index) => {
    if (text !== "struct" && text !== "class") return;
    const name = tokens[index + 1]?.text;
    let open = index + 2;
    if (!name || !NAME.test(name)) return;
    while (tokens[open] && !"{;()=>,".includes(tokens[open].text)) ++open;
    if (tokens[open]?.text !== "{") return;
    const end = group_end(tokens, open) - 1;
    let is_aggregate = text === "struct";
    let members = "",
      statement = [],
      has_call = false;
    for (let at = open + 1; at < end; ++at) {
      const token = tokens[at].text;
      if (token === name && tokens[at + 1]?.text === "(" && statement.at(-1) !== "~") is_aggregate = false;
      if (/^(virtual|private|protected)$/.test(token)) is_aggregate = false;
      if (token in CLOSES) {
        has_call ||= token === "(" && !statement.some((before) => before === "=" || before === "<");
        const behind = group_end(tokens, at);
        const is_body = token === "{" && tokens[behind]?.text !== ";" && tokens[behind]?.text !== ",";
        at = behind - 1;
        if (!is_body) continue;
      } else if (token !== ";") {
        statement.push(token);
        continue;
      }
      const is_member = !has_call && !/^(static|using|friend|enum|struct|class|template|typedef)$/.test(statement[0] ?? "static");
      if (is_member) members += `${statement.join(" ")};`;
      statement = [];
      has_call = false;
    }
    found.push({ name, is_aggregate, members });
  });
  return found;
};

// Aggregates that are not trivially copyable: by name, the files that define one.
const aggregates_in = (sources) => {
  const structs = sources.flatMap(({ tokens, file }) => structs_of(tokens).map((found) => ({ ...found, file })));
  const files = new Map();
  for (let before = -1; before < files.size; ) {
    before = files.size;
    for (const { name, is_aggregate, members, file } of structs)
      if (is_aggregate && (HELD.test(members) || members.split(/\W+/).some((word) => word !== name && files.has(word))))
        files.set(name, (files.get(name) ?? new Set()).add(file));
  }
  return files;
};

// Whether a name means such an aggregate in a source that includes these files.
const is_aggregate = (name, aggregates, included) => [...(aggregates.get(name) ?? [])].some((file) => included.has(file));

// The project's files that a file includes, also through others, and itself.
const includes_of = (file, sources, known = new Set()) => {
  const source = sources.get(file)?.source;
  if (source === undefined || known.has(file)) return known;
  known.add(file);
  for (const [, included] of source.matchAll(/^#include "([^"]+)"/gm)) includes_of(included, sources, known);
  return known;
};

// Calls of a function that shares its name and number of arguments with one that has such a parameter.
const EXCEPTIONS = [
  { file: "appliance/agent/loop.cpp", name: "ask", why: "Loop::ask, all of whose arguments are given; not ModelClient::ask" },
];

// Functions with a parameter of such a type that may be left out, `= {}`: by name, the numbers of arguments of calls that
// leave it out and the file of the declaration, as {least, most, file}.
const defaults_in = (sources, aggregates, includes) => {
  const found = new Map();
  for (const { tokens, file } of sources)
    tokens.forEach(({ text }, open) => {
      if (text !== "(" || !NAME.test(tokens[open - 1]?.text ?? "")) return;
      const parameters = arguments_of(tokens, open);
      const least = parameters.filter(([begin, end]) => !tokens.slice(begin, end).some((token) => token.text === "=")).length;
      parameters.forEach(([begin, end], most) => {
        const words = tokens.slice(begin, end).map((token) => token.text);
        const sign = words.indexOf("=");
        if (sign < 1 || words.slice(sign + 1).join("") !== "{}") return;
        const types = words.slice(0, sign).filter((word) => NAME.test(word));
        if (words.includes("<") || !types.some((word) => is_aggregate(word, aggregates, includes(file)))) return;
        const name = tokens[open - 1].text;
        found.set(name, [...(found.get(name) ?? []), { least, most, file }]);
      });
    });
  return found;
};

// What is wrong in the operand that begins at `at`, as {at, what}; the bodies of lambdas are not part of it.
const fault_in_operand = (tokens, at, aggregates, defaults, included, excepted) => {
  for (let depth = 0; at < tokens.length; ++at) {
    const { text } = tokens[at];
    const before = tokens[at - 1]?.text;
    if (text === "[") {
      const behind = lambda_end(tokens, at);
      if (behind !== undefined) {
        const captures = arguments_of(tokens, at).map(([begin, end]) => tokens.slice(begin, end).map((token) => token.text));
        if (captures.some((words) => words[0] !== "&" && words[0] !== "this")) return { at, what: "a lambda with copies" };
        at = behind - 1;
        continue;
      }
    }
    const given = text === "(" && defaults.has(before) && !excepted.includes(before) ? arguments_of(tokens, at).length : undefined;
    if (defaults.get(before)?.some(({ least, most, file }) => given >= least && given <= most && included.has(file)))
      return { at, what: `an aggregate by a default argument of ${before}` };
    if (text === "{" && (is_aggregate(before, aggregates, included) || tokens[at + 1]?.text === ".")) return { at, what: "an aggregate" };
    if (text in CLOSES) ++depth;
    else if (CLOSING.includes(text)) {
      if (--depth < 0) return undefined;
    } else if (depth > 0 && text === "?") return { at, what: "a conditional operator" };
    else if (depth === 0 && !/^(\w+|::|\.|->|\*|&|!|<|>)$/.test(text)) return undefined;
  }
  return undefined;
};

const read = (file) => {
  const source = readFileSync(file, "utf8");
  return { file, source, tokens: tokens_of(source) };
};
const listed = execFileSync("git", ["ls-files", "*.cpp", "*.h"], { encoding: "utf8" }).trim().split("\n");
const named = process.argv.slice(2);
const all = [...new Set([...listed, ...named])].map(read);
const by_file = new Map(all.map((one) => [one.file, one]));
const closures = new Map();
const includes = (file) => {
  if (!closures.has(file)) closures.set(file, includes_of(file, by_file).add(file));
  return closures.get(file);
};
const aggregates = aggregates_in(all),
  defaults = defaults_in(all, aggregates, includes);
let found = 0;
for (const { file, source, tokens } of named.length ? named.map((one) => by_file.get(one)) : all) {
  const excepted = EXCEPTIONS.filter((one) => one.file === file).map(({ name }) => name);
  tokens.forEach(({ text }, index) => {
    if (text !== "co_await") return;
    const fault = fault_in_operand(tokens, index + 1, aggregates, defaults, includes(file), excepted);
    if (!fault) return;
    ++found;
    const line = source.slice(0, tokens[fault.at].at).split("\n").length;
    console.log(`${file}:${line}: ${fault.what} in the operand of a co_await; make the value before`);
  });
}
process.exitCode = found > 0 ? 1 : 0;
