#include "appliance/models/user_settings/routes.h"

#include "appliance/models/user_settings/handlers.h"
#include "web/routes/endpoint.h"

namespace models::user_settings {

namespace {

constexpr const char* cache_text =
    "An answer is used again for `minutes` for requests that are identical in every byte, at no cost. 0, the default, "
    "turns the cache off. It is not shared with other users.";
constexpr const char* key_text =
    "For openrouter, anthropic, openai or google. Calls with the key are billed to your account there. They do not "
    "count towards your plan's quota and are metered separately. The key is used at once, stored sealed and never "
    "shown again. disable-byok of POST /api/billing disables all keys.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/models", session, nullptr, web::plain(on(list_models)).returns<RouterModels>(),
       "List the models of the multi-model router, and which your plan includes"},
      {web::GET, "/api/response-cache", session, nullptr, web::plain(on(show_cache)).returns<CacheView>(),
       "Whether answers to identical requests are cached for you"},
      {web::PUT, "/api/response-cache", session, nullptr,
       web::body<CacheBody>(on(set_cache)).returns<CacheView>().describe(cache_text),
       "Turn your response cache on or off"},
      {web::GET, "/api/provider-keys", session, nullptr, web::plain(on(list_keys)).returns<KeyList>(),
       "List your own keys at model providers"},
      {web::PUT, "/api/provider-keys/:provider", session, nullptr,
       web::body<NewKey>(on(put_key)).returns<KeyView>().describe(key_text), "Store your own key"},
      {web::DELETE, "/api/provider-keys/:provider", session, nullptr, web::plain(on(remove_key)).returns<RemovedKey>(),
       "Delete your own key"},
  };
}

}  // namespace models::user_settings
