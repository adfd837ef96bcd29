import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Agent } from "../api/types";
import { named, t, tn } from "../app/i18n";
import { Badge } from "../components/badge";
import { EmptyState } from "../components/empty_state";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { Link } from "../components/link";
import { Loaded, useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { Patch } from "../components/patch";
import { filesPath } from "../workspace";

// What has changed since the last commit, and the next commit.
export function FileChanges({ agent }: { agent: Agent }) {
  const path = { id: agent.id };
  const said = useSignal("");
  const state = useLoad(async () => {
    const status = await call("GET /api/agents/{id}/files/status", { path });
    const patches = status.hasChanges ? await call("GET /api/agents/{id}/files/diff", { path }).catch(() => undefined) : undefined;
    const added = status.changes.filter((change) => change.status === "??").map((change) => change.path);
    return { status, patches, added: await patchOfNew(agent.id, added) };
  }, [agent.id]);
  const commit = async (values: FormData) => {
    said.value = "";
    const message = textOf(values, "message").trim();
    const made = await call("POST /api/agents/{id}/files/commit", { path, body: message ? { message } : {} });
    await state.reload();
    said.value = made.committed ? t("files.committed", { hash: (made.hash ?? "").slice(0, 7) }) : t("files.nothing_committed");
  };
  return (
    <section aria-label={t("files.changes")}>
      {said.value && <Notice kind="hint">{said.value}</Notice>}
      <Loaded of={state}>
        {({ status, patches, added }) =>
          !status.isGitRepo ? (
            <EmptyState title={t("files.no_repository")} text={t("files.no_repository_text")} />
          ) : !status.hasChanges ? (
            <EmptyState title={t("files.unchanged")} text={t("files.unchanged_text", { branch: status.branch })} />
          ) : (
            <>
              <p class="quiet">
                {tn("files.changed", status.changes.length)} · {t("files.branch", { branch: status.branch })}
              </p>
              <ul class="rows">
                {status.changes.slice(0, 500).map((change) => (
                  <li key={change.path}>
                    <div>
                      <Link to={filesPath(agent, change.path)}>
                        <bdi>{change.path}</bdi>
                      </Link>
                    </div>
                    <Badge>{named("git", change.status)}</Badge>
                  </li>
                ))}
              </ul>
              <Form submit={t("files.commit")} onSubmit={commit}>
                <Field
                  label={t("files.message")}
                  name="message"
                  maxLength={10_000}
                  autocomplete="off"
                  dir="auto"
                  hint={t("files.message_hint")}
                />
              </Form>
              {patches?.staged && <Patch text={patches.staged} />}
              {patches?.unstaged && <Patch text={patches.unstaged} />}
              {added && <Patch text={added} />}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

// Of files that git does not know yet, whose patch the box does not make; only those that are text.
const shownNew = 20;

async function patchOfNew(id: string, paths: string[]): Promise<string> {
  const patches = paths
    .filter((path) => !path.endsWith("/"))
    .slice(0, shownNew)
    .map(async (path) => {
      try {
        const { content } = await call("GET /api/agents/{id}/files/read", { path: { id }, query: { path } });
        const lines = content.replace(/\n$/, "").split("\n");
        return `diff --git a/${path} b/${path}\nnew file\n${lines.map((line) => `+${line}\n`).join("")}`;
      } catch {
        return "";
      }
    });
  return (await Promise.all(patches)).join("");
}
