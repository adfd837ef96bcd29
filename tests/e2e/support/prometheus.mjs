// A strict reader of the Prometheus text format 0.0.4: throws at whatever a scraper would refuse or misread.
import assert from "node:assert/strict";

const METRIC = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const TYPES = ["counter", "gauge", "histogram", "summary", "untyped"];
const PARTS = { histogram: ["_bucket", "_sum", "_count"], summary: ["", "_sum", "_count"] };

const number_of = (text) => {
  if (/^[+-]?Inf$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (text === "NaN") return NaN;
  assert.match(text, NUMBER, "a value is a number");
  return Number(text);
};

const unescaped = (text, escapes) =>
  text.replace(/\\(.?)/gs, (_, character) => {
    assert.ok(character in escapes, `there is no escape \\${character} here: ${text}`);
    return escapes[character];
  });

// `{name="value",...}` at the start of `text`: the labels, and what follows them.
const labels_of = (text) => {
  const labels = {};
  let rest = text;
  if (!rest.startsWith("{")) return { labels, rest };
  for (rest = rest.slice(1); !rest.startsWith("}"); rest = rest.replace(/^,/, "")) {
    const [whole, name, value] = rest.match(/^([^=]*)="((?:[^"\\\n]|\\.)*)"(?=[,}])/) ?? [];
    assert.ok(whole, `no label begins at ${rest}`);
    assert.match(name, LABEL);
    assert.ok(!(name in labels), `the label ${name} is given once`);
    labels[name] = unescaped(value, { "\\": "\\", '"': '"', n: "\n" });
    rest = rest.slice(whole.length);
  }
  return { labels, rest: rest.slice(1) };
};

const sample_of = (line) => {
  const [name] = line.match(/^[^{ ]*/);
  assert.match(name, METRIC, line);
  const { labels, rest } = labels_of(line.slice(name.length));
  const [, value, , time] = rest.match(/^ ([^ ]+)( (-?\d+))?$/) ?? [];
  assert.ok(value, `one space and a value follow the name and labels: ${line}`);
  return { name, labels, value: number_of(value), ...(time && { time: Number(time) }) };
};

const key_of = (labels) => JSON.stringify(Object.entries(labels).sort());

// Buckets rise to +Inf, count what is below their bound, and agree with _count; each series has all its parts.
const check_histogram = ({ name, samples }) => {
  const series = new Map();
  for (const { name: part, labels, value } of samples) {
    const { le, ...own } = labels;
    assert.equal(le !== undefined, part === `${name}_bucket`, `${part}: le belongs to buckets`);
    const one = series.get(key_of(own)) ?? { buckets: [] };
    series.set(key_of(own), one);
    if (le === undefined) one[part.slice(name.length + 1)] = value;
    else one.buckets.push([number_of(le), value]);
  }
  for (const [labels, { buckets, sum, count }] of series) {
    const where = `${name} ${labels}`;
    assert.ok(buckets.length > 1 && sum !== undefined && count !== undefined, `${where} is whole`);
    for (const [at, [bound, value]] of buckets.entries()) {
      assert.ok(Number.isInteger(value) && value >= 0, `${where} counts`);
      if (at === 0) continue;
      assert.ok(bound > buckets[at - 1][0], `${where}: bounds rise`);
      assert.ok(value >= buckets[at - 1][1], `${where}: buckets are cumulative`);
    }
    assert.deepEqual(buckets.at(-1), [Infinity, count], `${where}: the last bucket is +Inf and holds all`);
    assert.equal(count > 0, sum > 0, `${where}: a sum of what was counted`);
  }
};

const check_family = (family) => {
  const { name, type, samples } = family;
  assert.ok(family.help, `${name} says what it is`);
  assert.ok(samples.length > 0, `${name} has a sample`);
  assert.equal(new Set(samples.map((one) => one.name + key_of(one.labels))).size, samples.length, `${name}: series are given once`);
  if (type === "histogram") check_histogram(family);
  if (type !== "counter") return;
  assert.match(name, /_total$/, "a counter's name says so");
  for (const { value } of samples) assert.ok(value >= 0 && Number.isFinite(value), `${name} counts`);
};

// The families by name: {name, type, help, samples: [{name, labels, value}]}.
export const parse_metrics = (text) => {
  assert.ok(text.endsWith("\n"), "the last line ends");
  const families = new Map();
  let current;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, name, rest] = line.match(/^# (HELP|TYPE) ([^ ]+) (.*)$/s) ?? [];
    if (word) {
      assert.match(name, METRIC);
      if (current?.name !== name) {
        assert.ok(!families.has(name), `the lines of ${name} stand together`);
        families.set(name, (current = { name, samples: [] }));
      }
      assert.ok(current.samples.length === 0, `${word} comes before the samples of ${name}`);
      assert.ok(!(word.toLowerCase() in current), `${word} of ${name} is given once`);
      if (word === "TYPE") assert.ok(TYPES.includes(rest), `${rest} is no type`);
      current[word.toLowerCase()] = word === "HELP" ? unescaped(rest, { "\\": "\\", n: "\n" }) : rest;
    } else {
      assert.ok(line !== "" && !line.startsWith("#"), `an odd line: ${line}`);
      const sample = sample_of(line);
      const parts = PARTS[current?.type] ?? [""];
      assert.ok(current?.type && parts.some((part) => sample.name === current.name + part), `${sample.name} has its TYPE above it`);
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) check_family(family);
  return families;
};

// The value of the one series of `name` that has these labels, possibly among others.
export const value_of = (families, name, labels = {}) => {
  const samples = families.get(name) ?? [...families.values()].find((family) => family.samples.some((one) => one.name === name));
  const found = (samples?.samples ?? []).filter(
    (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  assert.equal(found.length, 1, `${name} ${JSON.stringify(labels)}: ${JSON.stringify(found)}`);
  return found[0].value;
};
