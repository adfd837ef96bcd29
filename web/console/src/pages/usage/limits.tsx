import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, refresh } from "../../agents";
import { call } from "../../api/client";
import { useLive } from "../../api/live";
import type { ApiKey, Cap, NewCap } from "../../api/types";
import { t } from "../../app/i18n";
import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty_state";
import { Select } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Amounts, amounts, CapCard } from "../../parts/cap_card";
import { UsageFrame } from "../../parts/usage_frame";

export default function LimitsPage() {
  const caps = useLoad(async () => (await call("GET /api/caps")).caps);
  const keys = useLoad(async () => (await call("GET /api/keys")).keys);
  useLive(["cap"], caps.reload);
  const creating = useSignal(false);
  useEffect(() => void refresh().catch(() => undefined), []);
  const known = keys.data.value ?? [];
  const changes = {
    change: async (body: NewCap) => {
      await call("PUT /api/caps", { body });
      await caps.reload();
    },
    remove: async ({ id }: Cap) => {
      await call("DELETE /api/caps/{id}", { path: { id } });
      await caps.reload();
    },
  };
  return (
    <UsageFrame>
      <div class="page-head">
        <h2>{t("limits.title")}</h2>
        {!creating.value && (
          <Button kind="primary" onClick={() => (creating.value = true)}>
            {t("limits.new")}
          </Button>
        )}
      </div>
      <p class="quiet">{t("limits.about")}</p>
      {creating.value && (
        <section class="card" aria-label={t("limits.new")}>
          <NewCapForm
            keys={known}
            onClose={() => (creating.value = false)}
            onSaved={async () => {
              creating.value = false;
              await caps.reload();
            }}
          />
        </section>
      )}
      <Loaded of={caps}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("limits.empty")} text={t("limits.empty_text")} />
          ) : (
            <ul class="caps">
              {list.map((cap) => (
                <li key={cap.id} class="card">
                  <CapCard cap={cap} name={nameOf(cap, known)} {...(isOwn(cap) && changes)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </UsageFrame>
  );
}

const isOwn = ({ byAdmin, scope }: Cap) => !byAdmin && scope !== "plan";

function nameOf({ scope, target }: Cap, keys: ApiKey[]): string {
  if (scope === "agent") return agents.value?.find(({ id }) => id === target)?.name ?? t("usage.deleted_agent");
  if (scope === "key") return keys.find(({ id }) => id === target)?.name ?? t("limits.deleted_key");
  return t(`limits.scope.${scope}`);
}

function NewCapForm({ keys, onClose, onSaved }: { keys: ApiKey[]; onClose: () => void; onSaved: () => Promise<void> }) {
  const save = async (values: FormData) => {
    const [scope, target] = textOf(values, "target").split(":") as [NewCap["scope"], string | undefined];
    const period = textOf(values, "period") as NewCap["period"];
    await call("PUT /api/caps", { body: { scope, ...(target && { target }), period, ...amounts(values) } });
    await onSaved();
  };
  return (
    <Form submit={t("action.save")} onCancel={onClose} onSubmit={save}>
      <div class="columns">
        <Select label={t("limits.on")} name="target">
          <option value="user">{t("limits.scope.user")}</option>
          {agents.value?.map(({ id, name }) => (
            <option key={id} value={`agent:${id}`}>
              {t("limits.scope.agent", { name })}
            </option>
          ))}
          {keys.map(({ id, name }) => (
            <option key={id} value={`key:${id}`}>
              {t("limits.scope.key", { name })}
            </option>
          ))}
        </Select>
        <Select label={t("limits.period")} name="period">
          <option value="month">{t("limits.month")}</option>
          <option value="day">{t("limits.day")}</option>
        </Select>
      </div>
      <Amounts />
    </Form>
  );
}
