// Which parts of Mermaid the box carries: the usual diagrams. What it leaves out takes two thirds of Mermaid's code: rare
// kinds of diagrams, layouts other than dagre, formulas in labels, and the parser generator that pie and
// gitGraph alone would need (src/diagram/grammars.ts reads these two).
import { join } from "node:path";

const left_out = [
  /^(katex|cytoscape(-.*)?|layout-base|@upsetjs\/venn\.js)$/,
  /\/(abnf|architecture|block|c4|cynefin|ebnf|info|ishikawa|peg|railroad|requirement|sankey|swimlanes|venn|wardley)Diagram-/,
  /\/(kanban|mindmap|swimlanes|diagram)-/,
];

// `source`: the folder of the console's sources.
export const usual_diagrams = (source) => ({
  name: "the usual diagrams",
  setup(build) {
    build.onResolve({ filter: /^@mermaid-js\/parser$/ }, () => ({ path: join(source, "diagram/grammars.ts") }));
    build.onResolve({ filter: /.*/ }, ({ path }) =>
      left_out.some((pattern) => pattern.test(path)) ? { path, namespace: "left out" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "left out" }, ({ path }) => ({
      contents: path.startsWith(".")
        ? `throw new Error("this kind of diagram is not included"); export const diagram = 0;`
        : "export default {};",
      loader: "js",
    }));
  },
});
