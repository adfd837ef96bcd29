#include "appliance/models/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "appliance/foundation/settings/settings.h"
#include "appliance/models/fit.h"
#include "models/catalogue_json.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace catalogue_test {

using billing::Plan;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
namespace json = boost::json;

TEST(Catalogue, HasTheModelsOfTheContract) {
  const auto catalogue = models::Catalogue::embedded();
  EXPECT_THAT(catalogue.models_of(Plan::label), SizeIs(3));
  EXPECT_THAT(catalogue.models_of(Plan::solo), SizeIs(5));
  EXPECT_THAT(catalogue.models_of(Plan::collective), SizeIs(7));
  EXPECT_EQ(catalogue.models_of(Plan::network).size(), catalogue.models().size());
  for (const auto& id : catalogue.models_of(Plan::label)) EXPECT_TRUE(catalogue.allows(Plan::solo, id)) << id;
  for (const auto& id : catalogue.models_of(Plan::solo)) EXPECT_TRUE(catalogue.allows(Plan::collective, id)) << id;
  for (const auto* tier : {"reasoning", "coding", "fast", "creative"})
    EXPECT_THAT(catalogue.models_for(tier), SizeIs(3)) << tier;
  EXPECT_EQ(catalogue.models_for("nobody knows this"), catalogue.models_for("general"));
  for (const auto* provider : {"openrouter", "anthropic", "openai", "google"}) {
    ASSERT_TRUE(catalogue.substitutes(provider)) << provider;
    EXPECT_NE(catalogue.substitutes(provider)->primary, catalogue.substitutes(provider)->fallback);
  }
}

TEST(Catalogue, PricesAreExact) {
  const auto catalogue = models::Catalogue::embedded();
  const auto& price = catalogue.find("openai/gpt-4o-mini")->price;
  EXPECT_EQ(price.of(10, 5).to_string(), "0.0000045");
  EXPECT_EQ(price.of(10, 5, 10).to_string(), "0.00000375") << "cached tokens cost half";
}

