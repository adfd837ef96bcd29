// What users set for their model calls.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/provider_keys.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace models::user_settings {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
  ProviderKeys& keys;
  audit::Audit& audit;
};

struct CacheBody {
  web::Integer<0, 10'080> minutes;
};
BOOST_DESCRIBE_STRUCT(CacheBody, (), (minutes))

struct CacheView {
  bool enabled = false;
  std::int64_t minutes = 0;
};
BOOST_DESCRIBE_STRUCT(CacheView, (), (enabled, minutes))

struct ModelsQuery {
  std::optional<web::Text<1, 200>> model;
  std::optional<web::Text<0, 40>> provider;
};
BOOST_DESCRIBE_STRUCT(ModelsQuery, (), (model, provider))

struct RouterModel {
  std::string id, name, provider, description;
  std::int64_t contextWindow = 0;
  bool available = false, inPlan = false;
  bool costKnown = true;  // also of free models
  // US dollars per million tokens; not set: not known. What is served on the local network costs nothing.
  std::optional<std::string> inputPrice, outputPrice;
  bool vision = false;
  std::vector<std::string> efforts;  // levels of reasoning; empty: it does not reason, or the box does not know
};
BOOST_DESCRIBE_STRUCT(RouterModel, (),
                      (id, name, provider, description, contextWindow, available, inPlan, costKnown, inputPrice,
                       outputPrice, vision, efforts))

struct RouterModels {
  std::vector<RouterModel> models;
  std::int64_t count = 0;
  std::optional<std::string> transcription;  // the model that POST /api/transcriptions uses; not set: there is none
};
BOOST_DESCRIBE_STRUCT(RouterModels, (), (models, count, transcription))

struct NewKey {
  web::Text<1, 500> key;
};
BOOST_DESCRIBE_STRUCT(NewKey, (), (key))

struct KeyView {
  std::string provider, hint;
  bool inUse = true;
  store::Time updatedAt;
};
BOOST_DESCRIBE_STRUCT(KeyView, (), (provider, hint, inUse, updatedAt))

struct KeyList {
  std::vector<KeyView> keys;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(KeyList, (), (keys, count))

struct RemovedKey {
  bool success = true;
  std::string provider;
};
BOOST_DESCRIBE_STRUCT(RemovedKey, (), (success, provider))

// /api/models, /api/response-cache and /api/provider-keys: what users set for their own calls.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::user_settings
