import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, refresh } from "../../agents";
import { call } from "../../api/client";
import type { ApiKey } from "../../api/types";
import { money } from "../../app/format";
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
import { ApiSnippets } from "../../parts/api_snippets";
import { UsageFrame } from "../../parts/usage_frame";

export default function KeysPage() {
  const keys = useLoad(async () => (await call("GET /api/keys")).keys);
  const creating = useSignal(false);
  const made = useSignal("");
  const removing = useSignal<ApiKey | null>(null);
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <UsageFrame>
      <div class="page-head">
        <h2>{t("keys.title")}</h2>
        <Button kind="primary" onClick={() => (creating.value = true)}>
          {t("keys.new")}
        </Button>
      </div>
      <p class="quiet">{t("keys.about")}</p>
      <Loaded of={keys}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("keys.empty")} text={t("keys.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("keys.tools")}
              view={{
                text: ({ name, prefix }) => `${name} ${prefix}`,
                orders: [
                  { value: "newest", title: t("sort.newest"), compare: (a, b) => b.createdAt.localeCompare(a.createdAt) },
                  { value: "name", title: t("sort.name"), compare: (a, b) => a.name.localeCompare(b.name) },
                  { value: "used", title: t("keys.by_use"), compare: (a, b) => Number(b.usedUsd) - Number(a.usedUsd) },
                ],
              }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((key) => (
                    <KeyRow key={key.id} entry={key} onRemove={() => (removing.value = key)} />
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      <ApiSnippets apiKey="sk_…" />
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
        <Dialog title={t("keys.made")} onClose={() => (made.value = "")}>
          <p>{t("keys.made_text")}</p>
          <CodeBlock text={made.value} />
          <ApiSnippets apiKey={made.value} />
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
            await call("DELETE /api/keys/{id}", { path: { id: removing.value!.id } });
            await keys.reload();
          }}
        >
          <p>{t("keys.delete_text")}</p>
        </Confirm>
      )}
    </UsageFrame>
  );
}

const scopes = ["models", "chat", "files", "schedules", "usage", "agents:read", "agents:write"] as const;

function KeyRow({ entry: key, onRemove }: { entry: ApiKey; onRemove: () => void }) {
  const expired = Boolean(key.expiresAt && new Date(key.expiresAt) < new Date());
  return (
    <li>
      <div>
        <strong>
          <bdi>{key.name}</bdi>
        </strong>{" "}
        <code>{key.prefix}…</code> {expired && <Badge tone="bad">{t("keys.expired")}</Badge>}
        {key.scopes && (
          <p class="facts">
            {key.scopes.map((scope) => (
              <Badge key={scope}>{scope}</Badge>
            ))}
            <bdi>{key.agents && t("keys.only_agents", { names: key.agents.map(agentName).join(", ") })}</bdi>
          </p>
        )}
        <p class="quiet">
          {t("keys.created")} <Time at={key.createdAt} /> ·{" "}
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
        <p class="quiet">
          {key.budgetUsd
            ? t("limits.used_of", { used: money(key.usedUsd), limit: money(key.budgetUsd) })
            : t("keys.used_month", { used: money(key.usedUsd) })}
        </p>
      </div>
      <Button kind="danger" label={t("keys.delete_this", { name: key.name })} onClick={onRemove}>
        {t("action.delete")}
      </Button>
    </li>
  );
}

const agentName = (id: string) => agents.value?.find((agent) => agent.id === id)?.name ?? t("usage.deleted_agent");

function NewKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: (key: string) => Promise<void> }) {
  const create = async (values: FormData) => {
    const days = textOf(values, "expiresInDays").trim();
    const budgetUsd = textOf(values, "budgetUsd").trim();
    const chosen = values.getAll("scopes").map(String);
    const only = values.getAll("agents").map(String);
    const { key } = await call("POST /api/keys", {
      body: {
        name: textOf(values, "name").trim(),
        ...(days && { expiresInDays: Number(days) }),
        ...(budgetUsd && { budgetUsd }),
        ...(chosen.length && { scopes: chosen }),
        ...(only.length && { agents: only }),
      },
    });
    await onMade(key);
  };
  return (
    <Dialog title={t("keys.new")} onClose={onClose}>
      <Form submit={t("keys.create")} onCancel={onClose} onSubmit={create}>
        <Field label={t("keys.name")} name="name" required maxLength={100} autoFocus autocomplete="off" dir="auto" />
        <fieldset>
          <legend>{t("keys.scopes")}</legend>
          <p class="hint">{t("keys.scopes_hint")}</p>
          {scopes.map((scope) => (
            <Checkbox key={scope} label={t(`keys.scope.${scope}`)} name="scopes" value={scope} />
          ))}
        </fieldset>
        {agents.value && agents.value.length > 0 && (
          <details>
            <summary>{t("keys.agents")}</summary>
            <p class="hint">{t("keys.agents_hint")}</p>
            {agents.value.map(({ id, name }) => (
              <Checkbox key={id} label={name} name="agents" value={id} />
            ))}
          </details>
        )}
        <Field label={t("keys.days")} name="expiresInDays" type="number" min={1} max={3650} step={1} hint={t("keys.days_hint")} />
        <Field
          label={t("keys.budget")}
          name="budgetUsd"
          inputMode="decimal"
          maxLength={20}
          autocomplete="off"
          hint={t("keys.budget_hint")}
        />
      </Form>
    </Dialog>
  );
}
