#include "appliance/box/cli/subcommands.h"

#include <iomanip>
#include <iostream>
#include <memory>

#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/secret_file.h"
#include "appliance/box/cli/table.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

constexpr auto providers_route = "/api/admin/models/providers";

struct ModelArguments {
  std::string provider, url, key_file, model, fallback_model;
};

void print_provider_row(const std::string& name, const std::string& state, const std::string& source,
                        const std::string& url) {
  std::cout << std::left << std::setw(14) << name << std::setw(16) << state << std::setw(24) << source << url << '\n';
}

void print_found(const json::object& found) {
  const auto& servers = found.at("servers").as_array();
  if (servers.empty()) std::cout << "\nno model server was found on this machine\n";
  for (const auto& entry : servers) {
    const auto& server = entry.as_object();
    const auto url = shown(server.at("baseUrl"));
    std::cout << '\n' << shown(server.at("kind")) << " at " << url;
    std::cout << (server.at("inUse").as_bool() ? ", in use" : ": agentbox admin models use local --url " + url) << '\n';
    for (const auto& model : server.at("models").as_array()) std::cout << "    " << shown(model) << '\n';
  }
}

void print_provider(const json::object& provider) {
  const auto source = shown(provider.at("source"));
  const auto set_by = source == "settings" ? shown(provider.at("setting")) : source == "stored" ? "set here" : "-";
  const bool is_configured = provider.at("configured").as_bool();
  const auto circuit = shown(provider.at("circuit"));
  print_provider_row(shown(provider.at("provider")),
                     !is_configured        ? "not configured"
                     : circuit == "closed" ? "ready"
                                           : "failing",
                     set_by, shown(provider.at("baseUrl")));
}

int list_providers(const BoxClient& box, const ModelArguments&) {
  const auto answer = box.call("GET", providers_route).as_object();
  print_provider_row("PROVIDER", "STATE", "CONFIGURED BY", "ADDRESS");
  for (const auto& provider : answer.at("providers").as_array()) print_provider(provider.as_object());
  print_found(answer.at("found").as_object());
  return 0;
}

int find_servers(const BoxClient& box, const ModelArguments&) {
  print_found(box.call("POST", "/api/admin/models/local-servers").as_object());
  return 0;
}

int use_provider(const BoxClient& box, const ModelArguments& given) {
  json::object body{{"provider", given.provider}};
  if (!given.url.empty()) body["baseUrl"] = given.url;
  if (!given.key_file.empty()) body["key"] = read_secret(given.key_file);
  if (!given.model.empty()) body["model"] = given.model;
  if (!given.fallback_model.empty()) body["fallbackModel"] = given.fallback_model;
  print_provider(box.call("PUT", providers_route, body).as_object());
  return 0;
}

int remove_provider(const BoxClient& box, const ModelArguments& given) {
  box.call("DELETE", std::string(providers_route) + "/" + escaped(given.provider));
  std::cout << "the provider is removed\n";
  return 0;
}

int test_provider(const BoxClient& box, const ModelArguments& given) {
  json::object body;
  if (!given.model.empty()) body["model"] = given.model;
  const auto answer = box.call("POST", std::string(providers_route) + "/" + escaped(given.provider) + "/test", body,
                               std::chrono::minutes(10))
                          .as_object();
  if (!answer.at("success").as_bool()) {
    std::cout << shown(answer.at("error")) << '\n';
    return 1;
  }
  std::cout << shown(answer.at("model")) << " answered in " << json::serialize(answer.at("latencyMs"))
            << " ms, first token after " << json::serialize(answer.at("firstTokenMs")) << " ms:\n"
            << shown(answer.at("answer")) << '\n';
  return 0;
}

int reload_catalogue(const BoxClient& box, const ModelArguments&) {
  const auto answer = box.call("POST", "/api/admin/models/reload").as_object();
  std::cout << json::serialize(answer.at("models")) << " models\n";
  return 0;
}

}  // namespace

void add_models(CLI::App& admin, std::function<int()>& run) {
  auto* models = admin.add_subcommand("models", "List the model providers, and the model servers on this machine");
  const auto given = std::make_shared<ModelArguments>();
  using Act = int (*)(const BoxClient&, const ModelArguments&);
  const auto runs = [&](CLI::App* command, Act act) {
    connect(*command, run, [given, act](const BoxClient& box) { return act(box, *given); });
    return command;
  };
  const auto add = [&](const char* name, const char* help, Act act) {
    return runs(models->add_subcommand(name, help), act);
  };
  runs(models, list_providers);
  add("probe", "Look for Ollama, llama.cpp and vLLM on this machine", find_servers);
  auto* using_it = add("use", "Configure a provider, or change it, without a restart", use_provider);
  using_it
      ->add_option("provider", given->provider,
                   "local, openrouter, anthropic, openai, google, or a new name: a further OpenAI-compatible server")
      ->required();
  using_it->add_option("--url", given->url, "its address, such as http://127.0.0.1:11434/v1");
  using_it->add_option("--key", given->key_file, "file with its API key; - reads it from standard input")
      ->type_name("FILE");
  using_it->add_option("--model", given->model, "default model of the local or a further server");
  using_it->add_option("--fallback-model", given->fallback_model, "model that answers if the first fails");
  auto* removing = add("remove", "Remove a provider that was configured by use", remove_provider);
  removing->add_option("provider", given->provider, "its name")->required();
  auto* testing = add("test", "Ask a provider one short question; exit code 1 if it does not answer", test_provider);
  testing->add_option("provider", given->provider, "its name")->required();
  testing->add_option("--model", given->model, "default: the provider's own choice");
  add("reload", "Reload catalogue.json of the data folder without a restart", reload_catalogue);
}

}  // namespace agentbox::cli
