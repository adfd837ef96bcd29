// Secrets that the user's agents use and never see: where they are bound to, and what they were last used for.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, nameOf, refresh } from "../agents";
import { call } from "../api/client";
import type { Credential, CredentialUse } from "../api/types";
import { bytes } from "../app/format";
import { named, t } from "../app/i18n";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { EmptyState } from "../components/empty_state";
import { Loaded, useLoad, useRefreshOnReturn } from "../components/loaded";
import { Reload } from "../components/reload";
import { Table } from "../components/table";
import { Time } from "../components/time";
import { CredentialDialog } from "../parts/credential_dialog";
import { RowActions } from "../parts/row_actions";

export default function CredentialsPage() {
  const found = useLoad(async () => {
    const [{ credentials }, { uses }] = await Promise.all([call("GET /api/credentials"), call("GET /api/credentials/uses")]);
    return { credentials, uses };
  });
  useRefreshOnReturn(found);
  const editing = useSignal<Credential | "new" | undefined>(undefined);
  const removing = useSignal<Credential | undefined>(undefined);
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <div class="column">
      <div class="page-head">
        <h1>{t("page.credentials")}</h1>
        <div class="actions">
          <Reload of={found} />
          <Button kind="primary" onClick={() => (editing.value = "new")}>
            {t("credential.new")}
          </Button>
        </div>
      </div>
      <p class="quiet">{t("credential.about")}</p>
      <Loaded of={found}>
        {({ credentials, uses }) => (
          <>
            {credentials.length === 0 ? (
              <EmptyState title={t("credential.empty")} text={t("credential.empty_text")} />
            ) : (
              <ul class="rows">
                {credentials.map((one) => (
                  <Row
                    key={one.id}
                    credential={one}
                    last={uses.find((use) => use.credential === one.name)}
                    onChange={() => (editing.value = one)}
                    onRemove={() => (removing.value = one)}
                  />
                ))}
              </ul>
            )}
            {uses.length > 0 && <Uses uses={uses} />}
          </>
        )}
      </Loaded>
      {editing.value && (
        <CredentialDialog
          credential={editing.value === "new" ? undefined : editing.value}
          onClose={() => (editing.value = undefined)}
          onSaved={found.reload}
        />
      )}
      {removing.value && (
        <Confirm
          title={t("credential.delete_title", { name: removing.value.name })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = undefined)}
          action={async () => {
            await call("DELETE /api/credentials/{id}", { path: { id: removing.value!.id } });
            await found.reload();
          }}
        >
          <p>{t("credential.delete_text")}</p>
        </Confirm>
      )}
    </div>
  );
}

interface RowProps {
  credential: Credential;
  last: CredentialUse | undefined;
  onChange: () => void;
  onRemove: () => void;
}

function Row({ credential: one, last, onChange, onRemove }: RowProps) {
  const places = one.paths.length === 0 ? [""] : one.paths;
  return (
    <li>
      <div>
        <strong>
          <code>{`cred:${one.name}`}</code>
        </strong>{" "}
        <Badge>{named("credential.form", one.form)}</Badge> {one.parameter && <code>{one.parameter}</code>}
        <p class="facts">
          {one.hosts.flatMap((host) => places.map((path) => <code key={host + path}>{`${one.scheme}://${host}${path}`}</code>))}
        </p>
        <p class="quiet">
          {one.methods.length > 0 ? one.methods.join(", ") : t("credential.all_methods")} ·{" "}
          <bdi>
            {one.agents.length > 0 ? t("keys.only_agents", { names: one.agents.map(nameOf).join(", ") }) : t("credential.all_agents")}
          </bdi>
        </p>
        <p class="quiet">
          {last ? (
            <>
              {t(last.refused ? "credential.last_refused" : "credential.last_use", { host: last.host, method: last.method })}{" "}
              <Time at={last.at} ago />
            </>
          ) : (
            t("keys.never_used")
          )}
        </p>
      </div>
      <RowActions
        of={`cred:${one.name}`}
        first={{ title: t("credential.replace"), label: t("credential.replace_this", { name: one.name }), run: onChange }}
        more={[{ title: t("action.delete"), label: t("keys.delete_this", { name: one.name }), icon: "trash", run: onRemove }]}
      />
    </li>
  );
}

function Uses({ uses }: { uses: CredentialUse[] }) {
  return (
    <section>
      <h2>{t("credential.uses")}</h2>
      <Table
        title={t("credential.uses")}
        columns={[
          t("credential.name"),
          t("credential.agent"),
          t("credential.request"),
          t("credential.answer"),
          { title: t("credential.bytes"), align: "end" },
          t("credential.at"),
        ]}
      >
        {uses.map((use, at) => (
          <tr key={at}>
            <td>
              <code>{use.credential}</code>
            </td>
            <td>
              <bdi>{agents.value?.some(({ id }) => id === use.agent) ? nameOf(use.agent) : t("usage.deleted_agent")}</bdi>
            </td>
            <td>
              {use.method} <bdi>{use.host}</bdi>
            </td>
            <td>{use.refused ? <Badge tone="bad">{t("credential.refused")}</Badge> : use.status}</td>
            <td>{bytes(use.bytesIn + use.bytesOut)}</td>
            <td>
              <Time at={use.at} ago />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
