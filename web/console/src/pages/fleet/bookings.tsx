// Bookings in which one's agents buy or sell, with what is paid for them.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, nameOf, refresh } from "../../agents";
import { call } from "../../api/client";
import type { Booking, BookingMoney } from "../../api/types";
import { number, tokens } from "../../app/format";
import { named, t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { List } from "../../components/list_tools";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Reload } from "../../components/reload";
import { Table } from "../../components/table";
import { Time } from "../../components/time";
import { FleetFrame } from "../../parts/fleet_frame";
import { type RowAction, RowActions } from "../../parts/row_actions";

type Entry = Booking & { money: BookingMoney | undefined };
type Step = "hold" | "settle" | "refund";
const states = ["requested", "offered", "accepted", "declined", "confirmed", "settled", "cancelled", "expired"];

// The newest 50 come with their money.
async function load(): Promise<Entry[]> {
  const [all, { bookings }] = await Promise.all([
    call("GET /api/mission-control/fleet/bookings"),
    call("GET /api/skills/booking-settlement"),
  ]);
  const money = new Map(bookings.map((one) => [one.bookingId, one]));
  return all.map((booking) => ({ ...booking, money: money.get(booking.id) }));
}

// What its owner may do about the money of a booking.
function stepsOf({ money }: Entry): Step[] {
  if (!money) return [];
  const isBuyer = agents.value?.some(({ id }) => id === money.buyerAgentId) ?? false;
  const steps: Step[] = [];
  if (isBuyer && money.escrow === "none" && ["accepted", "confirmed"].includes(money.status)) steps.push("hold");
  if (money.status === "confirmed" && (isBuyer || money.escrow === "held")) steps.push("settle");
  if (money.escrow === "held" && ["cancelled", "expired"].includes(money.status)) steps.push("refund");
  return steps;
}

export default function BookingsPage() {
  const bookings = useLoad(load);
  const deciding = useSignal<{ entry: Entry; step: Step } | undefined>(undefined);
  useRefreshOnReturn(bookings);
  useEffect(() => void refresh().catch(() => undefined), []);
  const chosen = deciding.value;
  return (
    <FleetFrame>
      <div class="page-head">
        <p class="quiet">{t("booking.about")}</p>
        <Reload of={bookings} />
      </div>
      <Loaded of={bookings}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("booking.empty")} text={t("booking.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("booking.tools")}
              view={{
                text: ({ event_name, id }) => `${event_name} ${id}`,
                sorts: {
                  event: ({ event_name }) => event_name,
                  price: ({ money }) => Number(money?.priceUsdc ?? 0),
                  at: ({ created_at }) => created_at,
                },
                by: "-at",
                filter: {
                  title: t("fleet.state"),
                  choices: states.map((value) => ({ value, title: named("booking.status", value) })),
                  matches: ({ status }, value) => status === value,
                },
              }}
            >
              {(found) => (
                <Table
                  title={t("page.bookings")}
                  by="-at"
                  columns={[
                    { title: t("booking.event"), sort: "event" },
                    t("fleet.state"),
                    t("booking.parties"),
                    { title: t("booking.price"), align: "end", sort: "price" },
                    { title: t("usage.at"), sort: "at" },
                    t("booking.money"),
                    { title: t("admin_agents.actions"), hidden: true, align: "end" },
                  ]}
                >
                  {found.map((entry) => (
                    <tr key={entry.id}>
                      <th scope="row">
                        <bdi>{entry.event_name}</bdi> <span class="quiet">#{number(entry.id)}</span>
                      </th>
                      <td>
                        <Badge>{named("booking.status", entry.status)}</Badge>
                      </td>
                      <td>
                        {entry.money && (
                          <>
                            <bdi>{nameOf(entry.money.buyerAgentId) || entry.money.buyerAgentId}</bdi> →{" "}
                            <bdi>{nameOf(entry.money.sellerAgentId) || entry.money.sellerAgentId}</bdi>
                          </>
                        )}
                      </td>
                      <td>
                        {entry.money &&
                          t("booking.price_of", { price: tokens(entry.money.priceUsdc, "USDC"), count: number(entry.money.tickets) })}
                      </td>
                      <td>
                        <Time at={entry.created_at} ago />
                      </td>
                      <td>{entry.money && <span>{named("booking.escrow", entry.money.escrow)}</span>}</td>
                      <td>
                        <Steps entry={entry} onChoose={(step) => (deciding.value = { entry, step })} />
                      </td>
                    </tr>
                  ))}
                </Table>
              )}
            </List>
          )
        }
      </Loaded>
      {chosen && (
        <Confirm
          title={t(`booking.${chosen.step}_title`, { name: chosen.entry.event_name })}
          confirm={t(`booking.${chosen.step}`)}
          onClose={() => (deciding.value = undefined)}
          action={async () => {
            await call("POST /api/skills/booking-settlement", { body: { bookingId: chosen.entry.id, action: chosen.step } });
            await bookings.reload();
          }}
        >
          <p>{t(`booking.${chosen.step}_text`, { price: tokens(chosen.entry.money?.priceUsdc ?? "0", "USDC") })}</p>
        </Confirm>
      )}
    </FleetFrame>
  );
}

// The next step; where there are two, the other is in the menu.
function Steps({ entry, onChoose }: { entry: Entry; onChoose: (step: Step) => void }) {
  const [first, ...rest] = stepsOf(entry).map(
    (step): RowAction => ({
      title: t(`booking.${step}`),
      label: t(`booking.${step}_this`, { name: entry.event_name }),
      icon: "transfer",
      run: () => onChoose(step),
    }),
  );
  return <RowActions of={entry.event_name} first={first} more={rest} />;
}
