#include "appliance/models/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "appliance/foundation/settings/settings.h"
#include "models/catalogue_json.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace {

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
               "models[2] (anthropic/claude-3.5-haiku).input"},
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
        Broken{"a model without a vendor", [](auto& file) { model(file, 9)["id"] = "deepseek"; },
               "models[9] (deepseek).id must be <vendor>/<model>"},
        Broken{"a demo model twice",
               [](auto& file) { file["demo"].at("models").as_array().push_back("openai/gpt-4o-mini"); },
               "demo.models names openai/gpt-4o-mini twice"},
        Broken{
            "a provider that falls back to itself",
            [](auto& file) { file["providers"].at("google").as_object()["fallback"] = "google/gemini-2.0-flash-001"; },
            "providers.google names google/gemini-2.0-flash-001 twice"},
        Broken{"a tier without fallbacks",
               [](auto& file) { file["tiers"].as_object()["fast"].as_object()["fallbacks"] = json::array(); },
               "tiers.fast.fallbacks"},
        Broken{"a task of no tier", [](auto& file) { file["tasks"].as_object()["chess"] = "slow"; }, "tasks.chess"},
        Broken{"a fallback the provider has not got",
               [](auto& file) { file["providers"].as_object()["google"].as_object()["fallback"] = "openai/gpt-4o"; },
               "providers.google"},
        Broken{"a default that is no demo model",
               [](auto& file) { file["demo"].as_object()["primary"] = "openai/gpt-4o"; }, "demo.primary"}),
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

}  // namespace
