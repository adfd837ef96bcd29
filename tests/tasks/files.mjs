// Tasks with files and code.
import assert from "node:assert/strict";
import { call, say } from "../e2e/peers/model_server.mjs";
import { includes, results_in } from "./harness.mjs";

const long_log =
  Array.from({ length: 4_000 }, (_, at) => `2026-11-26 request ${at} took ${at === 3_107 ? 9_999 : at % 90} ms`).join("\n") + "\n";

export const tasks = [
  {
    name: "renames a function in every file that uses it",
    files: {
      "src/math.js": "export const add = (a, b) => a + b;\n",
      "src/cart.js": 'import { add } from "./math.js";\nexport const total = (list) => list.reduce(add, 0);\n',
      "test/math.test.js": 'import { add } from "../src/math.js";\nassert.equal(add(1, 2), 3);\n',
      "README.md": "In addition, run the tests.\n",
    },
    say: ["Rename the function add to sum everywhere in the code. Leave other words alone."],
    check: async (world) => {
      for (const path of ["src/math.js", "src/cart.js", "test/math.test.js"]) {
        const text = await world.file(path);
        assert.doesNotMatch(text, /\badd\b/, path);
        assert.match(text, /\bsum\b/, path);
      }
      includes(await world.file("README.md"), "In addition");
    },
    script: () => [
      call(["search_files", { text: "\\badd\\b", regexp: true, files: "*.js" }]),
      (request) => {
        assert.deepEqual(
          results_in(request)[0].matches.map(({ path, line }) => `${path}:${line}`),
          ["src/cart.js:1", "src/cart.js:2", "src/math.js:1", "test/math.test.js:1", "test/math.test.js:2"],
        );
        return call(
          ["edit_file", { path: "src/math.js", old_text: "const add =", new_text: "const sum =" }],
          ["edit_file", { path: "src/cart.js", old_text: "import { add }", new_text: "import { sum }" }],
          ["edit_file", { path: "src/cart.js", old_text: "reduce(add,", new_text: "reduce(sum," }],
          ["edit_file", { path: "test/math.test.js", old_text: "import { add }", new_text: "import { sum }" }],
          ["edit_file", { path: "test/math.test.js", old_text: "add(1, 2)", new_text: "sum(1, 2)" }],
        );
      },
      say("Renamed in three files."),
    ],
  },
  {
    name: "finds and fixes a bug",
    files: { "src/range.py": "def last_index(items):\n    return len(items)\n\n\ndef first_index(items):\n    return 0\n" },
    say: ["last_index in src/range.py is off by one: for a list of three it must return 2. Fix it."],
    check: async (world) => {
      const text = await world.file("src/range.py");
      assert.match(text, /return len\(items\) - 1/);
      includes(text, "def first_index(items):\n    return 0\n");
    },
    script: () => [
      call(["read_file", { path: "src/range.py" }]),
      (request) => {
        includes(results_in(request)[0].content, "2\t    return len(items)\n");
        return call(["edit_file", { path: "src/range.py", old_text: "return len(items)", new_text: "return len(items) - 1" }]);
      },
      say("It returns len(items) - 1 now."),
    ],
  },
  {
    name: "applies a patch of two files",
    files: {
      "app/one.txt": "alpha\nbeta\ngamma\n",
      "app/two.txt": "x\ny\nz\n",
      "fix.patch":
        "--- a/app/one.txt\n+++ b/app/one.txt\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n--- a/app/two.txt\n+++ b/app/two.txt\n@@ -3 +3,2 @@\n-z\n+z\n+end\n",
    },
    say: ["Apply fix.patch to the workspace, then delete the patch file."],
    check: async (world) => {
      assert.equal(await world.file("app/one.txt"), "alpha\nBETA\ngamma\n");
      assert.equal(await world.file("app/two.txt"), "x\ny\nz\nend\n");
      assert.equal(await world.file("fix.patch"), undefined);
    },
    script: () => [
      call(["read_file", { path: "fix.patch" }]),
      (request) => {
        const patch = results_in(request)[0].content.replace(/^\d+\t/gm, "");
        return call(["apply_patch", { patch }], ["delete_file", { path: "fix.patch" }]);
      },
      say("Applied, and the patch file is gone."),
    ],
  },
  {
    name: "adds up a column of a CSV file",
    files: { "sales.csv": "month,net\n2026-01,1200.50\n2026-02,800.25\n2026-03,99.25\n" },
    say: ["Write the sum of the column net of sales.csv to total.txt, as a number with two decimals and nothing else."],
    check: async (world) => assert.equal((await world.file("total.txt"))?.trim(), "2100.00"),
    script: () => [
      call(["read_file", { path: "sales.csv" }]),
      call(["write_file", { path: "total.txt", content: "2100.00\n" }]),
      say("2100.00"),
    ],
  },
  {
    name: "finds the one setting among many files",
    files: Object.fromEntries([
      ...Array.from({ length: 20 }, (_, at) => [`conf/${at}.ini`, `[service]\nname = s${at}\nport = ${8_000 + at}\n`]),
      ["conf/legacy/old.ini", "[service]\nname = archive\nport = 9417\n"],
    ]),
    say: ["Which service listens on port 9417? Answer with its name."],
    check: async (world) => includes(world.answer.toLowerCase(), "archive"),
    script: () => [
      call(["search_files", { text: "port = 9417", files: "**/*.ini" }]),
      (request) => {
        assert.equal(results_in(request)[0].matches[0].path, "conf/legacy/old.ini");
        return call(["read_file", { path: "conf/legacy/old.ini" }]);
      },
      say("archive"),
    ],
  },
  {
    name: "sorts files into folders by their kind",
    files: { "a.md": "a", "b.csv": "b", "c.md": "c", "d.txt": "d" },
    say: ["Move all Markdown files into docs/ and all CSV files into data/. Leave the others."],
    check: async (world) =>
      assert.deepEqual(
        (await world.paths()).filter((path) => !path.startsWith(".")),
        ["d.txt", "data/b.csv", "docs/a.md", "docs/c.md"],
      ),
    script: () => [
      call(["find_files", { pattern: "*.{md,csv}" }]),
      (request) => {
        assert.deepEqual(
          results_in(request)[0].entries.map(({ path }) => path),
          ["a.md", "b.csv", "c.md"],
        );
        return call(
          ["move_file", { from: "a.md", to: "docs/a.md" }],
          ["move_file", { from: "b.csv", to: "data/b.csv" }],
          ["move_file", { from: "c.md", to: "docs/c.md" }],
        );
      },
      say("Sorted."),
    ],
  },
  {
    name: "removes left-over files and nothing else",
    files: { "src/a.c": "int a;\n", "src/a.c.orig": "int b;\n", "src/deep/b.c.orig": "x\n", "notes.orig.md": "keep\n" },
    say: ["Delete all files whose name ends in .orig."],
    check: async (world) =>
      assert.deepEqual(
        (await world.paths()).filter((path) => !path.startsWith(".")),
        ["notes.orig.md", "src/a.c"],
      ),
    script: () => [
      call(["find_files", { pattern: "*.orig" }]),
      (request) => call(...results_in(request)[0].entries.map(({ path }) => ["delete_file", { path }])),
      say("Both are gone."),
    ],
  },
  {
    name: "merges two JSON files",
    files: { "base.json": '{"name":"app","debug":false,"port":80}\n', "local.json": '{"debug":true,"host":"box"}\n' },
    say: ["Merge base.json and local.json into merged.json; local.json wins. Write valid JSON."],
    check: async (world) =>
      assert.deepEqual(JSON.parse(await world.file("merged.json")), { name: "app", debug: true, port: 80, host: "box" }),
    script: () => [
      call(["read_file", { path: "base.json" }], ["read_file", { path: "local.json" }]),
      call(["write_file", { path: "merged.json", content: '{"name":"app","debug":true,"port":80,"host":"box"}\n' }]),
      say("Merged."),
    ],
  },
  {
    name: "finds the slow request in a long log",
    files: { "server.log": long_log },
    say: ["Which request in server.log took the longest? Answer with its number and its time."],
    check: async (world) => includes(world.answer, "3107", "9999"),
    script: () => [
      call(["search_files", { text: "took \\d{4,} ms", regexp: true, path: "server.log" }]),
      (request) => {
        const { matches } = results_in(request)[0];
        assert.deepEqual([matches.length, matches[0].line], [1, 3_108]);
        return say("Request 3107, 9999 ms.");
      },
    ],
  },
  {
    name: "reads a long file to its end",
    files: { "book.txt": `${long_log}The butler did it.\n` },
    say: ["What does the last line of book.txt say?"],
    check: async (world) => includes(world.answer, "butler did it"),
    script: () => [
      call(["read_file", { path: "book.txt", lines: 1 }]),
      (request) => call(["read_file", { path: "book.txt", from_line: results_in(request)[0].lines }]),
      (request) => {
        assert.equal(results_in(request)[0].content, "4001\tThe butler did it.\n");
        return say("The butler did it.");
      },
    ],
  },
  {
    name: "adds an entry to the top of a changelog",
    files: { "CHANGELOG.md": "# Changelog\n\n## 1.1.0\n- Faster start\n\n## 1.0.0\n- First release\n" },
    say: ["Add a section 1.2.0 with the entry 'Dark mode' above 1.1.0 in CHANGELOG.md. Change nothing else."],
    check: async (world) =>
      assert.match(
        await world.file("CHANGELOG.md"),
        /^# Changelog\n\n## 1\.2\.0\n+- Dark mode\n+## 1\.1\.0\n- Faster start\n\n## 1\.0\.0\n- First release\n$/,
      ),
    script: () => [
      call(["read_file", { path: "CHANGELOG.md" }]),
      call(["edit_file", { path: "CHANGELOG.md", old_text: "## 1.1.0\n", new_text: "## 1.2.0\n- Dark mode\n\n## 1.1.0\n" }]),
      say("Added."),
    ],
  },
  {
    name: "completes a translation",
    files: {
      "locales/en.json": '{\n  "save": "Save",\n  "cancel": "Cancel",\n  "delete": "Delete"\n}\n',
      "locales/de.json": '{\n  "save": "Speichern",\n  "cancel": "Abbrechen"\n}\n',
    },
    say: ["locales/de.json lacks keys that locales/en.json has. Add them in German. Keep the existing ones."],
    check: async (world) => {
      const german = JSON.parse(await world.file("locales/de.json"));
      assert.deepEqual(Object.keys(german).sort(), ["cancel", "delete", "save"]);
      assert.deepEqual([german.save, german.cancel, /lösch|entfern/i.test(german.delete)], ["Speichern", "Abbrechen", true]);
    },
    script: () => [
      call(["read_file", { path: "locales/en.json" }], ["read_file", { path: "locales/de.json" }]),
      call(["edit_file", { path: "locales/de.json", old_text: '"Abbrechen"\n', new_text: '"Abbrechen",\n  "delete": "Löschen"\n' }]),
      say("Added delete."),
    ],
  },
  {
    name: "keeps the line ends of a file from Windows",
    files: { "setup.ini": "[main]\r\ncolor=red\r\nsize=3\r\n" },
    say: ["Set color to blue in setup.ini. Keep the line ends as they are."],
    check: async (world) => assert.equal(await world.file("setup.ini"), "[main]\r\ncolor=blue\r\nsize=3\r\n"),
    script: () => [
      call(["apply_patch", { patch: "--- a/setup.ini\n+++ b/setup.ini\n@@ -1,3 +1,3 @@\n [main]\n-color=red\n+color=blue\n size=3\n" }]),
      say("Blue."),
    ],
  },
  {
    name: "collects the open points of the code",
    files: {
      "src/a.go": "package a\n// TODO: close the file\nfunc A() {}\n",
      "src/b.go": "package b\nfunc B() {} // TODO: return the error\n",
      "src/c.go": "package c\n",
    },
    say: ["Write TODO.md: a list of all TODO comments in src/, one a line, with file and line number (src/a.go:2)."],
    check: async (world) => {
      const text = await world.file("TODO.md");
      includes(text, "src/a.go:2", "close the file", "src/b.go:2", "return the error");
      assert.doesNotMatch(text, /src\/c\.go/);
    },
    script: () => [
      call(["search_files", { text: "TODO:", path: "src" }]),
      (request) => {
        const lines = results_in(request)[0].matches.map(({ path, line, text }) => `- ${path}:${line} ${text.split("TODO: ")[1]}`);
        return call(["write_file", { path: "TODO.md", content: `${lines.join("\n")}\n` }]);
      },
      say("Two points."),
    ],
  },
  {
    name: "corrects an edit that was not unique",
    files: { "page.html": "<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>\n<ul>\n  <li>one</li>\n</ul>\n" },
    say: ["In page.html, change the item 'one' of the second list to 'three'."],
    check: async (world) =>
      assert.equal(await world.file("page.html"), "<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>\n<ul>\n  <li>three</li>\n</ul>\n"),
    script: () => [
      call(["edit_file", { path: "page.html", old_text: "<li>one</li>", new_text: "<li>three</li>" }]),
      (request) => {
        assert.match(results_in(request)[0].error, /occurs 2 times \(lines 2, 6\)/);
        return call(["edit_file", { path: "page.html", old_text: "<li>one</li>\n</ul>", new_text: "<li>three</li>\n</ul>" }]);
      },
      say("Done."),
    ],
  },
  {
    name: "works through a list and keeps it",
    files: { "names.txt": "ada\ngrace\n" },
    say: ["For each name in names.txt write greetings/NAME.txt with the text 'Hello NAME'. Keep a todo list."],
    check: async (world) => {
      assert.equal((await world.file("greetings/ada.txt"))?.trim(), "Hello ada");
      assert.equal((await world.file("greetings/grace.txt"))?.trim(), "Hello grace");
    },
    script: () => [
      call(["read_file", { path: "names.txt" }]),
      call(["todo", { items: [{ text: "ada", status: "in_progress" }, { text: "grace" }] }]),
      (request) => {
        assert.deepEqual(results_in(request)[0], { items: 2, next: "ada", done: 0 });
        return call(["write_file", { path: "greetings/ada.txt", content: "Hello ada\n" }]);
      },
      call([
        "todo",
        {
          items: [
            { text: "ada", status: "done" },
            { text: "grace", status: "in_progress" },
          ],
        },
      ]),
      call(
        ["write_file", { path: "greetings/grace.txt", content: "Hello grace\n" }],
        [
          "todo",
          {
            items: [
              { text: "ada", status: "done" },
              { text: "grace", status: "done" },
            ],
          },
        ],
      ),
      say("Both are greeted."),
    ],
  },
  {
    name: "splits a file in two",
    files: { "all.js": "export const a = 1;\nexport const b = 2;\n" },
    say: ["Split all.js: a goes into a.js, b into b.js, and all.js is deleted."],
    check: async (world) => {
      includes(await world.file("a.js"), "export const a = 1;");
      includes(await world.file("b.js"), "export const b = 2;");
      assert.equal(await world.file("all.js"), undefined);
    },
    script: () => [
      call(["read_file", { path: "all.js" }]),
      call([
        "apply_patch",
        {
          patch:
            "--- a/all.js\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-export const a = 1;\n-export const b = 2;\n" +
            "--- /dev/null\n+++ b/a.js\n@@ -0,0 +1 @@\n+export const a = 1;\n--- /dev/null\n+++ b/b.js\n@@ -0,0 +1 @@\n+export const b = 2;\n",
        },
      ]),
      say("Split."),
    ],
  },
  {
    name: "tells what an earlier turn changed",
    files: { "poem.txt": "Roses are red\n" },
    say: ["Change 'red' to 'blue' in poem.txt.", "Look into the git history: which file did your last turn change, and how?"],
    check: async (world) => includes(world.answer, "poem.txt"),
    script: () => [
      call(["edit_file", { path: "poem.txt", old_text: "red", new_text: "blue" }]),
      say("Changed."),
      call(["git_log", { limit: 1 }]),
      (request) => {
        assert.match(results_in(request)[0].commits[0].subject, /^Turn: Change 'red'/);
        return say("poem.txt: red became blue.");
      },
    ],
  },
].map((task) => ({ area: "files", ...task }));
