// The plan and how to get another, credits, and what the box sells by card.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../../account";
import { call, sentence } from "../../api/client";
import type { CreditEntry, Offer } from "../../api/types";
import { date, money, moneyIn, number } from "../../app/format";
import { named, t } from "../../app/i18n";
import { Action } from "../../components/action";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty_state";
import { Field, Select } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Table } from "../../components/table";
import { Time } from "../../components/time";
import { PlanCard } from "../../parts/plan_card";
import { UsageFrame } from "../../parts/usage_frame";

const plans = ["label", "solo", "collective", "network"] as const;

export default function BillingPage() {
  const offers = useLoad(async () => (await call("GET /api/stripe/prices")).offers);
  return (
    <UsageFrame>
      <PlanCard />
      <Loaded of={offers}>
        {(list) => (
          <>
            <Sold offers={list} />
            <PlanRequest />
            <Credits />
          </>
        )}
      </Loaded>
    </UsageFrame>
  );
}

// The page to pay at is opened in this tab: it leads back here.
async function pay(body: { action: string; plan?: string; price?: string }) {
  const { url } = (await call("POST /api/billing", { body })) as { url: string };
  window.location.assign(url);
}

// A route that redirects to the payment provider. Its refusal is a sentence here instead of a page of JSON.
async function visit(path: string) {
  const answer = await fetch(path, { redirect: "manual", credentials: "same-origin", headers: { Accept: "application/json" } });
  if (answer.type === "opaqueredirect") window.location.assign(path);
  else
    throw new Error(((await answer.json().catch(() => ({}))) as { error?: string }).error ?? t("error.refused", { status: answer.status }));
}

const kind = ({ item }: Offer) => (item.startsWith("credits.") ? "credits" : item.startsWith("storage.") ? "storage" : "plan");
const priceOf = ({ amount, currency }: Offer) => (amount && currency ? moneyIn(currency.toUpperCase(), amount) : "");

