#include "appliance/network/hosting_mcp/routes.h"

#include "appliance/network/hosting_mcp/facts.h"
#include "appliance/network/hosting_mcp/handlers.h"

namespace hosting_mcp {

namespace {

constexpr const char* validate_text =
    "Checks the form of a key: it is sent nowhere, stored nowhere, and no part of it is in the answer. 400 {valid, "
    "errors[], help} names everything that is wrong. `endpoint` is the address of a server of your own, which then "
    "appears in the next steps.";

web::Endpoint config_check() {
  auto endpoint = web::plain(validate_config);
  endpoint.body = web::schema_of<ConfigRequest>;
  endpoint.problem = web::schema_of<InvalidConfig>;
  return std::move(endpoint).returns<ValidConfig>().describe(validate_text);
}

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>&) {
  const auto& box = guards.backend.box;
  return {
      {web::GET, "/api/hosting-mcp/health", box, nullptr, web::plain(read_health).returns<Health>(),
       "Whether the pages about the hosting provider's tool server are served"},
      {web::GET, "/api/hosting-mcp/info", box, nullptr, web::plain(read_info).returns<Info>(),
       "The hosting provider's tool server"},
      {web::GET, "/api/hosting-mcp/setup", box, nullptr, web::plain(read_setup).returns<Setup>(),
       "How to set that server up"},
      {web::GET, "/api/hosting-mcp/tools", box, nullptr, web::plain(read_tools).returns<Tools>(),
       "Its tools by category"},
      {web::GET, "/api/hosting-mcp/examples", box, nullptr, web::plain(read_examples).returns<Examples>(),
       "Prompts that use its tools"},
      {web::POST, "/api/hosting-mcp/validate-config", box, nullptr, config_check(),
       "Check the form of an API key for that server"},
      {web::GET, "/api/hosting-mcp/docs", box, nullptr,
       web::plain(redirect_to_docs).describe("301 to the provider's documentation."), "That server's documentation"},
      {web::GET, "/api/hosting-mcp/github", box, nullptr,
       web::plain(redirect_to_repository).describe("301 to the server's repository."), "That server's source code"},
  };
}

}  // namespace hosting_mcp
