// What users set for their model calls.
#pragma once

#include <boost/describe.hpp>
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

struct RouterModel {
  std::string id, name, provider, description;
  std::int64_t contextWindow = 0;
  bool available = false, inPlan = false;
};
BOOST_DESCRIBE_STRUCT(RouterModel, (), (id, name, provider, description, contextWindow, available, inPlan))

struct RouterModels {
  std::vector<RouterModel> models;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(RouterModels, (), (models, count))

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
