import type { SignInMethods } from "../api/types";
import { t } from "../app/i18n";
import { location } from "../app/router";

// The providers that this box has, to sign in with. They are pages of the box that lead elsewhere, so these are links
// that leave the console. An invitation in the address goes along, for those who have no account yet.
export function SignInProviders({ providers }: { providers: SignInMethods["providers"] }) {
  if (providers.length === 0) return null;
  const invitation = location.value.searchParams.get("invite");
  const query = invitation ? `?inviteCode=${encodeURIComponent(invitation)}` : "";
  return (
    <div class="actions stretched">
      {providers.map(({ id, name, url }) => (
        <a key={id} class="button" href={url + query}>
          {t("sign_in.with", { provider: name })}
        </a>
      ))}
    </div>
  );
}
