// Any server with OpenAI's API: OpenAI, a server on the LAN (Ollama, llama.cpp, vLLM), or the multi-model router on the
// internet.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/upstream.h"

namespace models {

struct OpenAiSettings {
  std::string name;            // local, openrouter, openai: as in answers and messages
  std::string base_url;        // up to and including /v1
  std::string key;             // secret; empty: no Authorization header
  std::string default_model;   // empty: the first the server lists
  std::string fallback_model;  // empty: none
  // Replace a model that the server does not list by the default. For servers with a few models of their own, since
  // agents carry the names of the router's models.
  bool only_listed = false;
  bool own_key = false;            // as in UpstreamSettings
  bool completion_tokens = false;  // the server calls the limit max_completion_tokens
  std::chrono::milliseconds timeout{30'000};
};

class OpenAiProvider : public Provider {
 public:
  explicit OpenAiProvider(OpenAiSettings);

  std::string_view name() const override { return settings_.name; }
  web::Task<Outcome<ChatAnswer>> complete(ChatRequest, Listener* = nullptr) override;
  // Cached for a minute.
  web::Task<Outcome<std::vector<ModelInfo>>> models() override;
  std::optional<std::vector<ModelInfo>> cached_models() const;
  const std::string& fallback_model() const { return settings_.fallback_model; }
  // The model used for a request with this name, which may be empty (OpenAiSettings::only_listed).
  web::Task<Outcome<std::string>> choose_model(std::string requested);
  web::Task<Outcome<std::string>> embeddings(std::string body) const override;

 private:
  web::FetchHeaders headers() const;
  std::string body_of(const ChatRequest&, bool is_streamed) const;

  const OpenAiSettings settings_;
  const Upstream upstream_;

  mutable std::mutex mutex_;  // protects listed_ and listed_until_; never held across a suspension
  std::vector<ModelInfo> listed_;
  std::chrono::steady_clock::time_point listed_until_{};
};

}  // namespace models
