// Any server that speaks the OpenAI form: one on the LAN (Ollama, llama.cpp, vLLM) or a router on the internet.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/ai/provider.h"

namespace ai {

struct OpenAiSettings {
  std::string name;           // local, openrouter: as in answers and messages
  std::string base_url;       // up to and including /v1
  std::string key;            // secret; empty: no Authorization header
  std::string default_model;  // empty: the first the server lists
  // True: ask for the default instead of a model the server does not list. For servers that hold a few models of their
  // own, while agents carry the names of the router's.
  bool only_listed = false;
  std::chrono::milliseconds timeout{30'000};  // over one whole exchange
};

class OpenAiProvider : public Provider {
 public:
  explicit OpenAiProvider(OpenAiSettings);

  std::string_view name() const override { return settings_.name; }
  web::Task<Outcome<ChatAnswer>> complete(ChatRequest) override;
  web::Task<Outcome<std::vector<ModelInfo>>> models() override;

 private:
  web::Task<Outcome<std::string>> exchange(std::string method, std::string path, std::string body);
  web::Task<Outcome<std::string>> choose_model(std::string asked);
  Failure failure_of(int status, std::string_view body, const std::string& retry_after) const;
  Failure fail(Fault, std::string_view what) const;

  const OpenAiSettings settings_;

  std::mutex mutex_;  // protects the two below; never held across a suspension
  std::vector<ModelInfo> listed_;
  std::chrono::steady_clock::time_point listed_until_{};
};

}  // namespace ai
