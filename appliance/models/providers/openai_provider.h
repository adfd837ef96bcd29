// Any server that speaks the OpenAI form: OpenAI's own, one on the LAN (Ollama, llama.cpp, vLLM), or the multi-model
// router on the internet.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/upstream.h"

namespace models {

struct OpenAiSettings {
  std::string name;           // local, openrouter, openai: as in answers and messages
  std::string base_url;       // up to and including /v1
  std::string key;            // secret; empty: no Authorization header
  std::string default_model;  // empty: the first the server lists
  // True: ask for the default instead of a model the server does not list. For servers that hold a few models of their
  // own, while agents carry the names of the router's.
  bool only_listed = false;
  bool own_key = false;            // as in UpstreamSettings
  bool completion_tokens = false;  // the limit is called max_completion_tokens there
  std::chrono::milliseconds timeout{30'000};
};

class OpenAiProvider : public Provider {
 public:
  explicit OpenAiProvider(OpenAiSettings);

  std::string_view name() const override { return settings_.name; }
  web::Task<Outcome<ChatAnswer>> complete(ChatRequest, Listener* = nullptr) override;
  // Remembered for a minute.
  web::Task<Outcome<std::vector<ModelInfo>>> models() override;
  std::optional<std::vector<ModelInfo>> known_models() const;  // while they are remembered
  // The model that is asked for one of this name, or for none (OpenAiSettings::only_listed).
  web::Task<Outcome<std::string>> choose_model(std::string asked);
  // The embeddings form, passed through with another model's name: the body of the answer.
  web::Task<Outcome<std::string>> embeddings(std::string body) const;

 private:
  web::FetchHeaders headers() const;
  std::string body_of(const ChatRequest&, bool is_streamed) const;
  web::Task<Outcome<ChatAnswer>> streamed(const ChatRequest& request, std::string body, Listener& listener) const;
  Outcome<ChatAnswer> parsed(const std::string& body, const ChatRequest&) const;

  const OpenAiSettings settings_;
  const Upstream upstream_;

  mutable std::mutex mutex_;  // protects the two below; never held across a suspension
  std::vector<ModelInfo> listed_;
  std::chrono::steady_clock::time_point listed_until_{};
};

}  // namespace models
