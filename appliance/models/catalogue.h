// The models the box knows: what they can do and cost, which plans may use them, which serve which work, and who stands
// in for whom. catalogue.json is embedded in the binary; a file of that name in the data folder takes its place.
//
//   models      id, name, provider (whose model it is), description, tags (images go to those with "vision"), context
//               and maxOutput in tokens, prices in US dollars for a million tokens as text, direct: "<provider>:<its
//               own name there>" when one of the providers anthropic, openai and google has it besides the router
//   plans       the models of label, solo and collective, each set within the next; network has all
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
  usage::Money input, output;  // US dollars for a million tokens
  usage::Money cached_input;   // of input tokens that the provider had cached
  usage::Money of(std::int64_t input_tokens, std::int64_t output_tokens, std::int64_t cached_tokens = 0) const;
};

struct Model {
  std::string id, name, provider, description;
  std::vector<std::string> tags;
  std::int64_t context = 0, max_output = 0;  // tokens
  Price price;
  std::string direct_provider, direct_name;  // empty: only through the router
  bool sees() const;                         // takes images
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
  // The models of a kind of work, the first choice first. What is no task type counts as general; tiers are task types.
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

// The catalogue in force. Callable from every thread.
class Catalogues {
 public:
  // The file need not exist: then the embedded one is in force. Throws agentbox::UsageError when it cannot be used.
  explicit Catalogues(std::filesystem::path file);
  std::shared_ptr<const Catalogue> current() const;
  // Reads the file again. On an error, which says what is wrong with it, the catalogue in force stays.
  web::Result<std::shared_ptr<const Catalogue>> reload();

 private:
  web::Result<Catalogue> read() const;
  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Catalogue> current_;  // protected by mutex_
};

}  // namespace models
