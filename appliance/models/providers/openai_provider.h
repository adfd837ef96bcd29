// Any server with OpenAI's API: OpenAI, a server on the LAN (Ollama, llama.cpp, vLLM), or the multi-model router on the
// internet.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/upstream.h"

namespace models {

struct OpenAiSettings {
  std::string name;                           // local, openrouter, openai, a server's: as in answers and messages
  std::string base_url;                       // up to and including /v1
  std::string key;                            // secret; empty: no Authorization header
  std::string default_model;                  // empty: the first the server lists
  std::string fallback_model;                 // empty: none
  bool is_local = false;                      // a server whose models are those that it lists
  bool own_key = false;                       // as in UpstreamSettings
  bool completion_tokens = false;             // the server calls the limit max_completion_tokens
  bool is_openai = false;                     // OpenAI itself, which takes no reasoning and refuses unknown members
  std::chrono::milliseconds timeout{30'000};  // both as in UpstreamSettings
  std::optional<std::chrono::milliseconds> first_token;
};

class OpenAiProvider : public Provider {
 public:
  explicit OpenAiProvider(OpenAiSettings);

  std::string_view name() const override { return settings_.name; }
  web::Task<Outcome<ChatAnswer>> complete(ChatRequest, Listener* = nullptr) override;
  // Cached for a minute.
  web::Task<Outcome<std::vector<ModelInfo>>> models() override;
  std::optional<std::vector<ModelInfo>> cached_models() const;
  // However long ago; not set: never.
  std::optional<std::vector<ModelInfo>> last_listed() const;
  const std::string& default_model() const { return settings_.default_model; }
  const std::string& fallback_model() const { return settings_.fallback_model; }
  // Whether the settings name it, so that the server need not list it.
  bool is_configured_model(std::string_view model) const {
    return model == settings_.default_model || model == settings_.fallback_model;
  }
  // The model used for a request with this name. If it is empty, a local server's default or the first that it lists.
  web::Task<Outcome<std::string>> choose_model(std::string requested);
  std::optional<std::string> cannot(const ChatRequest&) const override;
  web::Task<Outcome<std::string>> embeddings(std::string body) const override;
  web::Task<Outcome<PassedAnswer>> pass(PassedRequest, web::CallOrigin) const override;

 private:
  enum class ReasoningForm { unknown, reasoning_content, reasoning, thinking };
  web::FetchHeaders headers() const;
  std::string body_of(const ChatRequest&, bool is_streamed) const;
  openai::Dialect dialect() const;
  // Remembers how the server writes reasoning, for clients that send it back without saying.
  void learn_dialect(const Message& answer);
  // Whether the failure is the way that the server was asked: it refuses stream_options, or its stream is broken. It is
  // asked differently from then on.
  bool learn_from(const Failure&, bool is_stream_for_whole);
  bool streams_whole_answers() const;

  const OpenAiSettings settings_;
  const Upstream upstream_;

  std::atomic<ReasoningForm> reasoning_form_{ReasoningForm::unknown};
  std::atomic<bool> signs_calls_{false};
  std::atomic<bool> stream_options_{true};  // until the server refuses them
  // Until then whole answers are not asked for as streams, since the server's are broken.
  std::atomic<std::chrono::steady_clock::time_point> whole_until_{std::chrono::steady_clock::time_point()};
  mutable std::mutex mutex_;  // protects listed_ and listed_until_; never held across a suspension
  std::vector<ModelInfo> listed_;
  std::chrono::steady_clock::time_point listed_until_{};
};

}  // namespace models
