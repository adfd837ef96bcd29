#include "appliance/network/skills/sales.h"

#include "store/transact.h"

namespace skills {

namespace json = boost::json;

namespace {

constexpr std::size_t max_on_sale = 1'000;
constexpr std::int64_t units_of_micro = 1'000'000;  // Money counts 10^-12, USDC 10^-6; prices have six decimals at most

web::Error not_on_sale() { return web::not_found("No such skill is for sale"); }

}  // namespace

web::Task<web::Result<SkillOnSale>> Sales::put(std::string skill, std::string agent) {
  const auto known = catalogue_.find(skill);
  if (!known) co_return web::not_found("No such skill");
  if (known->price == usage::Money()) co_return web::invalid("This skill has no price, so it cannot be sold");
  const auto seller = directory_.find(agent);
  if (!seller) co_return web::not_found("No such agent");
  if (!installer_.find(seller->owner, skill, agent))
    co_return web::conflict("This agent does not have the skill: install it first.");
  const auto put_on_sale = [&](store::Change& change) -> web::Result<SkillOnSale> {
    SkillOnSale sale{.owner = seller->owner, .skill = skill, .agent = agent, .since = store::now()};
    auto row = system_.get(skills_on_sale, skill);
    if (row) {
      row->value = sale;
      change.update(skills_on_sale, *row);
    } else {
      change.insert(skills_on_sale, sale);
    }
    return sale;
  };
  co_return co_await store::transact(system_, put_on_sale);
}

web::Task<web::Result<void>> Sales::remove(std::string skill) {
  const auto erase = [&](store::Change& change) -> web::Result<void> {
    const auto row = system_.get(skills_on_sale, skill);
    if (!row) return not_on_sale();
    change.erase(skills_on_sale, *row);
    return {};
  };
  co_return co_await store::transact(system_, erase);
}

std::vector<SkillOnSale> Sales::list() const {
  std::vector<SkillOnSale> sales;
  system_.each(skills_on_sale, [&](const SkillOnSale& sale) {
    sales.push_back(sale);
    return true;
  });
  return sales;
}

web::Task<> Sales::forget(std::string agent) {
  for (const auto& sale : system_.find(skills_on_sale, "agent", agent, max_on_sale)) {
    const auto removed = co_await remove(sale.skill);
    if (!removed) continue;  // removed meanwhile
  }
}

web::Task<web::Result<gateway::Sale>> Sales::prepare(std::string skill, json::object inputs) {
  const auto row = system_.get(skills_on_sale, skill);
  const auto known = catalogue_.find(skill);
  if (!row || !known || known->price == usage::Money()) co_return not_on_sale();
  Use use{.skill = skill, .agent = row->value.agent, .inputs = inputs, .prompt = {}, .is_paid = true};
  const auto message = message_of(*known, use);
  if (!message) co_return message.error();
  auto deliver_it = [this, sale = row->value, inputs] { return deliver(sale, inputs); };
  co_return gateway::Sale{.plugin = {},
                          .action = {},
                          .description = "One use of the skill " + skill,
                          .price = payments::Usdc::of_micro(known->price.units() / units_of_micro),
                          .url = {},
                          .digest = {},
                          .deliver = std::move(deliver_it)};
}

web::Task<web::Result<json::value>> Sales::deliver(SkillOnSale sale, json::object inputs) {
  web::Caller seller;
  seller.user_id = sale.owner;
  Use use{.skill = sale.skill, .agent = sale.agent, .inputs = std::move(inputs), .prompt = {}, .is_paid = true};
  auto started = co_await runs_.start(std::move(seller), std::move(use));
  if (!started) co_return started.error();
  const auto run = co_await runs_.finish(std::move(*started));
  if (run.outcome != Outcome::succeeded)
    co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The skill gave no result: " + run.error};
  co_return json::value{{"skill", run.skill}, {"version", run.version}, {"result", run.result}};
}

}  // namespace skills
