// The reader of metrics is strict: what it lets pass in other stories is right.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse_metrics, value_of } from "../support/prometheus.mjs";

const HEAD = "# HELP a_total What\n# TYPE a_total counter\n";
const histogram = (...lines) => `# HELP h What\n# TYPE h histogram\n${lines.map((line) => `h_${line}\n`).join("")}`;
const WHOLE = ['bucket{le="0.1"} 1', 'bucket{le="+Inf"} 3', "sum 4.5", "count 3"];

test("a well-formed text is read", () => {
  const families = parse_metrics(
    `# HELP a_total Says \\\\ and \\n\n# TYPE a_total counter\na_total{x="q\\"b\\\\n\\n,}"} 3\na_total{x=""} 1e3 17\n${histogram(...WHOLE)}`,
  );
  assert.equal(families.get("a_total").help, "Says \\ and \n");
  assert.deepEqual(families.get("a_total").samples[0].labels, { x: 'q"b\\n\n,}' });
  assert.equal(value_of(families, "a_total", { x: "" }), 1000);
  assert.equal(value_of(families, "h_count"), 3);
});

for (const [what, text] of [
  ["no last line end", `${HEAD}a_total 1`],
  ["an empty line", `${HEAD}\na_total 1\n`],
  ["a sample without a type", "# HELP a_total What\na_total 1\n"],
  ["a sample of another family", `${HEAD}b_total 1\n`],
  ["a type after the samples", "# HELP a_total What\na_total 1\n# TYPE a_total counter\n"],
  ["two types", `${HEAD}# TYPE a_total counter\na_total 1\n`],
  ["an unknown type", "# HELP a_total What\n# TYPE a_total number\na_total 1\n"],
  ["lines that do not stand together", `${HEAD}a_total 1\n# HELP b B\n# TYPE b gauge\nb 1\n# HELP a_total What\na_total{x="1"} 1\n`],
  ["a family without help", "# TYPE a_total counter\na_total 1\n"],
  ["a family without samples", HEAD],
  ["a series twice", `${HEAD}a_total{x="1",y="2"} 1\na_total{y="2",x="1"} 1\n`],
  ["a label twice", `${HEAD}a_total{x="1",x="2"} 1\n`],
  ["a label's bare quote", `${HEAD}a_total{x="1"2"} 1\n`],
  ["an unknown escape", `${HEAD}a_total{x="\\t"} 1\n`],
  ["a help with an unknown escape", `# HELP a_total \\"\n# TYPE a_total counter\na_total 1\n`],
  ["a bad name", "# HELP a-b What\n# TYPE a-b gauge\na-b 1\n"],
  ["two spaces", `${HEAD}a_total  1\n`],
  ["a value that is no number", `${HEAD}a_total one\n`],
  ["a hexadecimal value", `${HEAD}a_total 0x10\n`],
  ["a counter below nought", `${HEAD}a_total -1\n`],
  ["a counter not called total", "# HELP a What\n# TYPE a counter\na 1\n"],
  ["buckets that fall", histogram('bucket{le="0.1"} 4', ...WHOLE.slice(1))],
  ["bounds that fall", histogram('bucket{le="1"} 1', ...WHOLE)],
  ["no bucket for all", histogram(WHOLE[0], 'bucket{le="2"} 3', ...WHOLE.slice(2))],
  ["a count that differs", histogram(...WHOLE.slice(0, 3), "count 4")],
  ["no sum", histogram(...WHOLE.slice(0, 2), "count 3")],
])
  test(`refused: ${what}`, () => assert.throws(() => parse_metrics(text), assert.AssertionError));
