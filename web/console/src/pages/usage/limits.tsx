import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, refresh } from "../../agents";
import { call } from "../../api/client";
import { useLive } from "../../api/live";
import type { ApiKey, Cap, NewCap } from "../../api/types";
import { compact, date, money } from "../../app/format";
import { t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Field, Select } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Meter } from "../../components/meter";
import { UsageFrame } from "../../parts/usage_frame";

const reactions = ["refuse", "cheaper", "local"] as const;

export default function LimitsPage() {
  const caps = useLoad(async () => (await call("GET /api/caps")).caps);
  const keys = useLoad(async () => (await call("GET /api/keys")).keys);
  useLive(["cap"], caps.reload);
  const creating = useSignal(false);
  useEffect(() => void refresh().catch(() => undefined), []);
  const known = keys.data.value ?? [];
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
                  <CapCard cap={cap} name={nameOf(cap, known)} onChanged={caps.reload} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </UsageFrame>
  );
}

function nameOf({ scope, target }: Cap, keys: ApiKey[]): string {
  if (scope === "agent") return agents.value?.find(({ id }) => id === target)?.name ?? t("usage.deleted_agent");
  if (scope === "key") return keys.find(({ id }) => id === target)?.name ?? t("limits.deleted_key");
  return t(`limits.scope.${scope}`);
}

// A cap with what is used of it. Its amounts are changed where they stand.
function CapCard({ cap, name, onChanged }: { cap: Cap; name: string; onChanged: () => Promise<void> }) {
  const editing = useSignal(false);
  const removing = useSignal(false);
  const own = !cap.byAdmin && cap.scope !== "plan";
  const ofEachAgent = cap.scope === "agents";
  const title = t(`limits.per_${cap.period}`, { name });
  return (
    <>
      <div class="page-head">
        <h3>
          <bdi>{title}</bdi> {!own && <Badge>{t(cap.isDefault ? "limits.of_plan" : "limits.by_admin")}</Badge>}
        </h3>
        {own && !editing.value && (
          <div class="actions">
            <Button label={t("limits.edit_this", { name: title })} onClick={() => (editing.value = true)}>
              {t("action.edit")}
            </Button>
            <Button kind="danger" label={t("limits.remove_this", { name: title })} onClick={() => (removing.value = true)}>
              {t("action.remove")}
            </Button>
          </div>
        )}
      </div>
      {ofEachAgent && (
        <p>
          {[cap.usd && money(cap.usd), cap.tokens && t("usage.tokens", { count: compact(cap.tokens) })].filter(Boolean).join(" · ") ||
            t("limits.none")}
        </p>
      )}
      {!ofEachAgent && cap.usd !== null && cap.usd !== undefined && (
        <Bar
          label={t("limits.usd")}
          share={Number(cap.usedUsd ?? 0) / Math.max(Number(cap.usd), Number.MIN_VALUE)}
          text={t("limits.used_of", { used: money(cap.usedUsd ?? "0"), limit: money(cap.usd) })}
        />
      )}
      {!ofEachAgent && cap.tokens !== null && cap.tokens !== undefined && (
        <Bar
          label={t("limits.tokens")}
          share={(cap.usedTokens ?? 0) / Math.max(cap.tokens, Number.MIN_VALUE)}
          text={t("limits.tokens_of", { used: compact(cap.usedTokens ?? 0), limit: compact(cap.tokens) })}
        />
      )}
      {editing.value ? (
        <Form
          submit={t("action.save")}
          onCancel={() => (editing.value = false)}
          onSubmit={async (values) => {
            await call("PUT /api/caps", { body: { scope: cap.scope, target: cap.target, period: cap.period, ...amounts(values) } });
            editing.value = false;
            await onChanged();
          }}
        >
          <Amounts cap={cap} />
        </Form>
      ) : (
        <p class="quiet">
          {t(`limits.when.${cap.whenReached}`)} · {t("attention.resets", { date: date(cap.resetsAt) })}
        </p>
      )}
      {removing.value && (
        <Confirm
          title={t("limits.remove_title")}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = false)}
          action={async () => {
            await call("DELETE /api/caps/{id}", { path: { id: cap.id } });
            await onChanged();
          }}
        >
          <p>
            <bdi>{title}</bdi>
          </p>
        </Confirm>
      )}
    </>
  );
}

function Bar({ label, share, text }: { label: string; share: number; text: string }) {
  return (
    <div>
      <Meter label={label} share={share} text={text} />
      <p>{text}</p>
    </div>
  );
}

function Amounts({ cap }: { cap?: Cap }) {
  return (
    <div class="columns">
      <Field
        label={t("limits.usd")}
        name="usd"
        inputMode="decimal"
        maxLength={20}
        autocomplete="off"
        placeholder="10.00"
        defaultValue={cap?.usd ?? ""}
      />
      <Field label={t("limits.tokens")} name="tokens" type="number" min={0} step={1} defaultValue={cap?.tokens?.toString() ?? ""} />
      <Select label={t("limits.when")} name="whenReached" defaultValue={cap?.whenReached ?? "refuse"}>
        {reactions.map((name) => (
          <option key={name} value={name}>
            {t(`limits.when.${name}`)}
          </option>
        ))}
      </Select>
    </div>
  );
}

function amounts(values: FormData): Pick<NewCap, "usd" | "tokens" | "whenReached"> {
  const usd = textOf(values, "usd").trim();
  const tokens = textOf(values, "tokens").trim();
  return {
    whenReached: textOf(values, "whenReached") as Cap["whenReached"],
    ...(usd && { usd }),
    ...(tokens && { tokens: Number(tokens) }),
  };
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
