// What every source of answers offers, and the one type of what can go wrong with it.
#pragma once

#include <boost/describe.hpp>
#include <boost/system/result.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/ai/chat.h"
#include "web/result.h"
#include "web/task.h"

namespace ai {

BOOST_DEFINE_ENUM_CLASS(Fault, rate_limited, overloaded, bad_key, context_too_long, bad_request, upstream_error,
                        bad_answer, unreachable, timeout)

// Why a provider gave no answer. The message is a sentence for the caller: it names the provider and never holds a key.
struct Failure {
  Fault fault = Fault::upstream_error;
  std::string message;
  std::optional<std::chrono::seconds> retry_after;
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
  // Answers whole. Callable from every io thread, many at a time; cancelling the coroutine aborts the upstream call.
  virtual web::Task<Outcome<ChatAnswer>> complete(ChatRequest) = 0;
  // What the provider lists now.
  virtual web::Task<Outcome<std::vector<ModelInfo>>> models() = 0;
};

}  // namespace ai
