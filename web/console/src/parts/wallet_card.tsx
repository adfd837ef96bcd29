// A wallet: its balance with its age, its network, and its address to copy or to scan.
import { useSignal } from "@preact/signals";
import { duration, tokens } from "../app/format";
import { t } from "../app/i18n";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { CopyButton } from "../components/copy_button";
import { QrCode } from "../components/qr_code";

export interface Held {
  address: string;
  balance?: string | null | undefined; // null: not known, and `note` says why
  native?: string | null | undefined;
  network: string;
  balanceAge: number; // seconds
  note?: string | null | undefined;
}

const fresh = 60; // seconds: a younger balance is the present one

export function WalletCard({ held }: { held: Held }) {
  const coded = useSignal(false);
  return (
    <>
      <p class="balance">
        <strong>{held.balance ? tokens(held.balance, "USDC") : "–"}</strong>{" "}
        <Badge>{held.network === "ledger" ? t("wallet.ledger") : held.network}</Badge>
      </p>
      <p class="quiet">
        {typeof held.native === "string" && `${t("wallet.native", { amount: tokens(held.native, t("wallet.coin")) })} · `}
        {held.note ?? (held.balanceAge > fresh ? t("wallet.old", { age: duration(held.balanceAge * 1_000) }) : t("wallet.fresh"))}
      </p>
      <p class="address">
        <code>{held.address}</code> <CopyButton text={held.address} label={t("wallet.copy")} />{" "}
        <Button class="small" pressed={coded.value} onClick={() => (coded.value = !coded.value)}>
          {t("wallet.qr")}
        </Button>
      </p>
      {coded.value && <QrCode text={held.address} label={t("wallet.qr_label", { address: held.address })} />}
    </>
  );
}
