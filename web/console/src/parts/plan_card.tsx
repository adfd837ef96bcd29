// The plan, and what is used of it this month.
import { call } from "../api/client";
import { compact, date, number } from "../app/format";
import { t } from "../app/i18n";
import { Loaded, useLoad } from "../components/loaded";
import { Meter } from "../components/meter";

export function PlanCard() {
  const billing = useLoad(() => call("GET /api/billing"));
  return (
    <section class="card" aria-labelledby="plan-title">
      <h2 id="plan-title">{t("billing.title")}</h2>
      <Loaded of={billing}>
        {({ plan, status, priceGbp, tokens, credits }) => {
          const text = tokens.limit
            ? t("billing.tokens_of", { used: compact(tokens.used), limit: compact(tokens.limit) })
            : t("billing.tokens", { used: compact(tokens.used) });
          return (
            <>
              <p>
                {plan ? t("billing.plan", { plan, status }) : t("home.no_plan")}
                {typeof priceGbp === "number" && ` · ${t("billing.price", { price: number(priceGbp) })}`}
                {credits > 0 && ` · ${t("billing.credits", { count: number(credits) })}`}
              </p>
              {tokens.limit ? <Meter label={t("billing.quota")} share={tokens.used / tokens.limit} text={text} /> : null}
              <p class="quiet">
                {text} · {t("attention.resets", { date: date(tokens.resetsAt) })}
              </p>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
