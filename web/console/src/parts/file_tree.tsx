import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { sentence } from "../api/client";
import type { TreeNode } from "../api/types";
import { t, tn } from "../app/i18n";
import { go } from "../app/router";
import { Button } from "../components/button";
import { DropZone } from "../components/drop_zone";
import { FileButton } from "../components/file_button";
import { Link } from "../components/link";
import { Loaded, useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { entries, filesPath, folderOf, upload, type Workspace } from "../workspace";
import { NewFileDialog, NewFolderDialog } from "./file_dialogs";
import { FileSearch } from "./file_search";

interface Props {
  of: Workspace;
  open: string; // path of the file that is shown
  version: number; // the tree is read again when it changes
  onChanged: () => void;
}

// The folders and files, and what is done with all of them. New files go into the folder that is named.
export function FileTree({ of, open, version, onChanged }: Props) {
  const folder = useSignal(folderOf(open));
  const search = useSignal("");
  const making = useSignal<"file" | "folder" | null>(null);
  const sending = useSignal(0);
  const error = useSignal("");
  const done = useSignal("");
  const put = async (files: File[]) => {
    if (files.length === 0 || of.shared) return;
    error.value = done.value = "";
    sending.value = files.length;
    try {
      const stored = await upload(of.id, folder.value, files);
      done.value = tn("files.uploaded", stored.length);
      onChanged();
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      sending.value = 0;
    }
  };
  const close = () => (making.value = null);
  const where = folder.value || t("files.top");
  return (
    <DropZone class="tree" label={t("files.drop", { folder: where })} onFiles={(files) => void put(files)}>
      <div class="actions start">
        <Button onClick={() => (making.value = "file")}>{t("files.new_file")}</Button>
        <Button onClick={() => (making.value = "folder")}>{t("files.new_folder")}</Button>
        {!of.shared && (
          <FileButton disabled={sending.value > 0} onFiles={(files) => void put(files)}>
            {t("files.upload")}
          </FileButton>
        )}
      </div>
      <p class="hint" role="status">
        {sending.value > 0 ? tn("chat.uploading", sending.value) : done.value || t("files.into", { folder: where })}
      </p>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <input
        type="search"
        aria-label={t("files.search")}
        placeholder={t("files.search")}
        maxLength={1000}
        value={search.value}
        onInput={(event) => (search.value = event.currentTarget.value)}
      />
      {search.value.trim() ? (
        <FileSearch key={search.value} of={of} text={search.value} />
      ) : (
        <nav aria-label={t("files.tree")}>
          <Folder of={of} path="" open={open} folder={folder.value} version={version} onFolder={(path) => (folder.value = path)} />
        </nav>
      )}
      {making.value === "file" && (
        <NewFileDialog
          of={of}
          folder={folder.value}
          onClose={close}
          onMade={(path) => {
            close();
            onChanged();
            go(filesPath(of, path));
          }}
        />
      )}
      {making.value === "folder" && (
        <NewFolderDialog
          of={of}
          folder={folder.value}
          onClose={close}
          onMade={(path) => {
            close();
            folder.value = path;
            onChanged();
          }}
        />
      )}
    </DropZone>
  );
}

interface FolderProps {
  of: Workspace;
  path: string;
  open: string;
  folder: string;
  version: number;
  onFolder: (path: string) => void;
}

// Entries of a folder that are drawn at once.
const step = 500;

function Folder({ of, path, open, folder, version, onFolder }: FolderProps) {
  const shown = useSignal(step);
  const list = useLoad(() => entries(of, path), [of.id, path, version]);
  return (
    <Loaded of={list}>
      {(found) =>
        found.length === 0 ? (
          <p class="quiet">{path ? t("files.empty_folder") : t("files.empty")}</p>
        ) : (
          <>
            <ul>
              {found.slice(0, shown.value).map((node) => (
                <li key={node.path}>
                  {node.type === "folder" ? (
                    <SubFolder node={node} of={of} open={open} folder={folder} version={version} onFolder={onFolder} />
                  ) : (
                    <Link to={filesPath(of, node.path)} current={node.path === open}>
                      <bdi>{node.name}</bdi>
                    </Link>
                  )}
                </li>
              ))}
            </ul>
            {found.length > shown.value && (
              <Button class="small" onClick={() => (shown.value += step)}>
                {t("usage.more")}
              </Button>
            )}
          </>
        )
      }
    </Loaded>
  );
}

function SubFolder({ node, open, folder, ...props }: Omit<FolderProps, "path"> & { node: TreeNode }) {
  const within = (path: string) => path === node.path || path.startsWith(`${node.path}/`);
  const unfolded = useSignal(within(folder) || within(open));
  useEffect(() => {
    if (within(open)) unfolded.value = true;
  }, [open]);
  return (
    <>
      <button
        type="button"
        class={folder === node.path ? "folder chosen" : "folder"}
        aria-expanded={unfolded.value}
        onClick={() => {
          unfolded.value = !unfolded.value;
          props.onFolder(unfolded.value ? node.path : folderOf(node.path));
        }}
      >
        <bdi>{node.name}</bdi>
      </button>
      {unfolded.value && <Folder path={node.path} open={open} folder={folder} {...props} />}
    </>
  );
}
