// A node of the demo's chain: the part of Ethereum's JSON-RPC that wallets use, and a page with its transactions.
#pragma once

#include <boost/json.hpp>
#include <vector>

#include "appliance/demo/fake_services/token_chain.h"
#include "web/routes/endpoint.h"

namespace demo {

// Used on one thread.
class ChainNode {
 public:
  std::vector<web::Route> routes();

 private:
  web::Answer answer(std::string body);
  web::Answer show() const;
  // The result of a call. An error: in the node's words.
  web::Result<boost::json::value> call(std::string_view method, const boost::json::array& params);
  web::Result<boost::json::value> call_contract(const boost::json::object& call);
  web::Result<boost::json::value> estimate(const boost::json::object& call);
  boost::json::value block(const boost::json::value& which) const;
  boost::json::value receipt(const std::string& hash) const;
  boost::json::value logs(const boost::json::object& filter) const;

  TokenChain chain_;
};

}  // namespace demo
