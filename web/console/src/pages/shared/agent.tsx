import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { ChatMessage, SharedAgent, SharedConversation } from "../../api/types";
import { dateTime, time } from "../../app/format";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { parameter, setParameter } from "../../app/router";
import { Avatar } from "../../components/avatar";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Select, TextArea } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Markdown } from "../../components/markdown";

// An agent of another: the user's own conversations with it, and those that its owner shows.
export default function SharedAgentPage({ id }: PageProps) {
  const agent = useLoad(() => call("GET /api/shared/{id}", { path: { id } }), [id]);
  return (
    <div class="column">
      <Loaded of={agent}>{(found) => <Talks agent={found} />}</Loaded>
    </div>
  );
}

const titleOf = (one: SharedConversation) => one.title || t("talks.untitled");

function Talks({ agent }: { agent: SharedAgent }) {
  const path = { id: agent.id };
  const talks = useLoad(async () => (await call("GET /api/shared/{id}/conversations", { path })).conversations, [agent.id]);
  const removing = useSignal<SharedConversation | null>(null);
  const chosen = parameter("conversation");
  const current = talks.data.value?.find(({ id }) => id === chosen);
  const messages = useLoad(
    async () =>
      chosen ? (await call("GET /api/shared/{id}/messages", { path, query: { conversationId: chosen, limit: 200 } })).messages : [],
    [agent.id, chosen],
  );
  const canTalk = agent.role !== "viewer" && (!current || current.own);
  const say = async (values: FormData) => {
    const message = textOf(values, "message").trim();
    const sent = await call("POST /api/shared/{id}/chat", { path, body: { message, ...(chosen && { conversationId: chosen }) } });
    setParameter("conversation", sent.message.conversationId);
    await Promise.all([talks.reload(), messages.reload()]);
  };
  return (
    <>
      <header class="page-head">
        <h1>
          <bdi>{agent.name}</bdi>
        </h1>
        <Badge>{t(`sharing.role.${agent.role}`)}</Badge>
        {current?.own && (
          <Button kind="danger" onClick={() => (removing.value = current)}>
            {t("action.delete")}
          </Button>
        )}
      </header>
      <p class="quiet">
        {t("shared.of")} <bdi>{agent.ownerName}</bdi>. {agent.role !== "viewer" && t("shared.owner_reads")}{" "}
        {agent.role !== "viewer" && agent.paidBy === "talker" && t("shared.you_pay")}
      </p>
      <Loaded of={talks}>
        {(list) => (
          <Select
            label={t("page.conversation")}
            value={chosen}
            onChange={(event) => setParameter("conversation", event.currentTarget.value)}
          >
            <option value="">{agent.role === "viewer" ? t("shared.choose") : t("talks.untitled")}</option>
            {list.map((one) => (
              <option key={one.id} value={one.id}>
                {one.own ? titleOf(one) : t("shared.owners", { title: titleOf(one) })}
              </option>
            ))}
          </Select>
        )}
      </Loaded>
      <Loaded of={messages}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={agent.role === "viewer" ? t("shared.choose") : t("shared.begin")} />
          ) : (
            <div role="log" aria-label={t("page.conversation")}>
              {list.map((message) => (
                <Said key={message.id} message={message} agent={agent} />
              ))}
            </div>
          )
        }
      </Loaded>
      {canTalk && (
        <Form key={messages.data.value?.at(-1)?.id ?? chosen} submit={t("chat.send")} onSubmit={say}>
          <TextArea label={t("shared.message")} name="message" required rows={3} maxLength={32_000} dir="auto" />
        </Form>
      )}
      {removing.value && (
        <Confirm
          title={t("keys.delete_title", { name: titleOf(removing.value) })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = null)}
          action={async () => {
            const conversation = removing.value!.id;
            await call("DELETE /api/shared/{id}/conversations/{conversation}", { path: { ...path, conversation } });
            setParameter("conversation", "");
            await talks.reload();
          }}
        >
          <p>{t("shared.delete_text")}</p>
        </Confirm>
      )}
    </>
  );
}

function Said({ message, agent }: { message: ChatMessage; agent: SharedAgent }) {
  const own = message.role === "user";
  return (
    <article class={own ? "message own" : "message"}>
      <header>
        {!own && <Avatar id={agent.id} name={agent.name} />}
        <strong class={own ? "unseen" : undefined}>{own ? t("chat.you") : <bdi>{agent.name}</bdi>}</strong>
        <time dateTime={message.createdAt} title={dateTime(message.createdAt)}>
          {time(message.createdAt)}
        </time>
      </header>
      {own ? (
        <p class="words" dir="auto">
          {message.content}
        </p>
      ) : (
        <Markdown text={message.content} />
      )}
      {message.error && <p class="cause">{message.error}</p>}
    </article>
  );
}
