// Pays from a wallet. What the box says about a field stands beside it, also where it says so by a code.
import { useRef } from "preact/hooks";
import { agents } from "../agents";
import { ApiError, call } from "../api/client";
import type { NewTransfer, Transfer } from "../api/types";
import { t } from "../app/i18n";
import { Dialog } from "../components/dialog";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { walletName } from "./wallet_name";

interface Props {
  onClose: () => void;
  onPaid: (transfer: Transfer) => Promise<void>;
}

const fieldOfCode: Record<string, string> = { INSUFFICIENT_BALANCE: "amount", DAILY_LIMIT_REACHED: "amount", RECEIVER_NOT_ALLOWED: "to" };

// 128 random bits: crypto.randomUUID is missing where the box is reached without TLS.
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export function TransferDialog({ onClose, onPaid }: Props) {
  // The same payment, tried again after its answer was lost, counts once.
  const attempt = useRef({ payment: "", key: "" });
  const pay = async (values: FormData) => {
    const wallet = textOf(values, "wallet");
    const memo = textOf(values, "memo").trim();
    const body: NewTransfer = {
      to: textOf(values, "to").trim(),
      amount: textOf(values, "amount").trim(),
      token: textOf(values, "token") as "usdc" | "native",
      ...(memo && { memo }),
      ...(wallet.startsWith("agent/") && { agentId: wallet.slice("agent/".length) }),
      ...(wallet === "testnet" && { testnet: true }),
    };
    // An agent's wallet is made when it is first asked for.
    if (body.agentId) await call("GET /api/wallet/agents/{agentId}", { path: { agentId: body.agentId } });
    const payment = JSON.stringify(body);
    if (payment !== attempt.current.payment) attempt.current = { payment, key: newKey() };
    try {
      const transfer = await call("POST /api/wallet/transfer", { body: { ...body, idempotencyKey: attempt.current.key } });
      onClose();
      await onPaid(transfer);
    } catch (error) {
      const field = error instanceof ApiError ? fieldOfCode[error.code] : undefined;
      if (!field) throw error;
      const { message, status, code } = error as ApiError;
      throw new ApiError(message, status, code, 0, {}, field, `: ${message}`);
    }
  };
  return (
    <Dialog title={t("transfer.new")} onClose={onClose}>
      <Form submit={t("transfer.pay")} onCancel={onClose} onSubmit={pay}>
        <Select label={t("transfer.from")} name="wallet">
          <option value="user">{t("wallet.own")}</option>
          {(agents.value ?? []).map(({ id }) => (
            <option key={id} value={`agent/${id}`}>
              {walletName(`agent/${id}`)}
            </option>
          ))}
          <option value="testnet">{t("wallet.testnet")}</option>
        </Select>
        <Field
          label={t("transfer.to")}
          name="to"
          required
          maxLength={100}
          autoFocus
          autocomplete="off"
          spellcheck={false}
          hint={t("transfer.to_hint")}
        />
        <div class="columns">
          <Field
            label={t("transfer.amount")}
            name="amount"
            required
            maxLength={40}
            inputMode="decimal"
            autocomplete="off"
            placeholder="12.50"
          />
          <Select label={t("transfer.token")} name="token">
            <option value="usdc">{t("transfer.usdc")}</option>
            <option value="native">{t("transfer.native")}</option>
          </Select>
        </div>
        <Field label={t("transfer.memo")} name="memo" maxLength={200} autocomplete="off" dir="auto" hint={t("transfer.memo_hint")} />
      </Form>
    </Dialog>
  );
}
