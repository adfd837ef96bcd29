#include "appliance/models/routes.h"
#include "web/endpoint.h"

namespace models {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

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

struct Removed {
  bool success = true;
  std::string provider;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, provider))

KeyView view(const ProviderKey& key) {
  return {.provider = key.id, .hint = key.hint, .inUse = !key.is_set_aside, .updatedAt = key.updated_at};
}

Answer put_key(ProviderKeys& keys, audit::Audit& audit, web::Request& request, NewKey wanted) {
  const auto& provider = request.param("provider");
  if (std::ranges::count(keyed_providers, provider) == 0) co_return web::not_found("No such provider");
  auto entry = audit::of_request(request, "provider key kept", provider);
  const auto kept = co_await keys.put(request.caller, provider, std::move(wanted.key));
  if (!kept) entry.outcome = kept.error().message;
  co_await audit.note(std::move(entry));
  if (!kept) co_return kept.error();
  co_return web::reply(view(*kept));
}

Answer remove_key(ProviderKeys& keys, audit::Audit& audit, web::Request& request) {
  const auto& provider = request.param("provider");
  const bool removed = co_await keys.remove(request.caller.user_id, provider);
  if (!removed) co_return web::not_found("No such key");
  auto entry = audit::of_request(request, "provider key removed", provider);
  co_await audit.note(std::move(entry));
  const Removed answer{.provider = provider};
  co_return web::reply(answer);
}

Answer list_keys(const ProviderKeys& keys, const web::Request& request) {
  KeyList answer;
  for (const auto& key : keys.list(request.caller.user_id)) answer.keys.push_back(view(key));
  answer.count = static_cast<std::int64_t>(answer.keys.size());
  co_return web::reply(answer);
}

}  // namespace

std::vector<web::Route> own_key_routes(ProviderKeys& keys, audit::Audit& audit, const agentbox::Guards& guards) {
  const auto put = [&keys, &audit](web::Request& request, NewKey wanted) {
    return put_key(keys, audit, request, std::move(wanted));
  };
  const auto remove = [&keys, &audit](web::Request& request) { return remove_key(keys, audit, request); };
  return {
      {web::GET, "/api/provider-keys", guards.session, nullptr,
       web::plain([&keys](web::Request& request) { return list_keys(keys, request); }).returns<KeyList>(),
       "One's own keys at model providers"},
      {web::PUT, "/api/provider-keys/:provider", guards.session, nullptr,
       web::body<NewKey>(put).returns<KeyView>().describe(
           "For openrouter, anthropic, openai or google. Calls with it go on the user's account there, are no "
           "part of the plan's quota, and are metered apart. It is in use at once, kept sealed and never shown "
           "again. disable-byok of POST /api/billing sets all keys aside."),
       "Bring one's own key"},
      {web::DELETE, "/api/provider-keys/:provider", guards.session, nullptr, web::plain(remove).returns<Removed>(),
       "Forget one's own key"},
  };
}

}  // namespace models
