// What API keys open besides the models: stored apart from the keys, so that keys without scopes keep their meaning.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/table.h"

namespace key_scopes {

struct KeyScopes {
  std::int64_t user_id = 0;
  std::string id;                                  // of the key
  std::vector<std::string> scopes;                 // see scopes.h
  std::optional<std::vector<std::string>> agents;  // the only ones it reaches; none: all of the user's
};
BOOST_DESCRIBE_STRUCT(KeyScopes, (), (user_id, id, scopes, agents))

inline const store::Owned<KeyScopes> key_scopes{
    {.family = "key_scopes", .number = 140}, &KeyScopes::user_id, &KeyScopes::id, {}};

}  // namespace key_scopes
