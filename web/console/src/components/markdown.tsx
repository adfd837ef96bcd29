// Markdown of agents as elements of the page. No HTML is ever parsed: what looks like HTML is shown as text. Links lead only
// to http, https, mailto and files of the agent's workspace; images come from the workspace or the text itself, and nothing
// from outside is loaded.
import type { Token, Tokens } from "marked";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useId } from "preact/hooks";
import { t } from "../app/i18n";
import { CodeBlock } from "./code_block";
import { Diagram } from "./diagram";
import { Formula } from "./formula";
import { Link } from "./link";
import { type Footnote, type FootnoteMark, parse } from "./markdown_syntax";

// Where relative addresses in the text lead, if anywhere.
export interface Workspace {
  pageOf: (path: string) => string;
  imageOf: (path: string) => string | undefined; // undefined: not shown as an image
}
const WorkspaceContext = createContext<Workspace | undefined>(undefined);
const NotesContext = createContext("");

export function Markdown({ text, workspace }: { text: string; workspace?: Workspace }) {
  const tokens = parse(text);
  const notes = tokens.filter(({ type }) => type === "footnote") as Footnote[];
  const id = useId();
  return (
    <WorkspaceContext.Provider value={workspace}>
      <NotesContext.Provider value={notes.length > 0 ? id : ""}>
        <div class="markdown" dir="auto">
          {tokens.filter(({ type }) => type !== "footnote").map(block)}
          {notes.length > 0 && (
            <ol class="footnotes" aria-label={t("markdown.footnotes")}>
              {notes.map((note) => (
                <li key={note.label} id={`${id}-${note.label}`} tabIndex={-1}>
                  <sup>{note.label}</sup> {note.tokens.map(block)}
                </li>
              ))}
            </ol>
          )}
        </div>
      </NotesContext.Provider>
    </WorkspaceContext.Provider>
  );
}

// The path that a relative address names in a workspace; undefined: it is none.
export function workspacePath(href: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:|^\/\/|^[#?]/i.test(href)) return undefined;
  const path = href.replace(/[?#].*$/, "").replace(/^(\.?\/)+/, "");
  try {
    const decoded = decodeURIComponent(path);
    return decoded === "" || decoded.split("/").includes("..") ? undefined : decoded;
  } catch {
    return undefined;
  }
}

// Leads to a footnote, which is given the focus: the address stays that of the conversation.
function NoteMark({ label }: { label: string }) {
  const id = useContext(NotesContext);
  if (id === "") return <sup>{label}</sup>;
  return (
    <sup>
      <button
        type="button"
        class="note-mark"
        aria-label={t("markdown.footnote", { label })}
        onClick={() => document.getElementById(`${id}-${label}`)?.focus()}
      >
        {label}
      </button>
    </sup>
  );
}

const dataImage = /^data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;

function Image({ token }: { token: Tokens.Image }) {
  const workspace = useContext(WorkspaceContext);
  const { href, text } = token;
  const words = text || t("markdown.image");
  const path = workspacePath(href);
  const source = dataImage.test(href) ? href : path === undefined ? undefined : workspace?.imageOf(path);
  if (source) return <img class="picture" src={source} alt={words} title={token.title ?? undefined} loading="lazy" />;
  // Images from elsewhere would tell their server who reads this.
  return <Anchor href={href}>{words}</Anchor>;
}

function Anchor({ href, children: content }: { href: string; children: ComponentChildren }) {
  const workspace = useContext(WorkspaceContext);
  let protocol = "";
  try {
    protocol = new URL(href).protocol;
  } catch {
    // No address of its own: a file of the workspace, or only its text is shown.
  }
  const path = workspacePath(href);
  if (workspace && path !== undefined) return <Link to={workspace.pageOf(path)}>{content}</Link>;
  if (!["http:", "https:", "mailto:"].includes(protocol)) return <span>{content}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {content}
    </a>
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
      return token.lang?.trim().toLowerCase() === "mermaid" ? (
        <Diagram key={key} source={token.text} />
      ) : (
        <CodeBlock key={key} text={token.text} language={token.lang ?? ""} />
      );
    case "formula":
      return <Formula key={key} source={token.text} display={token.display} />;
    case "footnote_mark":
      return <NoteMark key={key} label={(token as FootnoteMark).label} />;
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
      return (
        <Anchor key={key} href={token.href}>
          {children(token)}
        </Anchor>
      );
    case "image":
      return <Image key={key} token={token as Tokens.Image} />;
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

// Character references in running text: &amp; is an ampersand.
function plain(text: string): string {
  return text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|\w{2,31});/gi, (reference) => {
    const decoded = new DOMParser().parseFromString(reference, "text/html").body?.textContent;
    return decoded ?? reference;
  });
}
