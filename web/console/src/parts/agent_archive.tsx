// Agents as files on the box's machine, for administrators.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { AnyAgent } from "../api/types";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { Notice } from "../components/notice";
import { confirmed } from "../step_up";

// Milliseconds that a large workspace may take.
const longest = 30 * 60_000;

const FileField = ({ example }: { example: string }) => (
  <Field
    label={t("transfer_agent.file")}
    name="file"
    required
    autoFocus
    maxLength={4_096}
    autocomplete="off"
    spellcheck={false}
    placeholder={`/var/backups/${example}.tar.zst`}
    hint={t("transfer_agent.file_hint")}
  />
);

interface ResultProps {
  title: string;
  text: string;
  secrets: string[]; // names of those that are not in the file
  onClose: () => void;
}

function Result({ title, text, secrets, onClose }: ResultProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Notice kind="hint">{text}</Notice>
      {secrets.length > 0 && <p>{t("transfer_agent.secrets", { names: secrets.join(", ") })}</p>}
      <div class="actions">
        <Button kind="primary" autoFocus onClick={onClose}>
          {t("action.close")}
        </Button>
      </div>
    </Dialog>
  );
}

export function ExportAgentDialog({ agent, onClose }: { agent: AnyAgent; onClose: () => void }) {
  const made = useSignal<{ file: string; secrets: string[]; leftOut: string[] } | undefined>(undefined);
  const title = t("transfer_agent.export");
  if (made.value) {
    const { file, secrets, leftOut } = made.value;
    const text = t("transfer_agent.export_done", { file, left: leftOut.join(", ") || t("transfer_agent.nothing") });
    return <Result title={title} text={text} secrets={secrets} onClose={onClose} />;
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={title}
        onCancel={onClose}
        onSubmit={async (values) => {
          const body = { file: textOf(values, "file").trim() };
          made.value = await confirmed(() =>
            call("POST /api/admin/agents/{id}/export", { path: { id: agent.id }, body, timeout: longest }),
          );
        }}
      >
        <p>
          <strong>
            <bdi>{agent.name}</bdi>
          </strong>
        </p>
        <p class="quiet">{t("transfer_agent.export_text")}</p>
        <FileField example="agent" />
      </Form>
    </Dialog>
  );
}

export function ImportAgentDialog({ onClose, onMade }: { onClose: () => void; onMade: () => Promise<void> }) {
  const made = useSignal<{ name: string; secrets: string[] } | undefined>(undefined);
  const title = t("transfer_agent.import");
  if (made.value) {
    const { name, secrets } = made.value;
    return <Result title={title} text={t("transfer_agent.import_done", { name })} secrets={secrets} onClose={onClose} />;
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={title}
        onCancel={onClose}
        onSubmit={async (values) => {
          const owner = textOf(values, "owner").trim();
          const body = { file: textOf(values, "file").trim(), ...(owner && { owner }) };
          made.value = await confirmed(() => call("POST /api/admin/agents/import", { body, timeout: longest }));
          await onMade();
        }}
      >
        <p class="quiet">{t("transfer_agent.import_text")}</p>
        <FileField example="agent" />
        <Field
          label={t("transfer_agent.owner")}
          name="owner"
          type="email"
          maxLength={254}
          autocomplete="off"
          hint={t("transfer_agent.owner_hint")}
        />
      </Form>
    </Dialog>
  );
}
