import { useSignal } from "@preact/signals";
import { maySee } from "../account";
import { call, send } from "../api/client";
import type { User, UserChange } from "../api/types";
import { downloadBlob } from "../app/download";
import { date } from "../app/format";
import { t } from "../app/i18n";
import { go } from "../app/router";
import { Action } from "../components/action";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { Link } from "../components/link";
import { Loaded, useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { Time } from "../components/time";
import { confirmed } from "../step_up";
import { AdminCaps } from "./admin_caps";
import { UserCredits, UserLedger } from "./user_money";
import { plans, UserState } from "./user_state";
import { UserUsage } from "./user_usage";

// One user, and what an administrator can do for them. Nobody acts as somebody else.
export function UserDetail({ id }: { id: string }) {
  const user = useLoad(() => call("GET /api/admin/users/{user}", { path: { user: id } }));
  return (
    <>
      <p>
        <Link to="/admin/users">{t("users.all")}</Link>
      </p>
      <Loaded of={user}>
        {(found) => (
          <>
            <div class="page-head">
              <div>
                <h1>
                  <bdi>{found.email}</bdi>
                </h1>
                <UserState user={found} />
              </div>
            </div>
            <p class="quiet">
              <bdi>{found.name}</bdi> · {t("agent.since", { date: date(found.createdAt) })} · {t("users.id", { id: found.id })} ·{" "}
              <Link to={`/admin/agents?user=${found.id}`}>{t("users.agents")}</Link>
            </p>
            {maySee("admin") && (
              <>
                <Rights user={found} onChanged={user.reload} />
                <Sessions user={found} />
              </>
            )}
            <UserUsage id={found.id} />
            {maySee("admin") && (
              <>
                <section class="card" aria-labelledby="user-caps-title">
                  <h2 id="user-caps-title">{t("limits.title")}</h2>
                  <AdminCaps userId={found.id} />
                </section>
                <UserCredits id={found.id} />
                <UserLedger id={found.id} />
                <Export user={found} />
                <Removal user={found} />
              </>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

type Question = "disable" | "enable" | "grant" | "withdraw" | "grant_support" | "withdraw_support" | "factor" | "unlock";

function Rights({ user, onChanged }: { user: User; onChanged: () => Promise<void> }) {
  const asking = useSignal<Question | null>(null);
  const said = useSignal("");
  const path = { user: user.id };
  const change = (body: UserChange) => confirmed(() => call("PATCH /api/admin/users/{user}", { path, body }));
  const questions: Record<Question, { danger: boolean; shown: boolean; run: () => Promise<unknown> }> = {
    disable: { danger: true, shown: !user.isDisabled, run: () => change({ isDisabled: true }) },
    enable: { danger: false, shown: user.isDisabled, run: () => change({ isDisabled: false }) },
    grant: { danger: false, shown: !user.isAdmin, run: () => change({ isAdmin: true }) },
    withdraw: { danger: true, shown: user.isAdmin, run: () => change({ isAdmin: false }) },
    grant_support: { danger: false, shown: !user.isAdmin && !user.isSupport, run: () => change({ isSupport: true }) },
    withdraw_support: { danger: true, shown: user.isSupport, run: () => change({ isSupport: false }) },
    factor: {
      danger: true,
      shown: user.secondFactor,
      run: () => confirmed(() => call("DELETE /api/admin/users/{user}/second-factor", { path })),
    },
    unlock: { danger: false, shown: true, run: () => confirmed(() => call("DELETE /api/admin/users/{user}/failed-sign-ins", { path })) },
  };
  const names = Object.keys(questions) as Question[];
  const asked = asking.value;
  return (
    <section class="card" aria-labelledby="rights-title">
      <h2 id="rights-title">{t("users.rights")}</h2>
      <Form
        submit={t("action.save")}
        onSubmit={async (values) => {
          said.value = "";
          const password = textOf(values, "password");
          const plan = textOf(values, "plan");
          await change({ ...(plan !== (user.plan ?? "none") && { plan }), ...(password && { password }) });
          await onChanged();
          said.value = t("state.saved");
        }}
      >
        <div class="columns">
          <Select label={t("users.plan")} name="plan" defaultValue={user.plan ?? "none"}>
            <option value="none">{t("home.no_plan")}</option>
            {plans.map((plan) => (
              <option key={plan} value={plan}>
                {plan}
              </option>
            ))}
          </Select>
          <Field
            label={t("users.new_password")}
            name="password"
            type="password"
            minLength={8}
            maxLength={256}
            autocomplete="new-password"
            hint={t("users.new_password_hint")}
          />
        </div>
        {said.value && <Notice kind="hint">{said.value}</Notice>}
      </Form>
      <div class="actions start">
        {names
          .filter((name) => questions[name].shown)
          .map((name) => (
            <Button key={name} kind={questions[name].danger ? "danger" : "plain"} onClick={() => (asking.value = name)}>
              {t(`users.${name}`)}
            </Button>
          ))}
      </div>
      {asked && (
        <Confirm
          title={t(`users.${asked}_title`, { email: user.email })}
          confirm={t(`users.${asked}`)}
          danger={questions[asked].danger}
          onClose={() => (asking.value = null)}
          action={async () => {
            await questions[asked].run();
            await onChanged();
          }}
        >
          <p>{t(`users.${asked}_text`)}</p>
        </Confirm>
      )}
    </section>
  );
}

function Sessions({ user }: { user: User }) {
  const path = { user: user.id };
  const sessions = useLoad(async () => (await call("GET /api/admin/users/{user}/sessions", { path })).sessions);
  const ending = useSignal<string | null>(null); // the id of one, or "all"
  return (
    <section class="card" aria-labelledby="user-sessions-title">
      <h2 id="user-sessions-title">{t("users.sessions")}</h2>
      <Loaded of={sessions}>
        {(list) =>
          list.length === 0 ? (
            <p class="quiet">{t("users.no_sessions")}</p>
          ) : (
            <>
              <ul class="rows">
                {list.map((session) => (
                  <li key={session.id}>
                    <div>
                      {t("sessions.since")} <Time at={session.createdAt} />, {t("sessions.until")} <Time at={session.expiresAt} />
                      {session.current && ` (${t("sessions.this")})`}
                    </div>
                    <Button label={t("users.end_session", { date: date(session.createdAt) })} onClick={() => (ending.value = session.id)}>
                      {t("sessions.end")}
                    </Button>
                  </li>
                ))}
              </ul>
              <div class="actions start">
                <Button kind="danger" onClick={() => (ending.value = "all")}>
                  {t("users.end_all")}
                </Button>
              </div>
            </>
          )
        }
      </Loaded>
      {ending.value && (
        <Confirm
          title={t("users.end_title", { email: user.email })}
          confirm={t("sessions.end")}
          danger
          onClose={() => (ending.value = null)}
          action={async () => {
            const id = ending.value!;
            await confirmed(() =>
              id === "all"
                ? call("DELETE /api/admin/users/{user}/sessions", { path })
                : call("DELETE /api/admin/users/{user}/sessions/{id}", { path: { ...path, id } }),
            );
            await sessions.reload();
          }}
        >
          {ending.value === "all" && <p>{t("users.end_all_text")}</p>}
        </Confirm>
      )}
    </section>
  );
}

// The archive that the user could download, for requests by law or by mail.
function Export({ user }: { user: User }) {
  const save = async () => {
    const answer = await confirmed(() => send("GET /api/admin/users/{user}/export", { path: { user: user.id }, timeout: longest }));
    downloadBlob(`user-${user.id}.tar.gz`, await answer.blob());
  };
  return (
    <section class="card" aria-labelledby="user-export-title">
      <h2 id="user-export-title">{t("users.export_title")}</h2>
      <p class="quiet">{t("users.export_text")}</p>
      <div class="actions start">
        <Action run={save}>{t("users.export")}</Action>
      </div>
    </section>
  );
}

// Everything that is the user's goes with the account.
function Removal({ user }: { user: User }) {
  const path = { user: user.id };
  const removing = useSignal(false);
  return (
    <section class="card" aria-labelledby="user-removal-title">
      <h2 id="user-removal-title">{t("removal.title")}</h2>
      <p class="quiet">{t("users.delete_text")}</p>
      <div class="actions start">
        <Button kind="danger" onClick={() => (removing.value = true)}>
          {t("users.delete")}
        </Button>
      </div>
      {removing.value && (
        <Confirm
          title={t("files.delete", { name: user.email })}
          confirm={t("removal.confirm")}
          danger
          typed={user.email}
          onClose={() => (removing.value = false)}
          action={async () => {
            await confirmed(() => call("DELETE /api/admin/users/{user}", { path, timeout: longest }));
            go("/admin/users", { replace: true });
          }}
        >
          <p>{t("users.delete_text")}</p>
        </Confirm>
      )}
    </section>
  );
}

// Milliseconds that erasing a user with many agents may take.
const longest = 300_000;
