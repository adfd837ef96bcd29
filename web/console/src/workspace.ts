// Files of an agent's workspace, and their history.
import { signal, type Signal } from "@preact/signals";
import { call, patience, send, url_of } from "./api/client";
import type { TreeNode } from "./api/types";
import { agentPath, sharedPath } from "./app/pages";

// Whose files: an agent's, which may be shared with the user as a builder.
export interface Workspace {
  id: string;
  name: string;
  shared?: boolean;
}

// The address of its files, or of one.
export function filesPath({ id, shared }: Workspace, path = ""): string {
  const all = shared ? sharedPath(id, "files") : agentPath(id, "files");
  return path ? `${all}?path=${encodeURIComponent(path)}` : all;
}

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
export async function entries({ id, shared }: Workspace, path: string): Promise<TreeNode[]> {
  const what = { path: { id }, query: { depth: 1, path: path || undefined } };
  const { root } = await (shared ? call("GET /api/shared/{id}/files/tree", what) : call("GET /api/agents/{id}/files/tree", what));
  return (root.children ?? []) as unknown as TreeNode[];
}

export function rawUrl({ id, shared }: Workspace, path: string) {
  const what = { path: { id }, query: { path } };
  return shared ? url_of("GET /api/shared/{id}/files/raw", what) : url_of("GET /api/agents/{id}/files/raw", what);
}

export function find({ id, shared }: Workspace, text: string) {
  const what = { path: { id }, query: { q: text, ignoreCase: true } };
  return shared ? call("GET /api/shared/{id}/files/search", what) : call("GET /api/agents/{id}/files/search", what);
}

const read = ({ id, shared }: Workspace, path: string) => {
  const what = { path: { id }, query: { path } };
  return shared ? call("GET /api/shared/{id}/files/read", what) : call("GET /api/agents/{id}/files/read", what);
};

export async function write({ id, shared }: Workspace, path: string, content: string): Promise<void> {
  const what = { path: { id }, body: { path, content } };
  await (shared ? call("POST /api/shared/{id}/files/write", what) : call("POST /api/agents/{id}/files/write", what));
}

export async function makeFolder({ id, shared }: Workspace, path: string): Promise<void> {
  const what = { path: { id }, body: { path } };
  await (shared ? call("POST /api/shared/{id}/files/mkdir", what) : call("POST /api/agents/{id}/files/mkdir", what));
}

export async function move(of: Workspace, from: string, to: string): Promise<void> {
  const what = { path: { id: of.id }, body: { from, to } };
  await (of.shared ? call("POST /api/shared/{id}/files/move", what) : call("POST /api/agents/{id}/files/move", what));
  forgetFile(of, from);
}

export async function removeFile(of: Workspace, path: string): Promise<void> {
  const what = { path: { id: of.id }, query: { path } };
  await (of.shared ? call("DELETE /api/shared/{id}/files", what) : call("DELETE /api/agents/{id}/files", what));
  forgetFile(of, path);
}

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
const keyOf = ({ id }: Workspace, path: string) => `${id}/${path}`;

// The file as the box has it now, unless there is an unsaved draft of it.
export async function open(of: Workspace, path: string): Promise<OpenFile> {
  const known = opened.get(keyOf(of, path));
  if (known && isDirty(known)) return known;
  const { content, modified } = await read(of, path);
  const file: OpenFile = { serial: ++openings, saved: content, modified, draft: signal(content) };
  opened.set(keyOf(of, path), file);
  return file;
}

export const isDirty = ({ saved, draft }: OpenFile) => draft.value !== saved;

export const forgetFile = (of: Workspace, path: string) => opened.delete(keyOf(of, path));
export const forgetFiles = () => opened.clear();

// Saves the draft. false: the file has been changed by somebody else since it was opened, and nothing was saved.
export async function save(of: Workspace, path: string, file: OpenFile, { overwrite = false } = {}): Promise<boolean> {
  const content = file.draft.value;
  if (!overwrite) {
    const now = await read(of, path);
    if (now.modified !== file.modified && now.content !== file.saved) return false;
  }
  await write(of, path, content);
  file.saved = content;
  file.modified = (await read(of, path)).modified;
  return true;
}
