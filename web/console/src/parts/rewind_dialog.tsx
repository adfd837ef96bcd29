// Going back to before a message: what that changes and what it cannot undo, or a clone that begins there.
import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Agent, ChatMessage } from "../api/types";
import { t, tn } from "../app/i18n";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Form } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { Time } from "../components/time";
import { CloneDialog } from "./clone_dialog";

interface Props {
  agent: Agent;
  message: ChatMessage;
  onClose: () => void;
  onBack: () => Promise<void>;
}

const most = 20; // files that are named

export function RewindDialog({ agent, message, onClose, onBack }: Props) {
  const cloning = useSignal(false);
  const path = { id: agent.id };
  const found = useLoad(() => call("POST /api/agents/{id}/rewind", { path, body: { message: message.id, preview: true } }), [message.id]);
  if (cloning.value) return <CloneDialog agent={agent} message={message.id} onClose={onClose} />;
  return (
    <Dialog title={t("rewind.title")} onClose={onClose}>
      <Loaded of={found}>
        {({ files, messages, turns, notUndone }) => (
          <Form
            submit={t("rewind.confirm")}
            danger
            onCancel={onClose}
            onSubmit={async () => {
              await call("POST /api/agents/{id}/rewind", { path, body: { message: message.id } });
              onClose();
              await onBack();
            }}
          >
            <p>{t("rewind.about", { name: agent.name })}</p>
            <p>
              {tn("rewind.messages", messages)} · {tn("rewind.turns", turns)} · {tn("rewind.files", files.length)}
            </p>
            {files.length > 0 && (
              <ul aria-label={t("rewind.changed")}>
                {files.slice(0, most).map((file) => (
                  <li key={file}>
                    <code>{file}</code>
                  </li>
                ))}
                {files.length > most && <li>…</li>}
              </ul>
            )}
            {notUndone.length > 0 && (
              <>
                <p class="cause">{t("rewind.not_undone")}</p>
                <ul aria-label={t("rewind.not_undone")}>
                  {notUndone.map(({ tool, at }) => (
                    <li key={`${tool} ${at}`}>
                      <code>{tool}</code> <Time at={at} />
                    </li>
                  ))}
                </ul>
              </>
            )}
            <p>
              <Button class="small" onClick={() => (cloning.value = true)}>
                {t("rewind.clone")}
              </Button>
            </p>
          </Form>
        )}
      </Loaded>
    </Dialog>
  );
}
