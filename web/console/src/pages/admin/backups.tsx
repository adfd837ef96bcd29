import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { Backup, RestoreDrill, Setting } from "../../api/types";
import { bytes } from "../../app/format";
import { t } from "../../app/i18n";
import { Action } from "../../components/action";
import { Badge } from "../../components/badge";
import { CodeBlock } from "../../components/code_block";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Field } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Icon } from "../../components/icon";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { RowActions } from "../../parts/row_actions";
import { confirmed } from "../../step_up";

// Milliseconds that a copy of a large store may take.
const longest = 30 * 60_000;
const example = "/var/backups/agentbox";

export default function BackupsPage() {
  return (
    <AdminFrame>
      <h1>{t("page.backups")}</h1>
      <Backups />
      <Schedule />
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
      <div class="page-head">
        <h2 id="backups-title">{t("backups.kept")}</h2>
        <Action
          kind="primary"
          run={async () => {
            await confirmed(() => call("POST /api/admin/backups", { timeout: longest }));
            await list.reload();
          }}
        >
          {t("backups.start")}
        </Action>
      </div>
      <p class="quiet">{t("backups.kept_about")}</p>
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

// When backups are made by themselves; the box reads it when it starts.
function Schedule() {
  const settings = useLoad(async () => {
    const { settings: all } = await call("GET /api/admin/settings");
    const one = (name: string) => all.find((setting) => setting.name === name)!;
    return { schedule: one("BACKUP_SCHEDULE"), keep: one("BACKUP_KEEP") };
  });
  const save = async (values: FormData) => {
    for (const name of ["BACKUP_SCHEDULE", "BACKUP_KEEP"]) {
      const value = textOf(values, name).trim() || null;
      await confirmed(() => call("PUT /api/admin/settings", { body: { name, value } }));
    }
    await settings.reload();
  };
  return (
    <section class="card" aria-labelledby="schedule-title">
      <h2 id="schedule-title">{t("backups.schedule")}</h2>
      <p class="quiet">{t("backups.schedule_about")}</p>
      <Loaded of={settings}>
        {({ schedule, keep }) => (
          <Form submit={t("action.save")} onSubmit={save}>
            <Field
              label={t("backups.schedule_when")}
              name="BACKUP_SCHEDULE"
              autocomplete="off"
              spellcheck={false}
              placeholder="0 3 * * *"
              defaultValue={valueOf(schedule)}
              disabled={!!schedule.locked}
              hint={schedule.locked ?? t("backups.schedule_hint")}
            />
            <Field
              label={t("backups.schedule_keep")}
              name="BACKUP_KEEP"
              type="number"
              min={1}
              defaultValue={valueOf(keep)}
              disabled={!!keep.locked}
              hint={keep.locked ?? undefined}
            />
            {(schedule.isPending || keep.isPending) && <Notice kind="hint">{t("backups.schedule_pending")}</Notice>}
          </Form>
        )}
      </Loaded>
    </section>
  );
}
const valueOf = ({ isPending, pending, value }: Setting) => (isPending ? pending : value) ?? "";

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
  const download = async () => {
    const { address } = await confirmed(() => call("POST /api/admin/backups/{name}/pack", { path: { name }, timeout: longest }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${name}.agentbox`;
    link.click();
  };
  return (
    <li>
      <div>
        <strong>{name}</strong> {!complete && <Badge tone="bad">{t("backups.incomplete")}</Badge>}
        <p class="quiet">
          <Time at={madeAt} /> · {bytes(size)}
        </p>
      </div>
      <RowActions
        of={name}
        first={{ title: t("backups.verify"), label: t("backups.verify_this", { name }), run: verify }}
        more={[{ title: t("action.remove"), label: t("passkeys.remove_this", { name }), icon: "trash", run: onRemove }]}
      >
        <Action kind="ghost" class="icon-only" label={t("backups.download_this", { name })} title={t("backups.download")} run={download}>
          <Icon name="download" />
        </Action>
      </RowActions>
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
