#include "appliance/network/skills/runs.h"

#include <algorithm>

#include "appliance/access/records.h"
#include "appliance/foundation/crypto/random.h"
#include "web/log.h"
#include "web/utf8.h"

namespace skills {

namespace json = boost::json;

namespace {

constexpr std::size_t max_result_bytes = 64 * 1024;
constexpr auto cut_off = "The box was interrupted before the agent answered.";

std::string new_run_id(store::Time at) {
  auto digits = std::to_string(at.time_since_epoch().count());
  digits.insert(0, digits.size() < 13 ? 13 - digits.size() : 0, '0');
  return digits + crypto::random_id(8);
}

std::int64_t number_in(const json::object& usage, std::string_view name) {
  const auto* value = usage.if_contains(name);
  return value && value->is_int64() ? std::max<std::int64_t>(value->get_int64(), 0) : 0;
}

void end(Run& run, const web::Result<chat::Answer>& answer) {
  run.finished_at = std::max(store::now(), run.started_at);
  if (answer) {
    run.outcome = Outcome::succeeded;
    run.result = web::utf8_prefix(answer->message.content, max_result_bytes);
    run.model = answer->model;
    run.input_tokens = number_in(answer->usage, "prompt_tokens");
    run.output_tokens = number_in(answer->usage, "completion_tokens");
  } else {
    run.outcome = Outcome::failed;
    run.error = answer.error().message;
    run.price = 0;
  }
}

}  // namespace

web::Result<std::string> Runs::agent_of(store::UserId user, const Use& use) const {
  if (!use.agent.empty()) {
    if (installer_.find(user, use.skill, use.agent)) return use.agent;
    return web::conflict("This agent does not have the skill: install it first.");
  }
  const auto having = installer_.list(user, use.skill);
  if (having.size() == 1) return having.front().agent;
  return web::conflict(having.empty() ? "None of your agents has the skill: install it first."
                                      : "Several of your agents have the skill: name one in agentId.");
}

// The price of a use is charged like a model call: within the caps, and in the usage of the agent.
web::Task<web::Result<std::optional<usage::Reservation>>> Runs::reserve(web::Caller caller, std::string agent,
                                                                        const Skill& skill) {
  if (skill.price == usage::Money()) co_return std::optional<usage::Reservation>();
  caller.agent = agent;
  const auto payer = policy_.payer_of(caller);
  if (!payer) co_return payer.error();
  usage::Call call{.user_id = caller.user_id,
                   .at = store::now(),
                   .agent = std::move(agent),
                   .provider = "skill",
                   .model = "skill/" + skill.name,
                   .cost = skill.price.units(),
                   .priced = true,
                   .outcome = "ok"};
  const auto bounds = policy_.bounds_of(*payer, call);
  auto reserved = co_await ledger_.reserve(call, bounds.limits);
  if (const auto* met = std::get_if<std::size_t>(&reserved))
    co_return policy_.refusal(bounds, bounds.limits[*met], call);
  co_return std::optional(std::move(std::get<usage::Reservation>(reserved)));
}

web::Task<> Runs::settle(usage::Reservation reservation, bool succeeded) {
  auto used = reservation.most;
  if (!succeeded) {
    used.cost = 0;
    used.outcome = "failed";
  }
  co_await ledger_.settle(std::move(used), std::move(reservation));
}

web::Task<web::Result<Runs::Started>> Runs::start(web::Caller caller, Use use) {
  const auto skill = catalogue_.find(use.skill);
  if (!skill) co_return web::not_found("No such skill");
  auto agent = agent_of(caller.user_id, use);
  if (!agent) co_return agent.error();
  auto message = message_of(*skill, use);
  if (!message) co_return message.error();
  web::Result<std::optional<usage::Reservation>> charge = std::optional<usage::Reservation>();
  if (!use.is_paid) charge = co_await reserve(caller, *agent, *skill);
  if (!charge) co_return charge.error();
  const auto now = store::now();
  Started started{.run = {.owner = caller.user_id,
                          .id = new_run_id(now),
                          .skill = skill->name,
                          .version = skill->version,
                          .agent = std::move(*agent),
                          .inputs = std::move(use.inputs),
                          .prompt = std::move(use.prompt),
                          .price = use.is_paid ? 0 : skill->price.units(),
                          .started_at = now},
                  .message = std::move(*message),
                  .charge = std::move(*charge)};
  auto change = system_.tenant(caller.user_id).change();
  change.insert_new(runs, started.run);
  co_await change.commit();
  co_await prune(caller.user_id, skill->name);
  co_return started;
}

web::Task<Run> Runs::finish(Started started) {
  auto& run = started.run;
  web::Result<chat::Answer> answer = web::forbidden("The account of the agent's owner is disabled.");
  const auto owner = system_.get(accounts::users, run.owner);
  if (owner && !owner->value.is_disabled) {
    auto sender = chat::Sender::of_owner(chat::Channel::skill, run.skill);
    sender.title = run.skill;
    answer = co_await chat_.send(run.owner, run.agent, started.message, std::move(sender));
  }
  if (started.charge) co_await settle(std::move(*started.charge), answer.has_value());
  auto edit = [&answer](Run& stored) { end(stored, answer); };
  if (auto stored = co_await system_.tenant(run.owner).modify(runs, run.id, edit)) co_return std::move(*stored);
  end(run, answer);  // pruned meanwhile
  co_return run;
}

web::Task<> Runs::run_in_background(Runs& self, Started started) { co_await self.finish(std::move(started)); }

void Runs::finish_later(Started started) {
  auto id = started.run.id;
  background_.spawn(std::move(id), run_in_background(*this, std::move(started)));
}

std::vector<Run> Runs::list(store::UserId user, const std::string& skill) const {
  auto found = system_.tenant(user).find(runs, "skill", skill, 2 * runs_kept);
  std::ranges::reverse(found);
  return found;
}

std::optional<Run> Runs::find(store::UserId user, const std::string& skill, std::string_view id) const {
  auto row = system_.tenant(user).get(runs, id);
  if (!row || row->value.skill != skill) return std::nullopt;
  return std::move(row->value);
}

// Forgets the oldest runs that have ended.
web::Task<> Runs::prune(store::UserId user, std::string skill) {
  const auto tenant = system_.tenant(user);
  const auto all = tenant.find(runs, "skill", skill, 2 * runs_kept);
  for (std::size_t i = 0; i + runs_kept < all.size(); ++i) {
    if (all[i].outcome == Outcome::running) continue;
    const auto row = tenant.get(runs, all[i].id);
    if (!row) continue;
    auto change = tenant.change();
    change.erase(runs, *row);
    co_await change.commit();
  }
}

web::Task<> Runs::recover() {
  for (const auto& run : system_.find_range(runs, "unfinished", store::Time{}, began_, 100'000)) {
    auto edit = [](Run& stored) { end(stored, web::internal(cut_off)); };
    co_await system_.tenant(run.owner).modify(runs, run.id, edit);
  }
}

}  // namespace skills
