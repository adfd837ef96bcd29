#include "appliance/hosting/gate/gate.h"

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "appliance/access/records.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/ordered_id.h"
#include "appliance/hosting/gate/messages.h"
#include "store/transact.h"
#include "web/log.h"
#include "web/utf8.h"

namespace gate {

namespace {

constexpr std::chrono::milliseconds pause{200}, retry_pause{5'000};
constexpr std::size_t at_once = 1'000, max_title_bytes = 300, max_reason_bytes = 1'000, max_target_bytes = 200,
                      key_characters = 20, rows_per_change = 100;
constexpr auto interrupted =
    "The box ended while this was carried out. It may have happened, so it is not repeated: check it before you ask "
    "again.";

std::string shortened(std::string_view text, std::size_t bytes) { return std::string(web::utf8_prefix(text, bytes)); }

bool is_open(const Ask& ask) {
  return ask.state == State::waiting || ask.state == State::allowed || ask.state == State::running;
}

// What is left to do decides whether the row is in the index of pending ones.
void set_pending(Ask& ask) {
  if (is_open(ask) || !ask.is_told)
    ask.pending = ask.id;
  else
    ask.pending.reset();
}

web::Error refused(std::string message) {
  return {.kind = web::Kind::forbidden, .message = std::move(message), .code = "ACT_REFUSED"};
}

web::Error answered(const Ask& ask) {
  return {.kind = web::Kind::conflict,
          .message = std::string("This question does not wait for an answer: it is ") +
                     boost::describe::enum_to_string(ask.state, ""),
          .code = "ASK_ANSWERED"};
}

using Clock = std::chrono::steady_clock;

// However work on a question ends, it is looked at again a while later if something is left to do.
class AtWork {
 public:
  AtWork(std::map<std::string, Clock::time_point>& under_way, std::string id)
      : under_way_(under_way), id_(std::move(id)) {}
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  ~AtWork() { under_way_[id_] = Clock::now() + retry_pause; }

 private:
  std::map<std::string, Clock::time_point>& under_way_;
  const std::string id_;
};

Circumstances circumstances(const Act& act, const Taint& taint) {
  return {.effect = act.effect,
          .is_foreign = taint.is_foreign(),
          .target = act.target,
          .conversation = taint.conversation,
          .now = store::now()};
}

}  // namespace

Gate::Gate(GateSources sources, boost::asio::io_context& home)
    : sources_(std::move(sources)),
      tasks_(home, "gate_act_failed"),
      rounds_(home, "gate", pause, [this] { return look(); }) {}

void Gate::add_executor(std::string kind, Executor executor) {
  executors_.emplace(std::move(kind), std::move(executor));
}

const Executor* Gate::executor_of(const Ask& ask) const {
  const auto found = executors_.find(ask.kind);
  return found == executors_.end() ? nullptr : &found->second;
}

Decision Gate::decide(const Act& act) const {
  const auto taint = sources_.turns.of(act.agent);
  return gate::decide(sources_.system, act.owner, act.agent, circumstances(act, taint));
}

Ask Gate::new_ask(Act act, const Taint& taint) const {
  const auto now = store::now();
  const auto key = act.key.empty() ? "new " + crypto::random_id(key_characters) : act.key;
  Ask ask{.owner = act.owner,
          .id = "ask_" + agentbox::ordered_id(now),
          .agent = act.agent,
          .conversation = taint.conversation,
          .kind = act.kind,
          .effect = act.effect,
          .key = act.kind + "/" + key,
          .target = shortened(act.target, max_target_bytes),
          .title = shortened(act.title, max_title_bytes),
          .act = std::move(act.act),
          .reason = shortened(act.reason, max_reason_bytes),
          .sources = taint.sources,
          .created_at = now,
          .expires_at = now + lifetime_of(sources_.system, act.owner, act.agent)};
  ask.is_told = ask.conversation.empty();
  set_pending(ask);
  return ask;
}

web::Task<web::Result<Verdict>> Gate::check(Act act) {
  const auto taint = sources_.turns.of(act.agent);
  const auto decision = gate::decide(sources_.system, act.owner, act.agent, circumstances(act, taint));
  if (decision == Decision::allow) co_return Verdict{.decision = decision};
  if (decision == Decision::refuse || act.owner == 0)
    co_return refused("The rules of this agent refuse this: " + act.title);
  if (!act.key.empty())
    if (auto known = find_key(act.kind, act.key)) co_return Verdict{.ask = std::move(known)};
  const auto waiting = list(act.owner, {.limit = max_waiting, .before = {}, .agent = {}, .is_waiting = true}).size();
  if (waiting >= max_waiting) {
    co_return web::Error{.kind = web::Kind::too_many,
                         .message = "The owner has " + std::to_string(max_waiting) +
                                    " unanswered questions: wait for an answer before you ask again"};
  }
  auto ask = new_ask(std::move(act), taint);
  auto change = sources_.system.change();
  change.insert(asks, ask);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) {  // the same act, asked twice at once
    auto row = sources_.system.find_unique(asks, "key", ask.key);
    if (!row) throw std::logic_error("the gate's question was not stored");
    co_return Verdict{.ask = std::move(row->value)};
  }
  co_await announce(ask);
  co_return Verdict{.ask = std::move(ask)};
}

Ask Gate::ask_in(store::Change& change, Act act, std::optional<std::string> conversation) const {
  auto taint = act.agent.empty() ? Taint() : sources_.turns.of(act.agent);
  if (conversation) taint.conversation = std::move(*conversation);
  auto ask = new_ask(std::move(act), taint);
  change.insert(asks, ask);
  return ask;
}

web::Task<> Gate::announce(Ask ask) {
  has_pending_ = true;
  co_await note(ask, "question asked by an agent", "ok", {});
  auto token = link_token(ask);
  co_await sources_.tell_owner(std::move(ask), std::move(token));
}

web::Task<web::Result<Ask>> Gate::answer(store::UserId owner, std::string id, Answer given) {
  std::optional<store::Row<Ask>> row;
  bool is_repeated = false;
  const auto wanted = given.is_allowed;
  const auto step = [&](store::Change& change) -> web::Result<Ask> {
    row = sources_.system.get(asks, owner, id);
    if (!row) return web::not_found("No such question");
    auto& ask = row->value;
    const bool was_allowed = ask.answered_at && ask.state != State::refused;
    if (ask.answered_at && was_allowed == wanted && given.may_be_repeated) {
      is_repeated = true;
      change.require(asks, *row);
      return ask;
    }
    const auto now = store::now();
    if (ask.state != State::waiting) return answered(ask);
    if (ask.expires_at <= now) {
      ask.state = State::expired;
      return answered(ask);
    }
    const auto* executor = executor_of(ask);
    const bool has_content = executor && executor->check_content;
    if (!has_content && given.content) return web::invalid("content is for questions that ask for it");
    if (has_content && wanted) {
      ask.content = given.content.value_or(boost::json::object());
      if (const auto good = executor->check_content(ask, ask.content); !good) return good.error();
    }
    ask.answered_at = now;
    ask.answered_by = given.by;
    ask.note = shortened(given.note, max_reason_bytes);
    ask.state = wanted ? State::allowed : State::refused;
    if (executor && executor->settle) {
      if (const auto settled = executor->settle(change, ask, wanted); !settled) return settled.error();
      if (wanted) ask.state = State::done;
    }
    if (!is_open(ask)) ask.finished_at = now;
    set_pending(ask);
    if (given.always && !ask.agent.empty() && !has_content) {
      Rule rule{.effect = ask.effect,
                .turns = Turns::any,
                .decision = wanted ? Decision::allow : Decision::refuse,
                .target = given.always->is_for_target ? ask.target : std::string(),
                .conversation = given.always->is_for_conversation ? ask.conversation : std::string(),
                .until = given.always->until};
      add_rule(change, sources_.system, owner, ask.agent, std::move(rule));
    }
    change.update(asks, *row);
    return ask;
  };
  const auto explain = [&](const store::Outcome& outcome) -> std::optional<web::Result<Ask>> {
    const auto now = sources_.system.get(asks, owner, id);
    if (!now || now->stored != row->stored) return std::nullopt;  // another answer came first
    const auto* executor = executor_of(row->value);
    if (!executor || !executor->refusal) return std::nullopt;
    if (auto error = executor->refusal(outcome, row->value)) return std::move(*error);
    return std::nullopt;
  };
  auto ask = co_await store::transact(sources_.system, step, explain);
  if (!ask || is_repeated) co_return ask;
  has_pending_ = true;
  const auto* act = wanted ? "question answered: allowed" : "question answered: refused";
  co_await note(*ask, act, "ok", given.by);
  if (ask->state == State::done) co_await note(*ask, "act carried out", "ok", given.by);
  co_return ask;
}

std::optional<Ask> Gate::find(store::UserId owner, std::string_view id) const {
  auto row = sources_.system.tenant(owner).get(asks, id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::optional<Ask> Gate::find_key(std::string_view kind, std::string_view key) const {
  auto row = sources_.system.find_unique(asks, "key", std::string(kind) + "/" + std::string(key));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::vector<Ask> Gate::list(store::UserId owner, const AskPage& page) const {
  const auto tenant = sources_.system.tenant(owner);
  store::Page part{.limit = rows_per_change, .after = page.before, .newest_first = true};
  std::vector<Ask> found;
  for (;;) {
    auto some = tenant.list(asks, part);
    for (auto& ask : some) {
      part.after = ask.id;
      if (page.is_waiting && ask.state != State::waiting) continue;
      if (!page.agent.empty() && ask.agent != page.agent) continue;
      found.push_back(std::move(ask));
      if (found.size() == page.limit) return found;
    }
    if (some.size() < part.limit) return found;
  }
}

std::string Gate::link_token(const Ask& ask) const {
  const auto name = std::to_string(ask.owner) + "." + ask.id;
  return name + "." + crypto::to_base64url(crypto::hmac_sha256(sources_.link_key, name));
}

std::optional<Ask> Gate::of_link(std::string_view token) const {
  const auto first = token.find('.'), last = token.rfind('.');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const auto sent = crypto::from_base64url(token.substr(last + 1));
  if (!sent || !crypto::constant_time_equal(*sent, crypto::hmac_sha256(sources_.link_key, token.substr(0, last))))
    return std::nullopt;
  return find(std::stoll(std::string(token.substr(0, first))), token.substr(first + 1, last - first - 1));
}

web::Task<> Gate::forget(store::UserId owner, std::string agent) {
  const auto tenant = sources_.system.tenant(owner);
  std::vector<std::string> ids;
  for (const auto& ask : list(owner, {.limit = std::size_t(-1), .before = {}, .agent = agent}))
    if (ask.pending) ids.push_back(ask.id);
  for (auto& id : ids) {
    const auto end = [](Ask& ask) {
      if (ask.state == State::waiting || ask.state == State::allowed) ask.state = State::expired;
      ask.is_told = true;
      set_pending(ask);
    };
    co_await tenant.modify(asks, std::move(id), end);
  }
  if (const auto row = tenant.get(rules_table, agent)) {
    auto change = tenant.change();
    change.erase(rules_table, *row);
    co_await change.commit();
  }
  co_await sources_.turns.forget(owner, std::move(agent));
}

// Acts that were being carried out when the box ended.
web::Task<> Gate::start() {
  for (const auto& ask : sources_.system.find_range(asks, "pending", std::string("ask_"), std::string("ask`"))) {
    if (ask.state != State::running) continue;
    const auto* executor = executor_of(ask);
    const bool is_repeated = executor && executor->is_repeatable;
    const auto settle = [is_repeated](Ask& stored) {
      stored.state = is_repeated ? State::allowed : State::unknown;
      if (is_repeated) return;
      stored.failure = interrupted;
      stored.finished_at = store::now();
      set_pending(stored);
    };
    co_await sources_.system.modify(asks, ask.owner, ask.id, settle);
    if (!is_repeated) co_await note(ask, "act carried out", interrupted, ask.answered_by);
  }
  rounds_.start();
}

web::Task<> Gate::stop() {
  co_await rounds_.stop();
  co_await tasks_.stop();
}

web::Task<> Gate::look() {
  if (!has_pending_.exchange(false)) co_return;
  const auto now = store::now();
  const auto clock = Clock::now();
  std::set<std::string, std::less<>> answered_ones;
  // To the end, in parts: what has been answered is behind whatever waits, of all owners.
  std::string from = "ask_";
  for (bool is_last = false; !is_last;) {
    const auto pending = sources_.system.find_range(asks, "pending", from, std::string("ask`"), at_once);
    is_last = pending.size() < at_once;
    if (!pending.empty()) {
      has_pending_ = true;
      from = pending.back().id + '\0';
    }
    for (const auto& ask : pending) {
      if (ask.state == State::waiting) {
        if (ask.expires_at <= now) co_await expire(ask);
        continue;
      }
      answered_ones.insert(ask.id);
      const auto at_work = under_way_.find(ask.id);
      if (at_work != under_way_.end() && at_work->second > clock) continue;
      under_way_[ask.id] = Clock::time_point::max();
      tasks_.spawn(ask.id, advance(ask));
    }
  }
  std::erase_if(under_way_, [&](const auto& entry) { return !answered_ones.contains(entry.first); });
}

web::Task<> Gate::expire(const Ask& ask) {
  const auto* executor = executor_of(ask);
  const auto step = [&](store::Change& change) -> bool {
    auto row = sources_.system.get(asks, ask.owner, ask.id);
    if (!row || row->value.state != State::waiting) return false;
    row->value.state = State::expired;
    row->value.finished_at = store::now();
    set_pending(row->value);
    if (executor && executor->settle && !executor->settle(change, row->value, false)) return false;
    change.update(asks, *row);
    return true;
  };
  const auto is_expired = co_await store::transact(sources_.system, step);
  if (is_expired) co_await note(ask, "question expired", "ok", {});
}

web::Task<> Gate::advance(Ask ask) {
  const AtWork at_work(under_way_, ask.id);
  if (ask.state == State::allowed) ask = co_await carry_out(std::move(ask));
  if (!is_open(ask) && !ask.is_told) co_await tell(std::move(ask));
}

web::Task<Ask> Gate::carry_out(Ask ask) {
  const auto begin = [](Ask& stored) {
    if (stored.state == State::allowed) stored.state = State::running;
  };
  auto begun = co_await sources_.system.modify(asks, ask.owner, ask.id, begin);
  if (!begun || begun->state != State::running) co_return begun.value_or(ask);
  const auto* executor = executor_of(*begun);
  web::Result<boost::json::object> result = web::unavailable("This box cannot carry out acts of this kind any more");
  std::string thrown;
  if (executor && executor->run) {
    try {
      result = co_await executor->run(*begun);
    } catch (const boost::system::system_error& error) {
      if (error.code() == boost::asio::error::operation_aborted) throw;  // the box stops: see start()
      thrown = error.what();
    } catch (const std::exception& error) {
      thrown = error.what();
    }
  }
  if (!thrown.empty()) {
    web::log::error("gate_act_failed", {{"reason", thrown}});
    result = web::internal("It failed inside of the box");
  }
  const auto finish = [&](Ask& stored) {
    stored.state = result ? State::done : State::failed;
    if (result)
      stored.result = *result;
    else
      stored.failure = result.error().message;
    stored.finished_at = store::now();
    set_pending(stored);
  };
  auto finished = co_await sources_.system.modify(asks, ask.owner, ask.id, finish);
  if (!finished) co_return ask;  // its owner has left
  const std::string outcome = finished->failure.empty() ? "ok" : finished->failure;
  co_await note(*finished, "act carried out", outcome, finished->answered_by);
  co_return std::move(*finished);
}

// The turn goes on: the agent gets the outcome in the conversation in which it asked. An agent that does not run gets
// it when it runs again; so does one whose exchange ends with the box.
web::Task<> Gate::tell(Ask ask) {
  auto sender = chat::Sender::continuing(ask.conversation);
  auto text = message_to_agent(ask);
  auto told = co_await sources_.chat.send(ask.owner, ask.agent, std::move(text), std::move(sender));
  const bool is_cut_off = told && told->is_cut_off();
  const bool is_later =
      is_cut_off ||
      (!told && (told.error().kind == web::Kind::conflict || told.error().kind == web::Kind::unavailable));
  const bool is_late = store::now() > ask.expires_at + usual_lifetime;
  if (is_later && !is_late) co_return;
  const auto mark = [](Ask& stored) {
    stored.is_told = true;
    set_pending(stored);
  };
  co_await sources_.system.modify(asks, ask.owner, ask.id, mark);
}

web::Task<> Gate::note(const Ask& ask, std::string act, std::string outcome, std::string by) {
  audit::Entry entry{.act = std::move(act), .outcome = std::move(outcome)};
  entry.user_id = ask.owner;
  entry.subject = ask.id + " " + ask.kind + " " + ask.agent;
  entry.acting_as = std::move(by);
  co_await sources_.audit.note(std::move(entry));
}

}  // namespace gate
