// Whether the box works, for everybody. It asks again while it is open.
import { useEffect } from "preact/hooks";
import { call } from "../api/client";
import { t, named } from "../app/i18n";
import { Button } from "../components/button";
import { EmptyState, Loading } from "../components/empty_state";
import { Notice } from "../components/notice";
import { Time } from "../components/time";
import { useLoad } from "../components/loaded";

// Milliseconds between looks.
const pause = 30_000;

export default function StatusPage() {
  const status = useLoad(() => call("GET /api/status"));
  useEffect(() => {
    const look = () => {
      if (!document.hidden) void status.reload();
    };
    const timer = setInterval(look, pause);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  const found = status.data.value;
  const error = status.error.value;
  return (
    <div class="column narrow">
      <h1>{t("page.status")}</h1>
      {!found && !error && <Loading />}
      {error && !found && (
        <EmptyState title={error} text={t("public_status.unreachable")} alert>
          <Button onClick={() => void status.reload()}>{t("action.retry")}</Button>
        </EmptyState>
      )}
      {error && found && <Notice kind="error">{t("error.trying_again", { error })}</Notice>}
      {found && (
        <section class="card" aria-live="polite">
          <h2>{t(found.status === "up" ? "public_status.all_up" : "public_status.some_degraded")}</h2>
          <ul class="rows">
            {found.parts.map(({ name, state }) => (
              <li key={name}>
                <div>{named("public_status.part", name)}</div>
                <span class={`status ${state === "up" ? "good" : "bad"}`}>
                  <span class="dot" aria-hidden="true" />
                  {named("public_status", state)}
                </span>
              </li>
            ))}
          </ul>
          <p class="quiet">
            {t("public_status.at")} <Time at={found.timestamp} />
          </p>
        </section>
      )}
    </div>
  );
}
