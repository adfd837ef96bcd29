// Tries a model with one message, at the caller's cost.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/models/model_gateway.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace models::playground {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
};

struct Trial {
  web::Text<1, 200> model;
  web::Prose<1, 32'000> message;
  std::optional<web::Prose<0, 16'000>> system;
  std::optional<web::NumberBetween<0, 2>> temperature;
  std::optional<web::Integer<1, 32'768>> maxTokens;
  std::optional<bool> stream;
};
BOOST_DESCRIBE_STRUCT(Trial, (), (model, message, system, temperature, maxTokens, stream))

struct TrialAnswer {
  std::string model, provider, message;
  Finish finish = Finish::stop;
  std::int64_t inputTokens = 0, outputTokens = 0;
  bool estimated = false;           // the provider did not report the tokens
  bool cached = false;              // from the caller's response cache
  std::optional<std::string> cost;  // US dollars; not set: the model has no known price
  std::int64_t latencyMs = 0;
  std::optional<std::int64_t> timeToFirstTokenMs;  // of a streamed answer
};
BOOST_DESCRIBE_STRUCT(TrialAnswer, (),
                      (model, provider, message, finish, inputTokens, outputTokens, estimated, cached, cost, latencyMs,
                       timeToFirstTokenMs))

web::Answer try_model(const Services&, const web::Request&, Trial);

// /api/playground.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::playground
