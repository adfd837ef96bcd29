// The files of an answer as cards: what its steps have written, and what its text links to.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Agent, ChatMessage } from "../api/types";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { CodeBlock } from "../components/code_block";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { Loaded, useLoad } from "../components/loaded";
import { Markdown, type Workspace, workspacePath } from "../components/markdown";
import { storedSteps } from "../conversation";
import { extensionOf, filesPath, folderOf, isImage, nameOf, rawUrl } from "../workspace";

// Where relative addresses in an agent's texts lead, or in a file of this folder.
export function workspaceOf(agent: Agent, folder = ""): Workspace {
  const whole = (path: string) => (folder ? `${folder}/${path}` : path);
  return { pageOf: (path) => filesPath(agent, whole(path)), imageOf: (path) => (isImage(path) ? rawUrl(agent, whole(path)) : undefined) };
}

const most = 12; // cards of one answer

interface FileResult {
  path?: unknown;
  to?: unknown;
  files?: { path?: unknown; change?: unknown }[];
}

// The paths of the files that an answer has made or changed and that are still there after it, then those it links to.
export function filesOf(message: ChatMessage): string[] {
  const found = new Set<string>();
  for (const { name, result, failed, arguments: given } of storedSteps(message)) {
    if (failed || result === undefined) continue;
    const said = parsed(result);
    const path = typeof said.path === "string" ? said.path : "";
    if (name === "write_file" || name === "edit_file") found.add(path);
    if (name === "delete_file") found.delete(path || String(parsed(given).path));
    if (name === "move_file") {
      const { from, to } = parsed(given) as { from?: unknown; to?: unknown };
      if (found.delete(String(from))) found.add(String(to));
    }
    for (const file of name === "apply_patch" ? (said.files ?? []) : [])
      if (file.change === "deleted") found.delete(String(file.path));
      else found.add(String(file.path));
  }
  for (const [, image, href = ""] of message.content.matchAll(/(!?)\[[^\]\n]*\]\(<?([^\s)>]+)>?(?:\s+"[^"]*")?\)/g)) {
    const path = workspacePath(href);
    // An image that is shown in the text needs no card.
    if (path !== undefined && /\.\w+$/.test(path) && !(image && isImage(path))) found.add(path);
  }
  found.delete("");
  return [...found].slice(0, most);
}

function parsed(json: string): FileResult {
  try {
    return (JSON.parse(json) ?? {}) as FileResult;
  } catch {
    return {};
  }
}

export function FileCards({ agent, paths }: { agent: Agent; paths: string[] }) {
  if (paths.length === 0) return null;
  return (
    <ul class="file-cards" aria-label={t("chat.files_made")}>
      {paths.map((path) => (
        <FileCard key={path} agent={agent} path={path} />
      ))}
    </ul>
  );
}

function FileCard({ agent, path }: { agent: Agent; path: string }) {
  const open = useSignal(false);
  const name = nameOf(path);
  return (
    <li class={open.value ? "file-card open" : "file-card"}>
      <div class="file-card-head">
        <Icon name="file" />
        <Link to={filesPath(agent, path)} title={path}>
          <bdi>{name}</bdi>
        </Link>
        {folderOf(path) && (
          <small class="quiet one-line">
            <bdi>{folderOf(path)}</bdi>
          </small>
        )}
        <Button
          kind="ghost"
          class="icon-only"
          label={t("chat.preview", { name })}
          title={t("chat.preview", { name })}
          pressed={open.value}
          onClick={() => (open.value = !open.value)}
        >
          <Icon name="watch" />
        </Button>
        <a
          class="button ghost icon-only"
          href={rawUrl(agent, path)}
          download={name}
          aria-label={t("files.download", { name })}
          title={t("files.download", { name })}
        >
          <Icon name="download" />
        </a>
      </div>
      {open.value &&
        (isImage(path) ? <img class="file-picture" src={rawUrl(agent, path)} alt={name} /> : <Preview agent={agent} path={path} />)}
    </li>
  );
}

const lines = 40; // that a preview shows

function Preview({ agent, path }: { agent: Agent; path: string }) {
  const file = useLoad(() => call("GET /api/agents/{id}/files/read", { path: { id: agent.id }, query: { path } }), [agent.id, path]);
  const extension = extensionOf(path);
  return (
    <Loaded of={file}>
      {({ content }) => {
        const all = content.split("\n");
        const shown = all.slice(0, lines).join("\n");
        return (
          <div class="file-preview">
            {extension === "md" ? (
              <Markdown text={shown} workspace={workspaceOf(agent, folderOf(path))} />
            ) : (
              <CodeBlock text={shown} language={nameOf(path)} syntax={extension} />
            )}
            {all.length > lines && <p class="quiet">{t("chat.preview_more", { count: lines, total: all.length })}</p>}
          </div>
        );
      }}
    </Loaded>
  );
}
