// The agent's workspace: its files, what has changed since the last commit, and its history.
import { t } from "../../app/i18n";
import { agentPath, type PageProps } from "../../app/pages";
import { parameter } from "../../app/router";
import { Tabs } from "../../components/tabs";
import { AgentFrame } from "../../parts/agent_frame";
import { FileBrowser } from "../../parts/file_browser";
import { FileChanges } from "../../parts/file_changes";
import { FileHistory } from "../../parts/file_history";

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
            <FileBrowser of={agent} />
          )}
        </div>
      )}
    </AgentFrame>
  );
}
