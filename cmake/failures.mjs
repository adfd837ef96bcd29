// Prints what the tests that failed said, from ctest's log: for a reader who has only the end of a run's output.
//   node cmake/failures.mjs build/asan/Testing/Temporary/LastTest.log
import { existsSync, readFileSync } from "node:fs";

const LINES_OF_ONE_FAILURE = 40,
  LINES_OF_ONE_TEST = 120;

// A failure begins with one of these lines: node's runner, GoogleTest, a sanitizer.
const BEGINS = /^\s*not ok |: Failure$|^\[  FAILED  \]|ERROR: (Address|Leak)Sanitizer|runtime error: |terminate called/;
// And ends before the next test's line.
const ENDS = /^\s*(ok|# Subtest:) |^\[       OK \]|^\[ RUN      \]/;

const excerpt = (output) => {
  const kept = [];
  let left = 0;
  for (const line of output.split("\n")) {
    if (BEGINS.test(line)) left = LINES_OF_ONE_FAILURE;
    else if (ENDS.test(line)) left = 0;
    if (left-- > 0) kept.push(line);
  }
  return (kept.length ? kept : output.split("\n").slice(-LINES_OF_ONE_FAILURE)).slice(0, LINES_OF_ONE_TEST).join("\n");
};

const log = existsSync(process.argv[2]) ? readFileSync(process.argv[2], "utf8") : "";
for (const run of log.split(/^-{58}\n(?=\d+\/\d+ Test(?:ing)?: )/m)) {
  const name = /^\d+\/\d+ Test(?:ing)?: (.*)$/m.exec(run)?.[1];
  const [, output = "", end = ""] = /^Output:\n-+\n(.*?)^<end of output>\n(.*)$/ms.exec(run) ?? [];
  if (name && !/^Test Passed\./m.test(end)) console.log(`\n${name} failed:\n${excerpt(output)}`);
}
