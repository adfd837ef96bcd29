#include "appliance/models/administration/local_servers.h"

#include <boost/json.hpp>

#include "appliance/models/providers/wire_json.h"
#include "web/client/fetch.h"
#include "web/json.h"

namespace models {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_shown = 200, max_answer = 1u << 20;

// The servers differ in who owns their models.
std::string kind_of(const std::string& owner, std::uint16_t port) {
  if (owner == "llamacpp") return "llama.cpp";
  if (owner == "vllm") return "vLLM";
  return owner == "library" || port == 11434 ? "Ollama" : "OpenAI-compatible";
}

std::optional<FoundServer> server_at(std::uint16_t port, std::string base_url, const std::string& body) {
  const auto answer = parse_object(body);
  const auto* data = answer.is_object() ? web::array_member(answer.get_object(), "data") : nullptr;
  if (!data) return std::nullopt;
  FoundServer found{.kind = {}, .base_url = std::move(base_url), .models = {}};
  std::string owner;
  for (const auto& entry : *data) {
    const auto* model = entry.if_object();
    auto id = model ? web::string_member(*model, "id") : std::string();
    if (id.empty() || id.size() > max_shown) continue;
    if (owner.empty()) owner = web::string_member(*model, "owned_by");
    found.models.push_back(std::move(id));
    if (found.models.size() == max_shown) break;
  }
  found.kind = kind_of(owner, port);
  return found;
}

}  // namespace

web::Task<LocalServers::Result> LocalServers::probe() {
  Result found{.servers = {}, .probed_at = store::now()};
  for (const auto port : ports_) {
    const std::string base_url = "http://127.0.0.1:" + std::to_string(port) + "/v1";
    web::FetchRequest request{
        .url = base_url + "/models", .timeout = 2s, .connect_timeout = 500ms, .max_bytes = max_answer};
    const auto answer = co_await web::fetch(std::move(request));
    if (!answer || answer->status != 200) continue;
    if (auto server = server_at(port, base_url, answer->body)) found.servers.push_back(std::move(*server));
  }
  const std::lock_guard lock(mutex_);
  last_ = found;
  co_return found;
}

LocalServers::Result LocalServers::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

}  // namespace models
