#include "appliance/models/catalogue.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/mp11/algorithm.hpp>
#include <fstream>
#include <sstream>

#include "appliance/foundation/settings/settings.h"
#include "models/catalogue_json.h"
#include "web/routes/fields.h"

namespace models {

namespace {

using Id = web::Text<1, 200>;

struct ModelEntry {
  Id id, name;
  web::Text<1, 100> provider;
  web::Text<0, 1000> description;
  web::List<web::Text<1, 50>, 0, 20> tags;
  web::Integer<1, 100'000'000> context, maxOutput;
  web::Text<1, 20> input, output;
  std::optional<web::Text<1, 20>> cachedInput;
  std::optional<Id> direct;
  std::optional<web::List<web::Text<1, 20>, 0, 10>> efforts;
  std::optional<web::List<web::Text<1, 50>, 0, 10>> refuses;
  std::optional<web::List<web::Text<1, 200>, 0, 10>> sources;
};
BOOST_DESCRIBE_STRUCT(ModelEntry, (),
                      (id, name, provider, description, tags, context, maxOutput, input, output, cachedInput, direct,
                       efforts, refuses, sources))

struct MediaEntry {
  Id id, name;
  web::Text<1, 100> provider;
  MediaKind kind;
  Id direct;
  std::optional<web::Text<1, 20>> perMinute, perMillionCharacters, perImage, input, soundInput, output;
  std::optional<web::Integer<1, 1'000'000>> maxOutput;
  std::optional<web::List<web::Text<1, 200>, 0, 10>> sources;
};
BOOST_DESCRIBE_STRUCT(MediaEntry, (),
                      (id, name, provider, kind, direct, perMinute, perMillionCharacters, perImage, input, soundInput,
                       output, maxOutput, sources))

struct PlanEntries {
  std::vector<Id> label, solo, collective;
};
BOOST_DESCRIBE_STRUCT(PlanEntries, (), (label, solo, collective))

struct TierEntry {
  Id primary;
  web::List<Id, 2, 2> fallbacks;
};
BOOST_DESCRIBE_STRUCT(TierEntry, (), (primary, fallbacks))

struct TierEntries {
  TierEntry reasoning, coding, fast, creative;
};
BOOST_DESCRIBE_STRUCT(TierEntries, (), (reasoning, coding, fast, creative))

struct SubstituteEntry {
  Id primary, fallback;
};
BOOST_DESCRIBE_STRUCT(SubstituteEntry, (), (primary, fallback))

struct ProviderEntries {
  SubstituteEntry openrouter, anthropic, openai, google;
};
BOOST_DESCRIBE_STRUCT(ProviderEntries, (), (openrouter, anthropic, openai, google))

struct DemoEntry {
  Id primary;
  std::vector<Id> models;
};
BOOST_DESCRIBE_STRUCT(DemoEntry, (), (primary, models))

struct File {
  std::vector<ModelEntry> models;
  PlanEntries plans;
  TierEntries tiers;
  boost::json::object tasks;
  ProviderEntries providers;
  DemoEntry demo;
  std::optional<std::vector<MediaEntry>> media;
};
BOOST_DESCRIBE_STRUCT(File, (), (models, plans, tiers, tasks, providers, demo, media))

std::string at(const char* list, std::size_t index) { return std::string(list) + "[" + std::to_string(index) + "]"; }

// An error for the first member of the entry that T does not have, with its path in the file.
template <class T>
std::optional<web::Error> stray(const boost::json::value& entry, const std::string& where) {
  for (const auto& member : entry.as_object()) {
    bool is_known = false;
    boost::mp11::mp_for_each<boost::describe::describe_members<T, boost::describe::mod_public>>(
        [&](auto known) { is_known = is_known || member.key() == known.name; });
    if (is_known) continue;
    const auto name = where.empty() ? std::string(member.key()) : where + "." + std::string(member.key());
    return web::invalid(name + " is not known");
  }
  return std::nullopt;
}

// The same for the whole file, which has been parsed as a File.
std::optional<web::Error> stray_in(const boost::json::value& file) {
  if (auto found = stray<File>(file, {})) return found;
  const auto& models = file.at("models").as_array();
  for (std::size_t i = 0; i < models.size(); ++i)
    if (auto found = stray<ModelEntry>(models[i], "models[" + std::to_string(i) + "]")) return found;
  if (auto found = stray<PlanEntries>(file.at("plans"), "plans")) return found;
  if (auto found = stray<TierEntries>(file.at("tiers"), "tiers")) return found;
  for (const auto& tier : file.at("tiers").as_object())
    if (auto found = stray<TierEntry>(tier.value(), "tiers." + std::string(tier.key()))) return found;
  if (auto found = stray<ProviderEntries>(file.at("providers"), "providers")) return found;
  for (const auto& provider : file.at("providers").as_object())
    if (auto found = stray<SubstituteEntry>(provider.value(), "providers." + std::string(provider.key()))) return found;
  if (const auto* media = file.as_object().if_contains("media"); media && media->is_array()) {
    std::size_t index = 0;
    for (const auto& entry : media->get_array())
      if (auto found = stray<MediaEntry>(entry, at("media", index++))) return found;
  }
  return stray<DemoEntry>(file.at("demo"), "demo");
}

bool is_vendors(std::string_view id) {
  const auto slash = id.find('/');
  return slash != id.npos && slash > 0 && slash + 1 < id.size();
}

web::Result<usage::Money> price(const std::string& text, const std::string& where) {
  const auto amount = usage::Money::parse(text);
  if (!amount || amount->units() < 0) return web::invalid(where + " must be a price such as \"0.15\"");
  return *amount;
}

// An error for the first text that is none of `known`.
template <class Texts, std::size_t n>
std::optional<web::Error> not_among(const Texts& texts, const std::array<std::string_view, n>& known,
                                    const std::string& where) {
  for (const auto& text : texts) {
    if (std::ranges::count(known, std::string_view(text)) > 0) continue;
    std::string list;
    for (const auto name : known) list.append(list.empty() ? "" : ", ").append(name);
    return web::invalid(where + " must be of: " + list);
  }
  return std::nullopt;
}

web::Result<Model> model_of(const ModelEntry& entry, const std::string& where) {
  Model model{.id = entry.id,
              .name = entry.name,
              .provider = entry.provider,
              .description = entry.description,
              .tags = {entry.tags.begin(), entry.tags.end()},
              .context = entry.context,
              .max_output = entry.maxOutput};
  if (!is_vendors(model.id)) return web::invalid(where + ".id must be <vendor>/<model>");
  const auto input = price(entry.input, where + ".input"), output = price(entry.output, where + ".output");
  const auto cached = entry.cachedInput ? price(*entry.cachedInput, where + ".cachedInput") : input;
  for (const auto* each : {&input, &output, &cached})
    if (!*each) return each->error();
  if (*cached > *input) return web::invalid(where + ".cachedInput must not be more than input");
  model.price = {.input = *input, .output = *output, .cached_input = *cached};
  constexpr std::int64_t cache_write_share = 4;
  if (model.provider == "anthropic")
    model.price.cache_write = usage::Money::of_units(input->units() / cache_write_share);
  if (model.max_output > model.context) return web::invalid(where + ".maxOutput must not be more than context");
  if (entry.direct) {
    const auto colon = entry.direct->find(':');
    model.direct_provider = entry.direct->substr(0, colon);
    const bool known =
        model.direct_provider == "anthropic" || model.direct_provider == "openai" || model.direct_provider == "google";
    if (!known || colon == std::string::npos || colon + 1 == entry.direct->size())
      return web::invalid(where + ".direct must be anthropic:, openai: or google: and the model's name there");
    model.direct_name = entry.direct->substr(colon + 1);
  }
  if (entry.efforts) {
    if (auto problem = not_among(*entry.efforts, effort_levels, where + ".efforts")) return std::move(*problem);
    model.efforts.emplace(entry.efforts->begin(), entry.efforts->end());
  }
  if (entry.refuses) {
    if (auto problem = not_among(*entry.refuses, refusable_parameters, where + ".refuses")) return std::move(*problem);
    model.refused.assign(entry.refuses->begin(), entry.refuses->end());
  }
  if (entry.sources) model.sources.assign(entry.sources->begin(), entry.sources->end());
  return model;
}

web::Result<MediaModel> media_model_of(const MediaEntry& entry, const std::string& where) {
  MediaModel model{.id = entry.id, .name = entry.name, .provider = entry.provider, .kind = entry.kind};
  if (!is_vendors(model.id)) return web::invalid(where + ".id must be <vendor>/<model>");
  const auto colon = entry.direct.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == entry.direct.size())
    return web::invalid(where + ".direct must be <provider>:<the model's name there>");
  model.direct_name = entry.direct.substr(colon + 1);
  std::optional<web::Error> problem;
  const auto read = [&](const std::optional<web::Text<1, 20>>& text, const char* name,
                        std::optional<usage::Money>& into) {
    if (!text || problem) return;
    const auto parsed = price(*text, where + "." + name);
    if (parsed) {
      into = *parsed;
    } else {
      problem = parsed.error();
    }
  };
  read(entry.perMinute, "perMinute", model.minute);
  read(entry.perMillionCharacters, "perMillionCharacters", model.million_characters);
  read(entry.perImage, "perImage", model.image);
  read(entry.input, "input", model.input);
  read(entry.soundInput, "soundInput", model.sound_input);
  read(entry.output, "output", model.output);
  if (problem) return std::move(*problem);
  const bool has_tokens = model.input && model.output && entry.maxOutput;
  const auto prices = int(model.minute.has_value()) + int(model.million_characters.has_value()) +
                      int(model.image.has_value()) + int(has_tokens);
  if (prices != 1 || (model.input.has_value() && !has_tokens))
    return web::invalid(where +
                        " must have one price: perMinute, perMillionCharacters, perImage, or input, output and "
                        "maxOutput");
  const bool is_of_kind = has_tokens || (model.kind == MediaKind::transcription && model.minute) ||
                          (model.kind == MediaKind::speech && model.million_characters) ||
                          (model.kind == MediaKind::image && model.image);
  if (!is_of_kind || (has_tokens && model.kind == MediaKind::speech))
    return web::invalid(where + " must have a price of its kind");
  if (entry.maxOutput) model.max_output = *entry.maxOutput;
  if (entry.sources) model.sources.assign(entry.sources->begin(), entry.sources->end());
  return model;
}

template <class Ids>
std::set<std::string, std::less<>> set_of(const Ids& ids) {
  return {ids.begin(), ids.end()};
}

}  // namespace

