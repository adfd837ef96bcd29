import { lookSoon } from "../agents";
import { call } from "../api/client";
import type { Agent } from "../api/types";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { go } from "../app/router";
import { Dialog } from "../components/dialog";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";

const specializations = ["general", "ar", "promo", "booking", "support", "analytics"] as const;

// A copy of an agent's model and config in an empty workspace. Where the box can verify payments, it is paid for on the
// chain first.
// With a message, the clone begins where the agent was before it.
export function CloneDialog({ agent, message, onClose }: { agent: Agent; message?: string; onClose: () => void }) {
  const terms = useLoad(() => call("GET /api/agents/clone"), []);
  const clone = async (values: FormData) => {
    const found = terms.data.value!;
    const answer = await call("POST /api/agents/clone", {
      body: {
        parentAgentId: agent.id,
        name: textOf(values, "name").trim(),
        ...(message && { message }),
        specialization: textOf(values, "specialization") as (typeof specializations)[number],
        ...(found.terms === "payment" && {
          paymentProof: {
            transactionHash: textOf(values, "paymentProof.transactionHash").trim(),
            from: textOf(values, "paymentProof.from").trim(),
            to: textOf(values, "paymentProof.to").trim(),
            amount: textOf(values, "paymentProof.amount").trim(),
            currency: found.currency,
            chainId: found.chainId,
            timestamp: Math.floor(Date.now() / 1_000),
          },
        }),
      },
    });
    lookSoon();
    onClose();
    go(agentPath(answer.agent.id));
  };
  return (
    <Dialog title={t("clone.title", { name: agent.name })} onClose={onClose}>
      <Loaded of={terms}>
        {({ price, currency, chainId, payTo, terms: cost }) => (
          <>
            <p>{t(message ? "clone.about_point" : "clone.about")}</p>
            {cost === "payment" && <p>{t("clone.price", { price, currency, chain: chainId })}</p>}
            {cost === "off" && <p>{t("clone.off")}</p>}
            <Form submit={t("clone.confirm")} onCancel={onClose} onSubmit={clone}>
              <Field label={t("clone.name")} name="name" required maxLength={100} autoFocus autocomplete="off" dir="auto" />
              <Select label={t("clone.specialization")} name="specialization" defaultValue="general">
                {specializations.map((name) => (
                  <option key={name} value={name}>
                    {t(`clone.${name}`)}
                  </option>
                ))}
              </Select>
              {cost === "payment" && (
                <>
                  <Field
                    label={t("clone.transaction")}
                    name="paymentProof.transactionHash"
                    required
                    autocomplete="off"
                    spellcheck={false}
                  />
                  <Field label={t("clone.from")} name="paymentProof.from" required autocomplete="off" spellcheck={false} />
                  <Field
                    label={t("clone.to")}
                    name="paymentProof.to"
                    required
                    autocomplete="off"
                    spellcheck={false}
                    defaultValue={payTo ?? ""}
                  />
                  <Field
                    label={t("clone.amount", { currency })}
                    name="paymentProof.amount"
                    required
                    autocomplete="off"
                    defaultValue={price}
                  />
                </>
              )}
            </Form>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
