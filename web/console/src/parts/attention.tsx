// What needs the user: agents that cannot work, users who wait for a plan, payments that wait for a decision, messages that did not arrive, limits
// that are nearly reached, an address that is not verified.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { call } from "../api/client";
import { useLive } from "../api/live";
import type { Agent, Cap } from "../api/types";
import { date, percent, tokens } from "../app/format";
import { t, tn } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Button } from "../components/button";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { useRefreshOnReturn } from "../components/loaded";
import { useSendsMail } from "./email_verification";
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

// "Agent Scout, per day"
function limitName({ scope, target, period }: Cap, agents: Agent[]) {
  const name = agents.find(({ id }) => id === target)?.name ?? target ?? "";
  return t(period === "day" ? "limits.per_day" : "limits.per_month", { name: t(`limits.scope.${scope}`, { name }) });
}

async function limits(agents: Agent[]): Promise<Item[]> {
  const [billing, { caps }] = await Promise.all([call("GET /api/billing"), call("GET /api/caps")]);
  const items: Item[] = [];
  const { used, limit, resetsAt } = billing.tokens;
  if (limit && used / limit >= nearly)
    items.push({
      key: "quota",
      to: "/usage",
      title: used < limit ? t("attention.quota", { share: percent(used / limit) }) : t("attention.quota_reached"),
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
        title:
          share < 1
            ? t("attention.cap", { name: limitName(cap, agents), share: percent(share) })
            : t("attention.cap_reached", { name: limitName(cap, agents) }),
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
      title: t("attention.approval", { name: walletName(wallet), amount: tokens(amount, token === "usdc" ? "USDC" : t("wallet.coin")) }),
      text: t("attention.approval_to", { to }),
    }));
}

// Payments that wait are among the transfers.
async function asks(): Promise<Item[]> {
  const { asks: waiting } = await call("GET /api/asks", { query: { waiting: true } });
  return waiting
    .filter(({ kind }) => kind !== "payment")
    .map(({ id, title }) => ({ key: id, to: "/asks", title: t("attention.ask"), text: title }));
}

// Users who wait for an administrator.
async function requests(): Promise<Item[]> {
  const waiting = await account.refreshRequests();
  if (waiting.length === 0) return [];
  return [{ key: "requests", to: "/admin/requests", title: tn("attention.requests", waiting.length), text: waiting[0]!.email }];
}

// A factor that the box will require. Once it does, every page leads to the account's.
async function factor(): Promise<Item[]> {
  const due = account.user.value?.secondFactorDue;
  if (!due) return [];
  return [{ key: "factor", to: "/settings", title: t("attention.factor"), text: t("attention.factor_due", { date: date(due) }) }];
}

async function deadLetters(): Promise<Item[]> {
  const { deadLetters: letters } = await call("GET /api/underground/dead-letters");
  if (letters.length === 0) return [];
  const title = tn("attention.dead_letters", letters.length);
  return [{ key: "dead letters", to: "/fleet/dead-letters", title, text: letters[0]!.error }];
}

// What one of them cannot say does not hide the others.
async function everything(agents: Agent[]): Promise<Item[]> {
  const found = await Promise.allSettled([factor(), requests(), approvals(), asks(), deadLetters(), limits(agents)]);
  return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

// Those shown without asking for all of them.
const most = 3;

// `showsCalm`: says so when nothing needs the user.
export function Attention({ agents, showsCalm = false }: { agents: Agent[]; showsCalm?: boolean }) {
  const all = useSignal(false);
  const known = useSignal(false);
  const near = useSignal<Item[]>([]);
  const unverified = account.settings.value?.emailVerified === false;
  const sendsMail = useSendsMail(unverified);
  const reasons = useSignal<Record<string, string>>({});
  const broken = agents.filter(({ status }) => status === "error");
  const ids = broken.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join();
  const look = async () => {
    near.value = await everything(agents);
    known.value = true;
  };
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
  if (unverified)
    items.push({
      key: "email",
      to: "/settings",
      title: t("attention.email"),
      text: t(sendsMail === undefined ? "state.loading" : sendsMail ? "attention.email_text" : "attention.email_no_mail"),
    });
  if (items.length === 0 && !showsCalm) return null;
  const shown = all.value ? items : items.slice(0, most);
  return (
    <section class={items.length > 0 ? "attention" : "attention calm"} aria-labelledby="attention-title">
      <h2 id="attention-title">{t("attention.title")}</h2>
      {items.length === 0 && <p class="quiet">{known.value ? t("home.all_well") : t("state.loading")}</p>}
      <ul>
        {shown.map(({ key, to, title, text }) => (
          <li key={key}>
            <Icon name="alert" />
            <div>
              <Link to={to}>
                <bdi>{title}</bdi>
              </Link>
              {text && <p class="quiet">{text}</p>}
            </div>
          </li>
        ))}
      </ul>
      {items.length > shown.length && (
        <Button class="small" onClick={() => (all.value = true)}>
          {tn("attention.more", items.length - shown.length)}
        </Button>
      )}
    </section>
  );
}
