// How messages reach an MCP server and come back: over HTTP, or over the input and output of a program.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "web/client/fetch.h"
#include "web/result.h"
#include "web/task.h"

namespace mcp_servers {

using Clock = std::chrono::steady_clock;

// How the server is spoken to.
struct Form {
  bool has_session = false;          // the older form
  std::string version;               // of the protocol
  std::string session;               // Mcp-Session-Id, or which start of the program; empty: there is none
  boost::json::object capabilities;  // of the server
};

// The result of a server's question: {"action": "accept", "content": {...}}, or another action.
using AskOwner = std::function<web::Task<boost::json::object>(boost::json::object params)>;

struct Call {
  std::string method;
  boost::json::object params{};
  std::string name{};           // of the tool, prompt or resource
  web::FetchHeaders headers{};  // Mcp-Param-*
  AskOwner ask{};               // answers elicitation/create meanwhile; unset: the action is "cancel"
};

// An answer to one request: a result, or why there is none.
struct Outcome {
  int status = 0;  // of HTTP; 404: the session has ended
  std::string session{};
  std::optional<boost::json::object> result{};
  std::int64_t code = 0;  // of a JSON-RPC error
  std::string message{};
};
// Takes the result or error of a JSON-RPC answer over.
void read_answer(boost::json::object& answer, Outcome&);

// Called with the method of each notification of the server.
using Notified = std::function<void(std::string_view method)>;

struct TransportLimits {
  web::Reach reach = web::Reach::public_only;
  std::size_t max_answer_bytes = 1u << 20;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Whether most servers that are reached like this know the older form only, which is then tried first.
  virtual bool prefers_sessions() const = 0;
  // Time that a question waits for its answer does not count. Errors are sentences, and have no secrets.
  virtual web::Task<web::Result<Outcome>> exchange(const Form&, const Call&, std::int64_t id,
                                                   Clock::time_point deadline, bool is_notification) = 0;
};

// "The MCP server NAME <why>"; `why` is cut.
web::Error server_failure(std::string_view name, std::string_view why);
// The message of a request or notification in this form.
boost::json::object message_of(const Form&, const Call&, std::int64_t id, bool is_notification);
// The answer to a request of the server's.
web::Task<boost::json::object> answer_to_server(boost::json::object request, AskOwner);
// Whether it is a request: it has a method and an id.
bool is_request(const boost::json::object&);

}  // namespace mcp_servers
