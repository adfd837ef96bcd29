#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "appliance/network/mcp_server/routes.h"
#include "web/routes/endpoint.h"

namespace mcp_server {

struct RpcResponse {
  std::string jsonrpc;
  boost::json::value id;
  std::optional<boost::json::object> result, error;
};
BOOST_DESCRIBE_STRUCT(RpcResponse, (), (jsonrpc, id, result, error))

web::Answer serve_message(const Services&, const web::Request&);
web::Answer end_session(const Services&, const web::Request&);

}  // namespace mcp_server
