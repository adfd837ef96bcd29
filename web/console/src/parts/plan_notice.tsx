import * as account from "../account";
import { t } from "../app/i18n";
import { Link } from "../components/link";
import { Notice } from "../components/notice";

// What to do on a box where the administrator gives out the plans.
export function PlanNotice() {
  const settings = account.settings.value;
  if (!settings || account.mayProvision.value) return null;
  return (
    <Notice kind="hint">
      <p>
        <strong>{t("plan.none")}</strong> {t("plan.need")}
      </p>
      <p>
        <Link to="/usage/billing" class="button">
          {t("billing.request")}
        </Link>
      </p>
    </Notice>
  );
}
