import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import { useLive } from "../api/live";
import type { Agent, Cap } from "../api/types";
import { compact, date, money } from "../app/format";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { Meter } from "../components/meter";

// What an agent may spend: its owner's limits and those of the plan, with what is used. The owner sets a daily limit here;
// the page of all limits has the others.
export function AgentLimits({ agent }: { agent: Agent }) {
  const caps = useLoad(async () => (await call("GET /api/caps", { query: { agent: agent.id } })).caps, [agent.id]);
  useLive(["cap"], caps.reload);
  const editing = useSignal(false);
  const save = async (values: FormData) => {
    const usd = textOf(values, "usd").trim();
    await call("PUT /api/caps", { body: { scope: "agent", target: agent.id, period: "day", usd } });
    editing.value = false;
    await caps.reload();
  };
  return (
    <section aria-labelledby="agent-limits-title">
      <h2 id="agent-limits-title">{t("limits.title")}</h2>
      <p class="quiet">{t("limits.agent_about")}</p>
      <Loaded of={caps}>
        {(list) => (
          <ul class="caps">
            {list.map((cap) => (
              <li key={cap.id}>
                <Use cap={cap} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {editing.value ? (
        <Form submit={t("action.save")} onCancel={() => (editing.value = false)} onSubmit={save}>
          <Field
            label={t("limits.usd_a_day")}
            name="usd"
            inputMode="decimal"
            maxLength={20}
            autocomplete="off"
            placeholder="2.00"
            required
          />
        </Form>
      ) : (
        <div class="actions start">
          <Button onClick={() => (editing.value = true)}>{t("limits.agent_set")}</Button>
        </div>
      )}
    </section>
  );
}

function Use({ cap }: { cap: Cap }) {
  const by = t(cap.isDefault ? "limits.of_plan" : cap.byAdmin ? "limits.by_admin" : "limits.by_you");
  const label = `${t(`limits.${cap.period}`)}, ${by}`;
  const text = cap.usd
    ? t("limits.used_of", { used: money(cap.usedUsd ?? "0"), limit: money(cap.usd) })
    : cap.tokens
      ? t("limits.tokens_of", { used: compact(cap.usedTokens ?? 0), limit: compact(cap.tokens) })
      : t("limits.none");
  const share = cap.usd
    ? Number(cap.usedUsd ?? 0) / Math.max(Number(cap.usd), Number.MIN_VALUE)
    : (cap.usedTokens ?? 0) / (cap.tokens || 1);
  return (
    <>
      <h3>{label}</h3>
      <Meter label={label} share={share} text={text} />
      <p>
        {text} · {t("attention.resets", { date: date(cap.resetsAt) })}
      </p>
    </>
  );
}
