#include "appliance/payments/ledger/leaving.h"

namespace ledger {

std::optional<web::Error> obstacle_to_leaving(const Ledger& ledger, store::UserId user,
                                              const std::vector<agents::AgentSummary>& agents) {
  auto left = ledger.balance(of_user(user));
  for (const auto& agent : agents) left += ledger.balance(of_agent(user, agent.id));
  if (!left.is_positive()) return std::nullopt;
  auto obstacle = web::conflict("There are " + left.to_string() +
                                " USDC of yours on this box's ledger: transfer them, or have an administrator pay them "
                                "out");
  obstacle.code = "BALANCE_LEFT";
  return obstacle;
}

}  // namespace ledger
