import type { ComponentChildren } from "preact";
import { t } from "../app/i18n";
import { SectionTabs } from "./section_tabs";

const tabs = [
  ["/wallet", "page.wallets"],
  ["/wallet/transfers", "page.transfers"],
  ["/wallet/rules", "page.rules"],
  ["/wallet/splits", "page.splits"],
] as const;

// The pages about money that agents pay with, beside each other.
export function WalletFrame({ children }: { children: ComponentChildren }) {
  return (
    <div class="column">
      <h1>{t("page.wallet")}</h1>
      <SectionTabs label="wallet.pages" tabs={tabs} />
      {children}
    </div>
  );
}
