// What the box itself reads of an agent's config. Everything else in it is the agent's own affair.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "web/fields.h"

namespace agents {

struct ChannelConfig {
  std::optional<bool> enabled;
  std::optional<boost::json::value> botToken;
};
BOOST_DESCRIBE_STRUCT(ChannelConfig, (), (enabled, botToken))

struct KnownConfig {
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 100>> aiProvider;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> channels;
};
BOOST_DESCRIBE_STRUCT(KnownConfig, (), (plan, aiProvider, model, channels))

// Whether an agent may be given this model.
using KnowsModel = std::function<bool(std::string_view name)>;

// invalid, naming the field ("config.channels.telegram.enabled"); payment_required for the deprecated plan.
web::Result<KnownConfig> read_config(const boost::json::object&, const KnowsModel&);
// The same of a provider that is given by itself.
web::Result<void> check_provider(std::string_view name, std::string_view field);

}  // namespace agents
