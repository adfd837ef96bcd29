// A program that wants to use the user's agents over MCP has sent the browser here: what it asks for, and the user's
// decision, with which the browser goes back to it.
import { call } from "../api/client";
import type { Operations } from "../api/schema";
import { t } from "../app/i18n";
import { parameter } from "../app/router";
import { Action } from "../components/action";
import { EmptyState } from "../components/empty_state";
import { Loaded, useLoad } from "../components/loaded";

export default function ConsentPage() {
  const asked = {
    clientId: parameter("client_id"),
    redirectUri: parameter("redirect_uri"),
    responseType: parameter("response_type"),
    codeChallenge: parameter("code_challenge"),
    codeChallengeMethod: parameter("code_challenge_method"),
    scope: parameter("scope"),
    state: parameter("state"),
    resource: parameter("resource"),
  };
  return (
    <div class="column">
      <h1>{t("page.consent")}</h1>
      {asked.clientId ? <Decision asked={asked} /> : <EmptyState title={t("consent.nothing")} text={t("consent.nothing_text")} />}
    </div>
  );
}

type Asked = Operations["POST /oauth/consent"]["body"];

function Decision({ asked }: { asked: Asked }) {
  const found = useLoad(() => call("POST /oauth/consent", { body: asked }), []);
  const decide = (decision: "allow" | "refuse") => async () => {
    const { redirect } = await call("POST /oauth/consent", { body: { ...asked, decision } });
    if (redirect) window.location.assign(redirect);
  };
  return (
    <Loaded of={found}>
      {({ clientName, redirectHost, scopes }) => (
        <article class="card">
          <p>
            <strong dir="auto">{t("consent.about", { name: clientName })}</strong>
          </p>
          <p class="quiet">{t("consent.host", { host: redirectHost })}</p>
          <ul>
            <li>{t("consent.read")}</li>
            {scopes.includes("mcp:act") && <li>{t("consent.act")}</li>}
          </ul>
          <p class="quiet">{t("consent.end")}</p>
          <div class="actions">
            <Action kind="primary" run={decide("allow")}>
              {t("consent.allow")}
            </Action>
            <Action run={decide("refuse")}>{t("consent.refuse")}</Action>
          </div>
        </article>
      )}
    </Loaded>
  );
}
