// One transfer, with its owner's decision where it waits for one.
import { call } from "../api/client";
import type { Transfer } from "../api/types";
import { tokens } from "../app/format";
import { named, t } from "../app/i18n";
import { Action } from "../components/action";
import { CopyButton } from "../components/copy_button";
import { State, type Tone } from "../components/state";
import { Time } from "../components/time";
import { walletName } from "./wallet_name";

const tones: Record<string, Tone> = { confirmed: "good", waiting: "busy", failed: "bad", declined: "rest" };

export function TransferRow({ transfer, onChanged }: { transfer: Transfer; onChanged: (changed: Transfer) => void }) {
  const { id, state } = transfer;
  const amount = tokens(transfer.amount, transfer.token === "usdc" ? "USDC" : t("wallet.coin"));
  return (
    <li>
      <div>
        <p class="facts">
          <strong>{amount}</strong>
          <State tone={tones[state] ?? "busy"}>{named("transfer.state", state)}</State>
          <Time at={transfer.createdAt} ago />
        </p>
        <p class="quiet">
          <bdi>{walletName(transfer.wallet)}</bdi> → <code>{transfer.to}</code>
        </p>
        {transfer.memo && (
          <p class="words" dir="auto">
            {transfer.memo}
          </p>
        )}
        {transfer.reason && (
          <p class={state === "failed" ? "cause" : "quiet"}>
            <bdi>{transfer.reason}</bdi>
          </p>
        )}
        {transfer.transactionHash && (
          <p class="address">
            <code>{transfer.transactionHash}</code> <CopyButton text={transfer.transactionHash} label={t("transfer.copy_hash")} />
          </p>
        )}
      </div>
      {state === "waiting" && (
        <div class="actions">
          <Action
            kind="primary"
            label={t("transfer.approve_this", { amount, name: walletName(transfer.wallet) })}
            run={async () => onChanged(await call("POST /api/wallet/transfers/{id}/approve", { path: { id } }))}
          >
            {t("transfer.approve")}
          </Action>
          <Action
            label={t("transfer.decline_this", { amount, name: walletName(transfer.wallet) })}
            run={async () => onChanged(await call("POST /api/wallet/transfers/{id}/decline", { path: { id } }))}
          >
            {t("transfer.decline")}
          </Action>
        </div>
      )}
    </li>
  );
}
