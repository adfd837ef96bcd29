import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { sentence } from "../api/client";
import { t } from "../app/i18n";
import { go } from "../app/router";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { EmptyState, Loading } from "../components/empty_state";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { Time } from "../components/time";
import { filesPath, forgetFile, isDirty, isImage, nameOf, open, type OpenFile, rawUrl, save, type Workspace } from "../workspace";
import { DeleteDialog, RenameDialog } from "./file_dialogs";
import { LazyEditor } from "./lazy_editor";
import { RowActions } from "./row_actions";

interface Props {
  of: Workspace;
  path: string;
  onChanged: () => void;
}

// One file: its text in an editor, or why there is none.
export function FileView({ of, path, onChanged }: Props) {
  const doing = useSignal<"rename" | "delete" | null>(null);
  const close = () => (doing.value = null);
  const all = filesPath(of);
  return (
    <>
      <header class="page-head">
        <h2>
          <bdi>{nameOf(path)}</bdi>
        </h2>
        <div class="actions" role="group" aria-label={t("files.actions")}>
          <Link to={all} class="button back">
            {t("files.back")}
          </Link>
          <a
            class="button ghost icon-only"
            href={rawUrl(of, path)}
            download={nameOf(path)}
            aria-label={t("logs.download")}
            title={t("logs.download")}
          >
            <Icon name="download" />
          </a>
          <RowActions
            of={nameOf(path)}
            more={[
              { title: t("action.rename"), icon: "edit", run: () => void (doing.value = "rename") },
              { title: t("action.delete"), icon: "trash", run: () => void (doing.value = "delete") },
            ]}
          />
        </div>
      </header>
      {isImage(path) ? (
        <img class="preview" src={rawUrl(of, path)} alt={nameOf(path)} />
      ) : (
        <TextFile of={of} path={path} onSaved={onChanged} />
      )}
      {doing.value === "rename" && (
        <RenameDialog
          of={of}
          path={path}
          onClose={close}
          onDone={(to) => {
            close();
            onChanged();
            go(filesPath(of, to), { replace: true });
          }}
        />
      )}
      {doing.value === "delete" && (
        <DeleteDialog
          of={of}
          path={path}
          onClose={close}
          onDone={() => {
            onChanged();
            go(all, { replace: true });
          }}
        />
      )}
    </>
  );
}

function TextFile({ of, path, onSaved }: { of: Workspace; path: string; onSaved: () => void }) {
  const file = useLoad(() => open(of, path), [of.id, path]);
  const found = file.data.value;
  if (found) {
    return (
      <Editor
        key={found.serial}
        of={of}
        path={path}
        file={found}
        onSaved={onSaved}
        onReload={() => {
          forgetFile(of, path);
          void file.reload();
        }}
      />
    );
  }
  if (!file.error.value) return <Loading />;
  return (
    <EmptyState title={file.error.value} text={t("files.no_text")} alert>
      <Button onClick={() => void file.reload()}>{t("action.retry")}</Button>
    </EmptyState>
  );
}

interface EditorProps {
  of: Workspace;
  path: string;
  file: OpenFile;
  onSaved: () => void;
  onReload: () => void;
}

function Editor({ of, path, file, onSaved, onReload }: EditorProps) {
  const saved = useSignal(0); // counts what changes `file`
  const busy = useSignal(false);
  const error = useSignal("");
  const said = useSignal("");
  const overtaken = useSignal(false);
  const dirty = saved.value >= 0 && isDirty(file);
  const keep = async (overwrite = false) => {
    if (busy.value) return;
    busy.value = true;
    error.value = said.value = "";
    try {
      overtaken.value = !(await save(of, path, file, { overwrite }));
      if (overtaken.value) return;
      saved.value++;
      said.value = t("state.saved");
      onSaved();
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (isDirty(file)) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [file]);
  return (
    <>
      <LazyEditor
        name={path}
        text={file.draft.peek()}
        onChange={(text) => {
          file.draft.value = text;
          said.value = "";
        }}
        onSave={() => void keep()}
      />
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <div class="actions start">
        <Button kind="primary" disabled={!dirty || busy.value} onClick={() => void keep()}>
          {busy.value ? t("state.working") : t("action.save")}
        </Button>
        <Button disabled={!dirty || busy.value} onClick={onReload}>
          {t("files.discard")}
        </Button>
        {dirty && <Badge tone="busy">{t("files.unsaved")}</Badge>}
        <span class="quiet" role="status">
          {said.value || (
            <>
              {t("files.modified")} <Time at={file.modified} />
            </>
          )}
        </span>
      </div>
      <p class="hint">{t("files.keys")}</p>
      {overtaken.value && (
        <Confirm
          title={t("files.overtaken", { name: nameOf(path) })}
          confirm={t("files.overwrite")}
          danger
          onClose={() => (overtaken.value = false)}
          action={() => keep(true)}
        >
          <p>{t("files.overtaken_text")}</p>
        </Confirm>
      )}
    </>
  );
}
