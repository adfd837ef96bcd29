#include "appliance/network/data_feeds/own_feeds.h"

#include <algorithm>
#include <array>
#include <boost/describe/enum_to_string.hpp>
#include <map>

#include "appliance/billing/usage/views.h"
#include "appliance/foundation/version.h"
#include "web/routes/reply.h"

namespace data_feeds {

namespace {

constexpr std::array<OwnFeed, 3> offered{{{"models", "The models of this box, and whether a provider serves them"},
                                          {"status", "The box's version and uptime, and your agents by status"},
                                          {"usage", "Your use of models today and this month"}}};

struct ModelView {
  std::string id, name, provider, description;
  std::vector<std::string> tags;
  bool available = false;
};
BOOST_DESCRIBE_STRUCT(ModelView, (), (id, name, provider, description, tags, available))

struct UsageView {
  ::usage::PeriodSummary day, month;
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(UsageView, (), (day, month, currency))

struct StatusView {
  std::string version;
  std::int64_t uptimeSeconds = 0;
  std::map<std::string, std::int64_t> agents;  // by status
};
BOOST_DESCRIBE_STRUCT(StatusView, (), (version, uptimeSeconds, agents))

}  // namespace

std::span<const OwnFeed> own_feeds() { return offered; }

const OwnFeed* own_feed(std::string_view name) {
  const auto* found = std::ranges::find(offered, name, &OwnFeed::name);
  return found == offered.end() ? nullptr : found;
}

web::Task<boost::json::value> OwnFeedReader::read(std::string_view name, store::UserId user) {
  if (name == "models") co_return co_await models();
  co_return name == "usage" ? usage(user) : status(user);
}

web::Task<boost::json::value> OwnFeedReader::models() {
  std::vector<ModelView> answer;
  auto listed = co_await gateway_.models();
  for (auto& model : listed)
    answer.push_back({std::move(model.id), std::move(model.name), std::move(model.provider),
                      std::move(model.description), std::move(model.tags), model.available});
  co_return web::to_json(answer);
}

boost::json::value OwnFeedReader::usage(store::UserId user) const {
  const auto [day, month] = ::usage::current_periods();
  const UsageView answer{.day = ::usage::summary_of(ledger_, user, day),
                         .month = ::usage::summary_of(ledger_, user, month)};
  return web::to_json(answer);
}

boost::json::value OwnFeedReader::status(store::UserId user) const {
  const auto uptime = std::chrono::steady_clock::now() - started_;
  StatusView answer{.version = agentbox::version,
                    .uptimeSeconds = std::chrono::duration_cast<std::chrono::seconds>(uptime).count(),
                    .agents = {}};
  for (const auto& agent : agents_.list(user)) ++answer.agents[boost::describe::enum_to_string(agent.status, "")];
  return web::to_json(answer);
}

}  // namespace data_feeds
