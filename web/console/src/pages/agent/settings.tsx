import { useSignal } from "@preact/signals";
import { isSettling, lifecycle, lookSoon, remove, rotateToken } from "../../agents";
import { call, sentence } from "../../api/client";
import type { Agent } from "../../api/types";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { go } from "../../app/router";
import { Button } from "../../components/button";
import { CodeBlock } from "../../components/code_block";
import { Confirm } from "../../components/confirm";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { AgentFrame } from "../../parts/agent_frame";
import { AgentLimits } from "../../parts/agent_limits";
import { CloneDialog } from "../../parts/clone_dialog";
import { ConfigForm } from "../../parts/config_form";
import { AgentPermissions } from "../../parts/gate_rules";
import { McpServers } from "../../parts/mcp_servers";
import { SkillDrafts } from "../../parts/skill_drafts";

export default function AgentSettingsPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="settings">
      {(agent) => (
        <div class="panel-body panel-sections">
          <Config agent={agent} />
          <McpServers agent={agent} />
          <AgentLimits agent={agent} />
          <AgentPermissions agent={agent} />
          <SkillDrafts agent={agent} />
          <GatewayToken agent={agent} />
          <Maintenance agent={agent} />
          <Removal agent={agent} />
        </div>
      )}
    </AgentFrame>
  );
}

function Config({ agent }: { agent: Agent }) {
  const config = useLoad(async () => {
    // An agent may have been created with a model that its config does not name.
    const { config: own, model } = await call("GET /api/agents/{id}/config", { path: { id: agent.id } });
    return { model, ...own };
  }, [agent.id]);
  return (
    <section aria-labelledby="config-title">
      <h2 id="config-title">{t("config.title")}</h2>
      <p class="quiet">{t("config.about")}</p>
      <Loaded of={config}>
        {(found) => (
          <ConfigForm
            agent={agent}
            config={found}
            onSaved={async () => {
              await config.reload();
              lookSoon();
            }}
          />
        )}
      </Loaded>
    </section>
  );
}

function GatewayToken({ agent }: { agent: Agent }) {
  const token = useSignal("");
  const error = useSignal("");
  const replacing = useSignal(false);
  const show = async () => {
    error.value = "";
    try {
      token.value = (await call("GET /api/agents/{id}/token", { path: { id: agent.id } })).token;
    } catch (cause) {
      error.value = sentence(cause);
    }
  };
  return (
    <section aria-labelledby="token-title">
      <h2 id="token-title">{t("token.title")}</h2>
      <p class="quiet">{t("token.about")}</p>
      {token.value && <CodeBlock text={token.value} />}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <div class="actions start">
        {!token.value && <Button onClick={() => void show()}>{t("token.show")}</Button>}
        <Button kind="danger" onClick={() => (replacing.value = true)}>
          {t("token.replace")}
        </Button>
      </div>
      {replacing.value && (
        <Confirm
          title={t("token.replace_title")}
          confirm={t("token.replace_confirm")}
          danger
          onClose={() => (replacing.value = false)}
          action={async () => {
            token.value = await rotateToken(agent);
          }}
        >
          <p>{t("token.replace_text")}</p>
        </Confirm>
      )}
    </section>
  );
}

function Maintenance({ agent }: { agent: Agent }) {
  const busy = useSignal(false);
  const said = useSignal("");
  const error = useSignal("");
  const cloning = useSignal(false);
  const update = async () => {
    busy.value = true;
    said.value = "";
    error.value = "";
    try {
      await lifecycle(agent, "update");
      said.value = t("maintenance.updated");
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  return (
    <section aria-labelledby="maintenance-title">
      <h2 id="maintenance-title">{t("maintenance.title")}</h2>
      <p class="quiet">{t("maintenance.about")}</p>
      {said.value && <Notice kind="hint">{said.value}</Notice>}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <div class="actions start">
        <Button disabled={busy.value || isSettling(agent)} onClick={() => void update()}>
          {busy.value ? t("state.working") : t("maintenance.update")}
        </Button>
        <Button onClick={() => (cloning.value = true)}>{t("clone.open")}</Button>
      </div>
      {cloning.value && <CloneDialog agent={agent} onClose={() => (cloning.value = false)} />}
    </section>
  );
}

function Removal({ agent }: { agent: Agent }) {
  const deleting = useSignal(false);
  return (
    <section aria-labelledby="removal-title">
      <h2 id="removal-title">{t("removal.title")}</h2>
      <p class="quiet">{t("removal.about")}</p>
      <div class="actions start">
        <Button kind="danger" onClick={() => (deleting.value = true)}>
          {t("removal.open")}
        </Button>
      </div>
      {deleting.value && (
        <Confirm
          title={t("removal.question", { name: agent.name })}
          confirm={t("removal.confirm")}
          danger
          typed={agent.name}
          onClose={() => (deleting.value = false)}
          action={async () => {
            await remove(agent);
            go("/dashboard", { replace: true });
          }}
        >
          <p>{t("removal.about")}</p>
        </Confirm>
      )}
    </section>
  );
}
