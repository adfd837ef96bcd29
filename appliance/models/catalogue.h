// The catalogue of models: abilities, prices, plans, models by kind of work, and fallbacks. catalogue.json is embedded
// in the binary; a file of that name in the data folder replaces it.
//
//   models      id, name, provider (its vendor), description, tags (images go to those with "vision"), context
//               and maxOutput in tokens, prices in US dollars per million tokens as text, direct: "<provider>:<its
//               name there>" if one of the providers anthropic, openai and google serves it besides the router,
//               efforts: its levels of reasoning (none if it does not reason), refuses: parameters that its vendor
//               refuses for it, sources: where the entry was looked up, with the dates
//   plans       the models of label, solo and collective, each a subset of the next; network has all
//   tiers       reasoning, coding, fast, creative: a primary and two fallbacks
//   tasks       task types and their tiers; "general" must be one
//   providers   the primary and the fallback of each
//   demo        models of the public demo, and its default
//   media       models of sound and images: id, name, provider, kind (transcription, speech, image), direct, sources,
//               and the price, US dollars as text: perMinute of sound, perMillionCharacters, perImage, or per million
//               tokens input, soundInput, output with maxOutput (MediaModel::max_output)
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/billing/usage/money.h"
#include "appliance/models/media_price.h"
#include "web/result.h"

namespace models {

struct Price {
  usage::Money input, output;  // US dollars per million tokens
  usage::Money cached_input;   // of input tokens cached by the provider
  usage::Money cache_write;    // added for input tokens that are written to the provider's cache: a quarter of input
                               // at Anthropic
  // Cached and written tokens are included in those of the input.
  usage::Money of(std::int64_t input_tokens, std::int64_t output_tokens, std::int64_t cached_tokens = 0,
                  std::int64_t written_tokens = 0) const;
};

struct Model {
  std::string id, name, provider, description;
  std::vector<std::string> tags;
  std::int64_t context = 0, max_output = 0;  // tokens
  Price price;
  std::string direct_provider, direct_name;  // empty: only through the router
  // Levels of reasoning_effort, of effort_levels. Empty: it does not reason; not set: the catalogue does not say.
  std::optional<std::vector<std::string>> efforts;
  std::vector<std::string> refused;  // parameters, of refusable_parameters
  std::vector<std::string> sources;  // of the entry, with their dates
  bool sees() const;                 // accepts images
};

// From the least to the most.
inline constexpr std::array<std::string_view, 7> effort_levels{"none", "minimal", "low", "medium",
                                                               "high", "xhigh",   "max"};
// They refine an answer and do not change its form, so that a request without them is the same request.
inline constexpr std::array<std::string_view, 6> refusable_parameters{
    "temperature", "top_p", "presence_penalty", "frequency_penalty", "logit_bias", "seed"};

// The name of a model without a date at its end: claude-haiku-4-5 for claude-haiku-4-5-20251001.
std::string_view without_date(std::string_view name);

struct Substitutes {
  std::string primary, fallback;
};

class Catalogue {
 public:
  // Kind::invalid names the entry at fault: "models[3].input must be ...".
  static web::Result<Catalogue> parse(std::string_view text);
  // Throws std::logic_error when it does not parse.
  static Catalogue embedded();

  const std::vector<Model>& models() const { return models_; }
  const Model* find(std::string_view id) const;
  // By the name that the model has at its vendor, with or without the date at its end: claude-sonnet-5.
  const Model* find_by_direct_name(std::string_view name) const;
  // By its id, or by the name that it has at its vendor. Every plan includes them.
  const MediaModel* find_media(std::string_view name) const;
  const std::vector<MediaModel>& media() const { return media_; }
  bool allows(billing::Plan, std::string_view model) const;
  std::vector<std::string> models_of(billing::Plan) const;
  // The models of a task type, best first. Unknown types count as general; tiers are task types, too.
  const std::vector<std::string>& models_for(std::string_view task) const;
  // Null: the provider has none.
  const Substitutes* substitutes(std::string_view provider) const;
  const std::vector<std::string>& demo_models() const { return demo_models_; }
  const std::string& demo_default() const { return demo_default_; }

 private:
  Catalogue() = default;
  std::vector<Model> models_;
  std::vector<MediaModel> media_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
  std::array<std::set<std::string, std::less<>>, 3> plan_sets_;  // label, solo, collective
  std::map<std::string, std::vector<std::string>, std::less<>> tiers_;
  std::map<std::string, std::string, std::less<>> tasks_;
  std::map<std::string, Substitutes, std::less<>> substitutes_;
  std::vector<std::string> demo_models_;
  std::string demo_default_;
};

// Holds the current catalogue. Callable from every thread.
class Catalogues {
 public:
  // Without the file the embedded catalogue is used. Throws agentbox::UsageError if the file is invalid.
  explicit Catalogues(std::filesystem::path file);
  std::shared_ptr<const Catalogue> current() const;
  // Reads the file again. An invalid file is reported, and the current catalogue is kept.
  web::Result<std::shared_ptr<const Catalogue>> reload();

 private:
  web::Result<Catalogue> read() const;
  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Catalogue> current_;  // protected by mutex_
};

}  // namespace models
