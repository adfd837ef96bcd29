import { useSignal } from "@preact/signals";
import { lifecycle } from "../../agents";
import { call } from "../../api/client";
import type { Agent, Fact } from "../../api/types";
import { t, tn } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { Action } from "../../components/action";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Field, Select, TextArea } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { Time } from "../../components/time";
import { AgentFrame } from "../../parts/agent_frame";
import { RowActions } from "../../parts/row_actions";

export default function MemoryPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="memory">
      {(agent) => <Memories agent={agent} />}
    </AgentFrame>
  );
}

const most = 1_000;

// The owner's memory, or what the agent remembers of a peer.
function Memories({ agent }: { agent: Agent }) {
  const found = useLoad(() => call("GET /api/agents/{id}/conversations", { path: { id: agent.id } }), [agent.id]);
  const chosen = useSignal("");
  const peers = new Map(
    (found.data.value?.conversations ?? []).filter(({ audience, peer }) => audience === "peer" && peer).map((one) => [one.peer!, one.id]),
  );
  const conversation = peers.get(chosen.value);
  return (
    <div class="panel-body">
      {peers.size > 0 && (
        <Select label={t("memory.of")} value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}>
          <option value="">{t("memory.own")}</option>
          {[...peers.keys()].map((peer) => (
            <option key={peer} value={peer}>
              {peer}
            </option>
          ))}
        </Select>
      )}
      {conversation ? (
        <PeerMemory key={conversation} agent={agent} peer={chosen.value} conversationId={conversation} />
      ) : (
        <Memory agent={agent} />
      )}
    </div>
  );
}

// Only peers' own turns write it; the owner sees and deletes it.
function PeerMemory({ agent, peer, conversationId }: { agent: Agent; peer: string; conversationId: string }) {
  const about = { agentId: agent.id, conversationId };
  const facts = useLoad(async () => (await call("GET /api/memory", { query: { ...about, limit: most } })).memories, [agent.status]);
  return (
    <>
      <p class="quiet">{t("memory.about_peer", { name: agent.name, peer })}</p>
      <Loaded of={facts}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("memory.empty")} text={t("memory.empty_peer")} />
          ) : (
            <ul class="rows" aria-label={tn("memory.count", list.length)}>
              {list.map((fact) => (
                <li key={fact.id}>
                  <FactText fact={fact} />
                  <div class="actions">
                    <Action
                      kind="danger"
                      label={t("memory.remove_this", { text: fact.text })}
                      run={async () => {
                        await call("DELETE /api/memory", { body: { ...about, memoryId: fact.id } });
                        await facts.reload();
                      }}
                    >
                      {t("action.remove")}
                    </Action>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function FactText({ fact }: { fact: Fact }) {
  return (
    <div>
      {fact.block && (
        <p>
          <strong>
            <bdi>{fact.block}</bdi>
          </strong>
        </p>
      )}
      <p class="words" dir="auto">
        {fact.text}
      </p>
      <p class="quiet">
        <Time at={fact.createdAt} ago />
      </p>
    </div>
  );
}

function Memory({ agent }: { agent: Agent }) {
  const facts = useLoad(
    async () => (await call("GET /api/memory", { query: { agentId: agent.id, limit: most } })).memories,
    [agent.id, agent.status],
  );
  const removing = useSignal<Fact | null>(null);
  const editing = useSignal<Fact | null>(null);
  const resetting = useSignal(false);
  const cleared = useSignal(0);
  const add = async (values: FormData) => {
    const block = textOf(values, "block").trim();
    const before = editing.value;
    const body = { agentId: agent.id, text: textOf(values, "text").trim(), ...(block && { block }) };
    const { memory } = await call("POST /api/memory", { body });
    if (before && before.id !== memory.id) await call("DELETE /api/memory", { body: { agentId: agent.id, memoryId: before.id } });
    editing.value = null;
    cleared.value++;
    await facts.reload();
  };
  return (
    <>
      <p class="quiet">{t("memory.about", { name: agent.name })}</p>
      <Form key={`${cleared.value} ${editing.value?.id}`} submit={t(editing.value ? "action.save" : "memory.add")} onSubmit={add}>
        <TextArea
          label={t(editing.value ? "memory.changed" : "memory.fact")}
          name="text"
          required
          rows={editing.value?.block ? 6 : 2}
          maxLength={4_000}
          dir="auto"
          defaultValue={editing.value?.text ?? ""}
        />
        <Field
          label={t("memory.block")}
          name="block"
          maxLength={64}
          dir="auto"
          autocomplete="off"
          list="memory-blocks"
          hint={t("memory.block_hint")}
          defaultValue={editing.value?.block ?? ""}
        />
        <datalist id="memory-blocks">
          <option value="about the user" />
          <option value="current projects" />
        </datalist>
      </Form>
      <Loaded of={facts}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("memory.empty")} text={t("memory.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("memory.tools")}
              view={{
                text: ({ text, block }) => `${block} ${text}`,
                orders: [
                  { value: "newest", title: t("sort.newest"), compare: (a, b) => b.createdAt.localeCompare(a.createdAt) },
                  { value: "oldest", title: t("sort.oldest"), compare: (a, b) => a.createdAt.localeCompare(b.createdAt) },
                ],
              }}
            >
              {(found) => (
                <ul class="rows" aria-label={tn("memory.count", list.length)}>
                  {found.map((fact) => (
                    <li key={fact.id}>
                      <FactText fact={fact} />
                      <RowActions
                        of={fact.text}
                        first={{
                          title: t("action.edit"),
                          label: t("memory.edit_this", { text: fact.text }),
                          run: () => void (editing.value = fact),
                        }}
                        more={[
                          {
                            title: t("action.remove"),
                            label: t("memory.remove_this", { text: fact.text }),
                            icon: "trash",
                            run: () => void (removing.value = fact),
                          },
                        ]}
                      />
                    </li>
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      <div class="actions start">
        <Button kind="danger" onClick={() => (resetting.value = true)}>
          {t("memory.reset")}
        </Button>
      </div>
      {removing.value && (
        <Confirm
          title={t("memory.remove_title")}
          confirm={t("action.remove")}
          danger
          onClose={() => (removing.value = null)}
          action={async () => {
            await call("DELETE /api/memory", { body: { agentId: agent.id, memoryId: removing.value!.id } });
            await facts.reload();
          }}
        >
          <p class="words" dir="auto">
            {removing.value.text}
          </p>
        </Confirm>
      )}
      {resetting.value && (
        <Confirm
          title={t("memory.reset_title", { name: agent.name })}
          confirm={t("memory.reset")}
          danger
          onClose={() => (resetting.value = false)}
          action={async () => {
            await lifecycle(agent, "reset-memory");
            await facts.reload();
          }}
        >
          <p>{t("memory.reset_text")}</p>
        </Confirm>
      )}
    </>
  );
}
