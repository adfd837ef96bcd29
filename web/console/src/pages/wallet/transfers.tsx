// Payments of all wallets, those that wait for their owner first.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { refresh } from "../../agents";
import { call, sentence } from "../../api/client";
import { useLive } from "../../api/live";
import type { Transfer } from "../../api/types";
import { named, t } from "../../app/i18n";
import { Button } from "../../components/button";
import { EmptyState, Loading } from "../../components/empty_state";
import { List } from "../../components/list_tools";
import { useRefreshOnReturn } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { TransferDialog } from "../../parts/transfer_dialog";
import { TransferRow } from "../../parts/transfer_row";
import { WalletFrame } from "../../parts/wallet_frame";
import { walletName } from "../../parts/wallet_name";

const states = ["waiting", "declined", "queued", "signed", "sent", "replaced", "confirmed", "failed"];

export default function TransfersPage() {
  const transfers = useSignal<Transfer[] | undefined>(undefined);
  const next = useSignal<string | null>(null);
  const error = useSignal("");
  const paying = useSignal(false);
  const load = async (before: string | null) => {
    error.value = "";
    try {
      const page = await call("GET /api/wallet/transfers", { query: { ...(before && { before }) } });
      transfers.value = before ? [...(transfers.peek() ?? []), ...page.transfers] : page.transfers;
      next.value = page.next ?? null;
    } catch (cause) {
      error.value = sentence(cause);
    }
  };
  const reload = () => load(null);
  useEffect(() => {
    void reload();
    void refresh().catch(() => undefined);
  }, []);
  useRefreshOnReturn({ reload });
  useLive(["payment"], reload);
  const list = transfers.value;
  const waiting = list?.filter(({ state }) => state === "waiting") ?? [];
  const onChanged = (changed: Transfer) => (transfers.value = list?.map((one) => (one.id === changed.id ? changed : one)));
  return (
    <WalletFrame>
      <div class="page-head">
        <p class="quiet">{t("transfer.about")}</p>
        <div class="actions">
          <Button kind="primary" onClick={() => (paying.value = true)}>
            {t("transfer.new")}
          </Button>
        </div>
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {waiting.length > 0 && (
        <section class="attention" aria-labelledby="waiting-title">
          <h2 id="waiting-title">{t("transfer.waiting")}</h2>
          <ul class="rows">
            {waiting.map((transfer) => (
              <TransferRow key={transfer.id} transfer={transfer} onChanged={onChanged} />
            ))}
          </ul>
        </section>
      )}
      {list === undefined && !error.value && <Loading />}
      {list?.length === 0 && <EmptyState title={t("transfer.empty")} text={t("transfer.empty_text")} />}
      {list && list.length > waiting.length && (
        <List
          items={list.filter(({ state }) => state !== "waiting")}
          label={t("transfer.tools")}
          view={{
            text: ({ to, memo, wallet, transactionHash }) => `${to} ${memo} ${walletName(wallet)} ${transactionHash ?? ""}`,
            orders: [
              { value: "newest", title: t("sort.newest"), compare: (a, b) => b.createdAt.localeCompare(a.createdAt) },
              { value: "oldest", title: t("sort.oldest"), compare: (a, b) => a.createdAt.localeCompare(b.createdAt) },
              { value: "amount", title: t("transfer.by_amount"), compare: (a, b) => Number(b.amount) - Number(a.amount) },
            ],
            filter: {
              title: t("fleet.state"),
              choices: states.slice(1).map((value) => ({ value, title: named("transfer.state", value) })),
              matches: ({ state }, value) => state === value,
            },
          }}
        >
          {(found) => (
            <ul class="rows">
              {found.map((transfer) => (
                <TransferRow key={transfer.id} transfer={transfer} onChanged={onChanged} />
              ))}
            </ul>
          )}
        </List>
      )}
      {next.value && (
        <div class="actions start">
          <Button onClick={() => void load(next.value)}>{t("usage.more")}</Button>
        </div>
      )}
      {paying.value && <TransferDialog onClose={() => (paying.value = false)} onPaid={reload} />}
    </WalletFrame>
  );
}
