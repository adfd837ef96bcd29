#include "appliance/models/model_gateway.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>
#include <deque>
#include <limits>
#include <set>

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/builtin/extract.h"
#include "appliance/models/least_tokens.h"
#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/wire_json.h"
#include "web/log.h"

namespace models {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t least_answer = 16;  // tokens; with less room a call is refused

std::int64_t milliseconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

// Whether another model may do better.
bool is_worth_another(Fault fault) {
  return fault != Fault::bad_request && fault != Fault::context_too_long && fault != Fault::cancelled;
}

Failure resting(const Candidate& candidate, const std::string& model, const ProviderBreaker& breaker) {
  const auto now = Clock::now();
  const std::string provider(candidate.provider->name());
  Failure failure{.fault = Fault::overloaded};
  failure.retry_after = breaker.model_wait(model, now);
  if (failure.retry_after) {
    failure.message = "The model " + model + " of the provider '" + provider +
                      "' did not answer in time and is left alone for a moment.";
  } else {
    failure.message = "The model provider '" + provider + "' has failed repeatedly and is left alone for a moment.";
    failure.retry_after = breaker.whole().wait(now);
  }
  return failure;
}

Failure given_up() { return {.fault = Fault::cancelled, .message = "The client has hung up.", .may_be_billed = true}; }

web::Error unpriced(const std::string& model) {
  return {.kind = web::Kind::forbidden,
          .message = "The catalogue has no price for " + model + ", so a cap on money rules it out",
          .code = "MODEL_RESTRICTED"};
}

std::string joined(const std::vector<std::string>& tried) {
  std::string text;
  for (const auto& each : tried) text.append(text.empty() ? "" : ", ").append(each);
  return text;
}

// What a provider says of itself is kept within reason: it ends up in every usage row.
void bound(ChatAnswer& answer) {
  constexpr std::size_t name_bytes = 200;
  answer.model = std::string(cut(answer.model, name_bytes));
  std::ranges::replace_if(
      answer.model, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  if (answer.message.tool_calls.size() > most_tool_calls) answer.message.tool_calls.resize(most_tool_calls);
}

// What an answer in the embeddings form says was read.
std::optional<std::int64_t> prompt_tokens_in(const std::string& body) {
  boost::system::error_code error;
  const auto value = boost::json::parse(body, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* usage = object ? object_in(*object, "usage") : nullptr;
  return usage ? token_count_in(*usage, "prompt_tokens") : std::nullopt;
}

// A breaker's leave to make one attempt; given back at the end, whatever happens. Without a breaker there is always
// leave.
class Admission {
 public:
  Admission(ProviderBreaker* breaker, const std::string& model, ProviderBreaker::Leave leave)
      : breaker_(breaker), model_(model), admitted_(!breaker || breaker->admit(model_, Clock::now(), leave)) {}
  ~Admission() {
    if (admitted_ && breaker_) breaker_->abandoned(model_);
  }
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;
  explicit operator bool() const { return admitted_; }
  void tell(const Outcome<ChatAnswer>& outcome) {
    if (!breaker_ || (!outcome && outcome.error().fault == Fault::cancelled)) return;
    outcome ? breaker_->succeeded(model_) : breaker_->failed(model_, outcome.error(), Clock::now());
    breaker_ = nullptr;
  }

 private:
  ProviderBreaker* breaker_;
  const std::string model_;
  const bool admitted_;
};

class UnderWay {
 public:
  explicit UnderWay(std::atomic<int>& count) : count_(count) { ++count_; }
  ~UnderWay() { --count_; }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  std::atomic<int>& count_;
};

}  // namespace

// Passes pieces on and remembers when the first one came.
class ModelGateway::FirstTokenTimer final : public Listener {
 public:
  explicit FirstTokenTimer(Listener* to) : to_(to) {}
  void text(std::string_view piece) override {
    mark();
    to_->text(piece);
  }
  void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) override {
    mark();
    to_->call(index, id, name, arguments);
  }
  bool begun() const { return first_.has_value(); }
  const std::optional<Clock::time_point>& first() const { return first_; }
  bool is_wanted() const { return to_ != nullptr; }

 private:
  void mark() {
    if (!first_) first_ = Clock::now();
  }
  Listener* to_;
  std::optional<Clock::time_point> first_;
};

struct ModelGateway::Attempt {
  const Candidate& candidate;
  ChatRequest request;
  bool may_be_cut = false;  // the caller named no limit
  bool is_cut = false;      // for want of room
  billing::Bounds bounds;
  std::vector<usage::Limit> limits;
  usage::Call call;
  std::optional<usage::Reservation> reservation;
  FirstTokenTimer first_token;
  Clock::time_point started = Clock::now();

