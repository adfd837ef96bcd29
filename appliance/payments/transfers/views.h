// Transfers and their rules as answers show them.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/payments/transfers/transfers.h"

namespace transfers {

struct TransferView {
  std::string id, wallet, to;
  Token token = Token::usdc;
  payments::Usdc amount;
  std::string memo, network;
  std::string state;  // see state_of
  std::optional<std::string> transactionHash;
  std::optional<std::int64_t> block;
  std::optional<std::string> reason;  // why it failed, or why it waits
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(TransferView, (),
                      (id, wallet, to, token, amount, memo, network, state, transactionHash, block, reason, createdAt,
                       updatedAt))

TransferView view(const Report&);

struct RulesView {
  std::string wallet;
  std::optional<std::string> dailyUsdc, approvalAboveUsdc;
  std::vector<std::string> receivers;
  std::string spentTodayUsdc;
};
BOOST_DESCRIBE_STRUCT(RulesView, (), (wallet, dailyUsdc, approvalAboveUsdc, receivers, spentTodayUsdc))

}  // namespace transfers
