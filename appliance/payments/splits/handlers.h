#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/payments/splits/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace splits {

struct WalletRequest {
  boost::json::value userId;  // a number or its text
  web::Id agentId;
};
BOOST_DESCRIBE_STRUCT(WalletRequest, (), (userId, agentId))

struct WalletAnswer {
  std::string address, agentId;
  boost::json::value userId;  // as it was sent
};
BOOST_DESCRIBE_STRUCT(WalletAnswer, (), (address, agentId, userId))

struct UserQuery {
  web::Text<1, 20> userId;
};
BOOST_DESCRIBE_STRUCT(UserQuery, (), (userId))

struct BalanceAnswer {
  std::string address;
  double balance_usdc = 0;
  std::string source;
};
BOOST_DESCRIBE_STRUCT(BalanceAnswer, (), (address, balance_usdc, source))

struct SplitRequest {
  struct Part {
    web::Text<1, 64> address;
    web::Number share;
    BOOST_DESCRIBE_CLASS(Part, (), (address, share), (), ())
  };
  boost::json::value userId;
  web::Id agentId;
  web::Text<1, 64> fromAddress;
  web::Text<1, 200> name;
  web::Text<1, 40> totalAmount;
  web::List<Part, 1, most_recipients> recipients;
};
BOOST_DESCRIBE_STRUCT(SplitRequest, (), (userId, agentId, fromAddress, name, totalAmount, recipients))

struct SplitAnswer {
  bool success = true;
  std::int64_t splitId = 0;
  Status status = Status::queued;
};
BOOST_DESCRIBE_STRUCT(SplitAnswer, (), (success, splitId, status))

struct SplitsQuery {
  web::Text<1, 20> userId;
  std::optional<web::Integer<1, 1000>> limit;
  std::optional<web::Integer<1, 999'999'999'999>> before;
};
BOOST_DESCRIBE_STRUCT(SplitsQuery, (), (userId, limit, before))

struct RecipientView {
  std::string address;
  double share = 0;
  payments::Usdc amount;
};
BOOST_DESCRIBE_STRUCT(RecipientView, (), (address, share, amount))

struct SplitView {
  std::int64_t splitId = 0;
  Status status = Status::queued;
  std::string agentId, name, fromAddress;
  payments::Usdc totalAmount;
  std::vector<RecipientView> recipients;
  std::optional<std::string> reason;
  std::vector<std::string> transactions;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(SplitView, (),
                      (splitId, status, agentId, name, fromAddress, totalAmount, recipients, reason, transactions,
                       createdAt, updatedAt))

struct SplitList {
  std::vector<SplitView> splits;
  std::optional<std::int64_t> next;
};
BOOST_DESCRIBE_STRUCT(SplitList, (), (splits, next))

web::Answer obtain_wallet(const Services&, const web::Request&, WalletRequest);
web::Answer show_balance(const Services&, const web::Request&, UserQuery);
web::Answer create_split(const Services&, const web::Request&, SplitRequest);
web::Answer list_splits(const Services&, const web::Request&, SplitsQuery);
web::Answer show_split(const Services&, const web::Request&, UserQuery);

}  // namespace splits
