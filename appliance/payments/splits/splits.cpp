#include "appliance/payments/splits/splits.h"

#include <algorithm>

#include "appliance/payments/splits/division.h"

namespace splits {

namespace {

constexpr std::chrono::milliseconds pause{200};
constexpr std::size_t at_once = 100;  // of an owner
constexpr std::size_t digits = 12, owner_digits = 20;
constexpr auto earlier_pending = "yes";

std::string padded(std::int64_t number, std::size_t width) {
  std::string text = std::to_string(number);
  return text.insert(0, width - std::min(width, text.size()), '0');
}

std::string id_of(std::int64_t number) { return padded(number, digits); }

// The first and the last value of an owner's pending splits.
std::string first_pending(store::UserId owner) { return padded(owner, owner_digits) + "/"; }
std::string after_pending(store::UserId owner) { return padded(owner, owner_digits) + "0"; }  // '0' is behind '/'

std::string key_of(const Request& request) {
  return request.key.empty() ? std::string() : std::to_string(request.owner) + "/" + request.key;
}

bool is_same(const Split& made, const Split& requested) {
  return made.agent == requested.agent && made.name == requested.name && made.from == requested.from &&
         made.total == requested.total &&
         std::ranges::equal(made.recipients, requested.recipients, [](const Recipient& a, const Recipient& b) {
           return a.address == b.address && a.amount == b.amount;
         });
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

std::string pending_value(const Split& split) { return first_pending(split.owner) + split.id; }

Splits::Splits(store::System system, settlement::Settlement& settlement, boost::asio::io_context& home)
    : system_(std::move(system)),
      settlement_(settlement),
      worker_(home, "splits", pause, [this] { return settle_pending(); }) {}

web::Task<web::Result<Split>> Splits::create(Request request) {
  std::vector<double> shares;
  for (const auto& part : request.recipients) shares.push_back(part.share);
  const auto amounts = divide(request.total, shares);
  if (!amounts) co_return amounts.error();
  Split split{.owner = request.owner,
              .agent = std::move(request.agent),
              .name = std::move(request.name),
              .from = request.from.checksummed(),
              .total = request.total.micro(),
              .key = key_of(request),
              .created_at = store::now()};
  split.updated_at = split.created_at;
  for (std::size_t at = 0; at < shares.size(); ++at)
    split.recipients.push_back(
        {request.recipients[at].to.checksummed(), request.recipients[at].share, (*amounts)[at].micro()});
  for (;;) {
    if (auto made = system_.find_unique(splits_table, "key", split.key)) {
      if (is_same(made->value, split)) co_return std::move(made->value);
      co_return web::Error{.kind = web::Kind::conflict,
                           .message = "This idempotencyKey was used for another split",
                           .code = "IDEMPOTENCY_KEY_ALREADY_USED"};
    }
    split.number = co_await system_.next_id("splits");
    split.id = id_of(split.number);
    split.pending = pending_value(split);
    auto change = system_.tenant(split.owner).change();
    change.insert(splits_table, split);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return split;
    if (!outcome.duplicate("key")) throw std::logic_error("the number of a new split was taken");
  }
}

std::optional<Split> Splits::find(store::UserId user, std::int64_t number) const {
  auto row = system_.tenant(user).get(splits_table, id_of(number));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::vector<Split> Splits::list(store::UserId user, std::size_t limit, std::optional<std::int64_t> before) const {
  return system_.tenant(user).list(
      splits_table, {.limit = limit, .after = before ? id_of(*before) : std::string(), .newest_first = true});
}

web::Task<> Splits::settle_pending() {
  co_await place_earlier();
  const std::string end(":");  // behind every digit
  for (auto from = std::string("!");;) {
    const auto next = system_.find_range(splits_table, "pending", from, end, 1);
    if (next.empty()) break;
    const auto owner = next.front().owner;
    from = after_pending(owner);
    for (auto& split : system_.find_range(splits_table, "pending", first_pending(owner), from, at_once))
      co_await advance(std::move(split));
  }
}

web::Task<> Splits::place_earlier() {
  for (const auto& split : system_.find(splits_table, "pending", std::string(earlier_pending)))
    co_await system_.modify(splits_table, split.owner, split.id,
                            [](Split& stored) { stored.pending = pending_value(stored); });
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
  co_await system_.modify(splits_table, split.owner, split.id, [&](Split& stored) {
    stored.status = status_of(progress.state);
    stored.reason = progress.reason;
    stored.transactions = progress.transactions;
    if (progress.state != settlement::State::processing) stored.pending.clear();
    stored.updated_at = store::now();
  });
}

}  // namespace splits
