// A2A's JSON-RPC: requests, results and errors.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/network/a2a/wire.h"
#include "web/result.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace a2a {

enum class Method { send, stream, get, list, cancel, subscribe };

struct Request {
  web::Text<1, 8> jsonrpc;
  web::Text<1, 128> method;
  std::optional<boost::json::object> params;
};
BOOST_DESCRIBE_STRUCT(Request, (), (jsonrpc, method, params))

struct Call {
  boost::json::value id;
  Method method = Method::send;
  Version version = Version::v1;
  boost::json::object params;
};

struct RpcError {
  int code;
  std::string message;
  boost::json::object data;
};

namespace errors {
inline constexpr int invalid_request = -32600, unknown_method = -32601, invalid_params = -32602, internal = -32603,
                     refused = -32000, task_not_found = -32001, task_not_cancelable = -32002,
                     push_notifications_unsupported = -32003, unsupported_operation = -32004,
                     version_unsupported = -32009;
}

// The id of a request, which may be a text or a number; null for any other.
boost::json::value id_of(std::string_view body);

// The call, or the error that answers it. `version` is the value of A2A-Version, possibly empty.
struct ReadCall {
  std::optional<Call> call;
  RpcError error{};
};
ReadCall read_call(Request, const boost::json::value& id, std::string_view version);

boost::json::object result(const boost::json::value& id, boost::json::value value);
boost::json::object failure(const boost::json::value& id, const RpcError&);
// What a service's error is in JSON-RPC.
RpcError rpc_error(const web::Error&);

// Refusals below /a2a that come before a call is read.
web::ErrorForm error_form();

}  // namespace a2a
