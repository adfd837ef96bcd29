// Handlers of the two skills that the box itself carries out, with the structs of their requests and answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/network/skills/booking_settlement.h"
#include "appliance/network/skills/handlers.h"
#include "appliance/network/skills/views.h"
#include "appliance/payments/splits/splits.h"
#include "web/routes/endpoint.h"

namespace skills {

BOOST_DEFINE_ENUM_CLASS(SettlementAction, hold, settle, refund)

struct SettlementRequest {
  web::Integer<1, 999'999'999'999> bookingId;
  std::optional<SettlementAction> action;
};
BOOST_DESCRIBE_STRUCT(SettlementRequest, (), (bookingId, action))

struct BookingItem {
  std::int64_t bookingId, eventId;
  std::string eventName, buyerAgentId, sellerAgentId;
  std::int64_t tickets;
  std::string priceUsdc;
  negotiation::State status;
  Escrow escrow;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(BookingItem, (),
                      (bookingId, eventId, eventName, buyerAgentId, sellerAgentId, tickets, priceUsdc, status, escrow,
                       createdAt, updatedAt))

struct SettlementAnswer {
  bool success = true;
  BookingItem booking;
};
BOOST_DESCRIBE_STRUCT(SettlementAnswer, (), (success, booking))

struct SettlementDetail : SkillDetail {
  std::vector<BookingItem> bookings;
};
BOOST_DESCRIBE_STRUCT(SettlementDetail, (SkillDetail), (bookings))

struct SplitPart {
  web::Text<1, 64> address;
  web::Number share;
};
BOOST_DESCRIBE_STRUCT(SplitPart, (), (address, share))

struct SplitRequest {
  web::Text<1, 128> agentId;
  web::Text<1, 40> totalAmount;
  web::List<SplitPart, 1, splits::max_recipients> recipients;
  std::optional<web::Text<1, 200>> name;
};
BOOST_DESCRIBE_STRUCT(SplitRequest, (), (agentId, totalAmount, recipients, name))

struct RecipientItem {
  std::string address;
  double share;
  payments::Usdc amount;
};
BOOST_DESCRIBE_STRUCT(RecipientItem, (), (address, share, amount))

struct SplitItem {
  std::int64_t splitId;
  splits::Status status;
  std::string agentId, name, fromAddress;
  payments::Usdc totalAmount;
  std::vector<RecipientItem> recipients;
  std::optional<std::string> reason;
  std::vector<std::string> transactions;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(SplitItem, (),
                      (splitId, status, agentId, name, fromAddress, totalAmount, recipients, reason, transactions,
                       createdAt, updatedAt))

struct SplitAnswer {
  bool success;
  SplitItem split;
};
BOOST_DESCRIBE_STRUCT(SplitAnswer, (), (success, split))

struct SplitDetail : SkillDetail {
  std::vector<SplitItem> splits;
};
BOOST_DESCRIBE_STRUCT(SplitDetail, (SkillDetail), (splits))

web::Answer show_booking_settlement(const Services&, const web::Request&);
web::Answer settle_booking(const Services&, const web::Request&, SettlementRequest);
web::Answer show_instant_split(const Services&, const web::Request&);
web::Answer split_payment(const Services&, const web::Request&, SplitRequest);

}  // namespace skills
