// The gateway's plugins: what a request asks for, checked and priced before anybody pays.
// - summarize, extract: pages through the box's summarizer, which fetches them under its own address filter and limits.
// - models: a model call without an account. It costs the plugin's price and, at the catalogue's prices, the most
// tokens
//   that the call can use: the amount that x402's scheme `exact` charges has to be known before.
// - skills: those that are on sale.
#pragma once

#include <boost/describe.hpp>
#include <functional>
#include <string>

#include "appliance/payments/acceptance/sale.h"

namespace models {
class ModelGateway;
}

namespace gateway {

BOOST_DEFINE_ENUM_CLASS(Plugin, summarize, extract, models, skills)

// Of the settings.
struct Prices {
  payments::Usdc summarize, extract, models;
};

// Prepares the use of a skill that is on sale; `inputs` are those of the skill. Errors: not_found, and invalid, which
// names the input.
using PrepareSkill = std::function<web::Task<web::Result<Sale>>(std::string skill, boost::json::object inputs)>;

// Callable from every thread; what it refers to must outlive it.
class Plugins {
 public:
  // `summarizer_url` is asked for when a page is: the address is known once the box listens.
  Plugins(Prices prices, models::ModelGateway& models, std::function<std::string()> summarizer_url,
          const PrepareSkill& prepare_skill)
      : prices_(prices), models_(models), summarizer_url_(std::move(summarizer_url)), prepare_skill_(prepare_skill) {}

  // The sale without its url and digest. Errors are those of the request, such as invalid, which names the field, and
  // not_found for a model that no provider serves.
  web::Task<web::Result<Sale>> prepare(Plugin, std::string action, boost::json::object input);

  const Prices& prices() const { return prices_; }

 private:
  web::Task<web::Result<Sale>> prepare_only(Plugin, std::string action, boost::json::object input);
  web::Task<web::Result<Sale>> prepare_skill(std::string skill, boost::json::object inputs);
  web::Result<Sale> prepare_page(Plugin, const boost::json::object& input) const;
  web::Task<web::Result<Sale>> prepare_call(boost::json::object input);

  const Prices prices_;
  models::ModelGateway& models_;
  const std::function<std::string()> summarizer_url_;
  const PrepareSkill& prepare_skill_;
};

}  // namespace gateway
