#include "appliance/models/model_gateway.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <deque>
#include <set>

#include "appliance/models/admission.h"
#include "appliance/models/fit.h"
#include "appliance/models/model_span.h"
#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/remote_images.h"
#include "appliance/models/scoped_count.h"
#include "web/log.h"
#include "web/utf8.h"

namespace models {

namespace {

using Clock = std::chrono::steady_clock;

// Another model may answer a request that failed for other reasons.
bool is_final(Fault fault) {
  return fault == Fault::bad_request || fault == Fault::context_too_long || fault == Fault::cancelled;
}

Failure cancelled_by_client(bool may_be_billed) {
  return {.fault = Fault::cancelled, .message = "The client disconnected.", .may_be_billed = may_be_billed};
}

std::string comma_separated(const std::vector<std::string>& texts) {
  std::string joined;
  for (const auto& text : texts) joined.append(joined.empty() ? "" : ", ").append(text);
  return joined;
}

std::uint32_t queue_weight(const std::vector<std::int64_t>& weights, billing::Plan plan) {
  const auto rank = static_cast<std::size_t>(plan);
  return rank < weights.size() ? static_cast<std::uint32_t>(weights[rank]) : 1;
}

// Providers' answers are limited because their model's name is stored in every usage row.
void limit_answer(ChatAnswer& answer) {
  constexpr std::size_t name_bytes = 200;
  answer.model = std::string(web::utf8_prefix(answer.model, name_bytes));
  std::ranges::replace_if(
      answer.model, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  if (answer.message.tool_calls.size() > max_tool_calls) answer.message.tool_calls.resize(max_tool_calls);
}

}  // namespace

// What has become of a request so far.
struct ModelGateway::Progress {
  const ModelCall& call;
  CallControl& control;
  const Catalogue& catalogue;
  std::deque<Candidate> candidates;  // still to be tried
  std::string cache_key;             // empty: the answer is not cached
  std::vector<std::string> tried;    // "provider/model: fault"
  std::optional<web::Error> error;   // what is returned when no candidate is left
  bool has_failed = false;           // an attempt was made, and `error` is its error
  bool is_repeated = false;          // the same candidate was asked a second time
  bool is_replaced = false;          // a cap has replaced the candidates
  // The call with the images that a provider does not fetch. Once it is there, all further candidates get it.
  std::optional<ModelCall> with_images;
  std::set<const ProviderBreaker*> failed;  // of the providers that have failed during this request

  void stop() { candidates.clear(); }

  void add_misfit(const Candidate& candidate, web::Error misfit) {
    if (!error) error = std::move(misfit);
    // A model that the caller named is not replaced by another.
    if (!candidate.id.empty() && candidate.id == call.query.model) stop();
  }

  void add_open_circuit(const Attempt& attempt, const ProviderBreaker& breaker) {
    tried.push_back(attempt.name() + ": resting");
    // An attempt that was made is the cause of the failure; this is only its consequence.
    if (!has_failed) error = to_error(circuit_open(attempt.candidate, attempt.call.model, breaker));
  }

  void add_failure(const Attempt& attempt, const Failure& failure, const ProviderBreaker& breaker) {
    tried.push_back(attempt.name() + ": " + std::string(to_string(failure.fault)));
    error = to_error(failure);
    has_failed = true;
    failed.insert(&breaker);
    if (failure.is_worth_repeating && !is_repeated && !attempt.received.has_reached_target()) {
      is_repeated = true;
      candidates.push_front(attempt.candidate);
      return;
    }
    // The local server's two models: the first may be one that the server does not have.
    const bool is_next_elsewhere =
        candidates.empty() || candidates.front().provider != attempt.candidate.provider || !attempt.candidate.is_free();
    const bool is_refused = failure.fault == Fault::bad_request && !is_next_elsewhere;
    if (attempt.received.has_reached_target() || control.is_abandoned || (is_final(failure.fault) && !is_refused)) {
      stop();
    } else if (failure.fault == Fault::timeout) {
      move_to_end(attempt.candidate.provider->name());
    }
  }

