// The providers whose wire formats are their own: Anthropic and Google.
#pragma once

#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/upstream.h"

namespace models {

class AnthropicProvider : public Provider {
 public:
  // The base address ends in /v1.
  explicit AnthropicProvider(UpstreamSettings settings) : upstream_(std::move(settings)) {}
  std::string_view name() const override { return upstream_.name(); }
  web::Task<Outcome<ChatAnswer>> complete(ChatRequest, Listener* = nullptr) override;
  std::optional<std::string> cannot(const ChatRequest&) const override;
  bool fetches(std::string_view url) const override { return url.starts_with("https:"); }
  web::Task<Outcome<std::vector<ModelInfo>>> models() override;

 private:
  web::FetchHeaders headers() const;
  const Upstream upstream_;
};

class GoogleProvider : public Provider {
 public:
  // The base address ends in the API's version, /v1beta.
  explicit GoogleProvider(UpstreamSettings settings) : upstream_(std::move(settings)) {}
  std::string_view name() const override { return upstream_.name(); }
  web::Task<Outcome<ChatAnswer>> complete(ChatRequest, Listener* = nullptr) override;
  std::optional<std::string> cannot(const ChatRequest&) const override;
  bool fetches(std::string_view) const override { return false; }
  web::Task<Outcome<std::vector<ModelInfo>>> models() override;

 private:
  web::FetchHeaders headers() const;
  const Upstream upstream_;
};

}  // namespace models
