// Providers that administrators have configured at run time.
#pragma once

#include <boost/describe.hpp>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace models {

struct StoredProvider {
  std::string id;                     // one of keyed_providers, or local
  std::string base_url;               // empty: that of the settings, or their default
  store::Sealed key;                  // never shown again; local: may be empty
  std::string hint;                   // its last four characters
  std::string model, fallback_model;  // local only
  store::Time updated_at{};
};
BOOST_DESCRIBE_STRUCT(StoredProvider, (), (id, base_url, key, hint, model, fallback_model, updated_at))

inline const store::Global<StoredProvider> stored_providers{
    {.family = "model_providers", .number = 136}, &StoredProvider::id, {}};

}  // namespace models
