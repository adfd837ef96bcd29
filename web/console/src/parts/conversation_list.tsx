import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Agent, ChatMessage, ConversationItem } from "../api/types";
import { download } from "../app/download";
import { dateTime } from "../app/format";
import { t } from "../app/i18n";
import { go } from "../app/router";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { Menu, type MenuItem } from "../components/menu";
import { withoutBranches } from "../branches";
import { remove } from "../conversation";

interface Props {
  agent: Agent;
  list: ConversationItem[];
  shown: string; // the id of the one beside the list
  reload: () => Promise<void>;
}

// The conversations of an agent, beside the one that is shown. On a phone behind a button above it.
export function ConversationList({ agent, list, shown, reload }: Props) {
  const withArchived = useSignal(false);
  const changing = useSignal<ConversationItem | undefined>(undefined);
  const deleting = useSignal<ConversationItem | undefined>(undefined);
  const seen = list.filter(({ archived, id }) => withArchived.value || !archived || id === shown);
  const filing = useSignal<ConversationItem | undefined>(undefined);
  const words = useSignal("");
  const path = (one: ConversationItem) => ({ id: agent.id, conversation: one.id });
  const change = async (one: ConversationItem, body: { title?: string; archived?: boolean; pinned?: boolean; folder?: string }) => {
    await call("PATCH /api/agents/{id}/conversations/{conversation}", { path: path(one), body });
    await reload();
  };
  const groups = grouped(matching(withoutBranches(seen, shown), words.value));
  const open = useSignal(false);
  const menuOf = (one: ConversationItem): MenuItem[] => [
    { title: t("action.rename"), icon: "edit", run: () => (changing.value = one) },
    { title: t(one.pinned ? "talks.unpin" : "talks.pin"), icon: "pin", run: () => change(one, { pinned: !one.pinned }) },
    { title: t("talks.folder"), icon: "folder", run: () => (filing.value = one) },
    { title: t(one.archived ? "talks.restore" : "talks.archive"), icon: "archive", run: () => change(one, { archived: !one.archived }) },
    { title: t("talks.export"), icon: "download", run: () => exportMarkdown(agent, one) },
    { title: t("action.delete"), icon: "trash", run: () => (deleting.value = one) },
  ];
  return (
    <nav class={open.value ? "talk-list open" : "talk-list"} aria-label={t("talks.title")}>
      <div class="talk-tools">
        <Button class="with-icon" onClick={() => void beginTalk(agent, reload)}>
          <Icon name="plus" /> {t("talks.new")}
        </Button>
        <Button class="talk-toggle" pressed={open.value} onClick={() => (open.value = !open.value)}>
          {t("talks.all", { count: seen.length })}
        </Button>
        {list.length > many && (
          <input
            type="search"
            aria-label={t("talks.search")}
            placeholder={t("talks.search")}
            value={words}
            onInput={(event) => (words.value = event.currentTarget.value)}
          />
        )}
      </div>
      <div class="talk-groups">
        {groups.map(([title, members]) => (
          <section key={title} aria-label={title}>
            <p class="side-title" aria-hidden="true">
              {title}
            </p>
            <ul>
              {members.map((one) => (
                <li key={one.id} class={one.id === shown ? "current" : undefined}>
                  <Link to={talkPath(agent.id, one.id)} current={one.id === shown} title={titleOf(one)}>
                    <bdi>{titleOf(one)}</bdi>
                    {(one.channel !== "console" || one.peer) && (
                      <small>
                        {t(`talks.channel.${one.channel}`)}
                        {one.peer && (
                          <>
                            {" · "}
                            <bdi>{one.peer}</bdi>
                          </>
                        )}
                      </small>
                    )}
                  </Link>
                  <Menu label={t("talks.menu", { title: titleOf(one) })} items={menuOf(one)} />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {list.some(({ archived }) => archived) && (
          <label class="choice">
            <input type="checkbox" checked={withArchived.value} onChange={(event) => (withArchived.value = event.currentTarget.checked)} />{" "}
            {t("talks.archived")}
          </label>
        )}
      </div>
      {filing.value && (
        <Dialog title={t("talks.folder")} onClose={() => (filing.value = undefined)}>
          <Form
            submit={t("action.save")}
            onCancel={() => (filing.value = undefined)}
            onSubmit={async (values) => {
              await change(filing.value!, { folder: textOf(values, "folder").trim() });
              filing.value = undefined;
            }}
          >
            <Field
              label={t("chats.folder")}
              name="folder"
              maxLength={100}
              autoFocus
              autocomplete="off"
              list="talk-folders"
              hint={t("talks.folder_hint")}
              value={filing.value.folder}
            />
            <datalist id="talk-folders">
              {[...new Set(list.map(({ folder }) => folder))].filter(Boolean).map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </Form>
        </Dialog>
      )}
      {changing.value && (
        <Dialog title={t("action.rename")} onClose={() => (changing.value = undefined)}>
          <Form
            submit={t("action.save")}
            onCancel={() => (changing.value = undefined)}
            onSubmit={async (values) => {
              await change(changing.value!, { title: textOf(values, "title").trim() });
              changing.value = undefined;
            }}
          >
            <Field label={t("talks.name")} name="title" required maxLength={200} autoFocus value={changing.value.title} />
          </Form>
        </Dialog>
      )}
      {deleting.value && (
        <Confirm
          title={t("talks.delete_title", { title: titleOf(deleting.value) })}
          confirm={t("action.delete")}
          danger
          onClose={() => (deleting.value = undefined)}
          action={async () => {
            await remove({ agentId: agent.id, conversationId: deleting.value!.id }, async () => {
              go(`/agents/${agent.id}`);
              await reload();
            });
          }}
        >
          <p>{t("talks.delete_text", { name: agent.name })}</p>
        </Confirm>
      )}
    </nav>
  );
}

export async function beginTalk(agent: Agent, reload: () => Promise<void>) {
  const made = await call("POST /api/agents/{id}/conversations", { path: { id: agent.id }, body: {} });
  await reload();
  go(talkPath(agent.id, made.conversation.id));
  document.getElementById("draft")?.focus();
}

// From this many on they can be searched.
const many = 8;

function matching(list: ConversationItem[], words: string): ConversationItem[] {
  const wanted = words.toLocaleLowerCase();
  return list.filter((one) => titleOf(one).toLocaleLowerCase().includes(wanted));
}

// Pinned ones, those of a folder, and the others by day.
function grouped(list: ConversationItem[]): [string, ConversationItem[]][] {
  const groups = new Map<string, ConversationItem[]>();
  const today = new Date().toDateString();
  const yesterday = new Date(Date.now() - 86_400_000).toDateString();
  const nameOf = ({ pinned, folder, lastMessageAt }: ConversationItem) => {
    if (pinned) return t("talks.pinned");
    if (folder) return folder;
    const day = new Date(lastMessageAt).toDateString();
    return day === today ? t("talks.today") : day === yesterday ? t("talks.yesterday") : t("talks.earlier");
  };
  for (const one of list) {
    const name = nameOf(one);
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups];
}

// The whole conversation as a file.
export async function exportMarkdown(agent: Agent, one: ConversationItem) {
  const pages: ChatMessage[][] = [];
  for (let before: string | undefined; ; ) {
    const query = { agentId: agent.id, conversationId: one.id, limit: exportPage, before };
    const { messages } = await call("GET /api/chat", { query });
    pages.unshift(messages);
    if (messages.length < exportPage) break;
    before = messages[0]!.id;
  }
  const said = pages.flat().map(({ role, content, createdAt }) => {
    const name = role === "user" ? t("chat.you") : agent.name;
    return `## ${name}, ${dateTime(createdAt)}\n\n${content}\n`;
  });
  const file = titleOf(one)
    .replace(/[^\p{L}\p{N} ._-]+/gu, "_")
    .slice(0, 80);
  download(`${file}.md`, `# ${titleOf(one)}\n\n${said.join("\n")}`, "text/markdown");
}
const exportPage = 200;

export const talkPath = (agentId: string, id: string) => `/agents/${encodeURIComponent(agentId)}?c=${encodeURIComponent(id)}`;

const titleOf = ({ title }: ConversationItem) => title || t("talks.untitled");
