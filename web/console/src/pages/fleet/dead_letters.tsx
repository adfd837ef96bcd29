// Messages that could not be delivered: to be sent again or dropped.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { nameOf, refresh } from "../../agents";
import { call } from "../../api/client";
import { useLive } from "../../api/live";
import type { DeadLetter } from "../../api/types";
import { named, t, tn } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Time } from "../../components/time";
import { FleetFrame } from "../../parts/fleet_frame";
import { RowActions } from "../../parts/row_actions";

export default function DeadLettersPage() {
  const letters = useLoad(async () => (await call("GET /api/underground/dead-letters", { query: { limit: 500 } })).deadLetters);
  const dropping = useSignal<DeadLetter | undefined>(undefined);
  useRefreshOnReturn(letters);
  useLive(["dead_letter"], letters.reload);
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <FleetFrame>
      <div class="page-head">
        <p class="quiet">{t("letter.about")}</p>
      </div>
      <Loaded of={letters}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("letter.empty")} text={t("letter.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("letter.tools")}
              view={{
                text: ({ action, error, agentId, from }) => `${action} ${error} ${nameOf(agentId)} ${nameOf(from)}`,
                orders: [
                  { value: "newest", title: t("sort.newest"), compare: (a, b) => b.diedAt.localeCompare(a.diedAt) },
                  { value: "oldest", title: t("sort.oldest"), compare: (a, b) => a.diedAt.localeCompare(b.diedAt) },
                ],
                filter: {
                  title: t("letter.channel"),
                  choices: ["webhook", "agent"].map((value) => ({ value, title: named("letter.channel", value) })),
                  matches: ({ channel }, value) => channel === value,
                },
              }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((letter) => (
                    <li key={letter.id}>
                      <div>
                        <strong>
                          <bdi>{letter.action}</bdi>
                        </strong>{" "}
                        <Badge>{named("letter.channel", letter.channel)}</Badge>
                        <p class="quiet">
                          <bdi>{nameOf(letter.from) || letter.from}</bdi> → <bdi>{nameOf(letter.agentId) || letter.agentId}</bdi> ·{" "}
                          <Time at={letter.diedAt} ago /> · {tn("letter.attempts", letter.attempts)}
                        </p>
                        <p class="cause">
                          <bdi>{letter.error}</bdi>
                        </p>
                      </div>
                      <RowActions
                        of={letter.action}
                        first={{
                          title: t("letter.replay"),
                          label: t("letter.replay_this", { name: letter.action }),
                          run: async () => {
                            await call("POST /api/underground/dead-letters/{id}/replay", { path: { id: letter.id } });
                            await letters.reload();
                          },
                        }}
                        more={[
                          {
                            title: t("letter.drop"),
                            label: t("letter.drop_this", { name: letter.action }),
                            icon: "trash",
                            run: () => void (dropping.value = letter),
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
      {dropping.value && (
        <Confirm
          title={t("letter.drop_title", { name: dropping.value.action })}
          confirm={t("letter.drop")}
          danger
          onClose={() => (dropping.value = undefined)}
          action={async () => {
            await call("DELETE /api/underground/dead-letters/{id}", { path: { id: dropping.value!.id } });
            await letters.reload();
          }}
        >
          <p>{t("letter.drop_text")}</p>
        </Confirm>
      )}
    </FleetFrame>
  );
}
