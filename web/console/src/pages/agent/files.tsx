// The agent's workspace: its files, what has changed since the last commit, and its history.
import { useSignal } from "@preact/signals";
import type { Agent } from "../../api/types";
import { t } from "../../app/i18n";
import { agentPath, type PageProps } from "../../app/pages";
import { parameter } from "../../app/router";
import { Tabs } from "../../components/tabs";
import { AgentFrame } from "../../parts/agent_frame";
import { FileChanges } from "../../parts/file_changes";
import { FileHistory } from "../../parts/file_history";
import { FileTree } from "../../parts/file_tree";
import { FileView } from "../../parts/file_view";

const views = [
  ["", "files.all"],
  ["changes", "files.changes"],
  ["history", "files.history"],
] as const;

export default function FilesPage({ id }: PageProps) {
  const view = parameter("view");
  return (
    <AgentFrame id={id} tab="files">
      {(agent) => (
        <div class="panel-body files">
          <Tabs
            label={t("files.views")}
            tabs={views.map(([name, title]) => ({
              to: `${agentPath(id, "files")}${name && `?view=${name}`}`,
              title: t(title),
              current: name === view,
            }))}
          />
          {view === "changes" ? (
            <FileChanges agent={agent} />
          ) : view === "history" ? (
            <FileHistory agent={agent} />
          ) : (
            <Workspace agent={agent} />
          )}
        </div>
      )}
    </AgentFrame>
  );
}

// Beside each other; on a phone the tree, or the file that is open.
function Workspace({ agent }: { agent: Agent }) {
  const path = parameter("path");
  const changed = useSignal(0); // counts changes of the tree
  return (
    <div class={path ? "workspace open" : "workspace"}>
      <FileTree agent={agent} open={path} version={changed.value} onChanged={() => changed.value++} />
      <div class="file">
        {path ? (
          <FileView key={path} agent={agent} path={path} onChanged={() => changed.value++} />
        ) : (
          <p class="quiet">{t("files.choose")}</p>
        )}
      </div>
    </div>
  );
}
