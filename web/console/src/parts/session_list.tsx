import { useSignal } from "@preact/signals";
import { call, sentence } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Loaded, useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { Time } from "../components/time";

export function SessionList() {
  const sessions = useLoad(async () => (await call("GET /api/auth/sessions")).sessions);
  const busy = useSignal(false);
  const error = useSignal("");
  const end = async (action: () => Promise<unknown>) => {
    busy.value = true;
    error.value = "";
    try {
      await action();
      await sessions.reload();
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  return (
    <section class="card" aria-labelledby="sessions-title">
      <h2 id="sessions-title">{t("sessions.title")}</h2>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <Loaded of={sessions}>
        {(list) => (
          <>
            <ul class="rows" aria-labelledby="sessions-title">
              {list.map((session) => (
                <li key={session.id}>
                  <div>
                    <strong>
                      {t("sessions.since")} <Time at={session.createdAt} />
                    </strong>
                    <p class="quiet">
                      {session.current ? t("sessions.this") : t("sessions.another")}, {t("sessions.until")} <Time at={session.expiresAt} />
                    </p>
                    <p class="quiet">
                      {[session.browser, session.address].filter(Boolean).join(", ")}
                      {!session.current && (
                        <>
                          {" "}
                          {t("sessions.used")} <Time at={session.lastUsedAt} ago />
                        </>
                      )}
                    </p>
                  </div>
                  {!session.current && (
                    <Button
                      disabled={busy.value}
                      onClick={() => void end(() => call("DELETE /api/auth/sessions/{id}", { path: { id: session.id } }))}
                    >
                      {t("sessions.end")}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
            {list.length > 1 && (
              <div class="actions start">
                <Button disabled={busy.value} onClick={() => void end(() => call("DELETE /api/auth/sessions"))}>
                  {t("sessions.end_others")}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
