#include "appliance/network/hosting_mcp/handlers.h"

#include "appliance/network/hosting_mcp/facts.h"

namespace hosting_mcp {

namespace {

constexpr std::size_t shortest_key = 20;
constexpr int moved_permanently = 301;

web::Response refused(std::vector<std::string> errors) {
  const InvalidConfig answer{.errors = std::move(errors),
                             .help = "Create an API key in the Render Dashboard: " + facts().api_key_page};
  return web::reply(answer, 400);
}

// Never with a part of the key: answers end up in logs.
std::vector<std::string> errors_of(const ConfigRequest& config) {
  if (!config.api_key || config.api_key->empty()) return {"api_key is required"};
  std::vector<std::string> errors;
  if (!config.api_key->starts_with(facts().api_key_prefix))
    errors.push_back("api_key must start with " + facts().api_key_prefix);
  if (config.api_key->size() < shortest_key) errors.emplace_back("api_key appears too short");
  if (config.endpoint && !config.endpoint->starts_with("https://") && !config.endpoint->starts_with("http://"))
    errors.emplace_back("endpoint must be an http or https URL");
  return errors;
}

web::Answer read_health(const web::Request&) {
  const auto& known = facts();
  const Health answer{.name = known.name,
                      .version = known.version,
                      .description = known.description,
                      .official_repo = known.repository,
                      .docker_image = known.docker_image,
                      .documentation = known.documentation,
                      .timestamp = store::now()};
  co_return web::reply(answer, 200);
}

web::Answer read_info(const web::Request&) {
  const auto& known = facts();
  const Info answer{.name = known.name,
                    .version = known.version,
                    .description = known.description,
                    .maintained_by = known.maintained_by,
                    .repository = known.repository,
                    .docker_image = known.docker_image,
                    .documentation = known.documentation,
                    .setup_guide = known.setup_guide,
                    .features = known.features};
  co_return web::reply(answer, 200);
}

web::Answer read_setup(const web::Request&) { co_return web::reply(facts().setup, 200); }

web::Answer read_tools(const web::Request&) { co_return web::reply(facts().tools, 200); }

web::Answer read_examples(const web::Request&) { co_return web::reply(facts().examples, 200); }

web::Answer validate_config(const web::Request& request) {
  const auto config = web::parse_body<ConfigRequest>(request);
  if (!config) co_return refused({config.error().message});
  if (auto errors = errors_of(*config); !errors.empty()) co_return refused(std::move(errors));
  const auto endpoint = config->endpoint ? std::string(*config->endpoint) : facts().endpoint;
  const ValidConfig answer{
      .message = "The API key has the right form. Only Render can tell whether it is valid.",
      .next_steps = {"Add the server " + endpoint + " to your MCP client, with the key as its bearer token.",
                     "Ask the client to list your workspaces, and choose one.", "Read more: " + facts().setup_guide}};
  co_return web::reply(answer, 200);
}

web::Answer redirect_to_docs(const web::Request&) { co_return web::redirect(facts().documentation, moved_permanently); }

web::Answer redirect_to_repository(const web::Request&) {
  co_return web::redirect(facts().repository, moved_permanently);
}

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
