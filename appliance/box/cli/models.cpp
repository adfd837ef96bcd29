#include "appliance/box/cli/models.h"

#include <iomanip>
#include <iostream>
#include <memory>

#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/secret_file.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

constexpr auto path = "/api/admin/models/providers";

struct ModelArguments {
  std::string provider, url, key_file, model, fallback_model;
};

std::string text_of(const json::value& value) {
  return value.is_string() && !value.get_string().empty() ? std::string(value.get_string()) : "-";
}

void print_row(const std::string& name, const std::string& state, const std::string& source, const std::string& url) {
  std::cout << std::left << std::setw(14) << name << std::setw(16) << state << std::setw(24) << source << url << '\n';
}

void print_found(const json::object& found) {
  const auto& servers = found.at("servers").as_array();
  if (servers.empty()) std::cout << "\nno model server was found on this machine\n";
  for (const auto& entry : servers) {
    const auto& server = entry.as_object();
    const auto url = text_of(server.at("baseUrl"));
    std::cout << '\n' << text_of(server.at("kind")) << " at " << url;
    std::cout << (server.at("inUse").as_bool() ? ", in use" : ": agentbox admin models use local --url " + url) << '\n';
    for (const auto& model : server.at("models").as_array()) std::cout << "    " << text_of(model) << '\n';
  }
}

void print_provider(const json::object& provider) {
  const auto source = text_of(provider.at("source"));
  const auto set_by = source == "settings" ? text_of(provider.at("setting")) : source == "stored" ? "set here" : "-";
  const bool is_configured = provider.at("configured").as_bool();
  const auto circuit = text_of(provider.at("circuit"));
  print_row(text_of(provider.at("provider")),
            !is_configured        ? "not configured"
            : circuit == "closed" ? "ready"
                                  : "failing",
            set_by, text_of(provider.at("baseUrl")));
}

int list(const BoxClient& box, const ModelArguments&) {
  const auto answer = box.call("GET", path).as_object();
  print_row("PROVIDER", "STATE", "CONFIGURED BY", "ADDRESS");
  for (const auto& provider : answer.at("providers").as_array()) print_provider(provider.as_object());
  print_found(answer.at("found").as_object());
  return 0;
}

int probe(const BoxClient& box, const ModelArguments&) {
  print_found(box.call("POST", "/api/admin/models/local-servers").as_object());
  return 0;
}

int use(const BoxClient& box, const ModelArguments& given) {
  json::object body{{"provider", given.provider}};
  if (!given.url.empty()) body["baseUrl"] = given.url;
  if (!given.key_file.empty()) body["key"] = read_secret(given.key_file);
  if (!given.model.empty()) body["model"] = given.model;
  if (!given.fallback_model.empty()) body["fallbackModel"] = given.fallback_model;
  print_provider(box.call("PUT", path, body).as_object());
  return 0;
}

int remove(const BoxClient& box, const ModelArguments& given) {
  box.call("DELETE", std::string(path) + "/" + escaped(given.provider));
  std::cout << "the provider is removed\n";
  return 0;
}

int test(const BoxClient& box, const ModelArguments& given) {
  json::object body;
  if (!given.model.empty()) body["model"] = given.model;
  const auto answer =
      box.call("POST", std::string(path) + "/" + escaped(given.provider) + "/test", body, std::chrono::minutes(10))
          .as_object();
  if (!answer.at("success").as_bool()) {
    std::cout << text_of(answer.at("error")) << '\n';
    return 1;
  }
  std::cout << text_of(answer.at("model")) << " answered in " << json::serialize(answer.at("latencyMs"))
            << " ms, first token after " << json::serialize(answer.at("firstTokenMs")) << " ms:\n"
            << text_of(answer.at("answer")) << '\n';
  return 0;
}

int reload(const BoxClient& box, const ModelArguments&) {
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
  runs(models, list);
  add("probe", "Look for Ollama, llama.cpp and vLLM on this machine", probe);
  auto* using_it = add("use", "Configure a provider, or change it, without a restart", use);
  using_it->add_option("provider", given->provider, "local, openrouter, anthropic, openai or google")->required();
  using_it->add_option("--url", given->url, "its address, such as http://127.0.0.1:11434/v1");
  using_it->add_option("--key", given->key_file, "file with its API key; - reads it from standard input")
      ->type_name("FILE");
  using_it->add_option("--model", given->model, "default model of the local server");
  using_it->add_option("--fallback-model", given->fallback_model, "model that answers if the first fails");
  auto* removing = add("remove", "Remove a provider that was configured by use", remove);
  removing->add_option("provider", given->provider, "its name")->required();
  auto* testing = add("test", "Ask a provider one short question; exit code 1 if it does not answer", test);
  testing->add_option("provider", given->provider, "its name")->required();
  testing->add_option("--model", given->model, "default: the provider's own choice");
  add("reload", "Reload catalogue.json of the data folder without a restart", reload);
}

}  // namespace agentbox::cli
