import type { SignInMethods } from "../api/types";
import { t } from "../app/i18n";

// The providers that this box has, to sign in with. They are pages of the box that lead elsewhere, so these are links
// that leave the console.
export function SignInProviders({ providers }: { providers: SignInMethods["providers"] }) {
  if (providers.length === 0) return null;
  return (
    <div class="actions">
      {providers.map(({ id, name, url }) => (
        <a key={id} class="button" href={url}>
          {t("sign_in.with", { provider: name })}
        </a>
      ))}
    </div>
  );
}
