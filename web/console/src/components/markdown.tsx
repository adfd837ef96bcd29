// Markdown of agents as elements of the page. No HTML is ever parsed: what looks like HTML is shown as text, and links
// lead only to http, https and mailto.
import type { Token, Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { t } from "../app/i18n";
import { CodeBlock } from "./code_block";
import { Formula } from "./formula";
import { type Footnote, type FootnoteMark, parse } from "./markdown_syntax";

export function Markdown({ text }: { text: string }) {
  const tokens = parse(text);
  const notes = tokens.filter(({ type }) => type === "footnote") as Footnote[];
  return (
    <div class="markdown" dir="auto">
      {tokens.filter(({ type }) => type !== "footnote").map(block)}
      {notes.length > 0 && (
        <ol class="footnotes" aria-label={t("markdown.footnotes")}>
          {notes.map((note) => (
            <li key={note.label}>
              <sup>{note.label}</sup> {note.tokens.map(block)}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

const children = (token: { tokens?: Token[]; text?: string }) => (token.tokens ? token.tokens.map(block) : plain(token.text ?? ""));

function block(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      // Headings of an answer stand below those of the page.
      return token.depth <= 2 ? <h3 key={key}>{children(token)}</h3> : <h4 key={key}>{children(token)}</h4>;
    case "paragraph":
      return <p key={key}>{children(token)}</p>;
    case "code":
      return <CodeBlock key={key} text={token.text} language={token.lang ?? ""} />;
    case "formula":
      return <Formula key={key} source={token.text} display={token.display} />;
    case "footnote_mark":
      return <sup key={key}>{(token as FootnoteMark).label}</sup>;
    case "blockquote":
      return <blockquote key={key}>{children(token)}</blockquote>;
    case "hr":
      return <hr key={key} />;
    case "list":
      return list(token as Tokens.List, key);
    case "table":
      return table(token as Tokens.Table, key);
    case "html":
      // With whatever white space it has, as it is text here.
      return token.block ? (
        <p key={key} class="source">
          {token.text.trim()}
        </p>
      ) : (
        token.text
      );
    case "strong":
      return <strong key={key}>{children(token)}</strong>;
    case "em":
      return <em key={key}>{children(token)}</em>;
    case "del":
      return <del key={key}>{children(token)}</del>;
    case "codespan":
      return <code key={key}>{token.text}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return link(token as Tokens.Link, key);
    case "image":
      // Images would tell their server who reads this.
      return link({ ...(token as Tokens.Image), tokens: [] } as unknown as Tokens.Link, key, token.text || t("markdown.image"));
    case "checkbox":
      return <input key={key} type="checkbox" disabled checked={token.checked} aria-label={t("markdown.task")} />;
    case "escape":
      return token.text;
    case "text":
      return token.tokens ? <span key={key}>{children(token)}</span> : plain(token.text);
    default:
      return token.raw;
  }
}

function list({ ordered, start, items }: Tokens.List, key: number) {
  const entries = items.map((item, index) => <li key={index}>{children(item)}</li>);
  return ordered ? (
    <ol key={key} start={start === "" ? 1 : start}>
      {entries}
    </ol>
  ) : (
    <ul key={key}>{entries}</ul>
  );
}

function table({ header, rows }: Tokens.Table, key: number) {
  return (
    <div key={key} class="scroll" tabIndex={0} role="region" aria-label={t("markdown.table")}>
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index}>{children(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>{children(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function link(token: Tokens.Link, key: number, text?: string): ComponentChildren {
  const content = text ?? children(token);
  let protocol = "";
  try {
    protocol = new URL(token.href).protocol;
  } catch {
    // No address of its own: only its text is shown.
  }
  if (!["http:", "https:", "mailto:"].includes(protocol)) return <span key={key}>{content}</span>;
  return (
    <a key={key} href={token.href} target="_blank" rel="noopener noreferrer nofollow" title={token.href}>
      {content}
    </a>
  );
}

// Character references in running text: &amp; is an ampersand.
function plain(text: string): string {
  return text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|\w{2,31});/gi, (reference) => {
    const decoded = new DOMParser().parseFromString(reference, "text/html").body?.textContent;
    return decoded ?? reference;
  });
}
