#include "appliance/access/key_scopes.h"

#include <algorithm>
#include <stdexcept>

namespace key_scopes {

namespace {

std::string list_of_scopes() {
  std::string list;
  for (const auto scope : all_scopes) list.append(list.empty() ? "" : ", ").append(to_string(scope));
  return list;
}

}  // namespace

std::string_view to_string(Scope scope) {
  switch (scope) {
    case Scope::agents_read:
      return "agents:read";
    case Scope::agents_write:
      return "agents:write";
    case Scope::chat:
      return "chat";
    case Scope::files:
      return "files";
    case Scope::schedules:
      return "schedules";
    case Scope::usage:
      return "usage";
    case Scope::models:
      return "models";
  }
  throw std::logic_error("unknown scope");
}

bool has(const KeyScopes& key, Scope scope) {
  return std::ranges::find(key.scopes, to_string(scope)) != key.scopes.end();
}

bool reaches(const KeyScopes& key, std::string_view agent) {
  return !key.agents || std::ranges::find(*key.agents, agent) != key.agents->end();
}

web::Result<std::vector<std::string>> checked(std::vector<std::string> scopes) {
  for (const auto& scope : scopes) {
    if (std::ranges::find(all_scopes, scope, to_string) == all_scopes.end())
      return web::invalid("scopes must be among " + list_of_scopes());
  }
  std::ranges::sort(scopes);
  scopes.erase(std::unique(scopes.begin(), scopes.end()), scopes.end());
  return scopes;
}

std::shared_ptr<const KeyScopes> find(const store::System& system, store::UserId user, std::string_view key) {
  return system.tenant(user).cached(key_scopes, key);
}

web::Task<> grant(store::System system, KeyScopes scopes) {
  auto change = system.change();
  change.insert(key_scopes, scopes);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("a new key has scopes already");
}

void erase(const store::System& system, store::UserId user, std::string_view key, store::Change& change) {
  if (const auto row = system.get(key_scopes, user, key)) change.erase(key_scopes, *row);
}

}  // namespace key_scopes
