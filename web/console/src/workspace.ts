// Files of an agent's workspace, and their history.
import { signal, type Signal } from "@preact/signals";
import { call, patience, send, url_of } from "./api/client";
import type { TreeNode } from "./api/types";

// One request may hold this many bytes of files.
export const largestUpload = 32 * 1024 * 1024;

// Stores files in a folder of the workspace and returns their paths. All or none.
export async function upload(agentId: string, folder: string, files: File[]): Promise<string[]> {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  const query = { agentId, ...(folder && { path: folder }) };
  const response = await send("POST /api/files", { query, body: form, timeout: 15 * patience });
  const { files: stored } = (await response.json()) as { files: { path: string }[] };
  return stored.map(({ path }) => path);
}

// The entries of one folder: folders first, then by name.
export async function entries(id: string, path: string): Promise<TreeNode[]> {
  const { root } = await call("GET /api/agents/{id}/files/tree", { path: { id }, query: { depth: 1, path: path || undefined } });
  return (root.children ?? []) as unknown as TreeNode[];
}

export const rawUrl = (id: string, path: string) => url_of("GET /api/agents/{id}/files/raw", { path: { id }, query: { path } });

export const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
export const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

const images = ["png", "jpg", "jpeg", "gif", "webp", "avif", "ico", "bmp"];
export const isImage = (path: string) => images.includes(extensionOf(path));
export const extensionOf = (path: string) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";

// A file that was opened. What was typed stays while the console is open, also on other pages.
export interface OpenFile {
  readonly serial: number; // tells it from the same file, opened again
  saved: string; // its content as the box has it
  modified: string; // when, as the box said
  draft: Signal<string>;
}

const opened = new Map<string, OpenFile>();
let openings = 0;
const keyOf = (id: string, path: string) => `${id}/${path}`;

// The file as the box has it now, unless there is an unsaved draft of it.
export async function open(id: string, path: string): Promise<OpenFile> {
  const known = opened.get(keyOf(id, path));
  if (known && isDirty(known)) return known;
  const { content, modified } = await call("GET /api/agents/{id}/files/read", { path: { id }, query: { path } });
  const file: OpenFile = { serial: ++openings, saved: content, modified, draft: signal(content) };
  opened.set(keyOf(id, path), file);
  return file;
}

export const isDirty = ({ saved, draft }: OpenFile) => draft.value !== saved;

export const forgetFile = (id: string, path: string) => opened.delete(keyOf(id, path));
export const forgetFiles = () => opened.clear();

// Saves the draft. false: the file has been changed by somebody else since it was opened, and nothing was saved.
export async function save(id: string, path: string, file: OpenFile, { overwrite = false } = {}): Promise<boolean> {
  const content = file.draft.value;
  const read = () => call("GET /api/agents/{id}/files/read", { path: { id }, query: { path } });
  if (!overwrite) {
    const now = await read();
    if (now.modified !== file.modified && now.content !== file.saved) return false;
  }
  await call("POST /api/agents/{id}/files/write", { path: { id }, body: { path, content } });
  file.saved = content;
  file.modified = (await read()).modified;
  return true;
}
