// What Markdown of agents has besides GitHub's: formulas ($…$, $$…$$, \(…\), \[…\]) and footnotes ([^1]).
import { Marked, type Token, type TokenizerAndRendererExtension, type Tokens } from "marked";

export interface Formula extends Tokens.Generic {
  type: "formula";
  text: string;
  display: boolean;
}
export interface FootnoteMark extends Tokens.Generic {
  type: "footnote_mark";
  label: string;
}
export interface Footnote extends Tokens.Generic {
  type: "footnote";
  label: string;
  tokens: Token[];
}

const blockFormula: TokenizerAndRendererExtension = {
  name: "formula_block",
  level: "block",
  start: (source) => source.match(/\$\$|\\\[/)?.index,
  tokenizer(source) {
    const found = /^\$\$([^$][\s\S]*?)\$\$(?:\n|$)/.exec(source) ?? /^\\\[([\s\S]+?)\\\](?:\n|$)/.exec(source);
    return found ? { type: "formula", raw: found[0], text: found[1]!.trim(), display: true } : undefined;
  },
};

// A dollar that money begins with is none of a formula: it ends before white space or a digit.
const inlineFormula: TokenizerAndRendererExtension = {
  name: "formula_inline",
  level: "inline",
  start: (source) => source.match(/\$|\\\(/)?.index,
  tokenizer(source) {
    const found =
      /^\$\$([^$\n]+?)\$\$/.exec(source) ??
      /^\$(?![\s$\d.,])((?:\\.|[^$\n\\])*?[^\s\\$]|[^\s\\$])\$(?!\d)/.exec(source) ??
      /^\$((?:\\.|[^$\n\\])*?[\\^_=+{](?:\\.|[^$\n\\])*?[^\s$])\$(?!\d)/.exec(source) ??
      /^\\\(([^\n]+?)\\\)/.exec(source);
    return found ? { type: "formula", raw: found[0], text: found[1]!.trim(), display: false } : undefined;
  },
};

const footnoteMark: TokenizerAndRendererExtension = {
  name: "footnote_mark",
  level: "inline",
  start: (source) => source.match(/\[\^/)?.index,
  tokenizer(source) {
    const found = /^\[\^([\w-]{1,40})\](?!:)/.exec(source);
    return found ? { type: "footnote_mark", raw: found[0], label: found[1]! } : undefined;
  },
};

const footnote: TokenizerAndRendererExtension = {
  name: "footnote",
  level: "block",
  start: (source) => source.match(/^\[\^[\w-]{1,40}\]:/m)?.index,
  tokenizer(source) {
    const found = /^\[\^([\w-]{1,40})\]:[ \t]*([^\n]*(?:\n(?:[ \t]{2,}|\t)[^\n]+)*)(?:\n|$)/.exec(source);
    if (!found) return undefined;
    return { type: "footnote", raw: found[0], label: found[1]!, tokens: this.lexer.inlineTokens(found[2]!.trim()) };
  },
};

const marked = new Marked({ gfm: true, breaks: true });
marked.use({ extensions: [blockFormula, inlineFormula, footnote, footnoteMark] });

export const parse = (text: string): Token[] => marked.lexer(text);
