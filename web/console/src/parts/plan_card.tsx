// The plan, and what is used of it this month.
import { call } from "../api/client";
import { compact, date, moneyIn, number } from "../app/format";
import { named, t } from "../app/i18n";
import { Loaded, useLoad } from "../components/loaded";
import { Meter } from "../components/meter";

// What the box sells a plan for, in its currency, and without an offer its list price. Empty until that is known.
export function usePlanPrice() {
  const offers = useLoad(async () => (await call("GET /api/stripe/prices")).offers);
  return (plan: string, listPriceGbp: number | null | undefined): string => {
    const offer = offers.data.value?.find(({ item, amount, currency }) => item === plan && amount && currency);
    if (offer) return moneyIn(offer.currency!.toUpperCase(), offer.amount!);
    return offers.data.value && typeof listPriceGbp === "number" ? moneyIn("GBP", listPriceGbp) : "";
  };
}

export function PlanCard() {
  const billing = useLoad(() => call("GET /api/billing"));
  const priceOf = usePlanPrice();
  return (
    <section class="card" aria-labelledby="plan-title">
      <h2 id="plan-title">{t("billing.title")}</h2>
      <Loaded of={billing}>
        {({ plan, status, priceGbp, tokens, credits }) => {
          const price = plan && priceOf(plan, priceGbp);
          const text = tokens.limit
            ? t("billing.tokens_of", { used: compact(tokens.used), limit: compact(tokens.limit) })
            : t("billing.tokens", { used: compact(tokens.used) });
          return (
            <>
              <p>
                {plan ? t("billing.plan", { plan, status: named("billing.status", status) }) : t("home.no_plan")}
                {price && ` · ${t("billing.price_of", { price })}`}
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
