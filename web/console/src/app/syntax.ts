// Highlighting of code by highlight.js, whose result is read as a tree: no HTML is made or parsed.
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

// A piece of text, or a part of the code of one kind: "hljs-keyword".
export type CodeNode = string | { kind: string; children: CodeNode[] };

const grammars = createLowlight({
  bash,
  cpp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});

interface TreeNode {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: TreeNode[];
}

function read(node: TreeNode): CodeNode {
  if (node.type === "text") return node.value ?? "";
  const names = node.properties?.className;
  return { kind: Array.isArray(names) ? names.join(" ") : "", children: (node.children ?? []).map(read) };
}

// undefined: no grammar of this name or alias ("js", "c++").
export function parse(text: string, language: string): CodeNode[] | undefined {
  if (!grammars.registered(language)) return undefined;
  return (grammars.highlight(language, text) as TreeNode).children?.map(read);
}
