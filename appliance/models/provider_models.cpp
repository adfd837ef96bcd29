#include "appliance/models/provider_models.h"

#include <algorithm>

#include "appliance/models/providers/wire_json.h"
#include "web/client/fetch.h"
#include "web/json.h"

namespace models {

namespace {

constexpr auto list_lifetime = std::chrono::minutes(10), failure_lifetime = std::chrono::minutes(1);
constexpr std::size_t max_accounts = 1'000;

// Google puts its collection in front of each name.
std::string_view without_collection(std::string_view name) {
  constexpr std::string_view collection = "models/";
  return name.starts_with(collection) ? name.substr(collection.size()) : name;
}

// What is at a path beside the server's API; empty if it has no object there.
web::Task<boost::json::object> object_at(std::string base_url, std::string path) {
  using namespace std::chrono_literals;
  constexpr std::string_view version = "/v1";
  if (base_url.ends_with(version)) base_url.resize(base_url.size() - version.size());
  web::FetchRequest request{.url = base_url + path, .timeout = 2s, .connect_timeout = 500ms, .max_bytes = 1u << 20};
  request.origin.part = "models";
  const auto answer = co_await web::fetch(std::move(request));
  boost::json::object nothing;
  if (!answer || answer->status != 200) co_return nothing;
  auto body = parse_object(answer->body);
  co_return body.is_object() ? std::move(body.get_object()) : std::move(nothing);
}

}  // namespace

std::optional<ProviderModels::Listed> ProviderModels::known(const std::string& account) const {
  const std::lock_guard lock(mutex_);
  const auto found = listed_.find(account);
  if (found == listed_.end() || found->second.until <= Clock::now()) return std::nullopt;
  return found->second;
}

bool ProviderModels::is_known(std::string_view model) const {
  const std::string name(model);
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(listed_, [&](const auto& entry) {
    const auto& [account, listed] = entry;
    const bool is_boxs = account.find(':') == account.npos;
    return is_boxs && listed.until > Clock::now() && listed.has(name).value_or(false);
  });
}

web::Task<std::optional<bool>> ProviderModels::look_up(Provider& provider, std::string account, std::string model) {
  if (const auto kept = known(account)) co_return kept->has(model);
  const auto answered = co_await provider.models();
  Listed listed{.names = std::nullopt,
                .until = Clock::now() + (answered ? Clock::duration(list_lifetime) : failure_lifetime)};
  if (answered) {
    listed.names.emplace();
    for (const auto& each : *answered) listed.names->emplace(without_date(without_collection(each.id)));
  }
  const auto is_listed = listed.has(model);
  const std::lock_guard lock(mutex_);
  if (listed_.size() >= max_accounts) listed_.clear();
  listed_[account] = std::move(listed);
  co_return is_listed;
}

std::optional<std::string> largest_in(std::string_view body) {
  const auto answer = parse_object(body);
  const auto* loaded = answer.is_object() ? web::array_member(answer.get_object(), "models") : nullptr;
  if (!loaded) return std::nullopt;
  std::optional<std::string> largest;
  std::int64_t most = -1;
  for (const auto& entry : *loaded) {
    const auto* model = entry.if_object();
    auto name = model ? web::string_member(*model, "model") : std::string();
    const auto size = model ? count_in(*model, "size").value_or(0) : 0;
    if (name.empty() || size <= most) continue;
    largest = std::move(name);
    most = size;
  }
  return largest;
}

web::Task<std::optional<std::int64_t>> ServerContexts::find(std::string base_url, std::string model) {
  const auto in = [&model](const Told& told) {
    const auto found = told.of_models.find(model);
    return found == told.of_models.end() ? told.of_all : std::optional(found->second);
  };
  {
    const std::lock_guard lock(mutex_);
    const auto known = told_.find(base_url);
    if (known != told_.end() && Clock::now() < known->second.until) co_return in(known->second);
  }
  Told told{.of_all = {}, .of_models = {}, .until = Clock::now() + std::chrono::minutes(1)};
  const auto props = co_await object_at(base_url, "/props");
  const auto* settings = props.if_contains("default_generation_settings");
  if (settings && settings->is_object()) told.of_all = token_count_in(settings->get_object(), "n_ctx");
  if (!told.of_all) {
    const auto loaded = co_await object_at(base_url, "/api/ps");
    if (const auto* models = web::array_member(loaded, "models"))
      for (const auto& entry : *models)
        if (const auto* one = entry.if_object())
          if (const auto tokens = token_count_in(*one, "context_length"); tokens && *tokens > 0)
            told.of_models[web::string_member(*one, "model")] = *tokens;
  }
  const auto found = in(told);
  const std::lock_guard lock(mutex_);
  constexpr std::size_t max_servers = 100;
  if (told_.size() >= max_servers) told_.clear();
  told_[base_url] = std::move(told);
  co_return found;
}

web::Task<std::optional<std::string>> LoadedModels::largest(std::string base_url) {
  using namespace std::chrono_literals;
  constexpr std::string_view version = "/v1";
  {
    const std::lock_guard lock(mutex_);
    if (base_url == base_url_ && Clock::now() < until_) co_return largest_;
  }
  auto root = base_url;
  if (root.ends_with(version)) root.resize(root.size() - version.size());
  web::FetchRequest request{.url = root + "/api/ps", .timeout = 2s, .connect_timeout = 500ms, .max_bytes = 1u << 20};
  request.origin.part = "models";
  const auto answer = co_await web::fetch(std::move(request));
  const std::lock_guard lock(mutex_);
  base_url_ = std::move(base_url);
  largest_ = answer && answer->status == 200 ? largest_in(answer->body) : std::nullopt;
  until_ = Clock::now() + 30s;
  co_return largest_;
}

}  // namespace models
