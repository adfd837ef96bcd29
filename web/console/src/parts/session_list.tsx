import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api";
import { useAttempt } from "../attempt";
import type { Session } from "../wire";
import { Notice } from "./notice";
import { Time } from "./time";

export function SessionList() {
  const sessions = useSignal<Session[]>([]);
  const { busy, error, attempt } = useAttempt();
  const refresh = async () => {
    sessions.value = await api.sessions();
  };
  const end = (action: () => Promise<unknown>) =>
    void attempt(async () => {
      await action();
      await refresh();
    });
  useEffect(() => void attempt(refresh), []);
  return (
    <section class="card" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Where you are signed in</h2>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <ul class="rows" aria-labelledby="sessions-title">
        {sessions.value.map((session) => (
          <li key={session.id}>
            <div>
              <strong>
                since <Time at={session.createdAt} />
              </strong>
              <p class="quiet">
                {session.current ? "This browser" : "Another browser"}, until <Time at={session.expiresAt} />
              </p>
            </div>
            {!session.current && (
              <button type="button" disabled={busy.value} onClick={() => end(() => api.endSession(session.id))}>
                End
              </button>
            )}
          </li>
        ))}
      </ul>
      {sessions.value.length > 1 && (
        <div class="actions start">
          <button type="button" disabled={busy.value} onClick={() => end(api.endOtherSessions)}>
            Sign out everywhere else
          </button>
        </div>
      )}
    </section>
  );
}
