import { nameOf } from "../agents";
import { t } from "../app/i18n";

// The name of a wallet by its id: user, testnet, agent/ and the agent's id.
export function walletName(id: string): string {
  if (id === "user") return t("wallet.own");
  if (id === "testnet") return t("wallet.testnet");
  return nameOf(id.replace(/^agent\//, "")) || t("usage.deleted_agent");
}
