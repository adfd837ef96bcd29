// Payments of an agent that are divided among several receivers.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, nameOf, refresh } from "../../agents";
import { call, patience } from "../../api/client";
import type { Split } from "../../api/types";
import { number, tokens } from "../../app/format";
import { named, t, tn } from "../../app/i18n";
import { Button } from "../../components/button";
import { CopyButton } from "../../components/copy_button";
import { Dialog } from "../../components/dialog";
import { EmptyState } from "../../components/empty_state";
import { Field, Select } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { State, type Tone } from "../../components/state";
import { Table } from "../../components/table";
import { Time } from "../../components/time";
import { WalletFrame } from "../../parts/wallet_frame";

const tones: Record<Split["status"], Tone> = { queued: "busy", processing: "busy", settled: "good", failed: "bad" };

export default function SplitsPage() {
  const splits = useLoad(async () => (await call("GET /api/skills/instant-split")).splits);
  const creating = useSignal(false);
  useRefreshOnReturn(splits);
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <WalletFrame>
      <div class="page-head">
        <p class="quiet">{t("split.about")}</p>
        <div class="actions">
          <Reload of={splits} />
          <Button kind="primary" onClick={() => (creating.value = true)}>
            {t("split.new")}
          </Button>
        </div>
      </div>
      <Loaded of={splits}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("split.empty")} text={t("split.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("split.tools")}
              view={{
                text: ({ name, agentId, recipients }) => `${name} ${nameOf(agentId)} ${recipients.map(({ address }) => address).join(" ")}`,
                orders: [
                  { value: "newest", title: t("sort.newest"), compare: (a, b) => b.createdAt.localeCompare(a.createdAt) },
                  { value: "amount", title: t("transfer.by_amount"), compare: (a, b) => Number(b.totalAmount) - Number(a.totalAmount) },
                ],
                filter: {
                  title: t("fleet.state"),
                  choices: Object.keys(tones).map((value) => ({ value, title: named("split.status", value) })),
                  matches: ({ status }, value) => status === value,
                },
              }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((split) => (
                    <SplitRow key={split.splitId} split={split} />
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      {creating.value && <NewSplitDialog onClose={() => (creating.value = false)} onMade={splits.reload} />}
    </WalletFrame>
  );
}

function SplitRow({ split }: { split: Split }) {
  return (
    <li>
      <div>
        <p class="facts">
          <strong>{tokens(split.totalAmount, "USDC")}</strong>
          <State tone={tones[split.status]}>{named("split.status", split.status)}</State>
          <bdi>{split.name}</bdi>
          <Time at={split.createdAt} ago />
        </p>
        <p class="quiet">
          {t("transfer.from")}: <bdi>{nameOf(split.agentId) || t("usage.deleted_agent")}</bdi>
        </p>
        {split.reason && (
          <p class={split.status === "failed" ? "cause" : "quiet"}>
            <bdi>{split.reason}</bdi>
          </p>
        )}
        <details>
          <summary>{tn("split.recipients", split.recipients.length)}</summary>
          <Table title={t("split.recipients_title")} columns={[t("split.address"), t("split.share"), t("transfer.amount")]}>
            {split.recipients.map(({ address, share, amount }, at) => (
              <tr key={at}>
                <th scope="row">
                  <code>{address}</code>
                </th>
                <td>{t("fleet.percent", { value: number(share) })}</td>
                <td>{tokens(amount, "USDC")}</td>
              </tr>
            ))}
          </Table>
          {split.transactions.map((hash) => (
            <p key={hash} class="address">
              <code>{hash}</code> <CopyButton text={hash} label={t("transfer.copy_hash")} />
            </p>
          ))}
        </details>
      </div>
    </li>
  );
}

const most = 20;

function NewSplitDialog({ onClose, onMade }: { onClose: () => void; onMade: () => Promise<void> }) {
  const rows = useSignal([0, 1]);
  const pay = async (values: FormData) => {
    const name = textOf(values, "name").trim();
    await call("POST /api/skills/instant-split", {
      body: {
        agentId: textOf(values, "agentId"),
        totalAmount: textOf(values, "totalAmount").trim(),
        recipients: rows.value.map((_, at) => ({
          address: textOf(values, `recipients[${at}].address`).trim(),
          share: Number(textOf(values, `recipients[${at}].share`)),
        })),
        ...(name && { name }),
      },
      timeout: 2 * patience,
    });
    onClose();
    await onMade();
  };
  return (
    <Dialog title={t("split.new")} onClose={onClose}>
      {agents.value?.length === 0 ? (
        <EmptyState title={t("bus.no_agents")} text={t("bus.no_agents_text")} />
      ) : (
        <Form submit={t("split.pay")} onCancel={onClose} onSubmit={pay}>
          <Select label={t("transfer.from")} name="agentId" autoFocus>
            {agents.value?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
          <div class="columns">
            <Field
              label={t("split.total")}
              name="totalAmount"
              required
              maxLength={40}
              inputMode="decimal"
              autocomplete="off"
              placeholder="12.50"
            />
            <Field label={t("usage.name")} name="name" maxLength={100} autocomplete="off" dir="auto" />
          </div>
          {rows.value.map((row, at) => (
            <fieldset key={row}>
              <legend>{t("split.recipient", { number: number(at + 1) })}</legend>
              <Field
                label={t("split.address")}
                name={`recipients[${at}].address`}
                required
                maxLength={100}
                autocomplete="off"
                spellcheck={false}
              />
              <Field label={t("split.share")} name={`recipients[${at}].share`} type="number" required min={0.01} max={100} step="any" />
              {rows.value.length > 1 && (
                <div class="actions start">
                  <Button
                    class="small"
                    label={t("split.remove_this", { number: number(at + 1) })}
                    onClick={() => (rows.value = rows.value.filter((one) => one !== row))}
                  >
                    {t("action.remove")}
                  </Button>
                </div>
              )}
            </fieldset>
          ))}
          {rows.value.length < most && (
            <div class="actions start">
              <Button onClick={() => (rows.value = [...rows.value, Math.max(...rows.value) + 1])}>{t("split.add")}</Button>
            </div>
          )}
        </Form>
      )}
    </Dialog>
  );
}
