// Languages of the editor by the ending of a file's name.
import { StreamLanguage, type StreamParser } from "@codemirror/language";
import { c, cpp, csharp, java, kotlin } from "@codemirror/legacy-modes/mode/clike";
import { css, less, sCSS } from "@codemirror/legacy-modes/mode/css";
import { diff } from "@codemirror/legacy-modes/mode/diff";
import { dockerFile } from "@codemirror/legacy-modes/mode/dockerfile";
import { go } from "@codemirror/legacy-modes/mode/go";
import { javascript, json, typescript } from "@codemirror/legacy-modes/mode/javascript";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { properties } from "@codemirror/legacy-modes/mode/properties";
import { python } from "@codemirror/legacy-modes/mode/python";
import { ruby } from "@codemirror/legacy-modes/mode/ruby";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { standardSQL } from "@codemirror/legacy-modes/mode/sql";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { html, xml } from "@codemirror/legacy-modes/mode/xml";
import { yaml } from "@codemirror/legacy-modes/mode/yaml";
import { extensionOf, nameOf } from "../workspace";
import { markdown } from "./editor_markdown";

const parsers: [string, StreamParser<unknown>][] = [
  ["c h", c],
  ["cc cpp cxx hpp", cpp],
  ["cs", csharp],
  ["css", css],
  ["diff patch", diff],
  ["go", go],
  ["htm html vue", html],
  ["conf env ini properties", properties],
  ["java", java],
  ["js cjs mjs jsx", javascript],
  ["json", json],
  ["kt", kotlin],
  ["less", less],
  ["lua", lua],
  ["md markdown", markdown],
  ["py", python],
  ["rb", ruby],
  ["rs", rust],
  ["scss", sCSS],
  ["bash sh", shell],
  ["sql", standardSQL],
  ["toml", toml],
  ["ts tsx", typescript],
  ["svg xml", xml],
  ["yaml yml", yaml],
];

export function languageOf(path: string) {
  const ending = extensionOf(path);
  const found = parsers.find(([endings]) => endings.split(" ").includes(ending))?.[1];
  const parser = /^Dockerfile/.test(nameOf(path)) ? dockerFile : found;
  return parser && StreamLanguage.define(parser);
}
