import { t } from "../../app/i18n";
import { AdminFrame } from "../../parts/admin_frame";
import { BoxOverview } from "../../parts/box_overview";

export default function OverviewPage() {
  return (
    <AdminFrame>
      <h1>{t("page.overview")}</h1>
      <BoxOverview />
    </AdminFrame>
  );
}
