// What a plan gives its users' agents beyond their resources: what they may reach, a terminal, and what they may do
// without asking.
import { call } from "../../api/client";
import type { GateRule } from "../../api/types";
import { t } from "../../app/i18n";
import { Checkbox, Field, Select, TextArea } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { AdminCaps } from "../../parts/admin_caps";
import { AdminFrame } from "../../parts/admin_frame";
import { GateRules } from "../../parts/gate_rules";
import { plans } from "../../parts/user_state";
import { confirmed } from "../../step_up";

const loadPlan = async (plan: string) => {
  const [egress, terminals, gate] = await Promise.all([
    call("GET /api/admin/plans/egress"),
    call("GET /api/admin/plans/terminals"),
    call("GET /api/admin/plans/{plan}/gate", { path: { plan } }),
  ]);
  return {
    egress: egress.plans.find((one) => one.plan === plan)?.egress ?? "web",
    hasTerminals: terminals.plans.some((one) => one.plan === plan && one.included),
    gate,
  };
};
type Plan = Awaited<ReturnType<typeof loadPlan>>;

export default function AdminPlansPage() {
  return (
    <AdminFrame>
      <h1>{t("page.plans")}</h1>
      <p class="quiet">{t("plans.about")}</p>
      {plans.map((plan) => (
        <PlanCard key={plan} name={plan} />
      ))}
    </AdminFrame>
  );
}

function PlanCard({ name }: { name: string }) {
  const plan = useLoad(() => loadPlan(name));
  const saveRules = async (rules: GateRule[]) => {
    await confirmed(() => call("PUT /api/admin/plans/{plan}/gate", { path: { plan: name }, body: { rules } }));
    await plan.reload();
  };
  return (
    <section class="card" aria-labelledby={`plan-${name}`}>
      <h2 id={`plan-${name}`}>{name}</h2>
      <Loaded of={plan}>
        {(found) => (
          <>
            <Bounds name={name} plan={found} saved={plan.reload} />
            <h3>{t("limits.title")}</h3>
            <AdminCaps plan={name} />
            <h3>{t("gate.title")}</h3>
            <GateRules rules={found.gate.rules} empty={t("gate.usual")} save={saveRules} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Bounds({ name, plan, saved }: { name: string; plan: Plan; saved: () => Promise<void> }) {
  const hosts = Array.isArray(plan.egress) ? plan.egress.join("\n") : "";
  const { tasks, secondsApart } = plan.gate.ownTasks;
  const save = async (values: FormData) => {
    const path = { plan: name };
    const reach = textOf(values, "reach");
    const listed = textOf(values, "hosts").split(/\s+/).filter(Boolean);
    await confirmed(async () => {
      await call("PUT /api/admin/plans/{plan}/egress", { path, body: { egress: reach === "list" ? listed : reach } });
      await call("PUT /api/admin/plans/{plan}/terminals", { path, body: { included: values.has("terminals") } });
      const ownTasks = { tasks: Number(textOf(values, "tasks")), secondsApart: Number(textOf(values, "secondsApart")) };
      await call("PUT /api/admin/plans/{plan}/gate", { path, body: { ownTasks } });
    });
    await saved();
  };
  return (
    <Form submit={t("action.save")} onSubmit={save}>
      <Select label={t("plans.reach")} name="reach" defaultValue={hosts ? "list" : String(plan.egress)}>
        <option value="web">{t("plans.reach.web")}</option>
        <option value="list">{t("plans.reach.list")}</option>
        <option value="none">{t("plans.reach.none")}</option>
      </Select>
      <TextArea label={t("plans.hosts")} name="hosts" rows={2} spellcheck={false} defaultValue={hosts} hint={t("plans.hosts_hint")} />
      <Checkbox label={t("plans.terminals")} name="terminals" defaultChecked={plan.hasTerminals} hint={t("plans.terminals_hint")} />
      <Field label={t("plans.tasks")} name="tasks" type="number" min={0} required defaultValue={String(tasks)} />
      <Field label={t("plans.seconds_apart")} name="secondsApart" type="number" min={1} required defaultValue={String(secondsApart)} />
    </Form>
  );
}
