// What models cost: catalogue.json, embedded in the binary.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <string>
#include <string_view>

#include "appliance/usage/money.h"
#include "web/result.h"

namespace ai {

struct Price {
  usage::Money input, output;  // US dollars for a million tokens
};

class Catalogue {
 public:
  // The embedded one. Throws std::logic_error when it does not parse.
  Catalogue();
  // {models: [{id, context, input, output}]}. Kind::invalid names the entry at fault.
  static web::Result<Catalogue> parse(std::string_view text);

  // Null: no entry has this id.
  const Price* price(std::string_view model) const;

 private:
  explicit Catalogue(std::map<std::string, Price, std::less<>> prices) : prices_(std::move(prices)) {}
  std::map<std::string, Price, std::less<>> prices_;
};

}  // namespace ai
