import { t } from "../app/i18n";
import { Confirm } from "../components/confirm";
import { Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { makeFolder, move, nameOf, removeFile, type Workspace, write } from "../workspace";

interface Making {
  of: Workspace;
  folder: string;
  onClose: () => void;
  onMade: (path: string) => void;
}

const within = (folder: string, name: string) => (folder ? `${folder}/${name}` : name);

export function NewFileDialog({ of, folder, onClose, onMade }: Making) {
  const make = async (values: FormData) => {
    const path = textOf(values, "path").trim();
    await write(of, path, "");
    onMade(path);
  };
  return (
    <Dialog title={t("files.new_file")} onClose={onClose}>
      <Form submit={t("files.create")} onCancel={onClose} onSubmit={make}>
        <PathField value={within(folder, "")} />
      </Form>
    </Dialog>
  );
}

export function NewFolderDialog({ of, folder, onClose, onMade }: Making) {
  const make = async (values: FormData) => {
    const path = textOf(values, "path").trim();
    await makeFolder(of, path);
    onMade(path);
  };
  return (
    <Dialog title={t("files.new_folder")} onClose={onClose}>
      <Form submit={t("files.create")} onCancel={onClose} onSubmit={make}>
        <PathField value={within(folder, "")} />
      </Form>
    </Dialog>
  );
}

interface Changing {
  of: Workspace;
  path: string;
  onClose: () => void;
  onDone: (path: string) => void;
}

export function RenameDialog({ of, path, onClose, onDone }: Changing) {
  const rename = async (values: FormData) => {
    const to = textOf(values, "to").trim();
    await move(of, path, to);
    onDone(to);
  };
  return (
    <Dialog title={t("files.rename", { name: nameOf(path) })} onClose={onClose}>
      <Form submit={t("action.rename")} onCancel={onClose} onSubmit={rename}>
        <PathField name="to" value={path} />
      </Form>
    </Dialog>
  );
}

export function DeleteDialog({ of, path, onClose, onDone }: Changing) {
  return (
    <Confirm
      title={t("files.delete", { name: nameOf(path) })}
      confirm={t("action.delete")}
      danger
      onClose={onClose}
      action={async () => {
        await removeFile(of, path);
        onDone(path);
      }}
    >
      <p>{t("files.delete_text")}</p>
    </Confirm>
  );
}

function PathField({ name = "path", value }: { name?: string; value: string }) {
  return (
    <Field
      label={t("files.path")}
      name={name}
      required
      autoFocus
      autocomplete="off"
      spellcheck={false}
      maxLength={4096}
      dir="auto"
      hint={t("files.path_hint")}
      defaultValue={value}
    />
  );
}