  // A provider that was too slow once is only used again when no other is left.
  void move_to_end(std::string_view provider) {
    std::stable_partition(candidates.begin(), candidates.end(),
                          [provider](const Candidate& other) { return other.provider->name() != provider; });
  }

  ProviderBreaker::Reason reason_for(const Candidate& candidate, const ProviderBreaker& breaker) const {
    if (failed.contains(&breaker)) return ProviderBreaker::Reason::fallback;
    const bool is_only_provider = std::ranges::all_of(
        candidates, [&](const Candidate& other) { return other.provider->name() == candidate.provider->name(); });
    return is_only_provider && !has_failed ? ProviderBreaker::Reason::last_resort : ProviderBreaker::Reason::requested;
  }
};

ModelGateway::ModelGateway(const agentbox::Settings& settings, usage::Ledger& ledger,
                           const billing::SpendPolicy& policy, Catalogues& catalogues, const ProviderKeys& keys,
                           AnswerCache& cache, spans::Recorder& recorder)
    : settings_(settings),
      policy_(policy),
      catalogues_(catalogues),
      cache_(cache),
      spans_(recorder),
      meter_(ledger),
      providers_(settings),
      router_(providers_, keys, settings.openrouter_model) {}

web::Task<web::Result<ChatAnswer>> ModelGateway::complete(ModelCall call) {
  CallControl control;
  auto answer = co_await complete(std::move(call), control);
  co_return answer;
}

web::Task<web::Result<ChatAnswer>> ModelGateway::complete(ModelCall call, CallControl& control) {
  const ScopedCount counted(calls_in_progress_);
  const auto catalogue = catalogues_.current();
  auto chosen = co_await router_.choose(call.query, call.payer, *catalogue);
  if (!chosen) co_return chosen.error();
  Progress progress{.call = call,
                    .control = control,
                    .catalogue = *catalogue,
                    .candidates = std::deque<Candidate>(chosen->begin(), chosen->end()),
                    .error = std::nullopt};
  if (auto cached = co_await find_cached(progress)) co_return std::move(*cached);
  while (!progress.candidates.empty()) {
    const auto candidate = std::move(progress.candidates.front());
    progress.candidates.pop_front();
    if (auto answer = co_await try_candidate(progress, candidate)) co_return std::move(*answer);
  }
  if (!progress.tried.empty()) web::log::info("model_failed", {{"tried", comma_separated(progress.tried)}});
  co_return std::move(*progress.error);
}

web::Task<std::optional<ChatAnswer>> ModelGateway::find_cached(Progress& progress) {
  const auto& call = progress.call;
  const auto lifetime = cache_.lifetime(call.payer.user);
  if (lifetime.count() <= 0) co_return std::nullopt;
  progress.cache_key = AnswerCache::key_of(call.payer.user, call.request, call.query);
  auto answer = cache_.find(progress.cache_key, lifetime, Clock::now());
  if (!answer) co_return std::nullopt;
  co_await meter_.record_cached(call.payer, *answer);
  spans_.record(cached_span(call, *answer));
  progress.control.serving = answer->model;
  if (progress.control.listener) openai::replay(*answer, *progress.control.listener);
  co_return answer;
}

web::Task<std::optional<ChatAnswer>> ModelGateway::try_candidate(Progress& progress, const Candidate& candidate) {
  if (auto misfit = find_misfit(candidate, progress.call.request)) {
    progress.add_misfit(candidate, std::move(*misfit));
    co_return std::nullopt;
  }
  const auto& known = progress.with_images ? progress.with_images->request : progress.call.request;
  if (has_images_to_fetch(known, *candidate.provider)) {
    if (auto problem = co_await fetch_images(progress, candidate)) {
      progress.add_misfit(candidate, std::move(*problem));
      co_return std::nullopt;
    }
  }
  const auto& call = progress.with_images ? *progress.with_images : progress.call;
  auto attempt = prepare(candidate, call, progress.control.listener);
  attempt.call.tried = progress.tried;
  if (!attempt.has_price() && attempt.bounds.has_money()) {
    progress.error = no_price(attempt.call.model);
    co_return std::nullopt;
  }
  auto& breaker = providers_.breaker(candidate.provider->name());
  Admission admission(candidate.own_key ? nullptr : &breaker, attempt.call.model,
                      progress.reason_for(candidate, breaker));
  if (!admission) {
    progress.add_open_circuit(attempt, breaker);
    co_return std::nullopt;
  }
  // Before the reservation, which would hold the user's quota while the request waits.
  const auto slot = co_await wait_for_slot(candidate, progress.call, progress.control);
  if (const auto exceeded = co_await meter_.reserve(attempt)) {
    replace_candidate(progress, attempt, *exceeded);
    co_return std::nullopt;
  }
  auto span = begin_span(attempt, progress.call);
  auto outcome = co_await call_provider(attempt, progress.control);
  if (outcome) limit_answer(*outcome);
  end_span(std::move(span), attempt, outcome);
  admission.report(outcome);
  co_await meter_.settle(attempt, progress.call.request, outcome);
  if (!outcome) {
    progress.add_failure(attempt, outcome.error(), breaker);
    co_return std::nullopt;
  }
  if (candidate.model) outcome->model = candidate.id;
  store_in_cache(progress, attempt, *outcome);
  if (!progress.tried.empty())
    web::log::info("model_fell_back", {{"served", outcome->model}, {"tried", comma_separated(progress.tried)}});
  co_return std::move(*outcome);
}

web::Task<std::optional<web::Error>> ModelGateway::fetch_images(Progress& progress, const Candidate& candidate) const {
  auto request = progress.with_images ? progress.with_images->request : progress.call.request;
  request.origin.user = progress.call.payer.user;
  request.origin.agent = progress.call.payer.agent;
  auto fetched = co_await with_fetched_images(std::move(request), *candidate.provider);
  if (!fetched) co_return fetched.error();
  if (!progress.with_images) progress.with_images = progress.call;
  progress.with_images->request = std::move(*fetched);
  co_return std::nullopt;
}

Attempt ModelGateway::prepare(const Candidate& candidate, const ModelCall& call, Listener* listener) const {
  auto attempt = make_attempt(candidate, call, listener, settings_.ai_max_tokens);
  attempt.bounds = policy_.bounds_of(call.payer, attempt.call);
  attempt.is_billed_after_disconnect = providers_.bills_after_disconnect(candidate.provider->name());
  if (candidate.is_free())
    attempt.limits = attempt.bounds.for_local();
  else
    attempt.limits = attempt.has_price() ? attempt.bounds.limits : attempt.bounds.for_unpriced();
  return attempt;
}

spans::Running ModelGateway::begin_span(const Attempt& attempt, const ModelCall& call) const {
  return spans_.begin(model_span(attempt), call.trace);
}

void ModelGateway::replace_candidate(Progress& progress, const Attempt& attempt, const usage::Limit& exceeded) const {
  progress.error = policy_.refusal(attempt.bounds, exceeded, attempt.call);
  progress.stop();
  if (progress.is_replaced) return;
  auto replacement = replacement_for(attempt.candidate, attempt.bounds.cap_of(exceeded), progress);
  const auto& only = progress.call.query.only;
  if (!replacement || (!only.empty() && std::ranges::find(only, replacement->id) == only.end())) return;
  progress.is_replaced = true;
  progress.tried.push_back(attempt.name() + ": cap reached");
  progress.candidates.push_back(std::move(*replacement));
}

std::optional<Candidate> ModelGateway::replacement_for(const Candidate& candidate, const billing::Cap* cap,
                                                       const Progress& progress) const {
  switch (cap ? cap->when_reached : billing::WhenReached::refuse) {
    case billing::WhenReached::local:
      return router_.local();
    case billing::WhenReached::cheaper:
      return router_.cheaper_than(candidate, progress.call.payer, progress.catalogue);
    case billing::WhenReached::refuse:
      break;
  }
  return std::nullopt;
}

web::Task<std::optional<ModelQueue::Slot>> ModelGateway::wait_for_slot(const Candidate& candidate,
                                                                       const ModelCall& call, CallControl& control) {
  const std::string provider(candidate.provider->name());
  const auto limit = providers_.max_concurrent(provider);
  const bool is_server = provider == "local" || is_server_name(provider);
  if (candidate.own_key || control.is_abandoned || (limit == 0 && !is_server)) co_return std::nullopt;
  auto base_url = is_server ? providers_.base_url(provider) : std::string();
  auto on_place = [&control](const FairQueue::Place& place) {
    if (control.on_place) control.on_place(place);
  };
  QueuedRequest queued{.wait_class = call.wait_class,
                       .user = std::to_string(call.payer.user),
                       .weight = queue_weight(providers_.queue_weights(provider), call.payer.plan)};
  control.ends_with_caller = true;  // a caller that leaves gives up its place
  std::optional<ModelQueue::Slot> slot;
  const auto executor = co_await boost::asio::this_coro::executor;
  try {
    auto entering = queues_.enter(provider, std::move(base_url), limit, std::move(queued), std::move(on_place));
    auto waiting = boost::asio::co_spawn(executor, std::move(entering),
                                         boost::asio::bind_cancellation_slot(control.cancel.slot(), web::use_task));
    slot.emplace(co_await std::move(waiting));
  } catch (const boost::system::system_error&) {
    if (!control.is_abandoned) throw;
  }
  if (control.on_place) control.on_place(std::nullopt);
  co_return slot;
}

web::Task<Outcome<ChatAnswer>> ModelGateway::call_provider(Attempt& attempt, CallControl& control) const {
  attempt.started = Clock::now();
  control.serving = attempt.call.model;
  if (control.is_abandoned) co_return cancelled_by_client(false);
  const auto executor = co_await boost::asio::this_coro::executor;
  auto* listener = attempt.is_streamed ? &attempt.received : nullptr;
  // A provider bills an answer that it sends whole, and only says at its end for how much.
  control.ends_with_caller = attempt.is_streamed;
  std::optional<Outcome<ChatAnswer>> outcome;
  std::string exception;
  try {
    auto completion =
        boost::asio::co_spawn(executor, attempt.candidate.provider->complete(std::move(attempt.request), listener),
                              boost::asio::bind_cancellation_slot(control.cancel.slot(), web::use_task));
    outcome.emplace(co_await std::move(completion));
  } catch (const std::exception& error) {
    exception = error.what();
  }
  if (outcome) co_return std::move(*outcome);
  const std::string provider(attempt.candidate.provider->name());
  if (control.is_abandoned) {
    web::log::info("model_call_given_up", {{"provider", provider}, {"reason", "the client disconnected"}});
    co_return cancelled_by_client(true);
  }
  web::log::error("model_call_failed", {{"provider", provider}, {"reason", exception}});
  co_return Failure{
      .fault = Fault::upstream_error, .message = "The request to the model failed.", .may_be_billed = true};
}

// Answers of a fallback model and shortened answers are not cached.
void ModelGateway::store_in_cache(const Progress& progress, const Attempt& attempt, const ChatAnswer& answer) {
  if (progress.cache_key.empty() || !progress.tried.empty() || attempt.is_shortened) return;
  cache_.add(progress.cache_key, answer, Clock::now());
}

web::Task<> ModelGateway::finish(std::chrono::milliseconds grace) {
  using namespace std::chrono_literals;
  const auto deadline = Clock::now() + grace;
  while (calls_in_progress_ > 0 && Clock::now() < deadline) co_await web::sleep_for(20ms);
}

}  // namespace models
