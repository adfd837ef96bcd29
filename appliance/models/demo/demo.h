// The public demo: anybody may ask some models without an account, within a daily limit.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "appliance/billing/usage/money.h"
#include "appliance/models/demo_visitors.h"
#include "appliance/models/model_gateway.h"

namespace models::demo {

inline constexpr std::int64_t answer_tokens = 1024;

struct DemoModel {
  std::string id, name, provider;
};
BOOST_DESCRIBE_STRUCT(DemoModel, (), (id, name, provider))

// What all visitors together may use in a day (UTC).
struct DailyLimits {
  std::int64_t tokens = 0;
  usage::Money cost;
};

// Callable from every thread; the gateway must outlive it.
class Demo {
 public:
  Demo(ModelGateway& gateway, bool is_offered, DailyLimits limits)
      : gateway_(gateway), limits_(limits), is_on_(is_offered && limits.tokens > 0 && limits.cost > usage::Money()) {}

  // False: not offered, or a limit is 0.
  bool is_on() const { return is_on_; }

  // The catalogue's demo models that have a provider, else the local or the builtin model.
  std::vector<DemoModel> models() const;
  // The model of a request that names none. `models` must not be empty.
  std::string default_model(const std::vector<DemoModel>& models) const;
  // Another model of the demo answers if the named one does not. `visitor` identifies the client. too_many: the limit
  // of the visitor or of the demo is reached; unavailable: no model of the demo can be reached; internal: the call
  // failed for another reason.
  web::Task<web::Result<ChatAnswer>> answer(ChatRequest, std::string model, std::string visitor);

 private:
  // The models that may answer a request for this one; empty: the local or the builtin model, which have no fallback.
  std::vector<std::string> only(const std::string& model) const;

  ModelGateway& gateway_;
  const DailyLimits limits_;
  const bool is_on_;
  DemoVisitors visitors_;
};

}  // namespace models::demo
