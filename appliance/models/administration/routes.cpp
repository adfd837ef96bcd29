#include "appliance/models/administration/routes.h"

#include "appliance/models/administration/handlers.h"

namespace models::administration {

namespace {

constexpr const char* list_text =
    "`source` is `settings` if the setting named by `setting` configures the provider, and `stored` if an "
    "administrator "
    "did at run time. `found` has the model servers that were seen on this machine; none is used unless it is "
    "configured.";
constexpr const char* put_text =
    "Takes effect at once and stays. `key` is stored sealed and never shown again; omitted members keep their values. "
    "`baseUrl` is required for `local`, whose `model` is the default and whose `fallbackModel` answers if that fails. "
    "Another `baseUrl` requires the key again. 409, SET_BY_SETTINGS, if the settings of the box configure the "
    "provider.";
constexpr const char* test_text =
    "Asks the provider one short question. `success` is false with `error` and `code` if it did not answer; otherwise "
    "`answer` has its first words. Not metered. 409 if the provider is not configured.";
constexpr const char* probe_text =
    "Looks for Ollama (11434), llama.cpp (8080) and vLLM (8000) on 127.0.0.1. Configure one by PUT "
    "/api/admin/models/providers with its `baseUrl`.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto &box = guards.backend.box, &internal = guards.backend.internal;
  return {
      {web::GET, "/api/admin/models/providers", box, nullptr,
       web::plain(on(list_providers)).returns<ProviderList>().describe(list_text), "List the model providers"},
      {web::PUT, "/api/admin/models/providers", internal, nullptr,
       web::body<ProviderBody>(on(put_provider))
           .returns<ProviderView>()
           .describe(put_text)
           .fails({web::Kind::conflict}),
       "Configure a model provider"},
      {web::DELETE, "/api/admin/models/providers/:name", internal, nullptr,
       web::plain(on(remove_provider)).returns<RemovedProvider>(),
       "Remove a model provider that was configured at run time"},
      {web::POST, "/api/admin/models/providers/:name/test", internal, nullptr,
       web::body<TestBody>(on(try_provider)).returns<TestView>().describe(test_text).fails({web::Kind::conflict}),
       "Test a model provider"},
      {web::POST, "/api/admin/models/local-servers", internal, nullptr,
       web::plain(on(probe)).returns<FoundServers>().describe(probe_text), "Look for model servers on this machine"},
  };
}

}  // namespace models::administration
