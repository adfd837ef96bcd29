#include "appliance/billing/credits/leaving.h"

namespace credits {

std::optional<web::Error> obstacle_to_leaving(const Credits& credits, store::UserId user) {
  const auto left = credits.balance(user).total();
  if (left.units() <= 0) return std::nullopt;
  auto obstacle = web::conflict("There are credits worth $" + left.to_string() +
                                " left: use them up, or have an administrator take them back");
  obstacle.code = "BALANCE_LEFT";
  return obstacle;
}

}  // namespace credits
