// Installs a skill from a file or an address: first the review, then, if the user agrees, exactly what was shown.
import { useSignal } from "@preact/signals";
import * as account from "../account";
import { agents } from "../agents";
import { patience, send } from "../api/client";
import type { SkillReview } from "../api/types";
import { t } from "../app/i18n";
import { Action } from "../components/action";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Field, Select } from "../components/field";
import { FileButton } from "../components/file_button";
import { Form, textOf } from "../components/form";
import { Notice } from "../components/notice";
import { confirmed } from "../step_up";
import { SkillReviewed } from "./skill_review";

// Where a skill goes to and comes from. Without an agent, into the catalogue of the box.
export interface Source {
  agentId: string;
  url: string;
  file?: File | undefined;
}

interface Props {
  source?: Source; // of an update: reviewed at once
  onClose: () => void;
  onInstalled: () => Promise<unknown>;
}

const timeout = 3 * patience;

async function review({ agentId, url, file }: Source): Promise<SkillReview> {
  const parts = { ...(file && { body: file }), timeout };
  const response = agentId
    ? await send("POST /api/skill-packages/review", { ...parts, query: { agentId, url: url || undefined } })
    : await confirmed(() => send("POST /api/admin/skills/review", { ...parts, query: { url: url || undefined } }));
  return (await response.json()) as SkillReview;
}

async function install({ agentId, url, file }: Source, { digest }: SkillReview) {
  const parts = { ...(file && { body: file }), timeout };
  const query = { digest, url: url || undefined };
  if (agentId) await send("POST /api/skill-packages", { ...parts, query: { ...query, agentId } });
  else await confirmed(() => send("POST /api/admin/skills", { ...parts, query }));
}

export function SkillImport({ source, onClose, onInstalled }: Props) {
  const file = useSignal<File | undefined>(undefined);
  const chosen = useSignal<Source | undefined>(source);
  const reviewed = useSignal<SkillReview | undefined>(undefined);
  const look = async (from: Source) => {
    reviewed.value = await review(from);
    chosen.value = from;
  };
  return (
    <Dialog title={source ? t("import.update_title") : t("import.title")} class="roomy" onClose={onClose}>
      {reviewed.value && chosen.value ? (
        <>
          <SkillReviewed review={reviewed.value} />
          <div class="actions">
            <Button onClick={onClose}>{t("action.cancel")}</Button>
            <Action
              kind="primary"
              run={async () => {
                await install(chosen.value!, reviewed.value!);
                await onInstalled();
                onClose();
              }}
            >
              {reviewed.value.isUpdate ? t("import.take") : t("skills.install")}
            </Action>
          </div>
        </>
      ) : source ? (
        <>
          <p class="quiet">{t("import.update_about")}</p>
          <div class="actions">
            <Button onClick={onClose}>{t("action.cancel")}</Button>
            <Action kind="primary" run={() => look(source)}>
              {t("import.review")}
            </Action>
          </div>
        </>
      ) : (
        <Form
          submit={t("import.review")}
          onCancel={onClose}
          onSubmit={(values) =>
            look({ agentId: textOf(values, "agentId"), url: file.value ? "" : textOf(values, "url").trim(), file: file.value })
          }
        >
          <p class="quiet">{t("import.about")}</p>
          <Select label={t("skills.install_for")} name="agentId">
            {(agents.value ?? []).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            {account.user.value?.isAdmin && <option value="">{t("import.catalogue")}</option>}
          </Select>
          <Field label={t("import.url")} name="url" type="url" disabled={file.value !== undefined} required={!file.value} />
          <div class="actions">
            <FileButton onFiles={([first]) => (file.value = first)}>{t("import.file")}</FileButton>
            {file.value && (
              <>
                <bdi>{file.value.name}</bdi>
                <Button kind="ghost" onClick={() => (file.value = undefined)}>
                  {t("import.no_file")}
                </Button>
              </>
            )}
          </div>
          {file.value && <Notice kind="hint">{t("import.file_chosen")}</Notice>}
        </Form>
      )}
    </Dialog>
  );
}
