#include "appliance/ai/catalogue.h"

#include <boost/json.hpp>

#include "ai/catalogue_json.h"
#include "web/fields.h"

namespace ai {

namespace {

struct Entry {
  web::Text<1, 200> id;
  web::Integer<1, 100'000'000> context;
  web::Text<1, 20> input, output;
};
BOOST_DESCRIBE_STRUCT(Entry, (), (id, context, input, output))

struct File {
  std::vector<Entry> models;
};
BOOST_DESCRIBE_STRUCT(File, (), (models))

}  // namespace

Catalogue::Catalogue() {
  auto parsed = parse(catalogue_json);
  if (!parsed) throw std::logic_error("the embedded catalogue: " + parsed.error().message);
  prices_ = std::move(parsed->prices_);
}

web::Result<Catalogue> Catalogue::parse(std::string_view text) {
  boost::system::error_code error;
  const auto value = boost::json::parse(text, error);
  if (error) return web::invalid("the catalogue is not JSON: " + error.message());
  auto file = web::parse_value<File>(value);
  if (!file) return file.error();
  std::map<std::string, Price, std::less<>> prices;
  for (const auto& entry : file->models) {
    const auto input = usage::Money::parse(entry.input), output = usage::Money::parse(entry.output);
    if (!input || !output || input->units() < 0 || output->units() < 0) {
      return web::invalid("the catalogue's entry " + entry.id + " must have input and output prices such as \"0.15\"");
    }
    if (!prices.emplace(entry.id, Price{.input = *input, .output = *output}).second) {
      return web::invalid("the catalogue has two entries " + entry.id);
    }
  }
  return Catalogue(std::move(prices));
}

const Price* Catalogue::price(std::string_view model) const {
  const auto found = prices_.find(model);
  return found == prices_.end() ? nullptr : &found->second;
}

}  // namespace ai
