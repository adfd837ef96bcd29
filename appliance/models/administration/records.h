// Providers that administrators have configured at run time.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "store/store.h"
#include "store/table.h"

namespace models {

struct StoredProvider {
  std::string id;                     // one of keyed_providers, local, or the name of a further server
  std::string base_url;               // empty: that of the settings, or their default
  store::Sealed key;                  // never shown again; local and further servers: may be empty
  std::string hint;                   // its last four characters
  std::string model, fallback_model;  // the latter: local only; the former: further servers, too
  bool bills_after_disconnect = false;
  store::Time updated_at{};
  std::int64_t max_concurrent = 0;  // ProviderConfig::max_concurrent
  std::vector<std::int64_t> queue_weights = {};
};
BOOST_DESCRIBE_STRUCT(StoredProvider, (),
                      (id, base_url, key, hint, model, fallback_model, bills_after_disconnect, updated_at,
                       max_concurrent, queue_weights))

inline const store::Global<StoredProvider> stored_providers{
    {.family = "model_providers", .number = 136}, &StoredProvider::id, {}};

}  // namespace models
