// The catalogue of models: abilities, prices, plans, models by kind of work, and fallbacks. catalogue.json is embedded
// in the binary; a file of that name in the data folder replaces it.
//
//   models      id, name, provider (its vendor), description, tags (images go to those with "vision"), context
//               and maxOutput in tokens, prices in US dollars per million tokens as text, direct: "<provider>:<its
//               name there>" if one of the providers anthropic, openai and google serves it besides the router
//   plans       the models of label, solo and collective, each a subset of the next; network has all
//   tiers       reasoning, coding, fast, creative: a primary and two fallbacks
//   tasks       task types and their tiers; "general" must be one
//   providers   the primary and the fallback of each
//   demo        models of the public demo, and its default
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
#include "web/result.h"

namespace models {

struct Price {
  usage::Money input, output;  // US dollars per million tokens
  usage::Money cached_input;   // of input tokens cached by the provider
  usage::Money of(std::int64_t input_tokens, std::int64_t output_tokens, std::int64_t cached_tokens = 0) const;
};

struct Model {
  std::string id, name, provider, description;
  std::vector<std::string> tags;
  std::int64_t context = 0, max_output = 0;  // tokens
  Price price;
  std::string direct_provider, direct_name;  // empty: only through the router
  bool sees() const;                         // accepts images
};

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
