// Limits that administrators set: of one user, or of all users of a plan.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Cap, NewCap } from "../api/types";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { confirmed } from "../step_up";
import { Amounts, amounts, CapCard } from "./cap_card";

interface Props {
  userId?: string;
  plan?: string;
}

function nameOf({ scope, target }: Cap): string {
  if (scope === "agent") return t("limits.scope.agent", { name: target ?? "" });
  if (scope === "key") return t("limits.scope.key", { name: target ?? "" });
  return t(`admin_caps.scope.${scope}`);
}

export function AdminCaps({ userId, plan }: Props) {
  const of = userId ? { userId } : {};
  const caps = useLoad(async () => {
    const { caps: all } = await call("GET /api/admin/caps", { query: of });
    return userId ? all : all.filter(({ scope, target }) => (scope === "plan" || scope === "agents") && target === plan);
  });
  const creating = useSignal(false);
  const change = async (body: NewCap) => {
    await confirmed(() => call("PUT /api/admin/caps", { body: { ...body, ...of } }));
    await caps.reload();
  };
  const remove = async ({ id }: Cap) => {
    await confirmed(() => call("DELETE /api/admin/caps/{id}", { path: { id }, query: of }));
    await caps.reload();
  };
  const create = async (values: FormData) => {
    const scope = textOf(values, "scope") as NewCap["scope"];
    await change({ scope, period: textOf(values, "period") as NewCap["period"], ...(plan && { target: plan }), ...amounts(values) });
    creating.value = false;
  };
  return (
    <>
      <p class="quiet">{t(userId ? "admin_caps.of_user" : "admin_caps.of_plan")}</p>
      <Loaded of={caps}>
        {(list) => (
          <ul class="caps">
            {list.map((cap) => {
              const isOurs = cap.byAdmin || cap.scope === "plan" || cap.scope === "agents";
              return (
                <li key={cap.id}>
                  <CapCard
                    cap={cap}
                    name={nameOf(cap)}
                    {...(isOurs && (!userId || cap.scope === "user") && { change })}
                    {...(isOurs && !cap.isDefault && { remove })}
                  />
                </li>
              );
            })}
          </ul>
        )}
      </Loaded>
      {creating.value ? (
        <Form submit={t("action.save")} onCancel={() => (creating.value = false)} onSubmit={create}>
          <div class="columns">
            <Select label={t("limits.on")} name="scope">
              {(userId ? (["user"] as const) : (["plan", "agents"] as const)).map((scope) => (
                <option key={scope} value={scope}>
                  {t(`admin_caps.scope.${scope}`)}
                </option>
              ))}
            </Select>
            <Select label={t("limits.period")} name="period">
              <option value="month">{t("limits.month")}</option>
              <option value="day">{t("limits.day")}</option>
            </Select>
          </div>
          <Amounts />
        </Form>
      ) : (
        <div class="actions start">
          <Button {...(plan && { label: t("admin_caps.new_of", { plan }) })} onClick={() => (creating.value = true)}>
            {t("limits.new")}
          </Button>
        </div>
      )}
    </>
  );
}
