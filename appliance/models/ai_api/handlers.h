#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace models::ai_api {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
  audit::Audit& audit;
};

struct ModelView {
  std::string id, name, provider, description;
  std::vector<std::string> tags;
  double inputCost = 0, outputCost = 0;  // US dollars per million tokens
  std::int64_t contextWindow = 0;        // 0: unknown
  bool available = false;
};
BOOST_DESCRIBE_STRUCT(ModelView, (),
                      (id, name, provider, description, tags, inputCost, outputCost, contextWindow, available))

struct ProviderModels {
  std::string provider;
  std::vector<ModelView> models;
  std::int64_t count = 0;
  std::string timestamp;
};
BOOST_DESCRIBE_STRUCT(ProviderModels, (), (provider, models, count, timestamp))

struct AllModels {
  std::vector<ModelView> models;
  std::int64_t count = 0;
  std::string timestamp;
};
BOOST_DESCRIBE_STRUCT(AllModels, (), (models, count, timestamp))

struct SelectionQuery {
  std::optional<web::Text<0, 100>> taskType;
};
BOOST_DESCRIBE_STRUCT(SelectionQuery, (), (taskType))

struct SelectedModel {
  std::string id, provider;
};
BOOST_DESCRIBE_STRUCT(SelectedModel, (), (id, provider))

struct Selected {
  SelectedModel model;
  std::string taskType, timestamp;
};
BOOST_DESCRIBE_STRUCT(Selected, (), (model, taskType, timestamp))

struct EstimateQuery {
  web::Text<1, 200> model;
  web::Integer<0, 1'000'000'000> inputTokens, outputTokens;
};
BOOST_DESCRIBE_STRUCT(EstimateQuery, (), (model, inputTokens, outputTokens))

struct Estimate {
  std::string model;
  std::int64_t inputTokens = 0, outputTokens = 0;
  double estimatedCost = 0;
  std::string currency = "USD", timestamp;
};
BOOST_DESCRIBE_STRUCT(Estimate, (), (model, inputTokens, outputTokens, estimatedCost, currency, timestamp))

// Documents the body in OpenAPI; ai_api::parse_chat reads it.
struct ChatBody {
  web::List<boost::json::object, 1, openai::max_messages> messages;
  std::optional<web::Text<0, 200>> model;
  std::optional<web::Text<0, 100>> taskType;
  std::optional<double> temperature, top_p;
  std::optional<web::Integer<1, 1'000'000>> max_tokens;
  std::optional<bool> stream;
};
BOOST_DESCRIBE_STRUCT(ChatBody, (), (messages, model, taskType, temperature, top_p, max_tokens, stream))

struct Reloaded {
  bool success = true;
  std::int64_t models = 0;
};
BOOST_DESCRIBE_STRUCT(Reloaded, (), (success, models))

web::Answer show_health(const Services&, const web::Request&);
web::Answer list_models(const Services&, const web::Request&);
web::Answer list_provider_models(const Services&, const web::Request&);
web::Answer select_model(const Services&, const web::Request&, SelectionQuery);
web::Answer estimate_cost(const Services&, const web::Request&, EstimateQuery);
web::Answer reload_catalogue(const Services&, const web::Request&);
web::Answer chat(const Services&, const web::Request&);

// The contract's AI API, /api/ai/*, and POST /api/admin/models/reload.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::ai_api
