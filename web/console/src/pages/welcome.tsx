import * as account from "../account";
import { t } from "../app/i18n";
import { parameter } from "../app/router";
import { Link } from "../components/link";
import { Notice } from "../components/notice";

const points = ["talk", "work", "persistent"] as const;

export default function Welcome() {
  return (
    <div class="column welcome">
      {parameter("done") === "erased" && !account.user.value && <Notice kind="hint">{t("leaving.erased")}</Notice>}
      <h1>{t("welcome.title")}</h1>
      <p class="lead">{t("welcome.lead")}</p>
      <p>
        {account.user.value ? (
          <Link to="/dashboard" class="button primary">
            {t("welcome.open")}
          </Link>
        ) : (
          <span class="actions start">
            <Link to="/login" class="button primary">
              {t("action.sign_in")}
            </Link>
            <Link to="/login?new" class="button">
              {t("action.sign_up")}
            </Link>
          </span>
        )}
      </p>
      <ul class="cards">
        {points.map((point) => (
          <li key={point}>
            <h2>{t(`welcome.${point}`)}</h2>
            <p>{t(`welcome.${point}_text`)}</p>
          </li>
        ))}
      </ul>
      <p class="quiet">
        {t("welcome.http")} <a href="/api/openapi.json">{t("welcome.openapi")}</a>
      </p>
    </div>
  );
}
