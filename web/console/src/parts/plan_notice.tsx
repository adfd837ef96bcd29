import * as account from "../account";
import { t } from "../app/i18n";
import { CodeBlock } from "../components/code_block";
import { Notice } from "../components/notice";

// What to do on a box where the administrator gives out the plans.
export function PlanNotice() {
  const settings = account.settings.value;
  if (!settings || account.mayProvision.value) return null;
  return (
    <Notice kind="hint">
      <p>
        <strong>{t("plan.none")}</strong> {t("plan.ask")}
      </p>
      <CodeBlock text={`agentbox admin plan ${settings.email} solo --data FOLDER`} />
      <p>{t("plan.folder")}</p>
    </Notice>
  );
}
