// The model and the reasoning effort of one conversation.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Agent, ConversationItem } from "../api/types";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { go } from "../app/router";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Form, textOf } from "../components/form";
import { Link } from "../components/link";
import { conversation, type Talk } from "../conversation";
import { findModel } from "../models";
import { talkPath } from "./conversation_list";
import { EffortSelect, modelIn, ModelSelect } from "./model_select";

const nameOfModel = (model: string) => findModel(model)?.name ?? model;
const ownModel = ({ model }: Agent) => (model === "auto" ? t("agent.default_model") : nameOfModel(model));

export function TalkModelButton({ agent, item, onOpen }: { agent: Agent; item: ConversationItem | undefined; onOpen: () => void }) {
  const shown = item?.model ? nameOfModel(item.model) : ownModel(agent);
  return (
    <Button kind="ghost" class="talk-model one-line" label={t("chat.model_now", { model: shown })} title={t("chat.model")} onClick={onOpen}>
      <bdi>{shown}</bdi>
      {item?.reasoningEffort && ` · ${item.reasoningEffort}`}
    </Button>
  );
}

interface Props {
  agent: Agent;
  talk: Talk;
  item: ConversationItem | undefined; // undefined: nothing has been said, and the box does not know the conversation yet
  reload: () => Promise<void>;
  onClose: () => void;
}

export function TalkModelDialog({ agent, talk, item, reload, onClose }: Props) {
  const chosen = useSignal(item?.model ?? "");
  const save = async (values: FormData) => {
    const id = item?.id ?? (await call("POST /api/agents/{id}/conversations", { path: { id: agent.id }, body: {} })).conversation.id;
    await call("PATCH /api/agents/{id}/conversations/{conversation}", {
      path: { id: agent.id, conversation: id },
      body: { model: modelIn(values, "model"), reasoningEffort: textOf(values, "reasoningEffort") },
    });
    if (!item) {
      const next = conversation({ agentId: agent.id, conversationId: id });
      next.draft.value = conversation(talk).draft.value;
      next.attached.value = conversation(talk).attached.value;
    }
    await reload();
    onClose();
    if (!item) go(talkPath(agent.id, id));
  };
  return (
    <Dialog title={t("chat.model")} onClose={onClose}>
      <Form submit={t("action.save")} onCancel={onClose} onSubmit={save}>
        <ModelSelect
          label={t("new_agent.model")}
          name="model"
          value={item?.model ?? ""}
          empty={t("chat.model_own", { model: ownModel(agent) })}
          hint={t("chat.model_hint")}
          onChosen={(model) => (chosen.value = model)}
        />
        <EffortSelect name="reasoningEffort" model={chosen.value || agent.model} value={item?.reasoningEffort ?? ""} />
        <p>
          <Link to={agentPath(agent.id, "settings")}>{t("chat.model_for_all")}</Link>
        </p>
      </Form>
    </Dialog>
  );
}