std::string_view without_date(std::string_view name) {
  constexpr std::size_t digits = 8;
  const auto dash = name.rfind('-');
  const bool is_dated = dash != name.npos && name.size() - dash - 1 == digits &&
                        name.find_first_not_of("0123456789", dash + 1) == name.npos;
  return is_dated ? name.substr(0, dash) : name;
}

bool Model::sees() const { return std::ranges::find(tags, "vision") != tags.end(); }

usage::Money Price::of(std::int64_t input_tokens, std::int64_t output_tokens, std::int64_t cached_tokens,
                       std::int64_t written_tokens) const {
  return usage::price_of(input_tokens - cached_tokens, input) + usage::price_of(cached_tokens, cached_input) +
         usage::price_of(written_tokens, cache_write) + usage::price_of(output_tokens, output);
}

Catalogue Catalogue::embedded() {
  auto parsed = parse(catalogue_json);
  if (!parsed) throw std::logic_error("the embedded catalogue: " + parsed.error().message);
  return std::move(*parsed);
}

web::Result<Catalogue> Catalogue::parse(std::string_view text) {
  const auto value = web::parse_json(text, "The catalogue");
  if (!value) return value.error();
  if (!value->is_object()) return web::invalid("The catalogue must be a JSON object");
  const auto file = web::parse_value<File>(*value);
  if (!file) return file.error();
  if (auto found = stray_in(*value)) return std::move(*found);

  Catalogue made;
  for (std::size_t i = 0; i < file->models.size(); ++i) {
    const auto where = at("models", i) + " (" + file->models[i].id + ")";
    auto model = model_of(file->models[i], where);
    if (!model) return model.error();
    if (!made.by_id_.emplace(model->id, i).second) return web::invalid(where + " is there twice");
    made.models_.push_back(std::move(*model));
  }
  if (made.models_.empty()) return web::invalid("models must not be empty");
  for (std::size_t i = 0; file->media && i < file->media->size(); ++i) {
    const auto where = at("media", i) + " (" + (*file->media)[i].id + ")";
    auto model = media_model_of((*file->media)[i], where);
    if (!model) return model.error();
    if (made.find_media(model->id)) return web::invalid(where + " is there twice");
    made.media_.push_back(std::move(*model));
  }

  // All models named elsewhere in the file must have an entry.
  std::optional<web::Error> problem;
  const auto check = [&](const std::string& id, const std::string& where) {
    if (!problem && !made.find(id)) problem = web::invalid(where + " names the model " + id + ", which has no entry");
  };
  const auto check_unique = [&](const auto& ids, const std::string& where) {
    for (auto id = ids.begin(); !problem && id != ids.end(); ++id)
      if (std::find(ids.begin(), id, *id) != id) problem = web::invalid(where + " names " + *id + " twice");
  };
  const std::array lists{&file->plans.label, &file->plans.solo, &file->plans.collective};
  constexpr std::array<std::size_t, lists.size()> sizes{3, 5, 7};
  for (std::size_t plan = 0; plan < lists.size(); ++plan) {
    const auto where = "plans." + std::string(billing::to_string(static_cast<billing::Plan>(plan)));
    for (std::size_t i = 0; i < lists[plan]->size(); ++i) check((*lists[plan])[i], at(where.c_str(), i));
    check_unique(*lists[plan], where);
    if (!problem && lists[plan]->size() != sizes[plan])
      problem = web::invalid(where + " must have " + std::to_string(sizes[plan]) + " models");
    made.plan_sets_[plan] = set_of(*lists[plan]);
    if (plan == 0) continue;
    for (const auto& id : made.plan_sets_[plan - 1])
      if (!problem && !made.plan_sets_[plan].contains(id))
        problem = web::invalid(where + " lacks " + id + ", which the plan below it has");
  }
  const auto add_tier = [&](const char* name, const TierEntry& tier) {
    const auto where = "tiers." + std::string(name);
    check(tier.primary, where + ".primary");
    std::vector<std::string> models{tier.primary};
    for (const auto& id : tier.fallbacks) {
      check(id, where + ".fallbacks");
      models.push_back(id);
    }
    check_unique(models, where);
    made.tiers_[name] = std::move(models);
    made.tasks_[name] = name;
  };
  add_tier("reasoning", file->tiers.reasoning);
  add_tier("coding", file->tiers.coding);
  add_tier("fast", file->tiers.fast);
  add_tier("creative", file->tiers.creative);
  for (const auto& [task, tier] : file->tasks) {
    if (!tier.is_string() || !made.tiers_.contains(std::string(tier.get_string())))
      return web::invalid("tasks." + std::string(task) + " must be one of: reasoning, coding, fast, creative");
    made.tasks_[std::string(task)] = tier.get_string();
  }
  if (!made.tasks_.contains("general")) return web::invalid("tasks.general is required");
  const auto add_provider = [&](const char* name, const SubstituteEntry& entry) {
    const auto where = "providers." + std::string(name);
    check(entry.primary, where + ".primary");
    check(entry.fallback, where + ".fallback");
    check_unique(std::array{entry.primary, entry.fallback}, where);
    for (const auto& id : {entry.primary, entry.fallback}) {
      const auto* model = made.find(id);
      if (!problem && std::string_view(name) != "openrouter" && model->direct_provider != name)
        problem = web::invalid(where + " names the model " + id + ", which is not had there directly");
    }
    made.substitutes_[name] = {.primary = entry.primary, .fallback = entry.fallback};
  };
  add_provider("openrouter", file->providers.openrouter);
  add_provider("anthropic", file->providers.anthropic);
  add_provider("openai", file->providers.openai);
  add_provider("google", file->providers.google);

  made.demo_models_.assign(file->demo.models.begin(), file->demo.models.end());
  made.demo_default_ = file->demo.primary;
  for (const auto& id : made.demo_models_) check(id, "demo.models");
  check_unique(made.demo_models_, "demo.models");
  if (std::ranges::count(made.demo_models_, made.demo_default_) != 1)
    return web::invalid("demo.primary must be one of demo.models");
  if (problem) return std::move(*problem);
  return made;
}

