// CodeMirror 6 in the colours of the console. It stands in a shadow root: there its styles are constructed sheets, which
// the content security policy allows, and not elements with inline styles, which it does not.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { languageOf } from "./editor_languages";

interface Props {
  name: string; // of the file, whose ending chooses the language
  label: string;
  text: string; // at first
  onChange: (text: string) => void;
  onSave: () => void;
}

export function CodeEditor({ name, label, text, onChange, onSave }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ onChange, onSave });
  latest.current = { onChange, onSave };
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const language = languageOf(name);
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightSpecialChars(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          indentOnInput(),
          bracketMatching(),
          search({ top: true }),
          syntaxHighlighting(colours),
          ...(language ? [language] : []),
          look,
          // Tab leaves the editor, as everywhere; Ctrl+] and Ctrl+[ indent.
          keymap.of([
            { key: "Mod-s", preventDefault: true, run: () => (latest.current.onSave(), true) },
            ...searchKeymap,
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [name]);
  return <div ref={host} class="code-editor" dir="ltr" />;
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.atom, tags.bool, tags.meta, tags.heading], color: "var(--code-word)" },
  { tag: [tags.string, tags.regexp, tags.inserted], color: "var(--code-text)" },
  { tag: [tags.number, tags.variableName], color: "var(--code-number)" },
  {
    tag: [tags.typeName, tags.className, tags.propertyName, tags.attributeName, tags.tagName, tags.definition(tags.variableName)],
    color: "var(--code-name)",
  },
  { tag: [tags.comment, tags.quote], color: "var(--code-remark)" },
  { tag: [tags.deleted, tags.invalid], color: "var(--bad)" },
  { tag: tags.link, color: "var(--accent)" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "650" },
]);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--raised)", fontSize: "0.9rem" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "transparent", boxShadow: "inset 2px 0 0 var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--own)" },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--hint-ground)", outline: "1px solid var(--busy)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--own)" },
  ".cm-specialChar": { color: "var(--bad)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-textfield, .cm-button": {
    color: "var(--text)",
    background: "var(--raised)",
    border: "1px solid var(--control-line)",
    borderRadius: "4px",
  },
});
