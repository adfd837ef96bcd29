// The tour of the demo: six steps through its pages, in a card that leaves the page usable. The link that the demo prints
// begins it (?tour=1); it goes on where it was in this tab, and ends when it is closed.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { agents } from "../agents";
import { Button } from "../components/button";
import { type Key, t } from "./i18n";
import { agentPath } from "./pages";
import { go, location, parameter, setParameter } from "./router";

interface Step {
  title: Key;
  text: Key;
  page: () => string;
}

// The agent that is talked to: the orchestrator's name in the demo, or any.
const talker = () => agents.value?.find(({ name }) => name === "Scout") ?? agents.value?.[0];

const steps: Step[] = [
  { title: "tour.home", text: "tour.home_text", page: () => "/dashboard" },
  {
    title: "tour.talk",
    text: "tour.talk_text",
    page: () => {
      const agent = talker();
      return agent ? agentPath(agent.id) : "/chats";
    },
  },
  { title: "tour.schedule", text: "tour.schedule_text", page: () => "/schedules" },
  { title: "tour.fleet", text: "tour.fleet_text", page: () => "/fleet" },
  { title: "tour.usage", text: "tour.usage_text", page: () => "/usage" },
  { title: "tour.wallet", text: "tour.wallet_text", page: () => "/wallet" },
];

const stored = "agentbox.tour";

// The step that is shown; undefined: no tour.
const at = signal<number | undefined>(read());

function read(): number | undefined {
  const text = sessionStorage.getItem(stored);
  const step = Number(text);
  return text !== null && steps[step] ? step : undefined;
}

function show(step: number | undefined) {
  at.value = step;
  if (step === undefined) sessionStorage.removeItem(stored);
  else sessionStorage.setItem(stored, String(step));
}

export function Tour() {
  const head = useRef<HTMLHeadingElement>(null);
  const moved = useRef(false);
  const asked = parameter("tour") !== "";
  useEffect(() => {
    if (!asked) return;
    setParameter("tour", "");
    show(0);
  }, [asked]);
  // Read out with its text; at the beginning the page is.
  useEffect(() => {
    if (moved.current) head.current?.focus();
  }, [at.value, location.value.pathname]);
  if (at.value === undefined) return null;
  const step = steps[at.value]!;
  const move = (by: number) => {
    moved.current = true;
    const next = at.value! + by;
    show(next);
    go(steps[next]!.page());
  };
  const isLast = at.value === steps.length - 1;
  return (
    <section class="tour" aria-labelledby="tour-title" aria-describedby="tour-text">
      <p class="quiet">{t("tour.step", { at: at.value + 1, count: steps.length })}</p>
      <h2 id="tour-title" ref={head} tabIndex={-1}>
        {t(step.title)}
      </h2>
      <p id="tour-text">{t(step.text)}</p>
      <div class="actions">
        <Button onClick={() => show(undefined)}>{isLast ? t("tour.done") : t("tour.end")}</Button>
        {at.value > 0 && <Button onClick={() => move(-1)}>{t("tour.back")}</Button>}
        {!isLast && (
          <Button kind="primary" onClick={() => move(1)}>
            {t("tour.next")}
          </Button>
        )}
      </div>
    </section>
  );
}
