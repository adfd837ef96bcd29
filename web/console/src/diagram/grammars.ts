// Reads pie charts and git graphs into what Mermaid's own parser makes of them. That parser, @mermaid-js/parser, is twice
// as large as all the diagrams it is needed for.

interface Common {
  title?: string;
  accTitle?: string;
  accDescr?: string;
}
interface Pie extends Common {
  showData: boolean;
  sections: { label: string; value: number }[];
}
type Statement = { $type: string } & Record<string, unknown>;
interface GitGraph extends Common {
  dir?: string;
  statements: Statement[];
}

// Other diagrams import it.
export class MermaidParseError extends Error {}

export async function parse(kind: string, text: string): Promise<Pie | GitGraph> {
  if (kind === "pie") return readPie(text);
  if (kind === "gitGraph") return readGitGraph(text);
  throw new MermaidParseError(`No diagrams of the kind ${kind} here`);
}

function fail(line: string): never {
  throw new MermaidParseError(`Cannot read the line: ${line}`);
}

const linesOf = (text: string) =>
  text
    .replace(/accDescr\s*\{\s*([^}]*?)\s*\}/g, (_, words: string) => `accDescr: ${words.replace(/\s+/g, " ")}`)
    .split("\n")
    .map((line) => line.replace(/%%.*$/, "").trim())
    .filter((line) => line !== "");

// Whether the line was one that both kinds have.
function readCommon(line: string, into: Common): boolean {
  const found = /^(title|accTitle|accDescr)\s*:?\s+(.+)$/.exec(line) ?? /^(accTitle|accDescr)\s*:\s*(.+)$/.exec(line);
  if (found) into[found[1] as keyof Common] = found[2]!.trim();
  return found !== null;
}

function readPie(text: string): Pie {
  const pie: Pie = { showData: false, sections: [] };
  const [head = "", ...lines] = linesOf(text);
  const [, showData, rest = ""] = /^pie\b(\s+showData\b)?\s*(.*)$/.exec(head) ?? fail(head);
  pie.showData = showData !== undefined;
  for (const line of [rest, ...lines]) {
    if (line === "" || readCommon(line, pie)) continue;
    if (line === "showData") {
      pie.showData = true;
      continue;
    }
    const [, double, single, value] = /^(?:"([^"]*)"|'([^']*)')\s*:\s*(-?\d+(?:\.\d+)?)$/.exec(line) ?? fail(line);
    pie.sections.push({ label: double ?? single ?? "", value: Number(value) });
  }
  return pie;
}

const statementNames: Record<string, string> = {
  commit: "Commit",
  branch: "Branch",
  merge: "Merge",
  checkout: "Checkout",
  switch: "Checkout",
  "cherry-pick": "CherryPicking",
};

function readGitGraph(text: string): GitGraph {
  const graph: GitGraph = { statements: [] };
  const [head = "", ...lines] = linesOf(text);
  const [, dir, rest = ""] = /^gitGraph\b\s*(LR|TB|BT)?\s*:?\s*(.*)$/.exec(head) ?? fail(head);
  if (dir) graph.dir = dir;
  for (const line of [rest, ...lines]) if (line !== "" && !readCommon(line, graph)) graph.statements.push(readStatement(line));
  return graph;
}

function readStatement(line: string): Statement {
  const [, word, rest] = /^(commit|branch|merge|checkout|switch|cherry-pick)\b(.*)$/.exec(line) ?? fail(line);
  const statement: Statement = { $type: statementNames[word!]! };
  const tags: string[] = [];
  const part = /\s*(?:(id|msg|tag|type|order|parent)\s*:\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"':]+))/gy;
  let end = 0;
  for (let found = part.exec(rest!); found; found = part.exec(rest!)) {
    end = part.lastIndex;
    const [, key, double, single, bare] = found;
    const value = double ?? single ?? bare ?? "";
    if (key === "tag") tags.push(value);
    else if (key === "msg") statement.message = value;
    else if (key === "order") statement.order = Number(value);
    else if (key) statement[key] = value;
    else if (word === "commit") statement.message = value;
    else if (word === "branch") statement.name = value;
    else statement.branch = value;
  }
  if (rest!.slice(end).trim() !== "") fail(line);
  if (tags.length > 0) statement.tags = tags;
  return statement;
}
