// What needs the user: agents that cannot work, payments that wait for a decision, messages that did not arrive, limits
// that are nearly reached, an address that is not verified.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { call } from "../api/client";
import { useLive } from "../api/live";
import type { Agent } from "../api/types";
import { date, percent, tokens } from "../app/format";
import { t, tn } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Link } from "../components/link";
import { useRefreshOnReturn } from "../components/loaded";
import { walletName } from "./wallet_name";

interface Item {
  key: string;
  to: string;
  title: string;
  text: string;
}

// From this share on a limit is worth a word.
const nearly = 0.8;
// Agents whose reason is asked for; the others are named without it.
const explained = 5;

async function limits(): Promise<Item[]> {
  const [billing, { caps }] = await Promise.all([call("GET /api/billing"), call("GET /api/caps")]);
  const items: Item[] = [];
  const { used, limit, resetsAt } = billing.tokens;
  if (limit && used / limit >= nearly)
    items.push({
      key: "quota",
      to: "/usage",
      title: t("attention.quota", { share: percent(used / limit) }),
      text: t("attention.resets", { date: date(resetsAt) }),
    });
  for (const cap of caps) {
    const share = Math.max(
      cap.tokens && cap.usedTokens ? cap.usedTokens / cap.tokens : 0,
      cap.usd && cap.usedUsd ? Number(cap.usedUsd) / Number(cap.usd) : 0,
    );
    if (share >= nearly)
      items.push({
        key: cap.id,
        to: "/usage/limits",
        title: t("attention.cap", { share: percent(share) }),
        text: t("attention.resets", { date: date(cap.resetsAt) }),
      });
  }
  return items;
}

async function approvals(): Promise<Item[]> {
  const { transfers } = await call("GET /api/wallet/transfers");
  return transfers
    .filter(({ state }) => state === "waiting")
    .map(({ id, wallet, amount, token, to }) => ({
      key: id,
      to: "/wallet/transfers",
      title: t("attention.approval", {
        name: walletName(wallet),
        amount: tokens(amount, token === "usdc" ? "USDC" : t("wallet.coin")),
      }),
      text: t("attention.approval_to", { to }),
    }));
}

async function deadLetters(): Promise<Item[]> {
  const { deadLetters: letters } = await call("GET /api/underground/dead-letters");
  if (letters.length === 0) return [];
  const title = tn("attention.dead_letters", letters.length);
  return [{ key: "dead letters", to: "/fleet/dead-letters", title, text: letters[0]!.error }];
}

// What one of them cannot say does not hide the others.
async function everything(): Promise<Item[]> {
  const found = await Promise.allSettled([approvals(), deadLetters(), limits()]);
  return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

export function Attention({ agents }: { agents: Agent[] }) {
  const near = useSignal<Item[]>([]);
  const reasons = useSignal<Record<string, string>>({});
  const broken = agents.filter(({ status }) => status === "error");
  const ids = broken.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join();
  const look = async () => void (near.value = await everything());
  useEffect(() => void look(), []);
  useRefreshOnReturn({ reload: look });
  useLive(["cap", "payment", "dead_letter"], look);
  useEffect(() => {
    for (const { id } of broken.slice(0, explained))
      call("GET /api/agents/{id}", { path: { id } }).then(
        ({ agent }) => (reasons.value = { ...reasons.value, [id]: agent.statusReason }),
        () => undefined,
      );
  }, [ids]);

  const items: Item[] = broken.map(({ id, name }) => ({
    key: id,
    to: agentPath(id, "health"),
    title: t("attention.agent", { name }),
    text: reasons.value[id] ?? "",
  }));
  items.push(...near.value);
  if (account.settings.value?.emailVerified === false)
    items.push({ key: "email", to: "/settings", title: t("attention.email"), text: t("attention.email_text") });
  if (items.length === 0) return null;
  return (
    <section class="attention" aria-labelledby="attention-title">
      <h2 id="attention-title">{t("attention.title")}</h2>
      <ul>
        {items.map(({ key, to, title, text }) => (
          <li key={key}>
            <Link to={to}>
              <bdi>{title}</bdi>
            </Link>
            {text && <p class="quiet">{text}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
