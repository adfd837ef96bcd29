// One swarm at work. Every event of its stream shows the state as the box has it.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { nameOf, refresh } from "../../agents";
import { call, url_of } from "../../api/client";
import { useEvents } from "../../api/event_source";
import type { SwarmDetail, SwarmTask } from "../../api/types";
import { duration, money, number } from "../../app/format";
import { named, t } from "../../app/i18n";
import { agentPath, type PageProps } from "../../app/pages";
import { go } from "../../app/router";
import { Action } from "../../components/action";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { Link } from "../../components/link";
import { Loaded, useLoad } from "../../components/loaded";
import { Markdown } from "../../components/markdown";
import { Meter } from "../../components/meter";
import { Notice } from "../../components/notice";
import { State, type Tone } from "../../components/state";
import { Time } from "../../components/time";
import { FleetFrame } from "../../parts/fleet_frame";
import { isAtWork, SwarmState } from "../../parts/swarm_state";

const ends = ["done", "failed", "stopped"];
const steps = ["created", "planned", "task_started", "task_done", "task_failed", "joining", ...ends];
const together = 100; // milliseconds: events that come together are one look

export default function SwarmPage({ id }: PageProps) {
  const swarm = useLoad(() => call("GET /api/swarms/{id}", { path: { id } }), [id]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    void refresh().catch(() => undefined);
    return () => clearTimeout(timer.current);
  }, []);
  const atWork = swarm.data.value !== undefined && isAtWork(swarm.data.value);
  useEvents(atWork ? url_of("GET /api/swarms/{id}/events", { path: { id } }) : "", steps, (name) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void swarm.reload(), together);
    return ends.includes(name);
  });
  return (
    <FleetFrame>
      <p>
        <Link to="/fleet/swarms">{t("swarm.back")}</Link>
      </p>
      <Loaded of={swarm}>{(found) => <Details swarm={found} onChanged={swarm.reload} />}</Loaded>
    </FleetFrame>
  );
}

function Details({ swarm, onChanged }: { swarm: SwarmDetail; onChanged: () => Promise<void> }) {
  const removing = useSignal(false);
  const finished = swarm.taskList.filter(({ state }) => state === "done" || state === "failed" || state === "cancelled").length;
  const atWork = isAtWork(swarm);
  return (
    <>
      <div class="page-head">
        <h2>
          <bdi>{swarm.name}</bdi>
        </h2>
        <div class="actions">
          {atWork ? (
            <Action
              kind="danger"
              run={async () => {
                await call("POST /api/swarms/{id}/stop", { path: { id: swarm.id } });
                await onChanged();
              }}
            >
              {t("swarm.stop")}
            </Action>
          ) : (
            <Button kind="danger" onClick={() => (removing.value = true)}>
              {t("action.delete")}
            </Button>
          )}
        </div>
      </div>
      <p class="facts">
        <SwarmState swarm={swarm} />
        <span>
          {swarm.maxCostUsd
            ? t("limits.used_of", { used: money(swarm.spentUsd), limit: money(swarm.maxCostUsd) })
            : t("swarm.spent", { amount: money(swarm.spentUsd) })}
        </span>
        <Time at={swarm.createdAt} />
        {atWork && (
          <span>
            {t("swarm.until")} <Time at={swarm.deadline} ago />
          </span>
        )}
      </p>
      <p class="words" dir="auto">
        {swarm.goal}
      </p>
      {swarm.reason && (
        <Notice kind={swarm.state === "failed" ? "error" : "hint"}>
          <bdi>{swarm.reason}</bdi>
        </Notice>
      )}
      {swarm.taskList.length > 0 && (
        <section aria-labelledby="tasks-title">
          <h3 id="tasks-title">{t("swarm.tasks")}</h3>
          <Meter
            plain
            label={t("swarm.tasks")}
            share={finished / swarm.taskList.length}
            text={t("swarm.finished", { count: number(finished), all: number(swarm.taskList.length) })}
          />
          <ol class="rows">
            {swarm.taskList.map((task) => (
              <Task key={task.number} task={task} />
            ))}
          </ol>
        </section>
      )}
      {swarm.result && (
        <section class="card" aria-labelledby="result-title">
          <h3 id="result-title">{t("swarm.result")}</h3>
          <Markdown text={swarm.result} />
        </section>
      )}
      {removing.value && (
        <Confirm
          title={t("swarm.delete_title", { name: swarm.name })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = false)}
          action={async () => {
            await call("DELETE /api/swarms/{id}", { path: { id: swarm.id } });
            go("/fleet/swarms");
          }}
        >
          <p>{t("swarm.delete_text")}</p>
        </Confirm>
      )}
    </>
  );
}

const tones: Record<SwarmTask["state"], Tone> = { waiting: "rest", running: "busy", done: "good", failed: "bad", cancelled: "rest" };

function Task({ task }: { task: SwarmTask }) {
  const name = nameOf(task.agentId);
  const length = task.startedAt && task.finishedAt ? new Date(task.finishedAt).getTime() - new Date(task.startedAt).getTime() : undefined;
  return (
    <li>
      <div>
        <p class="facts">
          <strong>{number(task.number)}.</strong>
          <State tone={tones[task.state]}>{named("swarm.task", task.state)}</State>
          {name ? (
            <Link to={agentPath(task.agentId)}>
              <bdi>{name}</bdi>
            </Link>
          ) : (
            <span>{t("usage.deleted_agent")}</span>
          )}
          {task.after.length > 0 && <span>{t("swarm.after", { tasks: task.after.map(number).join(", ") })}</span>}
          {length !== undefined && <span>{duration(length)}</span>}
        </p>
        <p class="words" dir="auto">
          {task.task}
        </p>
        {task.error && (
          <p class="cause">
            <bdi>{task.error}</bdi>
          </p>
        )}
        {task.answer && (
          <details>
            <summary>{t("run.answer")}</summary>
            <Markdown text={task.answer} />
          </details>
        )}
      </div>
    </li>
  );
}
