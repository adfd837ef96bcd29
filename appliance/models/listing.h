// Every model the box can tell of: the catalogue's, and what the local server and the builtin provider have now.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "appliance/models/catalogue.h"

namespace models {

struct Listed {
  std::string id, name, provider, description;
  std::vector<std::string> tags;
  std::shared_ptr<const Catalogue> catalogue;  // keeps `entry` alive
  const Model* entry = nullptr;                // null: free, and nothing more is known of it
  bool available = false;                      // a provider of this box serves it
};

}  // namespace models
