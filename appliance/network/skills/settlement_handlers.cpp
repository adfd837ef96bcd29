#include "appliance/network/skills/settlement_handlers.h"

#include "appliance/network/skills/booking_settlement.h"
#include "appliance/network/skills/instant_split.h"

namespace skills {

namespace {

using web::Request;

constexpr std::string_view settlement_skill = "booking-settlement", split_skill = "instant-split";
constexpr std::size_t max_listed = 50;

BookingItem view(SettledBooking settled) {
  auto& booking = settled.booking;
  return {.bookingId = booking.id,
          .eventId = booking.event,
          .eventName = std::move(booking.event_name),
          .buyerAgentId = std::move(booking.buyer),
          .sellerAgentId = std::move(booking.seller),
          .tickets = booking.tickets,
          .priceUsdc = booking.price.to_string(),
          .status = booking.state,
          .escrow = settled.escrow,
          .createdAt = booking.created_at,
          .updatedAt = booking.updated_at};
}

SplitItem view(splits::Split split) {
  SplitItem item{.splitId = split.number,
                 .status = split.status,
                 .agentId = std::move(split.agent),
                 .name = std::move(split.name),
                 .fromAddress = std::move(split.from),
                 .totalAmount = payments::Usdc::of_micro(split.total),
                 .recipients = {},
                 .reason = split.reason.empty() ? std::nullopt : std::optional(std::move(split.reason)),
                 .transactions = std::move(split.transactions),
                 .createdAt = split.created_at,
                 .updatedAt = split.updated_at};
  for (auto& to : split.recipients)
    item.recipients.push_back({std::move(to.address), to.share, payments::Usdc::of_micro(to.amount)});
  return item;
}

web::Result<SplitOrder> order_of(SplitRequest body) {
  const auto total = payments::parse_amount(std::string_view(body.totalAmount), "totalAmount");
  if (!total) return total.error();
  SplitOrder order{.agent = std::move(body.agentId),
                   .name = body.name ? std::string(std::move(*body.name)) : std::string(split_skill),
                   .total = *total};
  for (std::size_t i = 0; i < body.recipients.size(); ++i) {
    const auto address = crypto::EthereumAddress::parse(body.recipients[i].address);
    if (!address)
      return web::invalid("recipients[" + std::to_string(i) +
                          "].address must be 0x and 40 hex digits; in mixed case with its checksum");
    order.recipients.push_back({.to = *address, .share = body.recipients[i].share});
  }
  return order;
}

}  // namespace

web::Answer show_booking_settlement(const Services& services, const Request& request) {
  SettlementDetail answer;
  static_cast<SkillDetail&>(answer) = detail(*services.catalogue.find(settlement_skill), {});
  for (auto& booking : services.bookings.of_user(request.caller.user_id, max_listed))
    answer.bookings.push_back(view(std::move(booking)));
  co_return web::reply(answer, 200);
}

web::Answer settle_booking(const Services& services, const Request& request, SettlementRequest body) {
  const auto user = request.caller.user_id;
  const std::int64_t booking = body.bookingId;
  web::Result<SettledBooking> settled = web::not_found();
  switch (body.action.value_or(SettlementAction::settle)) {
    case SettlementAction::hold:
      settled = co_await services.bookings.hold(user, booking);
      break;
    case SettlementAction::settle:
      settled = co_await services.bookings.settle(user, booking);
      break;
    case SettlementAction::refund:
      settled = co_await services.bookings.refund(user, booking);
      break;
  }
  if (!settled) co_return settled.error();
  const SettlementAnswer answer{.booking = view(std::move(*settled))};
  co_return web::reply(answer, 200);
}

web::Answer show_instant_split(const Services& services, const Request& request) {
  SplitDetail answer;
  static_cast<SkillDetail&>(answer) = detail(*services.catalogue.find(split_skill), {});
  for (auto& split : services.splits.list(request.caller.user_id, max_listed))
    answer.splits.push_back(view(std::move(split)));
  co_return web::reply(answer, 200);
}

web::Answer split_payment(const Services& services, const Request& request, SplitRequest body) {
  auto order = order_of(std::move(body));
  if (!order) co_return order.error();
  auto split = co_await services.splits.make(request.caller.user_id, std::move(*order));
  if (!split) co_return split.error();
  const bool is_paid = split->status == splits::Status::settled;
  const bool is_over = is_paid || split->status == splits::Status::failed;
  const SplitAnswer answer{.success = split->status != splits::Status::failed, .split = view(std::move(*split))};
  co_return web::reply(answer, is_over ? 200 : 202);
}

}  // namespace skills