TEST(Catalogue, PricesOfSoundAndImagesAreExact) {
  const auto catalogue = models::Catalogue::embedded();
  const auto cost = [&](const char* name, models::MediaUse use) {
    const auto* model = catalogue.find_media(name);
    return model ? model->cost_of(use).to_string() : "no entry";
  };
  EXPECT_EQ(cost("whisper-1", {.seconds = 61}), "0.0061");
  EXPECT_EQ(cost("openai/whisper-1", {.seconds = 3'600}), "0.36");
  EXPECT_EQ(cost("tts-1", {.characters = 7}), "0.000105");
  EXPECT_EQ(cost("gpt-4o-transcribe", {.input_tokens = 110, .output_tokens = 20, .sound_tokens = 100}), "0.000825");
  EXPECT_EQ(cost("gpt-image-2", {.images = 1, .input_tokens = 9, .output_tokens = 272}), "0.008205");
  EXPECT_EQ(cost("gpt-4o-mini-tts", {}), "no entry");
  models::MediaModel odd{.minute = usage::Money::of_units(1)};
  EXPECT_EQ(odd.cost_of({.seconds = 1}).units(), 1) << "rounded up";
  EXPECT_EQ(odd.cost_of({.seconds = 120}).units(), 2);
}

TEST(Catalogue, SaysWhatIsWrongWithAnEntryOfSoundOrImages) {
  const auto with = [](const std::string& entry) {
    std::string text(models::catalogue_json);
    const auto media = text.find("\"media\": [");
    text.insert(media + 10, entry + ",");
    const auto parsed = models::Catalogue::parse(text);
    return parsed ? "good" : parsed.error().message;
  };
  const std::string head = R"({"id":"a/b","name":"B","provider":"a","direct":"a:b","kind":)";
  EXPECT_EQ(with(head + R"("image","perImage":"0.04"})"), "good");
  EXPECT_EQ(with(head + R"("image","perImage":"much"})"), "media[0] (a/b).perImage must be a price such as \"0.15\"");
  EXPECT_EQ(with(head + R"("speech","perMinute":"1"})"), "media[0] (a/b) must have a price of its kind");
  EXPECT_EQ(with(head + R"("image","perImage":"1","perMinute":"1"})"),
            "media[0] (a/b) must have one price: perMinute, perMillionCharacters, perImage, or input, output and "
            "maxOutput");
  EXPECT_EQ(with(head + R"("image","perImage":"1","perPage":"1"})"), "media[0].perPage is not known");
}

TEST(Catalogue, SaysWhereEachEntryWasLookedUp) {
  const auto catalogue = models::Catalogue::embedded();
  for (const auto& model : catalogue.models()) {
    EXPECT_FALSE(model.sources.empty()) << model.id;
    EXPECT_TRUE(model.efforts) << model.id;
    for (const auto& source : model.sources)
      EXPECT_THAT(source, testing::ContainsRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]"));
  }
}

TEST(Catalogue, FindsModelsByTheirVendorsNames) {
  const auto catalogue = models::Catalogue::embedded();
  for (const auto* name : {"claude-haiku-4-5", "claude-haiku-4-5-20251001", "claude-haiku-4-5-20991231"}) {
    const auto* found = catalogue.find_by_direct_name(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->id, "anthropic/claude-haiku-4.5");
  }
  EXPECT_FALSE(catalogue.find_by_direct_name("claude-haiku"));
  EXPECT_FALSE(catalogue.find_by_direct_name(""));
}

TEST(Catalogue, RequestsAreAdaptedToTheAbilitiesOfTheModel) {
  const auto catalogue = models::Catalogue::embedded();
  const auto adapted = [&](const char* id, const char* effort) {
    models::ChatRequest request{.temperature = 0.5, .top_p = 0.9};
    request.options = {{"reasoning_effort", effort}, {"logit_bias", json::object()}, {"tool_choice", "auto"}};
    models::adapt(request, *catalogue.find(id));
    return request;
  };
  const auto fixed = adapted("openai/gpt-5.4", "minimal");
  EXPECT_FALSE(fixed.temperature || fixed.top_p || fixed.options.contains("logit_bias"));
  EXPECT_EQ(fixed.options.at("tool_choice"), "auto");
  EXPECT_EQ(fixed.options.at("reasoning_effort"), "none") << "the nearest level that it has, the lesser one of two";
  EXPECT_EQ(adapted("google/gemini-3.1-pro-preview", "xhigh").options.at("reasoning_effort"), "high");
  const auto plain = adapted("openai/gpt-4o-mini", "high");
  EXPECT_FALSE(plain.options.contains("reasoning_effort")) << "it does not reason";
  EXPECT_EQ(plain.temperature, 0.5);
}

struct Broken {
  const char* what;
  std::function<void(json::object&)> breaking;
  std::string message;
};

class BrokenCatalogue : public testing::TestWithParam<Broken> {};

TEST_P(BrokenCatalogue, IsRefusedNamingTheEntry) {
  auto file = json::parse(models::catalogue_json).as_object();
  GetParam().breaking(file);
  const auto parsed = models::Catalogue::parse(json::serialize(file));
  ASSERT_FALSE(parsed) << GetParam().what;
  EXPECT_EQ(parsed.error().kind, web::Kind::invalid);
  EXPECT_THAT(parsed.error().message, HasSubstr(GetParam().message)) << GetParam().what;
}

json::object& model(json::object& file, std::size_t at) { return file.at("models").as_array().at(at).as_object(); }

INSTANTIATE_TEST_SUITE_P(
    Entries, BrokenCatalogue,
    testing::Values(
        Broken{"a price in words", [](auto& file) { model(file, 2)["input"] = "free"; },
               "models[2] (anthropic/claude-haiku-4.5).input"},
        Broken{"a negative price", [](auto& file) { model(file, 0)["output"] = "-1"; }, "models[0]"},
        Broken{"a price as a number", [](auto& file) { model(file, 0)["output"] = 1; }, "models[0].output"},
        Broken{"no context", [](auto& file) { model(file, 1).erase("context"); }, "models[1].context"},
        Broken{"an answer longer than the context", [](auto& file) { model(file, 1)["maxOutput"] = 99'999'999; },
               "maxOutput"},
        Broken{"a model twice", [](auto& file) { model(file, 1)["id"] = model(file, 0)["id"]; }, "is there twice"},
        Broken{"another provider", [](auto& file) { model(file, 1)["direct"] = "acme:x"; }, "direct"},
        Broken{"a plan of unknown models", [](auto& file) { file["plans"].as_object()["label"] = {"a/b"}; },
               "plans.label[0] names the model a/b"},
        Broken{"a plan that is not within the next",
               [](auto& file) { file["plans"].at("solo").at(0) = "openai/gpt-4.1"; }, "plans.solo lacks"},
        Broken{"a plan of another size", [](auto& file) { file["plans"].at("solo").as_array().pop_back(); },
               "plans.solo must have 5 models"},
        Broken{"a plan with a model twice",
               [](auto& file) { file["plans"].at("label").at(0) = file["plans"].at("label").at(1); },
               "plans.label names openai/gpt-4o-mini twice"},
        Broken{"an unknown plan", [](auto& file) { file["plans"].as_object()["gold"] = json::array(); },
               "plans.gold is not known"},
        Broken{"an unknown tier", [](auto& file) { file["tiers"].as_object()["slow"] = file["tiers"].at("fast"); },
               "tiers.slow is not known"},
        Broken{"an unknown provider",
               [](auto& file) { file["providers"].as_object()["acme"] = file["providers"].at("google"); },
               "providers.acme is not known"},
        Broken{"a misspelt field", [](auto& file) { model(file, 4)["cachedinput"] = "1"; },
               "models[4].cachedinput is not known"},
        Broken{"a misspelt list", [](auto& file) { file["model"] = json::array(); }, "model is not known"},
        Broken{"a field too many", [](auto& file) { file["demo"].as_object()["limit"] = 1; },
               "demo.limit is not known"},
        Broken{"an unknown effort", [](auto& file) { model(file, 0)["efforts"] = json::array{"huge"}; },
               "models[0] (google/gemini-3.1-flash-lite).efforts must be of: none"},
        Broken{"a refused parameter that matters", [](auto& file) { model(file, 0)["refuses"] = json::array{"tools"}; },
               "models[0] (google/gemini-3.1-flash-lite).refuses must be of: temperature"},
        Broken{"a model without a vendor", [](auto& file) { model(file, 9)["id"] = "deepseek"; },
               "models[9] (deepseek).id must be <vendor>/<model>"},
        Broken{"a demo model twice",
               [](auto& file) { file["demo"].at("models").as_array().push_back("openai/gpt-4o-mini"); },
               "demo.models names openai/gpt-4o-mini twice"},
        Broken{
            "a provider that falls back to itself",
            [](auto& file) { file["providers"].at("google").as_object()["fallback"] = "google/gemini-3.1-flash-lite"; },
            "providers.google names google/gemini-3.1-flash-lite twice"},
        Broken{"a tier without fallbacks",
               [](auto& file) { file["tiers"].as_object()["fast"].as_object()["fallbacks"] = json::array(); },
               "tiers.fast.fallbacks"},
        Broken{"a task of no tier", [](auto& file) { file["tasks"].as_object()["chess"] = "slow"; }, "tasks.chess"},
        Broken{"a fallback the provider has not got",
               [](auto& file) { file["providers"].as_object()["google"].as_object()["fallback"] = "openai/gpt-5.4"; },
               "providers.google"},
        Broken{"a default that is no demo model",
               [](auto& file) { file["demo"].as_object()["primary"] = "openai/gpt-5.4"; }, "demo.primary"}),
    [](const auto& one) {
      std::string name = one.param.what;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST(Catalogue, IsAnObject) {
  for (const auto* text : {"[]", "7", "null"}) {
    const auto parsed = models::Catalogue::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().message, "The catalogue must be a JSON object");
  }
}

TEST(Catalogues, AreReloadedAndKeptIfInvalid) {
  test_support::TemporaryFolder folder;
  const auto file = folder.path() / "catalogue.json";
  models::Catalogues catalogues(file);
  EXPECT_EQ(catalogues.current()->models().size(), models::Catalogue::embedded().models().size());

  auto fewer = json::parse(models::catalogue_json).as_object();
  fewer.at("models").as_array().back().as_object()["name"] = "Renamed";
  std::ofstream(file) << json::serialize(fewer);
  ASSERT_TRUE(catalogues.reload());
  EXPECT_EQ(catalogues.current()->models().back().name, "Renamed");

  std::ofstream(file) << "{";
  const auto broken = catalogues.reload();
  ASSERT_FALSE(broken);
  EXPECT_EQ(catalogues.current()->models().back().name, "Renamed") << "the one in force stays";
  EXPECT_THROW(models::Catalogues{file}, agentbox::UsageError);
}

}  // namespace catalogue_test
