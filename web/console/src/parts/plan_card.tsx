// The plan, and what is used of it this month.
import { call } from "../api/client";
import { compact, date, moneyIn, number } from "../app/format";
import { named, t } from "../app/i18n";
import { Loaded, useLoad } from "../components/loaded";
import { Meter } from "../components/meter";

export function PlanCard() {
  const billing = useLoad(() => call("GET /api/billing"));
  const offers = useLoad(async () => (await call("GET /api/stripe/prices")).offers);
  return (
    <section class="card" aria-labelledby="plan-title">
      <h2 id="plan-title">{t("billing.title")}</h2>
      <Loaded of={billing}>
        {({ plan, status, priceGbp, tokens, credits }) => {
          // What it is sold for on this box, in its currency; without an offer the list price.
          const offer = offers.data.value?.find(({ item, amount, currency }) => item === plan && amount && currency);
          const price = offer
            ? t("billing.price_of", { price: moneyIn(offer.currency!.toUpperCase(), offer.amount!) })
            : offers.data.value && typeof priceGbp === "number" && t("billing.price_of", { price: moneyIn("GBP", priceGbp) });
          const text = tokens.limit
            ? t("billing.tokens_of", { used: compact(tokens.used), limit: compact(tokens.limit) })
            : t("billing.tokens", { used: compact(tokens.used) });
          return (
            <>
              <p>
                {plan ? t("billing.plan", { plan, status: named("billing.status", status) }) : t("home.no_plan")}
                {price && ` · ${price}`}
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
