import type { User } from "../api/types";
import { t } from "../app/i18n";
import { Badge } from "../components/badge";

export const plans = ["label", "solo", "collective", "network"] as const;

export const userAddress = (id: string) => `/admin/users?user=${encodeURIComponent(id)}`;

// What is out of the ordinary about a user.
export function UserState({ user }: { user: User }) {
  return (
    <span class="facts">
      {user.isAdmin && <Badge>{t("shell.admin")}</Badge>}
      {user.isSupport && <Badge>{t("shell.support")}</Badge>}
      {user.isDisabled && <Badge tone="bad">{t("users.disabled")}</Badge>}
      {!user.emailVerified && <Badge tone="busy">{t("users.unverified")}</Badge>}
      {user.secondFactor && <Badge tone="good">{t("users.second_factor")}</Badge>}
    </span>
  );
}
