// Markdown as far as an editor colours it: headings, quotes, code, emphasis, links.
import type { StreamParser } from "@codemirror/language";

interface State {
  inFence: boolean;
}

const inline: [RegExp, string][] = [
  [/^`[^`]+`/, "string"],
  [/^\*\*[^*]+\*\*/, "strong"],
  [/^[*_][^*_\s][^*_]*[*_]/, "emphasis"],
  [/^!?\[[^\]]*\]\([^)]*\)/, "link"],
  [/^<?https?:\/\/[^\s>]+>?/, "link"],
];

export const markdown: StreamParser<unknown> = {
  name: "markdown",
  startState: (): State => ({ inFence: false }),
  token(stream, untyped) {
    const state = untyped as State;
    if (stream.sol()) {
      if (stream.match(/^\s*(```|~~~).*/)) {
        state.inFence = !state.inFence;
        return "keyword";
      }
      if (!state.inFence) {
        if (stream.match(/^#{1,6}\s.*/)) return "heading";
        if (stream.match(/^>.*/)) return "quote";
        if (stream.match(/^\s*([-*+]|\d+\.)\s/)) return "keyword";
      }
    }
    if (state.inFence) {
      stream.skipToEnd();
      return "string";
    }
    for (const [pattern, kind] of inline) if (stream.match(pattern)) return kind;
    stream.next();
    return null;
  },
};
