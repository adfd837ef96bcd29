import { useSignal } from "@preact/signals";
import { ApiError, call, sentence } from "../api/client";
import type { Agent } from "../api/types";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { useLoad } from "../components/loaded";
import { Markdown } from "../components/markdown";
import { Notice } from "../components/notice";
import { entries } from "../workspace";

const folder = "skill-drafts";

const foldersIn = async (agent: Agent, path: string) => {
  const found = await entries(agent, path);
  return found.filter(({ type }) => type === "folder").map(({ name }) => name);
};

// Skills that the agent has written. Approving one moves its folder to the installed skills.
export function SkillDrafts({ agent }: { agent: Agent }) {
  const path = { id: agent.id };
  const error = useSignal("");
  const discarding = useSignal("");
  const drafts = useLoad(async () => {
    try {
      if (!(await foldersIn(agent, "")).includes(folder)) return [];
      const names = await foldersIn(agent, folder);
      return await Promise.all(
        names.map(async (name) => {
          const query = { path: `${folder}/${name}/SKILL.md` };
          return { name, text: (await call("GET /api/agents/{id}/files/read", { path, query })).content };
        }),
      );
    } catch (cause) {
      if (cause instanceof ApiError && cause.status === 404) return [];
      throw cause;
    }
  }, [agent.id]);
  const list = drafts.data.value ?? [];
  if (list.length === 0) return null;
  const approve = async (name: string) => {
    error.value = "";
    try {
      await call("POST /api/agents/{id}/files/move", { path, body: { from: `${folder}/${name}`, to: `skills/${name}` } });
      await drafts.reload();
    } catch (cause) {
      error.value = sentence(cause);
    }
  };
  return (
    <section aria-labelledby="drafts-title">
      <h2 id="drafts-title">{t("drafts.title")}</h2>
      <p class="quiet">{t("drafts.about", { name: agent.name })}</p>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <ul class="rows">
        {list.map(({ name, text }) => (
          <li key={name}>
            <details>
              <summary>
                <bdi>{name}</bdi>
              </summary>
              <Markdown text={text} />
            </details>
            <div class="actions">
              <Button label={t("drafts.approve_this", { name })} onClick={() => void approve(name)}>
                {t("drafts.approve")}
              </Button>
              <Button kind="danger" label={t("drafts.discard_this", { name })} onClick={() => (discarding.value = name)}>
                {t("drafts.discard")}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {discarding.value && (
        <Confirm
          title={t("drafts.discard_this", { name: discarding.value })}
          confirm={t("drafts.discard")}
          danger
          onClose={() => (discarding.value = "")}
          action={async () => {
            for (const query of [{ path: `${folder}/${discarding.value}/SKILL.md` }, { path: `${folder}/${discarding.value}` }])
              await call("DELETE /api/agents/{id}/files", { path, query });
            await drafts.reload();
          }}
        />
      )}
    </section>
  );
}
