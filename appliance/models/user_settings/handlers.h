#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "appliance/models/user_settings/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace models::user_settings {

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

web::Answer list_models(const Services&, const web::Request&);
web::Answer show_cache(const Services&, const web::Request&);
web::Answer set_cache(const Services&, const web::Request&, CacheBody);

web::Answer list_keys(const Services&, const web::Request&);
web::Answer put_key(const Services&, const web::Request&, NewKey);
web::Answer remove_key(const Services&, const web::Request&);

}  // namespace models::user_settings
