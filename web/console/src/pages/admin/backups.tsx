import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { Backup, RestoreDrill } from "../../api/types";
import { bytes } from "../../app/format";
import { t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { CodeBlock } from "../../components/code_block";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Field } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Time } from "../../components/time";
import { Actions } from "../../parts/actions";
import { AdminFrame } from "../../parts/admin_frame";
import { confirmed } from "../../step_up";

// Milliseconds that a copy of a large store may take.
const longest = 30 * 60_000;
const example = "/var/backups/agentbox";

export default function BackupsPage() {
  return (
    <AdminFrame>
      <h1>{t("page.backups")}</h1>
      <Backups />
      <OwnFolder />
      <section class="card" aria-labelledby="restore-title">
        <h2 id="restore-title">{t("backups.restore")}</h2>
        <p class="quiet">{t("backups.restore_text")}</p>
        <CodeBlock
          text={`agentbox restore --from ${example} --data NEW_FOLDER --key master.key\nagentbox verify --data NEW_FOLDER`}
          language="shell"
          syntax="bash"
        />
      </section>
    </AdminFrame>
  );
}

// Whole backups in the data folder.
function Backups() {
  const list = useLoad(() => call("GET /api/admin/backups"));
  const removing = useSignal("");
  return (
    <section class="card" aria-labelledby="backups-title">
      <h2 id="backups-title">{t("backups.kept")}</h2>
      <p class="quiet">{t("backups.kept_about")}</p>
      <Actions
        actions={[
          {
            title: t("backups.start"),
            run: async () => {
              await confirmed(() => call("POST /api/admin/backups", { timeout: longest }));
              await list.reload();
            },
          },
        ]}
      />
      <Loaded of={list}>
        {({ backups, restoreDrill }) => (
          <>
            {restoreDrill && <Drill drill={restoreDrill} />}
            {backups.length === 0 ? (
              <EmptyState title={t("backups.empty")} text={t("backups.empty_text")} />
            ) : (
              <ul class="rows">
                {backups.map((backup) => (
                  <Row key={backup.name} backup={backup} onRemove={() => (removing.value = backup.name)} />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
      {removing.value && (
        <Confirm
          title={t("passkeys.remove_title", { name: removing.value })}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = "")}
          action={async () => {
            await confirmed(() => call("DELETE /api/admin/backups/{name}", { path: { name: removing.value } }));
            await list.reload();
          }}
        >
          <p>{t("backups.remove_text")}</p>
        </Confirm>
      )}
    </section>
  );
}

// What the last restore on trial has found.
function Drill({ drill: { lastProvenRestore, backup, records, compared, problem, old } }: { drill: RestoreDrill }) {
  return (
    <>
      {lastProvenRestore && (
        <p>
          {t("backups.proven", { backup, records, compared })} <Time at={lastProvenRestore} />{" "}
          {old && <Badge tone="bad">{t("backups.proof_old")}</Badge>}
        </p>
      )}
      {!lastProvenRestore && <p class="quiet">{t("backups.never_proven")}</p>}
      {problem && <Notice kind="error">{t("backups.drill_failed", { problem })}</Notice>}
    </>
  );
}

function Row({ backup: { name, madeAt, bytes: size, complete }, onRemove }: { backup: Backup; onRemove: () => void }) {
  const sound = useSignal(false);
  const findings = useSignal<string[]>([]);
  const verify = async () => {
    sound.value = false;
    findings.value = [];
    const found = await confirmed(() => call("POST /api/admin/backups/{name}/verify", { path: { name }, timeout: longest }));
    sound.value = found.ok;
    findings.value = found.findings.map(({ where, what }) => `${where}: ${what}`);
  };
  return (
    <li>
      <div>
        <strong>{name}</strong> {!complete && <Badge tone="bad">{t("backups.incomplete")}</Badge>}
        <p class="quiet">
          <Time at={madeAt} /> · {bytes(size)}
        </p>
      </div>
      <div>
        <Actions
          actions={[
            { title: t("backups.verify"), label: t("backups.verify_this", { name }), run: verify },
            { title: t("action.remove"), label: t("passkeys.remove_this", { name }), danger: true, run: onRemove },
          ]}
        />
      </div>
      {sound.value && <Notice kind="hint">{t("backups.sound")}</Notice>}
      {findings.value.length > 0 && (
        <Notice kind="error">
          {t("backups.damaged")}
          <ul>
            {findings.value.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Notice>
      )}
    </li>
  );
}

// A copy of the store in a folder that the administrator names.
function OwnFolder() {
  const made = useSignal("");
  return (
    <section class="card" aria-labelledby="backup-title">
      <h2 id="backup-title">{t("backups.make")}</h2>
      <p class="quiet">{t("backups.about")}</p>
      <Form
        submit={t("backups.copy")}
        onSubmit={async (values) => {
          made.value = "";
          const { to } = await confirmed(() =>
            call("POST /api/admin/backup", { body: { to: textOf(values, "to").trim() }, timeout: longest }),
          );
          made.value = to;
        }}
      >
        <Field
          label={t("backups.to")}
          name="to"
          required
          maxLength={4096}
          autocomplete="off"
          spellcheck={false}
          placeholder={example}
          hint={t("backups.to_hint")}
        />
        {made.value && <Notice kind="hint">{t("backups.made", { to: made.value })}</Notice>}
      </Form>
    </section>
  );
}
