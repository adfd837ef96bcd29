import { call } from "../api/client";
import type { Agent } from "../api/types";
import { t } from "../app/i18n";
import { Confirm } from "../components/confirm";
import { Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { forgetFile, nameOf } from "../workspace";

interface Making {
  agent: Agent;
  folder: string;
  onClose: () => void;
  onMade: (path: string) => void;
}

const within = (folder: string, name: string) => (folder ? `${folder}/${name}` : name);

export function NewFileDialog({ agent, folder, onClose, onMade }: Making) {
  const make = async (values: FormData) => {
    const path = textOf(values, "path").trim();
    await call("POST /api/agents/{id}/files/write", { path: { id: agent.id }, body: { path, content: "" } });
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

export function NewFolderDialog({ agent, folder, onClose, onMade }: Making) {
  const make = async (values: FormData) => {
    const path = textOf(values, "path").trim();
    await call("POST /api/agents/{id}/files/mkdir", { path: { id: agent.id }, body: { path } });
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
  agent: Agent;
  path: string;
  onClose: () => void;
  onDone: (path: string) => void;
}

export function RenameDialog({ agent, path, onClose, onDone }: Changing) {
  const rename = async (values: FormData) => {
    const to = textOf(values, "to").trim();
    await call("POST /api/agents/{id}/files/move", { path: { id: agent.id }, body: { from: path, to } });
    forgetFile(agent.id, path);
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

export function DeleteDialog({ agent, path, onClose, onDone }: Changing) {
  return (
    <Confirm
      title={t("files.delete", { name: nameOf(path) })}
      confirm={t("action.delete")}
      danger
      onClose={onClose}
      action={async () => {
        await call("DELETE /api/agents/{id}/files", { path: { id: agent.id }, query: { path } });
        forgetFile(agent.id, path);
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
