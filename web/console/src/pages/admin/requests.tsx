import { useSignal } from "@preact/signals";
import * as account from "../../account";
import { call } from "../../api/client";
import type { PlanRequest } from "../../api/types";
import { t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { TextArea } from "../../components/field";
import { textOf } from "../../components/form";
import { Link } from "../../components/link";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { userAddress } from "../../parts/user_state";
import { confirmed } from "../../step_up";

type Decision = { request: PlanRequest; approve: boolean };

export default function RequestsPage() {
  const list = useLoad(account.refreshRequests);
  const deciding = useSignal<Decision | null>(null);
  const decide = async ({ request, approve }: Decision, values: FormData) => {
    const reason = textOf(values, "reason").trim();
    const input = { path: { user: request.userId }, body: reason ? { reason } : {} };
    await confirmed(() =>
      approve ? call("POST /api/admin/plan-requests/{user}/approve", input) : call("POST /api/admin/plan-requests/{user}/deny", input),
    );
    await list.reload();
  };
  const asked = deciding.value;
  return (
    <AdminFrame>
      <h1>{t("page.requests")}</h1>
      <p class="quiet">
        {t("requests.about")} <Link to="/admin/referrals">{t("page.referrals")}</Link>
      </p>
      <Loaded of={list}>
        {(found) =>
          found.length === 0 ? (
            <EmptyState title={t("requests.empty")} text={t("requests.empty_text")} />
          ) : (
            <List
              items={found}
              label={t("page.requests")}
              view={{
                text: ({ email, request }) => `${email} ${request.plan} ${request.note}`,
                orders: [
                  {
                    value: "oldest",
                    title: t("sort.oldest"),
                    compare: (a, b) => a.request.requestedAt.localeCompare(b.request.requestedAt),
                  },
                  {
                    value: "newest",
                    title: t("sort.newest"),
                    compare: (a, b) => b.request.requestedAt.localeCompare(a.request.requestedAt),
                  },
                ],
              }}
            >
              {(shown) => (
                <ul class="rows">
                  {shown.map((one) => (
                    <li key={one.userId}>
                      <div>
                        <Link to={userAddress(one.userId)} entry>
                          <bdi>{one.email}</bdi>
                        </Link>{" "}
                        <Badge>{t("requests.wanted", { from: one.currentPlan ?? t("home.no_plan"), to: one.request.plan })}</Badge>
                        <p class="words" dir="auto">
                          {one.request.note}
                        </p>
                        <p class="quiet">
                          <Time at={one.request.requestedAt} />
                        </p>
                      </div>
                      <div class="actions">
                        <Button
                          label={t("requests.approve_this", { email: one.email })}
                          onClick={() => (deciding.value = { request: one, approve: true })}
                        >
                          {t("requests.approve")}
                        </Button>
                        <Button
                          kind="danger"
                          label={t("requests.deny_this", { email: one.email })}
                          onClick={() => (deciding.value = { request: one, approve: false })}
                        >
                          {t("requests.deny")}
                        </Button>
                      </div>
                    </li>
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      {asked && (
        <Confirm
          title={t(asked.approve ? "requests.approve_this" : "requests.deny_this", { email: asked.request.email })}
          confirm={t(asked.approve ? "requests.approve" : "requests.deny")}
          danger={!asked.approve}
          onClose={() => (deciding.value = null)}
          action={(values) => decide(asked, values)}
        >
          <p>{t("requests.wanted", { from: asked.request.currentPlan ?? t("home.no_plan"), to: asked.request.request.plan })}</p>
          <TextArea label={t("requests.reason")} name="reason" rows={3} maxLength={500} dir="auto" hint={t("requests.reason_hint")} />
        </Confirm>
      )}
    </AdminFrame>
  );
}