function Sold({ offers }: { offers: Offer[] }) {
  const plan = account.settings.value?.plan ?? "";
  const problem = useSignal("");
  const leave = async (path: string) => {
    problem.value = "";
    await visit(path).catch((error: Error) => (problem.value = error.message));
  };
  const buy: Record<ReturnType<typeof kind>, (offer: Offer) => Promise<unknown>> = {
    plan: ({ item }) => pay({ action: "create-checkout", plan: item }),
    credits: ({ item }) => pay({ action: "buy-credits", price: item }),
    storage: ({ item }) => leave(`/api/stripe/storage-upgrade?price=${encodeURIComponent(item)}`),
  };
  return (
    <section class="card" aria-labelledby="sold-title">
      <div class="page-head">
        <h2 id="sold-title">{t("billing.card")}</h2>
        {offers.length > 0 && <Action run={() => leave("/api/stripe/portal")}>{t("billing.portal")}</Action>}
      </div>
      {problem.value && <Notice kind="error">{problem.value}</Notice>}
      {offers.length === 0 ? (
        <p class="quiet">{t("billing.no_card")}</p>
      ) : (
        <ul class="rows">
          {offers.map((offer) => (
            <li key={offer.item}>
              <div>
                <strong>
                  <bdi>{offer.title}</bdi>
                </strong>{" "}
                <Badge>{named("billing.kind", kind(offer))}</Badge>
                <p class="quiet">{priceOf(offer) || t("billing.price_there")}</p>
              </div>
              {offer.item === plan ? (
                <Badge tone="good">{t("billing.current")}</Badge>
              ) : (
                <Action label={t("billing.buy_this", { name: offer.title })} run={() => buy[kind(offer)](offer)}>
                  {kind(offer) === "plan" && plan ? t("billing.change") : t("billing.buy")}
                </Action>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const tones = { pending: "busy", approved: "good", denied: "bad" } as const;

function PlanRequest() {
  const request = useLoad(async () => (await call("GET /api/subscriptions/request")).request ?? null);
  const ask = async (values: FormData) => {
    const note = textOf(values, "note").trim();
    await call("POST /api/subscriptions/request", { body: { plan: textOf(values, "plan"), ...(note && { note }) } });
    await request.reload();
  };
  return (
    <section class="card" aria-labelledby="request-title">
      <h2 id="request-title">{t("billing.request")}</h2>
      <p class="quiet">{t("billing.request_about")}</p>
      <Loaded of={request}>
        {(last) => (
          <>
            {last && (
              <p>
                {t("billing.requested", { plan: last.plan, date: date(last.requestedAt) })}{" "}
                <Badge tone={tones[last.state]}>{named("billing.request", last.state)}</Badge>
                {last.reason && (
                  <>
                    {" "}
                    <bdi>{last.reason}</bdi>
                  </>
                )}
              </p>
            )}
            <Form submit={t("billing.ask")} onSubmit={ask}>
              <Select label={t("billing.plan_name")} name="plan" defaultValue={account.settings.value?.plan ?? "solo"}>
                {plans.map((plan) => (
                  <option key={plan} value={plan}>
                    {plan}
                  </option>
                ))}
              </Select>
              <Field label={t("billing.note")} name="note" maxLength={500} autocomplete="off" dir="auto" hint={t("billing.note_hint")} />
            </Form>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Credits() {
  const credits = useLoad(() => call("GET /api/credits"));
  return (
    <section class="card" aria-labelledby="credits-title">
      <h2 id="credits-title">{t("credits.title")}</h2>
      <p class="quiet">{t("credits.about")}</p>
      <Loaded of={credits}>
        {({ credits: whole, balance, reserved, payForCalls }) => (
          <>
            <p class="balance">
              <strong>{t("credits.balance", { count: number(whole), amount: money(balance) })}</strong>
            </p>
            {Number(reserved) > 0 && <p class="quiet">{t("credits.reserved", { amount: money(reserved) })}</p>}
            <div class="actions start">
              <Action
                run={async () => {
                  credits.data.value = await call("PUT /api/credits", { body: { payForCalls: !payForCalls } });
                }}
              >
                {t(payForCalls ? "credits.stop_paying" : "credits.pay")}
              </Action>
              <span class="quiet">{t(payForCalls ? "credits.paying" : "credits.not_paying")}</span>
            </div>
          </>
        )}
      </Loaded>
      <Entries />
    </section>
  );
}

const pageSize = 50;

function Entries() {
  const entries = useSignal<CreditEntry[] | undefined>(undefined);
  const next = useSignal<string | null>(null);
  const error = useSignal("");
  const more = async () => {
    error.value = "";
    try {
      const page = await call("GET /api/credits/entries", { query: { limit: pageSize, before: next.value } });
      entries.value = [...(entries.value ?? []), ...page.entries];
      next.value = page.next ?? null;
    } catch (cause) {
      error.value = sentence(cause);
    }
  };
  useEffect(() => void more(), []);
  return (
    <>
      <h3>{t("credits.entries")}</h3>
      {entries.value?.length === 0 && <EmptyState title={t("credits.empty")} text={t("credits.empty_text")} />}
      {entries.value && entries.value.length > 0 && (
        <Table title={t("credits.entries")} columns={[t("usage.at"), t("credits.kind"), t("transfer.amount"), t("credits.note")]}>
          {entries.value.map((entry) => (
            <tr key={entry.id}>
              <td>
                <Time at={entry.at} />
              </td>
              <td>{named("credits.kind", entry.kind)}</td>
              <td>{money(entry.amount)}</td>
              <td>
                <bdi>{entry.note}</bdi>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {(next.value || error.value) && (
        <div class="actions start">
          <Button onClick={() => void more()}>{error.value ? t("action.retry") : t("usage.more")}</Button>
        </div>
      )}
    </>
  );
}
