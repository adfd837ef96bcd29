import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { OperatorKey } from "../../api/types";
import { t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { CodeBlock } from "../../components/code_block";
import { Confirm } from "../../components/confirm";
import { Dialog } from "../../components/dialog";
import { EmptyState } from "../../components/empty_state";
import { Checkbox, Field } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { confirmed } from "../../step_up";

const scopes = ["users", "agents", "files", "backup", "scim", "read-only"] as const;

export default function OperatorKeysPage() {
  const keys = useLoad(async () => (await call("GET /api/admin/operator-keys")).keys);
  const creating = useSignal(false);
  const made = useSignal("");
  const removing = useSignal<OperatorKey | null>(null);
  return (
    <AdminFrame>
      <div class="page-head">
        <h1>{t("page.operator_keys")}</h1>
        <Button kind="primary" onClick={() => (creating.value = true)}>
          {t("operator.new")}
        </Button>
      </div>
      <p class="quiet">{t("operator.about")}</p>
      <Loaded of={keys}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("operator.empty")} text={t("operator.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("keys.tools")}
              view={{ text: ({ name, scopes: of, createdBy }) => `${name} ${of.join(" ")} ${createdBy}` }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((key) => (
                    <li key={key.name}>
                      <div>
                        <strong>
                          <bdi>{key.name}</bdi>
                        </strong>{" "}
                        {key.scopes.map((scope) => (
                          <Badge key={scope}>{scope}</Badge>
                        ))}
                        <p class="quiet">
                          {t("keys.created")} <Time at={key.createdAt} />
                          {key.createdBy && (
                            <>
                              {" "}
                              · <bdi>{key.createdBy}</bdi>
                            </>
                          )}{" "}
                          ·{" "}
                          {key.lastUsedAt ? (
                            <>
                              {t("keys.used")} <Time at={key.lastUsedAt} ago />
                            </>
                          ) : (
                            t("keys.never_used")
                          )}
                          {key.expiresAt && (
                            <>
                              {" "}
                              · {t("keys.expires")} <Time at={key.expiresAt} />
                            </>
                          )}
                        </p>
                      </div>
                      <Button kind="danger" label={t("keys.delete_this", { name: key.name })} onClick={() => (removing.value = key)}>
                        {t("action.delete")}
                      </Button>
                    </li>
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      {creating.value && (
        <NewKeyDialog
          onClose={() => (creating.value = false)}
          onMade={async (key) => {
            creating.value = false;
            made.value = key;
            await keys.reload();
          }}
        />
      )}
      {made.value && (
        <Dialog title={t("operator.made")} onClose={() => (made.value = "")}>
          <p>{t("keys.made_text")}</p>
          <CodeBlock text={made.value} />
          <div class="actions">
            <Button kind="primary" onClick={() => (made.value = "")}>
              {t("keys.kept")}
            </Button>
          </div>
        </Dialog>
      )}
      {removing.value && (
        <Confirm
          title={t("keys.delete_title", { name: removing.value.name })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = null)}
          action={async () => {
            await confirmed(() => call("DELETE /api/admin/operator-keys/{name}", { path: { name: removing.value!.name } }));
            await keys.reload();
          }}
        >
          <p>{t("keys.delete_text")}</p>
        </Confirm>
      )}
    </AdminFrame>
  );
}

function NewKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: (key: string) => Promise<void> }) {
  const create = async (values: FormData) => {
    const days = textOf(values, "expiresInDays").trim();
    const { key } = await confirmed(() =>
      call("POST /api/admin/operator-keys", {
        body: {
          name: textOf(values, "name").trim(),
          scopes: values.getAll("scopes").map(String),
          ...(days && { expiresInDays: Number(days) }),
        },
      }),
    );
    await onMade(key);
  };
  return (
    <Dialog title={t("operator.new")} onClose={onClose}>
      <Form submit={t("keys.create")} onCancel={onClose} onSubmit={create}>
        <Field label={t("keys.name")} name="name" required maxLength={64} autoFocus autocomplete="off" />
        <fieldset>
          <legend>{t("operator.scopes")}</legend>
          {scopes.map((scope) => (
            <Checkbox key={scope} label={t(`operator.scope.${scope}`)} name="scopes" value={scope} />
          ))}
        </fieldset>
        <Field label={t("keys.days")} name="expiresInDays" type="number" min={1} max={3650} step={1} hint={t("keys.days_hint")} />
      </Form>
    </Dialog>
  );
}
