import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import { money } from "../app/format";
import { named, t } from "../app/i18n";
import { Action } from "../components/action";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { Time } from "../components/time";
import { Table } from "../components/table";
import { confirmed } from "../step_up";

const shown = 20;

// A user's prepaid credits, and their adjustment.
export function UserCredits({ id }: { id: string }) {
  const credits = useLoad(() => call("GET /api/admin/credits", { query: { userId: id, limit: shown } }));
  const said = useSignal("");
  return (
    <section class="card" aria-labelledby="credits-title">
      <h2 id="credits-title">{t("user_credits.title")}</h2>
      <Loaded of={credits}>
        {({ account, entries }) => (
          <>
            <p>{t("user_credits.balance", { balance: money(account.balance), reserved: money(account.reserved) })}</p>
            {entries.length > 0 && (
              <Table
                title={t("user_credits.entries")}
                columns={[t("audit.at"), t("user_credits.kind"), { title: t("user_credits.amount"), align: "end" }, t("user_credits.note")]}
              >
                {entries.map(({ id: entry, at, kind, amount, note }) => (
                  <tr key={entry}>
                    <td>
                      <Time at={at} />
                    </td>
                    <td>{named("user_credits.kind", kind)}</td>
                    <td>{money(amount)}</td>
                    <td>
                      <bdi>{note}</bdi>
                    </td>
                  </tr>
                ))}
              </Table>
            )}
          </>
        )}
      </Loaded>
      <Form
        submit={t("user_credits.adjust")}
        onSubmit={async (values) => {
          said.value = "";
          await confirmed(() =>
            call("POST /api/admin/credits", {
              body: { userId: id, usd: textOf(values, "usd").trim(), reason: textOf(values, "reason").trim() },
            }),
          );
          await credits.reload();
          said.value = t("state.saved");
        }}
      >
        <div class="columns">
          <Field
            label={t("user_credits.usd")}
            name="usd"
            required
            maxLength={20}
            autocomplete="off"
            placeholder="10.00"
            hint={t("user_credits.usd_hint")}
          />
          <Field label={t("user_credits.reason")} name="reason" required maxLength={200} autocomplete="off" dir="auto" />
        </div>
        {said.value && <Notice kind="hint">{said.value}</Notice>}
      </Form>
    </section>
  );
}

// A user's account on the box's own USDC ledger.
export function UserLedger({ id }: { id: string }) {
  const ledger = useLoad(() => call("GET /api/admin/ledger", { query: { userId: id, limit: shown } }));
  const said = useSignal("");
  const differences = useSignal<string[] | undefined>(undefined);
  const verify = async () => {
    differences.value = undefined;
    differences.value = (await call("GET /api/admin/ledger/verify", { timeout: 120_000 })).differences;
  };
  return (
    <section class="card" aria-labelledby="ledger-title">
      <div class="page-head">
        <h2 id="ledger-title">{t("ledger.title")}</h2>
        <Action run={verify}>{t("ledger.verify")}</Action>
      </div>
      {differences.value?.length === 0 && <Notice kind="hint">{t("ledger.sound")}</Notice>}
      {differences.value && differences.value.length > 0 && (
        <Notice kind="error">
          {t("ledger.unsound")}
          <ul>
            {differences.value.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Loaded of={ledger}>
        {({ balance, network, entries }) => (
          <>
            <p>{t("ledger.balance", { balance, network })}</p>
            {entries.length > 0 && (
              <Table
                title={t("ledger.entries")}
                columns={[t("audit.at"), { title: t("user_credits.amount"), align: "end" }, t("ledger.reference"), t("user_credits.note")]}
              >
                {entries.map(({ id: entry, at, amount, reference, memo }) => (
                  <tr key={entry}>
                    <td>
                      <Time at={at} />
                    </td>
                    <td>{amount}</td>
                    <td>
                      <bdi>{reference}</bdi>
                    </td>
                    <td>
                      <bdi>{memo}</bdi>
                    </td>
                  </tr>
                ))}
              </Table>
            )}
          </>
        )}
      </Loaded>
      <Form
        submit={t("ledger.book")}
        onSubmit={async (values) => {
          said.value = "";
          const memo = textOf(values, "memo").trim();
          const body = {
            userId: id,
            amount: textOf(values, "amount").trim(),
            reference: textOf(values, "reference").trim(),
            ...(memo && { memo }),
          };
          await confirmed(() =>
            textOf(values, "direction") === "debit"
              ? call("POST /api/admin/ledger/debit", { body })
              : call("POST /api/admin/ledger/credit", { body }),
          );
          await ledger.reload();
          said.value = t("state.saved");
        }}
      >
        <div class="columns">
          <Select label={t("ledger.direction")} name="direction">
            <option value="credit">{t("ledger.credit")}</option>
            <option value="debit">{t("ledger.debit")}</option>
          </Select>
          <Field
            label={t("ledger.amount")}
            name="amount"
            required
            inputMode="decimal"
            maxLength={40}
            autocomplete="off"
            placeholder="10.00"
          />
          <Field
            label={t("ledger.reference")}
            name="reference"
            required
            maxLength={100}
            autocomplete="off"
            hint={t("ledger.reference_hint")}
          />
          <Field label={t("ledger.memo")} name="memo" maxLength={200} autocomplete="off" dir="auto" />
        </div>
        {said.value && <Notice kind="hint">{said.value}</Notice>}
      </Form>
    </section>
  );
}