  usage::Money cost(const TokenUsage& used) const {
    if (!candidate.model) return {};
    return candidate.model->price.of(used.input, used.output, used.cached);
  }
  bool is_priced() const { return candidate.model || candidate.is_free(); }
};

ModelGateway::ModelGateway(const agentbox::Settings& settings, usage::Ledger& ledger,
                           const billing::SpendPolicy& policy, Catalogues& catalogues, const ProviderKeys& keys,
                           AnswerCache& cache)
    : settings_(settings),
      ledger_(ledger),
      policy_(policy),
      catalogues_(catalogues),
      cache_(cache),
      providers_(settings),
      router_(providers_, keys, settings.openrouter_model) {}

ModelGateway::~ModelGateway() = default;

// How many tokens an answer may have within a limit, as far as it is used now.
std::int64_t ModelGateway::room_within(const usage::Limit& limit, const Attempt& attempt) const {
  const auto left = limit.most - ledger_.spent(attempt.call.user_id, limit);
  if (limit.figure != usage::Tallied::cost) return left - attempt.call.input_tokens;
  const auto each = attempt.cost({.output = 1}).units();
  const auto for_answer = left - attempt.cost({.input = attempt.call.input_tokens}).units();
  if (each > 0) return for_answer / each;
  return for_answer >= 0 ? std::numeric_limits<std::int64_t>::max() : 0;
}

web::Task<std::optional<usage::Limit>> ModelGateway::reserve(Attempt& attempt) {
  auto& call = attempt.call;
  for (;;) {
    const TokenUsage most{.input = call.input_tokens, .output = *attempt.request.max_tokens};
    call.output_tokens = most.output;
    call.cost = attempt.candidate.is_free() ? 0 : attempt.cost(most).units();
    auto reserved = co_await ledger_.reserve(call, attempt.limits);
    if (auto* reservation = std::get_if<usage::Reservation>(&reserved)) {
      attempt.reservation = std::move(*reservation);
      co_return std::nullopt;
    }
    const auto& limit = attempt.limits[std::get<std::size_t>(reserved)];
    if (attempt.is_cut || !attempt.may_be_cut) co_return limit;
    // Cut to half of what is left, so that callers side by side find room, too; all of it when that is little.
    auto room = most.output;
    for (const auto& each : attempt.limits) room = std::min(room, room_within(each, attempt));
    if (room >= 32 * least_answer) room /= 2;
    if (room < least_answer || room >= most.output) co_return limit;
    attempt.request.max_tokens = room;
    attempt.is_cut = true;
  }
}

web::Task<Outcome<ChatAnswer>> ModelGateway::ask(Attempt& attempt, Interest& interest) {
  if (interest.is_lost) {
    auto failure = given_up();
    failure.may_be_billed = false;
    co_return failure;
  }
  const auto executor = co_await boost::asio::this_coro::executor;
  auto* listener = attempt.first_token.is_wanted() ? &attempt.first_token : nullptr;
  std::optional<Outcome<ChatAnswer>> outcome;
  std::string thrown;
  try {
    auto asking =
        boost::asio::co_spawn(executor, attempt.candidate.provider->complete(std::move(attempt.request), listener),
                              boost::asio::bind_cancellation_slot(interest.cancel.slot(), web::use_task));
    outcome.emplace(co_await std::move(asking));
  } catch (const std::exception& error) {
    thrown = error.what();
  }
  if (outcome) co_return std::move(*outcome);
  const std::string provider(attempt.candidate.provider->name());
  if (interest.is_lost) {
    web::log::info("model_call_given_up", {{"provider", provider}, {"reason", "the client has hung up"}});
    co_return given_up();
  }
  web::log::error("model_call_failed", {{"provider", provider}, {"reason", thrown}});
  co_return Failure{.fault = Fault::upstream_error, .message = "The model could not be asked.", .may_be_billed = true};
}

web::Task<> ModelGateway::settle(Attempt& attempt, const Outcome<ChatAnswer>& outcome) {
  auto used = std::move(attempt.call);
  const auto ended = Clock::now();
  used.latency_ms = milliseconds(ended - attempt.started);
  if (const auto& first = attempt.first_token.first())
    used.first_token_ms = std::max<std::int64_t>(1, milliseconds(*first - attempt.started));
  if (outcome) {
    used.outcome = "ok";
    if (!outcome->model.empty() && !attempt.candidate.model) used.model = outcome->model;
    used.input_tokens = outcome->usage.input;
    used.output_tokens = outcome->usage.output;
    used.cached_tokens = outcome->usage.cached;
    used.reasoning_tokens = outcome->usage.reasoning;
    used.estimated = outcome->usage.estimated;
    used.cost = attempt.candidate.is_free() ? 0 : attempt.cost(outcome->usage).units();
    std::set<std::string> tools;
    for (const auto& made : outcome->message.tool_calls) tools.insert(std::string(cut(made.name, 64)));
    used.tools.assign(tools.begin(), tools.end());
  } else {
    used.outcome = to_string(outcome.error().fault);
    // What may have been used and nobody tells of stays reserved: it is the most there can be.
    if (!outcome.error().may_be_billed) {
      used.input_tokens = used.output_tokens = used.cost = 0;
      used.estimated = false;
    }
  }
  co_await ledger_.settle(std::move(used), std::move(*attempt.reservation));
}

// An answer that cost nothing is a call all the same.
web::Task<> ModelGateway::record_cached(const Ask& asked, const ChatAnswer& answer) {
  usage::Call call{.user_id = asked.payer.user,
                   .at = store::now(),
                   .agent = asked.payer.agent,
                   .key = asked.payer.key,
                   .provider = "cache",
                   .model = answer.model,
                   .priced = true,
                   .outcome = "ok"};
  co_await ledger_.record(std::move(call));
}

web::Task<web::Result<ChatAnswer>> ModelGateway::complete(Ask asked) {
  Interest interest;
  auto answer = co_await complete(std::move(asked), interest);
  co_return answer;
}

std::optional<web::Error> ModelGateway::misfit(const Candidate& candidate, const ChatRequest& request) {
  const auto* model = candidate.model;
  if (model && request.max_tokens && *request.max_tokens > model->max_output)
    return web::invalid("max_tokens must be at most " + std::to_string(model->max_output) + " for " + model->id);
  if (const auto least = model ? least_tokens(request) : 0; model && least >= model->context) {
    return web::Error{.kind = web::Kind::invalid,
                      .message = "messages must fit in the context of " + model->id + ", which is " +
                                 std::to_string(model->context) + " tokens: these are " + std::to_string(least) +
                                 " or more",
                      .code = std::string(to_string(Fault::context_too_long))};
  }
  for (std::size_t i = 0; model && !model->sees() && i < request.messages.size(); ++i)
    if (has_images(request.messages[i]))
      return web::invalid("messages[" + std::to_string(i) + "].content: " + model->id + " takes no images");
  if (const auto wrong = candidate.provider->cannot(request)) return web::invalid(*wrong);
  return std::nullopt;
}

ModelGateway::Attempt ModelGateway::prepare(const Candidate& candidate, const Ask& asked, Interest& interest) const {
  Attempt attempt{.candidate = candidate, .request = asked.request, .first_token = FirstTokenTimer(interest.listener)};
  attempt.request.model = candidate.name_there;
  if (!attempt.request.max_tokens) {
    const std::int64_t usual = settings_.ai_max_tokens;
    attempt.request.max_tokens = candidate.model ? std::min(usual, candidate.model->max_output) : usual;
    attempt.may_be_cut = true;
  }
  attempt.call = {.user_id = asked.payer.user,
                  .at = store::now(),
                  .agent = asked.payer.agent,
                  .key = asked.payer.key,
                  .provider = std::string(candidate.provider->name()),
                  .model = !candidate.id.empty()           ? candidate.id
                           : !candidate.name_there.empty() ? candidate.name_there
                                                           : "default",  // which one that is, the server tells
                  .input_tokens = most_tokens(asked.request),
                  .estimated = true,
                  .priced = attempt.is_priced(),
                  .own_key = candidate.own_key,
                  .outcome = "interrupted"};
  attempt.bounds = policy_.bounds_of(asked.payer, attempt.call);
  attempt.limits = candidate.is_free() ? attempt.bounds.for_local() : attempt.bounds.limits;
  return attempt;
}

std::optional<Candidate> ModelGateway::instead_of(const Candidate& candidate, const billing::Cap* cap, const Ask& asked,
                                                  const Catalogue& catalogue) const {
  const auto turn = cap ? cap->when_reached : billing::WhenReached::refuse;
  if (turn == billing::WhenReached::local) return router_.local();
  if (turn == billing::WhenReached::cheaper) return router_.cheaper_than(candidate, asked.payer, catalogue);
  return std::nullopt;
}

web::Task<web::Result<ChatAnswer>> ModelGateway::complete(Ask asked, Interest& interest) {
  const UnderWay under_way(under_way_);
  const auto catalogue = catalogues_.current();
  auto chosen = co_await router_.choose(asked.query, asked.payer, *catalogue);
  if (!chosen) co_return chosen.error();
  const auto cached_for = cache_.lifetime(asked.payer.user);
  std::string cache_name;
  if (cached_for.count() > 0) {
    cache_name = AnswerCache::name_of(asked.payer.user, asked.request, asked.query);
    if (auto known = cache_.find(cache_name, cached_for, Clock::now())) {
      co_await record_cached(asked, *known);
      interest.serving = known->model;
      if (interest.listener) openai::tell(*known, *interest.listener);
      co_return std::move(*known);
    }
  }
  std::deque<Candidate> chain(chosen->begin(), chosen->end());
  std::vector<std::string> tried;
  std::optional<web::Error> last;
  bool has_failed = false;                 // an attempt was made, and `last` is what came of it
  bool has_turned = false;                 // to a cheaper or the local model, because of a cap
  std::set<const ProviderBreaker*> known;  // of those that were asked: what they are like, this request has seen itself

  while (!chain.empty()) {
    const auto candidate = std::move(chain.front());
    chain.pop_front();
    if (auto wrong = misfit(candidate, asked.request)) {
      // Whoever names a model is told what it cannot do; where the box chooses, it chooses another.
      const bool is_named = !candidate.id.empty() && candidate.id == asked.query.model;
      if (!last) last = std::move(*wrong);
      if (is_named) break;
      continue;
    }
    auto attempt = prepare(candidate, asked, interest);
    attempt.call.tried = tried;
    const auto name = attempt.call.provider + "/" + attempt.call.model;
    if (!attempt.is_priced() && attempt.bounds.has_money()) {
      last = unpriced(attempt.call.model);
      continue;
    }
    auto& breaker = providers_.breaker(candidate.provider->name());
    // With nobody else to turn to, what was meant is tried.
    const bool is_last_resort = !has_failed && std::ranges::all_of(chain, [&](const auto& other) {
      return other.provider->name() == candidate.provider->name();
    });
    using Leave = ProviderBreaker::Leave;
    const auto leave = known.contains(&breaker) ? Leave::going_on
                       : is_last_resort         ? Leave::as_last_resort
                                                : Leave::asked_for;
    Admission admission(candidate.own_key ? nullptr : &breaker, attempt.call.model, leave);
    if (!admission) {
      tried.push_back(name + ": resting");
      // What came of an attempt is the cause, and this only follows from it.
      if (!has_failed) last = to_error(resting(candidate, attempt.call.model, breaker));
      continue;
    }
    if (const auto met = co_await reserve(attempt)) {
      last = policy_.refusal(attempt.bounds, *met, attempt.call);
      auto instead = instead_of(candidate, attempt.bounds.cap_of(*met), asked, *catalogue);
      if (!instead || has_turned) break;
      has_turned = true;
      tried.push_back(name + ": cap reached");
      chain.clear();
      chain.push_back(std::move(*instead));
      continue;
    }
    attempt.started = Clock::now();
    interest.serving = attempt.call.model;
    auto outcome = co_await ask(attempt, interest);
    if (outcome) bound(*outcome);
    admission.tell(outcome);
    co_await settle(attempt, outcome);
    if (outcome) {
      if (candidate.model) outcome->model = candidate.id;
      // Neither what a cap has cut short nor what somebody else said in the place of who was meant.
      if (!cache_name.empty() && tried.empty() && !attempt.is_cut) cache_.keep(cache_name, *outcome, Clock::now());
      if (!tried.empty()) web::log::info("model_fell_back", {{"served", outcome->model}, {"tried", joined(tried)}});
      co_return std::move(*outcome);
    }
    const auto& failure = outcome.error();
    tried.push_back(name + ": " + std::string(to_string(failure.fault)));
    last = to_error(failure);
    has_failed = true;
    known.insert(&breaker);
    if (attempt.first_token.begun() || !is_worth_another(failure.fault)) break;
    // Who has kept this request waiting once is asked again only when nobody else is left.
    if (failure.fault == Fault::timeout)
      std::stable_partition(chain.begin(), chain.end(), [&](const Candidate& other) {
        return other.provider->name() != candidate.provider->name();
      });
  }
  if (!tried.empty()) web::log::info("model_failed", {{"tried", joined(tried)}});
  co_return std::move(*last);
}

web::Task<web::Result<std::string>> ModelGateway::embed(std::string model, std::string body, billing::Payer payer) {
  const UnderWay under_way(under_way_);
  const auto catalogue = catalogues_.current();
  auto candidate = co_await router_.embedder(model, payer, *catalogue);
  if (!candidate) co_return candidate.error();
  Interest interest;
  const Ask asked{.request = {}, .query = {}, .payer = std::move(payer)};
  auto attempt = prepare(*candidate, asked, interest);
  attempt.call.input_tokens = static_cast<std::int64_t>(body.size());
  attempt.request.max_tokens = 0;
  attempt.may_be_cut = false;
  if (!attempt.is_priced() && attempt.bounds.has_money()) co_return unpriced(model);
  auto& breaker = providers_.breaker(candidate->provider->name());
  Admission admission(candidate->own_key ? nullptr : &breaker, model, ProviderBreaker::Leave::as_last_resort);
  if (!admission) co_return to_error(resting(*candidate, model, breaker));
  if (const auto met = co_await reserve(attempt)) co_return policy_.refusal(attempt.bounds, *met, attempt.call);
  attempt.started = Clock::now();
  const auto answered = co_await dynamic_cast<const OpenAiProvider&>(*candidate->provider).embeddings(std::move(body));
  Outcome<ChatAnswer> outcome = answered ? Outcome<ChatAnswer>(ChatAnswer{}) : Outcome<ChatAnswer>(answered.error());
  if (answered) {
    const auto input = prompt_tokens_in(*answered);
    outcome->model = model;
    outcome->usage = {.input = input.value_or(attempt.call.input_tokens / 4), .estimated = !input};
  }
  admission.tell(outcome);
  co_await settle(attempt, outcome);
  if (!answered) co_return to_error(answered.error());
  co_return *answered;
}

web::Task<std::vector<Listed>> ModelGateway::models() {
  const auto catalogue = catalogues_.current();
  std::vector<Listed> listed;
  for (const auto& model : catalogue->models()) {
    listed.push_back({.id = model.id,
                      .name = model.name,
                      .provider = model.provider,
                      .description = model.description,
                      .tags = model.tags,
                      .catalogue = catalogue,
                      .entry = &model,
                      .available = router_.server_of(model, 0).has_value()});
  }
  if (const auto local = providers_.local()) {
    const auto here = co_await router_.listed_locally();
    for (const auto& model : here.value_or(std::vector<ModelInfo>())) {
      const bool known = catalogue->find(model.id) != nullptr;
      const auto same = std::ranges::find(listed, model.id, &Listed::id);
      if (known) same->available = true;
      if (known) continue;
      listed.push_back({.id = model.id,
                        .name = model.id,
                        .provider = "local",
                        .description = "Served on the local network.",
                        .tags = {"local"},
                        .catalogue = nullptr,
                        .available = true});
    }
  }
  if (providers_.find("builtin")) {
    listed.push_back({.id = std::string(builtin_model),
                      .name = "Builtin",
                      .provider = "builtin",
                      .description = "An extractive text model inside agentbox: it picks sentences from what it is "
                                     "given and makes nothing up.",
                      .tags = {"offline"},
                      .catalogue = nullptr,
                      .available = true});
  }
  co_return listed;
}

web::Task<> ModelGateway::finish(std::chrono::milliseconds grace) {
  using namespace std::chrono_literals;
  const auto deadline = Clock::now() + grace;
  while (under_way_ > 0 && Clock::now() < deadline) co_await web::sleep_for(20ms);
}

}  // namespace models
