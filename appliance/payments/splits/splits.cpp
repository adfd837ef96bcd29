#include "appliance/payments/splits/splits.h"

#include <algorithm>

#include "appliance/payments/splits/division.h"

namespace splits {

namespace {

constexpr std::chrono::milliseconds pause{200};
constexpr std::size_t at_once = 100;
constexpr std::size_t digits = 12;

std::string id_of(std::int64_t number) {
  std::string text = std::to_string(number);
  return text.insert(0, digits - std::min(digits, text.size()), '0');
}

settlement::Order order_of(const Split& split) {
  settlement::Order order{.reference = "split/" + std::to_string(split.number),
                          .payer_owner = split.owner,
                          .from = crypto::EthereumAddress::parse(split.from).value(),
                          .shares = {},
                          .memo = split.name};
  for (const auto& recipient : split.recipients)
    order.shares.push_back(
        {crypto::EthereumAddress::parse(recipient.address).value(), payments::Usdc::of_micro(recipient.amount)});
  return order;
}

Status status_of(settlement::State state) {
  switch (state) {
    case settlement::State::settled:
      return Status::settled;
    case settlement::State::failed:
      return Status::failed;
    case settlement::State::processing:
      break;
  }
  return Status::processing;
}

}  // namespace

Splits::Splits(store::System system, settlement::Settlement& settlement, boost::asio::io_context& home)
    : system_(std::move(system)),
      settlement_(settlement),
      worker_(home, "splits", pause, [this] { return settle_pending(); }) {}

web::Task<web::Result<Split>> Splits::create(Request request) {
  std::vector<double> shares;
  for (const auto& part : request.recipients) shares.push_back(part.share);
  const auto amounts = divide(request.total, shares);
  if (!amounts) co_return amounts.error();
  const auto number = co_await system_.next_id("splits");
  Split split{.owner = request.owner,
              .number = number,
              .agent = std::move(request.agent),
              .name = std::move(request.name),
              .from = request.from.checksummed(),
              .total = request.total.micro(),
              .created_at = store::now()};
  split.id = id_of(split.number);
  split.updated_at = split.created_at;
  for (std::size_t at = 0; at < shares.size(); ++at)
    split.recipients.push_back(
        {request.recipients[at].to.checksummed(), request.recipients[at].share, (*amounts)[at].micro()});
  auto change = system_.tenant(split.owner).change();
  change.insert(table, split);
  if (!(co_await change.commit()).ok()) throw std::logic_error("the number of a new split was taken");
  co_return split;
}

std::optional<Split> Splits::find(store::UserId user, std::int64_t number) const {
  auto row = system_.tenant(user).get(table, id_of(number));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::vector<Split> Splits::list(store::UserId user, std::size_t limit, std::optional<std::int64_t> before) const {
  return system_.tenant(user).list(
      table, {.limit = limit, .after = before ? id_of(*before) : std::string(), .newest_first = true});
}

web::Task<> Splits::settle_pending() {
  for (auto& split : system_.find(table, "pending", std::string("yes"), at_once)) co_await advance(std::move(split));
}

web::Task<> Splits::advance(Split split) {
  if (split.status == Status::queued) {
    settlement::Progress begun;
    co_await store_progress(split, std::move(begun));
  }
  auto progress = co_await settlement_.settle(order_of(split));
  if (!progress) co_return;  // the next round asks again
  if (progress->state != settlement::State::processing || progress->transactions != split.transactions)
    co_await store_progress(std::move(split), std::move(*progress));
}

web::Task<> Splits::store_progress(Split split, settlement::Progress progress) {
  co_await system_.modify(table, split.owner, split.id, [&](Split& stored) {
    stored.status = status_of(progress.state);
    stored.reason = progress.reason;
    stored.transactions = progress.transactions;
    if (progress.state != settlement::State::processing) stored.pending.clear();
    stored.updated_at = store::now();
  });
}

}  // namespace splits
