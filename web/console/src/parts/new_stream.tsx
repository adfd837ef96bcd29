// Streams of wallets. They have no account: whoever has a stream's key manages it.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Broadcast } from "../api/types";
import { t } from "../app/i18n";
import { Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { useLoad } from "../components/loaded";

interface New {
  onClose: () => void;
  onMade: (broadcast: Broadcast) => void;
}

export function NewStreamDialog({ onClose, onMade }: New) {
  const own = useLoad(async () => (await call("GET /api/wallet")).address ?? "");
  const create = async (values: FormData) => {
    const name = textOf(values, "name").trim();
    const broadcast = await call("POST /api/radio/streams", { body: { wallet: textOf(values, "wallet").trim(), ...(name && { name }) } });
    onClose();
    onMade(broadcast);
  };
  return (
    <Dialog title={t("radio.new")} onClose={onClose}>
      <Form submit={t("radio.create")} onCancel={onClose} onSubmit={create}>
        <Field label={t("usage.name")} name="name" maxLength={100} autoFocus autocomplete="off" dir="auto" />
        <Field
          key={own.data.value ?? ""}
          label={t("radio.wallet")}
          name="wallet"
          required
          maxLength={100}
          autocomplete="off"
          spellcheck={false}
          hint={t("radio.wallet_hint")}
          defaultValue={own.data.value ?? ""}
        />
      </Form>
    </Dialog>
  );
}

interface Keyed {
  onClose: () => void;
  onRotated: (broadcast: Broadcast) => void;
}

export function KeyedStreamDialog({ onClose, onRotated }: Keyed) {
  const action = useSignal<"rotate" | "remove">("rotate");
  const isRemoval = action.value === "remove";
  const run = async (values: FormData) => {
    const input = { path: { streamId: textOf(values, "streamId").trim() }, body: { streamKey: textOf(values, "streamKey").trim() } };
    if (isRemoval) await call("DELETE /api/radio/streams/{streamId}", input);
    else onRotated(await call("POST /api/radio/streams/{streamId}/rotate-key", input));
    onClose();
  };
  return (
    <Dialog title={t("radio.manage")} onClose={onClose}>
      <p class="quiet">{t("radio.manage_about")}</p>
      <Form submit={t(isRemoval ? "action.delete" : "radio.rotate")} danger={isRemoval} onCancel={onClose} onSubmit={run}>
        <Field label={t("radio.id")} name="streamId" required maxLength={200} autoFocus autocomplete="off" spellcheck={false} />
        <Field label={t("radio.key")} name="streamKey" type="password" required maxLength={500} autocomplete="off" spellcheck={false} />
        <fieldset>
          <legend>{t("radio.action")}</legend>
          {(["rotate", "remove"] as const).map((value) => (
            <label key={value} class="choice">
              <input type="radio" name="action" checked={action.value === value} onChange={() => (action.value = value)} />
              {t(value === "rotate" ? "radio.rotate" : "action.delete")}
            </label>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  );
}
