// What every source of answers offers, and the one type of what can go wrong with it.
#pragma once

#include <boost/describe.hpp>
#include <boost/system/result.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

BOOST_DEFINE_ENUM_CLASS(Fault, rate_limited, overloaded, bad_key, context_too_long, bad_request, upstream_error,
                        bad_answer, unreachable, timeout, cancelled)

// Why a provider gave no answer. The message is a sentence for the caller: it names the provider and never holds a key.
struct Failure {
  Fault fault = Fault::upstream_error;
  std::string message;
  std::optional<std::chrono::seconds> retry_after;
  bool may_be_billed = false;  // the provider may have made an answer, or a part of one, and charge for it
};

template <class T>
using Outcome = boost::system::result<T, Failure>;

[[noreturn]] inline void throw_exception_from_error(const Failure& failure, const boost::source_location&) {
  throw std::logic_error("value() of a failed outcome: " + failure.message);
}

std::string_view to_string(Fault);
// The failure as the box's callers see it; the code is the fault's name.
web::Error to_error(const Failure&);

struct ModelInfo {
  std::string id;
  std::string provider;
};
BOOST_DESCRIBE_STRUCT(ModelInfo, (), (id, provider))

class Provider {
 public:
  virtual ~Provider() = default;
  virtual std::string_view name() const = 0;
  // The whole answer at the end; with a listener, its pieces as they come before that. Callable from every io thread,
  // many at a time; cancelling the coroutine aborts the upstream call and throws operation_aborted.
  virtual web::Task<Outcome<ChatAnswer>> complete(ChatRequest, Listener* = nullptr) = 0;
  // What of the request it cannot do, as a sentence that names the field; nothing when it can do all.
  virtual std::optional<std::string> cannot(const ChatRequest&) const { return std::nullopt; }
  // What the provider lists now.
  virtual web::Task<Outcome<std::vector<ModelInfo>>> models() = 0;
};

}  // namespace models
