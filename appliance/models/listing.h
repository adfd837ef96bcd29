// An entry in the list of models: from the catalogue, the local server or the builtin provider.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "appliance/models/catalogue.h"

namespace models {

struct ListedModel {
  std::string id, name, provider, description;
  std::vector<std::string> tags;
  std::shared_ptr<const Catalogue> catalogue;  // keeps `entry` alive
  const Model* entry = nullptr;                // null: not in the catalogue
  std::int64_t context = 0;                    // tokens, as its server lists it; 0: unknown
  bool available = false;                      // a configured provider serves it
};

}  // namespace models
