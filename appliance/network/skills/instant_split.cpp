#include "appliance/network/skills/instant_split.h"

namespace skills {

namespace {

constexpr auto look_again = std::chrono::milliseconds(100);

bool is_over(const splits::Split& split) {
  return split.status == splits::Status::settled || split.status == splits::Status::failed;
}

}  // namespace

web::Task<web::Result<splits::Split>> InstantSplit::make(store::UserId user, SplitOrder order) {
  if (!agents_.find(user, order.agent)) co_return web::not_found("No such agent");
  const auto wallet = co_await wallets_.obtain(user, wallets::agent_wallet(order.agent));
  splits::Request request{.owner = user,
                          .agent = std::move(order.agent),
                          .name = std::move(order.name),
                          .from = wallets::address_of(wallet),
                          .total = order.total,
                          .recipients = std::move(order.recipients)};
  auto split = co_await splits_.create(std::move(request));
  if (!split) co_return split.error();
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_over(*split) && std::chrono::steady_clock::now() < end) {
    co_await web::sleep_for(look_again);
    if (auto now = splits_.find(user, split->number)) *split = std::move(*now);
  }
  co_return split;
}

}  // namespace skills
