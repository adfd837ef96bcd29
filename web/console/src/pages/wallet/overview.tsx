// One's own wallet, those of the agents, and the one on the test network.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, refresh } from "../../agents";
import { ApiError, call } from "../../api/client";
import type { Agent, Wallet } from "../../api/types";
import { t } from "../../app/i18n";
import { go } from "../../app/router";
import { Action } from "../../components/action";
import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty_state";
import { Field } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Reload } from "../../components/reload";
import { TransferDialog } from "../../parts/transfer_dialog";
import { WalletCard, type Held } from "../../parts/wallet_card";
import { WalletFrame } from "../../parts/wallet_frame";

// What GET /api/wallet answers on a box with a project at Coinbase's developer platform.
interface Project {
  agenticWallet: { status: string; projectId: string; features: string[] };
  instructions: string;
}
type Testnet = { state: "none" } | { state: "unavailable"; reason: string } | { state: "there"; held: Held };

async function testnet(): Promise<Testnet> {
  try {
    return { state: "there", held: await call("GET /api/wallet/testnet") };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return { state: "none" };
    if (error.status === 503) return { state: "unavailable", reason: error.message };
    throw error;
  }
}

export default function WalletPage() {
  const wallet = useLoad(() => call("GET /api/wallet") as Promise<Wallet | Project>);
  const paying = useSignal(false);
  useRefreshOnReturn(wallet);
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <WalletFrame>
      <section class="card" aria-labelledby="own-title">
        <div class="page-head">
          <h2 id="own-title">{t("wallet.own")}</h2>
          <div class="actions">
            <Reload of={wallet} />
            <Button kind="primary" onClick={() => (paying.value = true)}>
              {t("transfer.new")}
            </Button>
          </div>
        </div>
        <Loaded of={wallet}>
          {(found) => ("agenticWallet" in found ? <Platform project={found} /> : <Own wallet={found} onMade={wallet.reload} />)}
        </Loaded>
      </section>
      <AgentWallets />
      <TestNetwork />
      {paying.value && <TransferDialog onClose={() => (paying.value = false)} onPaid={async () => go("/wallet/transfers")} />}
    </WalletFrame>
  );
}

function Own({ wallet, onMade }: { wallet: Wallet; onMade: () => Promise<void> }) {
  if (wallet.address) return <WalletCard held={{ ...wallet, address: wallet.address }} />;
  return (
    <EmptyState title={t("wallet.none")} text={t("wallet.none_text")}>
      <Action
        kind="primary"
        run={async () => {
          await call("POST /api/wallet", { body: { action: "create" } });
          await onMade();
        }}
      >
        {t("wallet.create")}
      </Action>
    </EmptyState>
  );
}

function Platform({ project: { agenticWallet, instructions } }: { project: Project }) {
  const made = useSignal("");
  const create = async (values: FormData) => {
    made.value = (await call("POST /api/wallet/create", { body: { email: textOf(values, "email").trim() } })).walletAddress;
  };
  return (
    <>
      <p>{t("wallet.platform", { project: agenticWallet.projectId })}</p>
      <p class="quiet">{instructions}</p>
      {made.value && (
        <Notice kind="hint">
          {t("wallet.platform_made")} <code>{made.value}</code>
        </Notice>
      )}
      <Form submit={t("wallet.create")} onSubmit={create}>
        <Field label={t("sign_in.email")} name="email" type="email" required maxLength={254} autocomplete="email" />
      </Form>
    </>
  );
}

function AgentWallets() {
  const known = agents.value;
  return (
    <section class="card" aria-labelledby="agents-title">
      <h2 id="agents-title">{t("wallet.of_agents")}</h2>
      <p class="quiet">{t("wallet.of_agents_about")}</p>
      {known?.length === 0 && <p class="quiet">{t("bus.no_agents")}</p>}
      <ul class="rows">
        {known?.map((agent) => (
          <AgentWallet key={agent.id} agent={agent} />
        ))}
      </ul>
    </section>
  );
}

// An agent's wallet is made when it is first looked at: only when its owner asks for it.
function AgentWallet({ agent: { id, name } }: { agent: Agent }) {
  const held = useSignal<Held | undefined>(undefined);
  return (
    <li>
      <div>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {held.value && <WalletCard held={held.value} />}
      </div>
      <Action
        label={t(held.value ? "wallet.reload_this" : "wallet.show_this", { name })}
        run={async () => (held.value = await call("GET /api/wallet/agents/{agentId}", { path: { agentId: id } }))}
      >
        {held.value ? t("action.reload") : t("wallet.show")}
      </Action>
    </li>
  );
}

// Looked at when it is asked for: most users have no wallet there.
function TestNetwork() {
  const asked = useSignal(false);
  return (
    <section class="card" aria-labelledby="testnet-title">
      <div class="page-head">
        <h2 id="testnet-title">{t("wallet.testnet")}</h2>
        {!asked.value && <Button onClick={() => (asked.value = true)}>{t("wallet.testnet_show")}</Button>}
      </div>
      <p class="quiet">{t("wallet.testnet_about")}</p>
      {asked.value && <TestWallets />}
    </section>
  );
}

function TestWallets() {
  const test = useLoad(testnet);
  return <Loaded of={test}>{(found) => <TestWallet found={found} onMade={test.reload} />}</Loaded>;
}

function TestWallet({ found, onMade }: { found: Testnet; onMade: () => Promise<void> }) {
  if (found.state === "there") return <WalletCard held={found.held} />;
  if (found.state === "unavailable") return <p class="quiet">{found.reason}</p>;
  const create = async (values: FormData) => {
    const privateKey = textOf(values, "privateKey").trim();
    await call("POST /api/wallet/cdp", { body: { ...(privateKey && { privateKey }) } });
    await onMade();
  };
  return (
    <Form submit={t("wallet.testnet_create")} onSubmit={create}>
      <Field
        label={t("wallet.private_key")}
        name="privateKey"
        type="password"
        maxLength={66}
        autocomplete="off"
        spellcheck={false}
        hint={t("wallet.private_key_hint")}
      />
    </Form>
  );
}
