// An agent's browser as it is now. Its owner can take it over.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { call, sentence, url_of } from "../../api/client";
import { useEvents } from "../../api/event_source";
import type { Agent, BrowserHand } from "../../api/types";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { Action } from "../../components/action";
import { EmptyState, Loading } from "../../components/empty_state";
import { Field } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Notice } from "../../components/notice";
import { State } from "../../components/state";
import { AgentFrame } from "../../parts/agent_frame";

export default function BrowserPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="browser">
      {(agent) => <Live agent={agent} />}
    </AgentFrame>
  );
}

interface View {
  running: boolean;
  taken: boolean;
  url: string;
  title: string;
  picture?: string;
  width?: number;
  height?: number;
}

// Keys that are not text, as the box knows them.
const keys = "Enter Tab Backspace Delete Escape Home End PageUp PageDown ArrowLeft ArrowRight ArrowUp ArrowDown".split(" ");

function Live({ agent }: { agent: Agent }) {
  const view = useSignal<View | undefined>(undefined);
  const error = useSignal("");
  useEvents(url_of("GET /api/agents/{id}/browser", { path: { id: agent.id } }), ["view"], (_, data) => {
    view.value = JSON.parse(data) as View;
  });
  const send = (body: BrowserHand) => call("POST /api/agents/{id}/browser", { path: { id: agent.id }, body });
  // What the hand does comes in its order; the page shows what came of it.
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const use = (body: BrowserHand) => {
    queue.current = queue.current.then(() =>
      send(body).then(
        () => (error.value = ""),
        (cause: unknown) => (error.value = sentence(cause)),
      ),
    );
  };
  const now = view.value;
  if (!now) return <Loading />;
  if (!now.running) return <EmptyState title={t("browser.none")} text={t("browser.none_text", { name: agent.name })} />;
  return (
    <section class="browser" aria-label={t("browser.label", { name: agent.name })}>
      <div class="page-head">
        <p class="facts">
          <State tone={now.taken ? "busy" : "good"}>{t(now.taken ? "browser.yours" : "browser.agents")}</State>
          <bdi>{now.title}</bdi> <span class="quiet literal">{now.url}</span>
        </p>
        <Action kind={now.taken ? "primary" : "plain"} run={() => send({ action: now.taken ? "give" : "take" })}>
          {t(now.taken ? "browser.give" : "browser.take")}
        </Action>
        <Action kind="danger" run={() => send({ action: "end" })}>
          {t("browser.end")}
        </Action>
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {now.taken && (
        <Form submit={t("browser.open")} onSubmit={(values) => send({ action: "open", url: textOf(values, "url").trim() })}>
          <Field label={t("browser.address")} name="url" type="url" required maxLength={4_000} autocomplete="off" />
        </Form>
      )}
      <Screen view={now} use={use} />
      <p class="quiet">{t(now.taken ? "browser.taken_text" : "browser.watch_text")}</p>
    </section>
  );
}

function Screen({ view, use }: { view: View; use: (body: BrowserHand) => void }) {
  // Where the pointer is, in pixels of the page.
  const at = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const scale = (view.width ?? box.width) / box.width;
    return { x: Math.max(0, (event.clientX - box.left) * scale), y: Math.max(0, (event.clientY - box.top) * scale) };
  };
  const hand = (action: "pressed" | "released") => (event: MouseEvent) => {
    if (!view.taken || event.button !== 0) return;
    (event.currentTarget as HTMLElement).focus();
    event.preventDefault();
    use({ action, ...at(event) });
  };
  const type = (event: KeyboardEvent) => {
    if (!view.taken || event.ctrlKey || event.metaKey || event.altKey) return;
    if (keys.includes(event.key)) use({ action: "key", key: event.key });
    else if ([...event.key].length === 1) use({ action: "text", text: event.key });
    else return;
    event.preventDefault();
  };
  return (
    <div
      class={view.taken ? "screen taken" : "screen"}
      tabIndex={view.taken ? 0 : -1}
      role="application"
      aria-label={t("browser.screen")}
      onMouseDown={hand("pressed")}
      onMouseUp={hand("released")}
      onWheel={(event) => {
        if (!view.taken) return;
        event.preventDefault();
        use({ action: "wheel", ...at(event), down: event.deltaY });
      }}
      onKeyDown={type}
    >
      {view.picture ? <img src={`data:image/jpeg;base64,${view.picture}`} alt={view.title} draggable={false} /> : <Loading />}
    </div>
  );
}
