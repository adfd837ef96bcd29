import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { Referral } from "../../api/types";
import { t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { Link } from "../../components/link";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { PagedTable, usePages } from "../../parts/paged_table";
import { userAddress } from "../../parts/user_state";
import { confirmed } from "../../step_up";

const pageSize = 200;

type Decision = { referral: Referral; approve: boolean };

// Referrals whose credits wait: for the address, for a payment, for an administrator.
export default function ReferralsPage() {
  const credited = useSignal("payment");
  const pages = usePages(async (after?: string) => {
    const query = { limit: pageSize, after: after === undefined ? undefined : Number(after) };
    const { referrals, next, creditedAfter } = await call("GET /api/admin/referrals", { query });
    credited.value = creditedAfter;
    return { items: referrals, next: next ?? undefined };
  }, []);
  const deciding = useSignal<Decision | null>(null);
  const asked = deciding.value;
  const decide = async ({ referral, approve }: Decision) => {
    const input = { path: { user: referral.userId } };
    await confirmed(() =>
      approve ? call("POST /api/admin/referrals/{user}/approve", input) : call("POST /api/admin/referrals/{user}/refuse", input),
    );
    await pages.reload();
  };
  return (
    <AdminFrame>
      <h1>{t("page.referrals")}</h1>
      <p class="quiet">{t(credited.value === "approval" ? "referrals.about_approval" : "referrals.about")}</p>
      <PagedTable
        of={pages}
        title={t("page.referrals")}
        empty={{ title: t("referrals.empty"), text: t("referrals.empty_text") }}
        columns={[t("users.email"), t("users.state"), t("users.since"), t("admin_agents.actions")]}
        view={{
          text: ({ email, referrerEmail }) => `${email} ${referrerEmail}`,
          orders: [
            { value: "oldest", title: t("sort.oldest"), compare: (a, b) => a.registeredAt.localeCompare(b.registeredAt) },
            { value: "newest", title: t("sort.newest"), compare: (a, b) => b.registeredAt.localeCompare(a.registeredAt) },
          ],
        }}
        row={(referral) => (
          <tr key={referral.userId}>
            <th scope="row">
              <Link to={userAddress(referral.userId)} entry>
                <bdi>{referral.email}</bdi>
              </Link>{" "}
              <span class="quiet">{t("referrals.by", { email: referral.referrerEmail })}</span>
            </th>
            <td>
              <span class="facts">
                {!referral.emailVerified && <Badge tone="busy">{t("users.unverified")}</Badge>}
                {referral.hasPaid && <Badge tone="good">{t("referrals.paid")}</Badge>}
                {referral.approved && <Badge tone="good">{t("referrals.approved")}</Badge>}
              </span>
            </td>
            <td>
              <Time at={referral.registeredAt} />
            </td>
            <td>
              <div class="actions">
                {!referral.approved && (
                  <Button
                    label={t("referrals.approve_this", { email: referral.email })}
                    onClick={() => (deciding.value = { referral, approve: true })}
                  >
                    {t("referrals.approve")}
                  </Button>
                )}
                <Button
                  kind="danger"
                  label={t("referrals.refuse_this", { email: referral.email })}
                  onClick={() => (deciding.value = { referral, approve: false })}
                >
                  {t("referrals.refuse")}
                </Button>
              </div>
            </td>
          </tr>
        )}
      />
      {asked && (
        <Confirm
          title={t(asked.approve ? "referrals.approve_this" : "referrals.refuse_this", { email: asked.referral.email })}
          confirm={t(asked.approve ? "referrals.approve" : "referrals.refuse")}
          danger={!asked.approve}
          onClose={() => (deciding.value = null)}
          action={() => decide(asked)}
        >
          <p>{t(asked.approve ? "referrals.approve_text" : "referrals.refuse_text")}</p>
        </Confirm>
      )}
    </AdminFrame>
  );
}
