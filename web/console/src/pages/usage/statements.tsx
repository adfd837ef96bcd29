// The account of a month: plans, usage, credits and payments, to be read, printed and taken along.
import { useEffect } from "preact/hooks";
import * as account from "../../account";
import { call, url_of } from "../../api/client";
import type { Statement } from "../../api/types";
import { date, money, moneyIn, month, number } from "../../app/format";
import { named, t, tn } from "../../app/i18n";
import { parameter, setParameter } from "../../app/router";
import { Loaded, useLoad } from "../../components/loaded";
import { Table } from "../../components/table";
import { Time } from "../../components/time";
import { lastMonths } from "../../parts/months";
import { usePlanPrice } from "../../parts/plan_card";
import { UsageFrame } from "../../parts/usage_frame";

export default function StatementsPage() {
  useEffect(() => {
    if (!account.settings.value) void account.refreshSettings().catch(() => undefined);
  }, []);
  // There is none from before the account.
  const since = account.settings.value?.createdAt.slice(0, 7) ?? "";
  const months = lastMonths().filter((name) => name >= since);
  const chosen = parameter("month") || lastMonths()[0]!;
  const file = (format: "csv" | "html") => url_of("GET /api/billing/statement", { query: { month: chosen, format } });
  return (
    <UsageFrame>
      <div class="page-head">
        <select
          aria-label={t("statement.month")}
          class="short"
          value={chosen}
          onChange={(event) => setParameter("month", event.currentTarget.value)}
        >
          {(months.includes(chosen) ? months : [chosen, ...months]).map((name) => (
            <option key={name} value={name}>
              {/^\d{4}-\d{2}$/.test(name) ? month(name) : name}
            </option>
          ))}
        </select>
        <div class="actions">
          <a class="button" href={file("csv")} download>
            {t("statement.csv")}
          </a>
          <a class="button" href={file("html")} target="_blank" rel="noopener">
            {t("statement.print")}
          </a>
        </div>
      </div>
      <Month key={chosen} name={chosen} />
    </UsageFrame>
  );
}

function Month({ name }: { name: string }) {
  const statement = useLoad(() => call("GET /api/billing/statement", { query: { month: name } }));
  return <Loaded of={statement}>{(found) => <Account statement={found} />}</Loaded>;
}

function Account({ statement: { plans, usage, credits, payments, paymentTotals } }: { statement: Statement }) {
  const priceOf = usePlanPrice();
  const movements = ["opening", "bought", "referral", "spent", "refunded", "adjusted", "closing"] as const;
  return (
    <>
      <section class="card" aria-labelledby="plans-title">
        <h2 id="plans-title">{t("statement.plans")}</h2>
        {plans.length === 0 ? (
          <p class="quiet">{t("statement.no_plans")}</p>
        ) : (
          <ul class="rows">
            {plans.map(({ plan, from, to, priceGbp }) => (
              <li key={`${plan} ${from}`}>
                <div>
                  <strong>{plan}</strong> <span class="quiet">{t("statement.between", { from: date(from), to: date(to) })}</span>
                </div>
                <span>{priceOf(plan, priceGbp)}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="card">
        <h2>{t("statement.usage")}</h2>
        {usage.models.length === 0 ? (
          <p class="quiet">{t("usage.none_this_month")}</p>
        ) : (
          <Table
            title={t("statement.usage")}
            columns={[
              t("usage.model"),
              { title: t("usage.calls"), align: "end" },
              { title: t("usage.tokens_in"), align: "end" },
              { title: t("usage.tokens_out"), align: "end" },
              { title: t("usage.cost"), align: "end" },
            ]}
          >
            {usage.models.map(({ id, usage: one }) => (
              <UsageRow key={id} name={id} usage={one} />
            ))}
            <UsageRow name={t("statement.total")} usage={usage.total} />
          </Table>
        )}
        {usage.total.unpriced > 0 && <p class="quiet">{tn("statement.unpriced", usage.total.unpriced)}</p>}
        {usage.ownKeysTotal.calls > 0 && <p class="quiet">{t("usage.own_keys_total", { total: money(usage.ownKeysTotal.cost) })}</p>}
      </section>
      <section class="card" aria-labelledby="statement-credits">
        <h2 id="statement-credits">{t("credits.title")}</h2>
        <dl class="figures">
          {movements.map((name) => (
            <div key={name}>
              <dt>{named("statement.credits", name)}</dt>
              <dd>{money(credits[name])}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section class="card">
        <h2>{t("statement.payments")}</h2>
        {payments.length === 0 ? (
          <p class="quiet">{t("statement.no_payments")}</p>
        ) : (
          <>
            <Table
              title={t("statement.payments")}
              columns={[
                t("usage.at"),
                t("usage.name"),
                { title: t("transfer.amount"), align: "end" },
                { title: t("statement.refunded"), align: "end" },
                t("fleet.state"),
              ]}
            >
              {payments.map((payment) => (
                <tr key={payment.id}>
                  <td>
                    <Time at={payment.at} />
                  </td>
                  <td>
                    <bdi>{payment.title}</bdi>
                  </td>
                  <td>{moneyIn(payment.currency.toUpperCase(), payment.amount)}</td>
                  <td>{moneyIn(payment.currency.toUpperCase(), payment.refunded)}</td>
                  <td>{named("statement.status", payment.status)}</td>
                </tr>
              ))}
            </Table>
            {paymentTotals.map(({ currency, paid }) => (
              <p key={currency}>
                <strong>{t("statement.paid", { amount: moneyIn(currency.toUpperCase(), paid) })}</strong>
              </p>
            ))}
          </>
        )}
      </section>
    </>
  );
}

function UsageRow({ name, usage }: { name: string; usage: Statement["usage"]["total"] }) {
  const isUnknown = usage.unpriced > 0 && Number(usage.cost) === 0;
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td>{number(usage.calls)}</td>
      <td>{number(usage.inputTokens)}</td>
      <td>{number(usage.outputTokens)}</td>
      <td>{isUnknown ? t("usage.cost_unknown") : money(usage.cost)}</td>
    </tr>
  );
}
