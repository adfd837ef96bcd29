import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { GitHost } from "../../api/types";
import { t } from "../../app/i18n";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { Dialog } from "../../components/dialog";
import { EmptyState } from "../../components/empty_state";
import { Field, TextArea } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { RowActions } from "../../parts/row_actions";
import { confirmed } from "../../step_up";

// As it is entered: with the user of the account.
const addressOf = ({ url, user }: GitHost) => url.replace("://", `://${user}@`);

export default function GitHostsPage() {
  const hosts = useLoad(async () => (await call("GET /api/admin/git-hosts")).hosts);
  const editing = useSignal<GitHost | "new" | null>(null);
  const removing = useSignal("");
  return (
    <AdminFrame>
      <div class="page-head">
        <h1>{t("page.git_hosts")}</h1>
        <Button kind="primary" onClick={() => (editing.value = "new")}>
          {t("git_hosts.new")}
        </Button>
      </div>
      <p class="quiet">{t("git_hosts.about")}</p>
      <Loaded of={hosts}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("git_hosts.empty")} text={t("git_hosts.empty_text")} />
          ) : (
            <List items={list} label={t("page.git_hosts")} view={{ text: addressOf }}>
              {(found) => (
                <ul class="rows">
                  {found.map((host) => (
                    <li key={host.url}>
                      <div>
                        <strong>{addressOf(host)}</strong>
                        <p class="quiet">
                          <Time at={host.updatedAt} />
                          {host.hostKeys.length > 0 && ` · ${host.hostKeys.join(", ")}`}
                        </p>
                      </div>
                      <RowActions
                        of={addressOf(host)}
                        first={{
                          title: t("action.edit"),
                          label: t("schedule.edit_this", { name: addressOf(host) }),
                          run: () => void (editing.value = host),
                        }}
                        more={[
                          {
                            title: t("action.remove"),
                            label: t("passkeys.remove_this", { name: addressOf(host) }),
                            icon: "trash",
                            run: () => void (removing.value = host.url),
                          },
                        ]}
                      />
                    </li>
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      {editing.value && (
        <HostDialog
          host={editing.value === "new" ? undefined : editing.value}
          onClose={() => (editing.value = null)}
          onSaved={hosts.reload}
        />
      )}
      {removing.value && (
        <Confirm
          title={t("passkeys.remove_title", { name: removing.value })}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = "")}
          action={async () => {
            await confirmed(() => call("DELETE /api/admin/git-hosts", { query: { url: removing.value } }));
            await hosts.reload();
          }}
        />
      )}
    </AdminFrame>
  );
}

function HostDialog({ host, onClose, onSaved }: { host: GitHost | undefined; onClose: () => void; onSaved: () => Promise<void> }) {
  const save = async (values: FormData) => {
    const secret = textOf(values, "secret");
    const hostKeys = textOf(values, "hostKeys").split(/\s+/).filter(Boolean);
    const url = host ? addressOf(host) : textOf(values, "url").trim();
    // Hosts with certificates may have none.
    const takesKeys = url.startsWith("ssh:") || hostKeys.length > 0;
    await confirmed(() =>
      call("PUT /api/admin/git-hosts", { body: { url, ...(takesKeys && { hostKeys }), ...(secret.trim() && { secret }) } }),
    );
    onClose();
    await onSaved();
  };
  return (
    <Dialog title={host ? addressOf(host) : t("git_hosts.new")} onClose={onClose}>
      <Form submit={t("action.save")} onCancel={onClose} onSubmit={save}>
        {!host && (
          <Field
            label={t("models.address")}
            name="url"
            required
            autoFocus
            maxLength={500}
            autocomplete="off"
            hint={t("git_hosts.url_hint")}
          />
        )}
        <TextArea
          label={t("git_hosts.secret")}
          name="secret"
          rows={3}
          autocomplete="off"
          spellcheck={false}
          hint={t("git_hosts.secret_hint")}
        />
        <TextArea
          label={t("git_hosts.keys")}
          name="hostKeys"
          rows={2}
          spellcheck={false}
          hint={t("git_hosts.keys_hint")}
          defaultValue={host?.hostKeys.join("\n") ?? ""}
        />
      </Form>
    </Dialog>
  );
}
