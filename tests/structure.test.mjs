// What keeps the sources light: few headers to a source, no private copies of shared helpers, files and folders of a size
// that can be read.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const top = join(dirname(fileURLToPath(import.meta.url)), "..");
const product = ["appliance", "store", "web", "summarizer", "sandbox"];

const files_of = (folder) =>
  readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(top.length + 1))
    .filter((path) => !path.includes("node_modules/"));
const read = (path) => readFileSync(join(top, path), "utf8");
const lines_of = (path) => read(path).split("\n").length - 1;

const sources = new Map(
  product
    .flatMap(files_of)
    .filter((path) => /\.(cpp|h)$/.test(path))
    .map((path) => [path, read(path)]),
);

// The headers of the project that a source reaches. `texts`: by path.
const headers_of = (path, texts) => {
  const reached = new Set(),
    waiting = [path];
  while (waiting.length > 0)
    for (const [, header] of texts.get(waiting.pop()).matchAll(/^#include "([^"]+)"/gm))
      if (texts.has(header) && !reached.has(header)) {
        reached.add(header);
        waiting.push(header);
      }
  return reached;
};

// The lists of parts, which build what they name: of each module, and of the box.
const is_list_of_parts = (path) =>
  /\/(\w+_capabilities|capabilities|module)\.cpp$/.test(path) || /^appliance\/box\/(box|modules)\.cpp$/.test(path);

test("a source reaches at most 80 headers of the project", () => {
  const found = [...sources.keys()]
    .filter((path) => path.endsWith(".cpp") && !is_list_of_parts(path))
    .map((path) => `${path}: ${headers_of(path, sources).size}`)
    .filter((line) => Number(line.split(": ")[1]) > 80);
  assert.deepEqual(found, []);
});

test("headers are followed", () => {
  const texts = new Map([
    ["a.cpp", '#include "b.h"\n#include <c.h>\n'],
    ["b.h", '#include "c.h"\n'],
    ["c.h", '#include "b.h"\n#include "generated.h"\n'],
  ]);
  assert.deepEqual([...headers_of("a.cpp", texts)].sort(), ["b.h", "c.h"]);
});

// Of web/json.h, web/ascii.h and foundation/crypto, and the names that private copies of them had.
const shared = [
  ..."string_or_empty string_member string_at object_member array_member string_in object_in array_in text_in text_at text_member".split(
    " ",
  ),
  ..."to_lower lower lower_case trim trimmed cut join joined first_line is_letter is_digit is_hex is_hex_digit is_alphanumeric".split(" "),
  ..."hex to_hex base64 to_base64 from_base64 hmac hmac_sha256".split(" "),
];
const definition = new RegExp(`^(?!return\\b|co_return\\b)[A-Za-z][\\w:<>,&* ]*[ &*](${shared.join("|")})\\(`);

// The helpers of a source's unnamed namespaces that have such a name.
const private_copies = (text) => {
  const found = [];
  let is_private = false;
  for (const line of text.split("\n")) {
    if (line === "namespace {") is_private = true;
    if (line === "}  // namespace") is_private = false;
    const name = is_private && line.match(definition)?.[1];
    if (name) found.push(name);
  }
  return found;
};

// store depends on no other module.
const has_its_own = ["store/seal.cpp"];

test("no source has a private copy of a shared helper", () => {
  const found = [...sources]
    .filter(([path]) => path.endsWith(".cpp") && !has_its_own.includes(path))
    .flatMap(([path, text]) => private_copies(text).map((name) => `${path}: ${name}`));
  assert.deepEqual(found, []);
});

test("a private copy is found", () => {
  const text =
    "namespace {\n\nstd::string_view trim(std::string_view text) {\n  return cut(text);\n}\n\n}  // namespace\n\nvoid join(int) {}\n";
  assert.deepEqual(private_copies(text), ["trim"]);
});

// What shared helpers do, written out. sandbox depends on no other module either.
const written_out = [
  { what: "web::lower_case or web::to_lower", pattern: /'a' - 'A'|- 'A' \+ 'a'|<= 'Z' \? c \+ 32|\btolower\(/, within: ["web/ascii.h"] },
  {
    what: "web::is_alphanumeric",
    pattern: /<= 'z'\) \|\| \(\w+ >= '[A0]' && \w+ <= '[Z9]'\) \|\| \(\w+ >= '[A0]'/,
    within: ["web/ascii.h", "sandbox/spawn_server.cpp"],
  },
  { what: "web::string_or_empty", pattern: /is_string\(\) \? std::string\([^;]*: std::string\(\);/, within: ["web/json.h"] },
  { what: "crypto::to_base64 and crypto::from_base64", pattern: /\bEVP_(En|De)codeBlock\(/, within: ["store/seal.cpp"] },
  {
    what: "crypto::hmac_sha256",
    pattern: /\bHMAC\(/,
    within: [
      "appliance/foundation/crypto/hmac.cpp",
      "appliance/foundation/crypto/totp.cpp",
      "appliance/hosting/channels/adapters/sasl.cpp",
    ],
  },
];
for (const { what, pattern, within } of written_out)
  test(`nothing does by hand what ${what} does`, () => {
    const found = [...sources].filter(([path, text]) => pattern.test(text) && !within.includes(path)).map(([path]) => path);
    assert.deepEqual(found, []);
  });

// Why each is one file. None of them may pass 700 lines.
const longer = new Map([
  ["tests/e2e/models/ai_api.test.mjs", "one API, with the conversations that its stories share"],
  ["tests/e2e/routes/audit_routes.test.mjs", "one table: what each route records"],
]);

// A setter that gives a part what it depends on after it was built, with the pointers that are null until then.
const late_setter = /^ *void (\w+_with|use_\w+)\([^)]*\)? *(\{[^}]*_ = |;)/m;

test("a part gets what it depends on in its constructor", () => {
  const found = [...sources].filter(([path, text]) => path.endsWith(".h") && late_setter.test(text)).map(([path]) => path);
  assert.deepEqual(found, []);
  assert.match("  void look_up_agents_with(HasAgent has_agent) { has_agent_ = std::move(has_agent); }", late_setter);
  assert.match("  void use_plans(PlanDirectory& plans) { plans_ = &plans; }", late_setter);
  assert.match("  void ask_with(gate::Gate&);", late_setter);
});

test("a file has at most 500 lines", () => {
  const found = [...product, "tests"]
    .flatMap(files_of)
    .filter((path) => /\.(cpp|h|mjs|ts|tsx)$/.test(path))
    .filter((path) => lines_of(path) > (longer.has(path) ? 700 : 500));
  assert.deepEqual(found, []);
});

test("a capability has at most six sources with under 40 lines, with their headers", () => {
  const folders = new Map();
  for (const path of sources.keys()) {
    const folder = dirname(path),
      stem = path.replace(/\.(cpp|h)$/, "");
    if (!sources.has(`${folder}/handlers.h`)) continue;
    const stems = folders.get(folder) ?? folders.set(folder, new Map()).get(folder);
    stems.set(stem, (stems.get(stem) ?? 0) + lines_of(path));
  }
  assert.ok(folders.size > 50, `${folders.size} folders of capabilities`);
  const found = [...folders]
    .map(([folder, stems]) => [folder, [...stems].filter(([, lines]) => lines < 40).map(([stem]) => stem)])
    .filter(([, small]) => small.length > 6);
  assert.deepEqual(found, []);
});

test("every module has a README", () => {
  const folders = read("modules.txt")
    .split("\n")
    .filter((line) => line.trim() && !line.startsWith("#"))
    .map((line) => line.split(":")[1].trim());
  assert.deepEqual(
    folders.filter((folder) => !existsSync(join(top, folder, "README.md"))),
    [],
  );
});

test("values that g++ 12 spoils in the operand of a co_await are found, and others are not", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-awaits-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "some.cpp");
  const found = (statement) => {
    writeFileSync(
      file,
      `struct Letter { std::string to; int n = 0; };
struct Plain { int a; };
struct Made { Made() {} std::string s; };
web::Task<> send(int a, Letter letter = {});
web::Task<> g() {
  ${statement}
}
`,
    );
    const { stdout, stderr, status } = spawnSync("node", ["cmake/awaits.mjs", file], { cwd: top, encoding: "utf8" });
    assert.equal(stderr, "");
    assert.equal(status, stdout ? 1 : 0);
    return stdout.slice(file.length + 4).split(" in the operand")[0];
  };
  for (const [statement, what] of [
    ["co_await post(x ? std::optional(x->id) : std::nullopt);", "a conditional operator"],
    ['co_await post({.to = "x"});', "an aggregate"],
    ['auto sent = co_await outbox.post(Letter{"x", 1});', "an aggregate"],
    ["co_await send(1);", "an aggregate by a default argument of send"],
    ["co_await send(1, std::move(letter));", ""],
    ["co_await plain(Plain{1});", ""],
    ["co_await made(Made{});", ""],
    ["co_await offload([x] { return x; });", "a lambda with copies"],
    ["co_await offload([y = std::move(x)] { return y; });", "a lambda with copies"],
    ['co_await offload([&x, this] { return x ? Letter{"x"} : Letter{}; });', ""],
    ["const auto id = x ? co_await a() : co_await b();", ""],
  ])
    assert.equal(found(statement), what, statement);
});
