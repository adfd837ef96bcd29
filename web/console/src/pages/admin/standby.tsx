import { call } from "../../api/client";
import type { StandbyState } from "../../api/types";
import { named, t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { CodeBlock } from "../../components/code_block";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Time } from "../../components/time";
import { Actions } from "../../parts/actions";
import { AdminFrame } from "../../parts/admin_frame";
import { confirmed } from "../../step_up";

const tones = { off: "", waiting: "bad", base: "busy", catching_up: "busy", following: "good" } as const;

export default function StandbyPage() {
  const state = useLoad(() => call("GET /api/admin/standby"));
  const prove = async () => {
    const before = state.data.value?.proof?.at;
    await confirmed(() => call("POST /api/admin/standby/prove"));
    // The standby reads its whole store: seconds, or minutes for a large one.
    for (let waited = 0; waited < 600; ++waited) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await state.reload();
      if (state.data.value?.proof?.at !== before) return;
    }
  };
  return (
    <AdminFrame>
      <h1>{t("page.standby")}</h1>
      <section class="card" aria-labelledby="standby-title">
        <h2 id="standby-title">{t("standby.state")}</h2>
        <p class="quiet">{t("standby.about")}</p>
        <Loaded of={state}>{(standby) => <State standby={standby} onProve={prove} />}</Loaded>
      </section>
      {state.data.value?.bucket && <Bucket bucket={state.data.value.bucket} />}
      <section class="card" aria-labelledby="commands-title">
        <h2 id="commands-title">{t("standby.commands")}</h2>
        <p class="quiet">{t("standby.commands_text")}</p>
        <CodeBlock
          text={`STANDBY=sync STANDBY_LISTEN=0.0.0.0:3443 agentbox serve --data D\nagentbox standby-invite --data D --to standby.json\nagentbox standby --of https://THIS_MACHINE:3443 --invitation standby.json --data NEW_FOLDER`}
          language="shell"
          syntax="bash"
        />
        <h2>{t("standby.takeover")}</h2>
        <p class="quiet">{t("standby.takeover_text")}</p>
        <CodeBlock text={"agentbox promote --data NEW_FOLDER\nagentbox serve --data NEW_FOLDER"} language="shell" syntax="bash" />
      </section>
    </AdminFrame>
  );
}

function State({ standby, onProve }: { standby: StandbyState; onProve: () => Promise<void> }) {
  const { mode, state, degraded, problem, address, epoch, lagMs, foldersAt, proof } = standby;
  const tone = tones[state as keyof typeof tones] ?? "";
  return (
    <>
      <dl class="pairs">
        <dt>{t("standby.mode")}</dt>
        <dd>{mode}</dd>
        <dt>{t("standby.state")}</dt>
        <dd>
          <Badge tone={tone}>{named("standby.state", state)}</Badge>
        </dd>
        {mode !== "off" && (
          <>
            <dt>{t("standby.behind")}</dt>
            <dd>{(lagMs / 1000).toFixed(1)} s</dd>
            <dt>{t("standby.epoch")}</dt>
            <dd>{epoch}</dd>
          </>
        )}
        {address && (
          <>
            <dt>{t("standby.address")}</dt>
            <dd>{address}</dd>
          </>
        )}
        {foldersAt && (
          <>
            <dt>{t("standby.folders")}</dt>
            <dd>
              <Time at={foldersAt} ago />
            </dd>
          </>
        )}
      </dl>
      {degraded && <Notice kind="error">{t("standby.degraded")}</Notice>}
      {state === "waiting" && problem && <Notice kind="error">{problem}</Notice>}
      {proof && !proof.problem && (
        <p>
          {t("standby.proof_is", { records: proof.records, compared: proof.compared })} <Time at={proof.at} />
        </p>
      )}
      {proof?.problem && <Notice kind="error">{t("standby.proof_failed", { problem: proof.problem })}</Notice>}
      {state === "following" && <Actions actions={[{ title: t("standby.prove"), run: onProve }]} />}
    </>
  );
}

function Bucket({ bucket }: { bucket: NonNullable<StandbyState["bucket"]> }) {
  const { place, behind, problem, lagMs, baseAt, foldersAt, lastProvenRestore, restoreProblem } = bucket;
  const dates = [
    [t("standby.bucket_base"), baseAt],
    [t("standby.folders"), foldersAt],
    [t("standby.bucket_proven"), lastProvenRestore],
  ] as const;
  return (
    <section class="card" aria-labelledby="bucket-title">
      <h2 id="bucket-title">{t("standby.bucket")}</h2>
      <p class="quiet">{t("standby.bucket_about")}</p>
      <dl class="pairs">
        <dt>{t("standby.address")}</dt>
        <dd>{place}</dd>
        <dt>{t("standby.behind")}</dt>
        <dd>{(lagMs / 1000).toFixed(1)} s</dd>
        {dates.flatMap(([name, at]) => [<dt key={name}>{name}</dt>, <dd key={`${name} at`}>{at ? <Time at={at} ago /> : "–"}</dd>])}
      </dl>
      {(problem || behind) && <Notice kind="error">{problem || t("standby.bucket_behind")}</Notice>}
      {restoreProblem && <Notice kind="error">{t("standby.bucket_failed", { problem: restoreProblem })}</Notice>}
    </section>
  );
}