const Model* Catalogue::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &models_[found->second];
}

const Model* Catalogue::find_by_direct_name(std::string_view name) const {
  const auto found = std::ranges::find_if(models_, [wanted = without_date(name)](const Model& model) {
    return !model.direct_name.empty() && without_date(model.direct_name) == wanted;
  });
  return found == models_.end() ? nullptr : &*found;
}

const MediaModel* Catalogue::find_media(std::string_view name) const {
  const auto found = std::ranges::find_if(
      media_, [name](const MediaModel& model) { return model.id == name || model.direct_name == name; });
  return found == media_.end() ? nullptr : &*found;
}

bool Catalogue::allows(billing::Plan plan, std::string_view model) const {
  const auto at_plan = static_cast<std::size_t>(plan);
  return at_plan >= plan_sets_.size() || plan_sets_[at_plan].contains(model);
}

std::vector<std::string> Catalogue::models_of(billing::Plan plan) const {
  std::vector<std::string> ids;
  for (const auto& model : models_)
    if (allows(plan, model.id)) ids.push_back(model.id);
  return ids;
}

const std::vector<std::string>& Catalogue::models_for(std::string_view task) const {
  const auto found = tasks_.find(task);
  return tiers_.at(found == tasks_.end() ? tasks_.at("general") : found->second);
}

const Substitutes* Catalogue::substitutes(std::string_view provider) const {
  const auto found = substitutes_.find(provider);
  return found == substitutes_.end() ? nullptr : &found->second;
}

Catalogues::Catalogues(std::filesystem::path file) : file_(std::move(file)) {
  auto first = read();
  if (!first) throw agentbox::UsageError(file_.string() + ": " + first.error().message);
  current_ = std::make_shared<const Catalogue>(std::move(*first));
}

web::Result<Catalogue> Catalogues::read() const {
  if (!std::filesystem::exists(file_)) return Catalogue::embedded();
  std::ifstream in(file_);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return web::invalid("it cannot be read");
  return Catalogue::parse(text.str());
}

std::shared_ptr<const Catalogue> Catalogues::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

web::Result<std::shared_ptr<const Catalogue>> Catalogues::reload() {
  auto next = read();
  if (!next) return next.error();
  auto made = std::make_shared<const Catalogue>(std::move(*next));
  const std::lock_guard lock(mutex_);
  current_ = made;
  return made;
}

}  // namespace models
