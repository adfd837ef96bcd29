import { call } from "../api/client";
import { t } from "../app/i18n";
import { useLoad } from "../components/loaded";

// The providers that this box has, to sign in with. They are pages of the box that lead elsewhere, so these are links
// that leave the console.
export function SignInProviders() {
  const methods = useLoad(() => call("GET /api/auth/methods"));
  const providers = methods.data.value?.providers ?? [];
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
