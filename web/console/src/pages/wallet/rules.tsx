// What a wallet may pay by itself: in a day, to whom, and above which amount its owner is asked.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, refresh } from "../../agents";
import { call } from "../../api/client";
import type { SpendRules } from "../../api/types";
import { tokens } from "../../app/format";
import { t } from "../../app/i18n";
import { parameter, setParameter } from "../../app/router";
import { Field, TextArea } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Meter } from "../../components/meter";
import { Notice } from "../../components/notice";
import { WalletFrame } from "../../parts/wallet_frame";

export default function RulesPage() {
  useEffect(() => void refresh().catch(() => undefined), []);
  const agentId = parameter("agent");
  return (
    <WalletFrame>
      <p class="quiet">{t("rules.about")}</p>
      <select
        aria-label={t("rules.wallet")}
        class="short"
        value={agentId}
        onChange={(event) => setParameter("agent", event.currentTarget.value)}
      >
        <option value="">{t("wallet.own")}</option>
        {(agents.value ?? []).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <Rules key={agentId} agentId={agentId} />
    </WalletFrame>
  );
}

function Rules({ agentId }: { agentId: string }) {
  const rules = useLoad(() => call("GET /api/wallet/rules", { query: { ...(agentId && { agentId }) } }));
  const saved = useSignal(false);
  const save = async (values: FormData) => {
    saved.value = false;
    const [daily, above] = ["dailyUsdc", "approvalAboveUsdc"].map((name) => textOf(values, name).trim());
    const receivers = textOf(values, "receivers")
      .split(/[\s,]+/)
      .filter(Boolean);
    await call("PUT /api/wallet/rules", {
      body: { ...(agentId && { agentId }), dailyUsdc: daily || null, approvalAboveUsdc: above || null, receivers },
    });
    await rules.reload();
    saved.value = true;
  };
  return (
    <Loaded of={rules}>
      {(found) => (
        <section class="card" aria-label={t("page.rules")}>
          <Today rules={found} />
          <Form submit={t("action.save")} onSubmit={save}>
            <Field
              label={t("rules.daily")}
              name="dailyUsdc"
              inputMode="decimal"
              maxLength={40}
              autocomplete="off"
              placeholder="10.00"
              hint={t("rules.daily_hint")}
              defaultValue={found.dailyUsdc ?? ""}
            />
            <Field
              label={t("rules.above")}
              name="approvalAboveUsdc"
              inputMode="decimal"
              maxLength={40}
              autocomplete="off"
              placeholder="1.00"
              hint={t(agentId ? "rules.above_hint_agent" : "rules.above_hint")}
              defaultValue={found.approvalAboveUsdc ?? ""}
            />
            <TextArea
              label={t("rules.receivers")}
              name="receivers"
              rows={4}
              spellcheck={false}
              hint={t("rules.receivers_hint")}
              defaultValue={found.receivers.join("\n")}
            />
            {saved.value && <Notice kind="hint">{t("state.saved")}</Notice>}
          </Form>
        </section>
      )}
    </Loaded>
  );
}

function Today({ rules: { dailyUsdc, spentTodayUsdc } }: { rules: SpendRules }) {
  if (!dailyUsdc) return <p>{t("rules.spent", { amount: tokens(spentTodayUsdc, "USDC") })}</p>;
  const text = t("rules.spent_of", { used: tokens(spentTodayUsdc, "USDC"), limit: tokens(dailyUsdc, "USDC") });
  const share = Number(dailyUsdc) > 0 ? Number(spentTodayUsdc) / Number(dailyUsdc) : 1;
  return (
    <>
      <Meter label={t("rules.daily")} share={share} text={text} />
      <p>{text}</p>
    </>
  );
}
