// What API keys open besides the models: the scopes that a key may have, and what is stored of them, apart from the
// keys, so that keys without scopes keep their meaning.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "store/table.h"
#include "web/result.h"
#include "web/task.h"

namespace key_scopes {

enum class Scope { agents_read, agents_write, chat, files, schedules, usage, models };
inline constexpr std::array all_scopes{Scope::agents_read, Scope::agents_write, Scope::chat,  Scope::files,
                                       Scope::schedules,   Scope::usage,        Scope::models};
std::string_view to_string(Scope);  // "agents:read"

struct KeyScopes {
  std::int64_t user_id = 0;
  std::string id;                                  // of the key
  std::vector<std::string> scopes;                 // see to_string
  std::optional<std::vector<std::string>> agents;  // the only ones it reaches; none: all of the user's
};
BOOST_DESCRIBE_STRUCT(KeyScopes, (), (user_id, id, scopes, agents))

inline const store::Owned<KeyScopes> key_scopes{
    {.family = "key_scopes", .number = 140}, &KeyScopes::user_id, &KeyScopes::id, {}};

bool has(const KeyScopes&, Scope);
bool reaches(const KeyScopes&, std::string_view agent);

// The text of a scope as it is stored; Kind::invalid, naming the field, for an unknown one.
web::Result<std::vector<std::string>> checked(std::vector<std::string> scopes);

// Null for a key without scopes, which opens what keys opened before there were scopes: the models and MCP.
std::shared_ptr<const KeyScopes> find(const store::System&, store::UserId, std::string_view key);
// Gives a new key its scopes. Until then it has none.
web::Task<> grant(store::System, KeyScopes);
// Part of a change that removes the key.
void erase(const store::System&, store::UserId, std::string_view key, store::Change&);

}  // namespace key_scopes
