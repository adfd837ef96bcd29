import { useSignal } from "@preact/signals";
import type { Cap, NewCap } from "../api/types";
import { compact, date, money } from "../app/format";
import { t } from "../app/i18n";
import { Badge } from "../components/badge";
import { Confirm } from "../components/confirm";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { Meter } from "../components/meter";
import { RowActions } from "./row_actions";

const reactions = ["refuse", "cheaper", "local"] as const;

interface Props {
  cap: Cap;
  name: string; // of what it limits
  change?: (body: NewCap) => Promise<void>; // of those that the reader may change
  remove?: (cap: Cap) => Promise<void>;
}

// A cap with what is used of it. Its amounts are changed where they stand.
export function CapCard({ cap, name, change, remove }: Props) {
  const isGiven = cap.isDefault || (!change && (cap.byAdmin || cap.scope === "plan"));
  const editing = useSignal(false);
  const removing = useSignal(false);
  const ofEachAgent = cap.scope === "agents";
  const title = t(`limits.per_${cap.period}`, { name });
  return (
    <>
      <div class="page-head">
        <h3>
          <bdi>{title}</bdi> {isGiven && <Badge>{t(cap.isDefault ? "limits.of_plan" : "limits.by_admin")}</Badge>}
        </h3>
        {change && !editing.value && (
          <RowActions
            of={title}
            first={{ title: t("action.edit"), label: t("limits.edit_this", { name: title }), run: () => void (editing.value = true) }}
            more={[
              remove && {
                title: t("action.remove"),
                label: t("limits.remove_this", { name: title }),
                icon: "trash",
                run: () => void (removing.value = true),
              },
            ]}
          />
        )}
      </div>
      {ofEachAgent && (
        <p>
          {[cap.usd && money(cap.usd), cap.tokens && t("usage.tokens", { count: compact(cap.tokens) })].filter(Boolean).join(" · ") ||
            t("limits.none")}
        </p>
      )}
      {!ofEachAgent && cap.usd !== null && cap.usd !== undefined && (
        <Bar
          label={t("limits.usd")}
          share={Number(cap.usedUsd ?? 0) / Math.max(Number(cap.usd), Number.MIN_VALUE)}
          text={t("limits.used_of", { used: money(cap.usedUsd ?? "0"), limit: money(cap.usd) })}
        />
      )}
      {!ofEachAgent && cap.tokens !== null && cap.tokens !== undefined && (
        <Bar
          label={t("limits.tokens")}
          share={(cap.usedTokens ?? 0) / Math.max(cap.tokens, Number.MIN_VALUE)}
          text={t("limits.tokens_of", { used: compact(cap.usedTokens ?? 0), limit: compact(cap.tokens) })}
        />
      )}
      {editing.value && change ? (
        <Form
          submit={t("action.save")}
          onCancel={() => (editing.value = false)}
          onSubmit={async (values) => {
            await change({ scope: cap.scope, target: cap.target, period: cap.period, ...amounts(values) });
            editing.value = false;
          }}
        >
          <Amounts cap={cap} />
        </Form>
      ) : (
        <p class="quiet">
          {t(`limits.when.${cap.whenReached}`)} · {t("attention.resets", { date: date(cap.resetsAt) })}
        </p>
      )}
      {removing.value && remove && (
        <Confirm
          title={t("limits.remove_title")}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = false)}
          action={() => remove(cap)}
        >
          <p>
            <bdi>{title}</bdi>
          </p>
        </Confirm>
      )}
    </>
  );
}

function Bar({ label, share, text }: { label: string; share: number; text: string }) {
  return (
    <div>
      <Meter label={label} share={share} text={text} />
      <p>{text}</p>
    </div>
  );
}

export function Amounts({ cap }: { cap?: Cap }) {
  return (
    <div class="columns">
      <Field
        label={t("limits.usd")}
        name="usd"
        inputMode="decimal"
        maxLength={20}
        autocomplete="off"
        placeholder="10.00"
        defaultValue={cap?.usd ?? ""}
      />
      <Field label={t("limits.tokens")} name="tokens" type="number" min={0} step={1} defaultValue={cap?.tokens?.toString() ?? ""} />
      <Select label={t("limits.when")} name="whenReached" defaultValue={cap?.whenReached ?? "refuse"}>
        {reactions.map((name) => (
          <option key={name} value={name}>
            {t(`limits.when.${name}`)}
          </option>
        ))}
      </Select>
    </div>
  );
}

export function amounts(values: FormData): Pick<NewCap, "usd" | "tokens" | "whenReached"> {
  const usd = textOf(values, "usd").trim();
  const tokens = textOf(values, "tokens").trim();
  return {
    whenReached: textOf(values, "whenReached") as Cap["whenReached"],
    ...(usd && { usd }),
    ...(tokens && { tokens: Number(tokens) }),
  };
}
