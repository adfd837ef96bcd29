// What all pages of an agent of another's share: its name, whose it is, and for builders the way to its other pages.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { call, sentence } from "../api/client";
import type { SharedAgent } from "../api/types";
import { type Key, t } from "../app/i18n";
import { sharedPath } from "../app/pages";
import { Avatar } from "../components/avatar";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { EmptyState } from "../components/empty_state";
import { Loaded, useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { Tabs } from "../components/tabs";

type Tab = "" | "files" | "schedule" | "settings";

const tabs: [Tab, Key][] = [
  ["", "page.conversation"],
  ["files", "page.files"],
  ["schedule", "page.schedule"],
  ["settings", "page.settings"],
];

interface Props {
  id: string;
  tab: Tab; // all but "" are for builders
  fill?: boolean; // the page is as high as the window
  children: (agent: SharedAgent, reload: () => Promise<void>) => ComponentChildren;
}

export function SharedFrame({ id, tab, fill, children }: Props) {
  const agent = useLoad(() => call("GET /api/shared/{id}", { path: { id } }), [id]);
  return (
    <div class={fill ? "panel fill" : "panel"}>
      <Loaded of={agent}>
        {(found) => (
          <>
            <Head agent={found} />
            {found.role === "builder" && (
              <Tabs
                label={t("agent.pages")}
                tabs={tabs.map(([name, title]) => ({ to: sharedPath(id, name), title: t(title), current: name === tab }))}
              />
            )}
            {tab && found.role !== "builder" ? (
              <EmptyState title={t("shared.no_builder")} text={t("shared.no_builder_text")} />
            ) : (
              children(found, agent.reload)
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

function Head({ agent }: { agent: SharedAgent }) {
  const talks = agent.role !== "viewer";
  return (
    <>
      <header class="panel-head">
        <div class="with-face">
          <Avatar id={agent.id} name={agent.name} />
          <h1>
            <bdi>{agent.name}</bdi>
          </h1>
          <Badge>{t(`sharing.role.${agent.role}`)}</Badge>
        </div>
        {agent.role === "builder" && <Restart id={agent.id} />}
      </header>
      <p class="quiet">
        {t("shared.of")} <bdi>{agent.ownerName}</bdi>. {talks && t("shared.owner_reads")}{" "}
        {talks && agent.paidBy === "talker" && t("shared.you_pay")}
        {talks && agent.monthlyUsd && ` ${t("shared.used", { used: agent.usedUsd, limit: agent.monthlyUsd })}.`}
      </p>
    </>
  );
}

// What is set applies from the next start on.
function Restart({ id }: { id: string }) {
  const busy = useSignal(false);
  const error = useSignal("");
  const restart = async () => {
    busy.value = true;
    error.value = "";
    try {
      await call("POST /api/shared/{id}/restart", { path: { id } });
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  return (
    <div class="actions">
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <Button disabled={busy.value} onClick={() => void restart()}>
        {busy.value ? t("agent.restarting") : t("agent.restart")}
      </Button>
    </div>
  );
}
