#include "appliance/agent/loop.h"

#include <algorithm>
#include <boost/asio/cancellation_state.hpp>
#include <iterator>

#include "appliance/agent/compaction.h"
#include "appliance/agent/workspace_path.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/ascii.h"
#include "web/log.h"
#include "web/utf8.h"

namespace agent_process {

namespace {

constexpr std::int64_t percent_for_conversation = 60;  // the rest: prompt, tools, answer
constexpr std::int64_t least_window_tokens = 1'000;
constexpr std::int64_t part_for_answer = 8, most_for_answer = 8'000;  // of the context; tokens
constexpr int max_compactions = 10;
constexpr std::chrono::seconds memory_wait{10};  // for a turn that runs
constexpr std::size_t max_summary_bytes = 8 * 1024;
constexpr std::size_t digest_bytes = 4 * 1024, subject_bytes = 60;

std::chrono::milliseconds time_until(std::chrono::steady_clock::time_point deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
}

web::Error too_late() { return {.kind = web::Kind::timeout, .message = "The agent did not finish in time."}; }

std::string commit_message(std::string_view user_message) {
  return "Turn: " + web::headline(user_message, subject_bytes);
}

// For calls that are not run.
std::vector<models::Message> cut_off_results(const std::vector<models::ToolCall>& calls) {
  constexpr const char* result =
      R"({"error":"Not run: your answer was cut off at its limit of tokens. Make fewer or smaller calls, one at a time"})";
  std::vector<models::Message> results;
  for (const auto& call : calls)
    results.push_back({.role = models::Role::tool, .content = result, .tool_call_id = call.id});
  return results;
}

void add(models::TokenUsage& sum, const models::TokenUsage& usage) {
  sum.input += usage.input;
  sum.output += usage.output;
  sum.estimated = sum.estimated || usage.estimated;
}

}  // namespace

Loop::Loop(LoopOptions options, ModelClient& model, Toolbox& toolbox, Conversations& conversations, Memory& memory,
           Repository& repository, boost::asio::thread_pool& files)
    : options_(std::move(options)),
      model_(model),
      toolbox_(toolbox),
      conversations_(conversations),
      memory_(memory),
      repository_(repository),
      files_(files),
      turns_(options_.max_waiting) {}

PromptFacts Loop::facts(const Turn& turn, bool is_last) const {
  PromptFacts facts{.agent_name = options_.agent_name,
                    .time = turn.time,
                    .channel = turn.prompt.channel,
                    .profile = options_.conduct,
                    .workspace = {},
                    .blocks = {},
                    .memory = {},
                    .summary = {},
                    .is_last_round = is_last};
  if (!has_tools(turn)) return facts;
  if (turn.is_for(Audience::owner) && options_.workspace) facts.workspace = options_.workspace();
  facts.blocks = memory_of(turn).blocks();
  facts.memory = memory_of(turn).digest(digest_bytes);
  facts.summary = turn.conversation->summary();
  return facts;
}

web::Task<std::vector<models::Message>> Loop::context(const Turn& turn, std::int64_t divisor, bool is_last,
                                                      std::vector<models::ToolDefinition> tools) {
  const auto read = [this, divisor, is_last, &turn, &tools] {
    models::ChatRequest fixed;
    fixed.messages = {
        {.role = models::Role::system, .content = system_prompt(facts(turn, is_last), turn.prompt.audience)}};
    fixed.tools = std::move(tools);
    prompt_tokens_ = context_tokens(fixed);
    auto messages = std::move(fixed.messages);
    if (!turn.conversation) {
      messages.push_back({.role = models::Role::user, .content = turn.prompt.text});
      return messages;
    }
    for (auto& message : turn.conversation->window(window() / divisor)) messages.push_back(std::move(message));
    return messages;
  };
  co_return co_await web::offload(files_, read);
}

web::Task<> Loop::store(const Turn& turn, std::vector<models::Message> messages) {
  if (!turn.conversation) co_return;
  const auto append = [&turn, &messages] { turn.conversation->append(messages); };
  co_await web::offload(files_, append);
}

void Loop::open(Turn& turn) const {
  const auto& prompt = turn.prompt;
  const bool is_owner = prompt.audience == Audience::owner;
  if (is_owner) {
    turn.conversation = prompt.earlier.empty() ? conversations_.open(prompt.conversation)
                                               : conversations_.begin(prompt.conversation, prompt.earlier);
    turn.pictures = prompt.pictures;
    for (const auto& url : prompt.inlined)
      if (auto kept = options_.keep_picture ? options_.keep_picture(url) : web::invalid("no pictures"); kept)
        turn.pictures.push_back(std::move(*kept));
    note_point(turn);
  } else if (!prompt.conversation.empty() && !prompt.peer.empty()) {
    turn.conversation = conversations_.open_of_peer(prompt.conversation, prompt.peer);
    turn.peer = prompt.audience == Audience::anyone
                    ? conversations_.anyone()
                    : conversations_.peer(prompt.conversation, prompt.peer, turn.conversation);
  }
}

web::Task<web::Result<std::vector<Fact>>> Loop::with_memory_of(
    std::string peer, std::function<web::Result<std::vector<Fact>>(Memory&)> work) {
  const auto lock = co_await turns_.lock(std::chrono::steady_clock::now() + memory_wait);
  if (!lock) co_return lock.error();
  const auto blocking = [&] {
    Memory memory(conversations_.folder_of_peer(peer));
    return work(memory);
  };
  co_return co_await web::offload(files_, blocking);
}

web::Task<> Loop::add_pictures(std::vector<models::Message>& messages, const Turn& turn, bool may_see) {
  ModelFacts facts;
  auto model = turn.prompt.model.empty() ? measured_model_ : turn.prompt.model;
  if (may_see && options_.model_facts && !model.empty()) facts = co_await options_.model_facts(std::move(model));
  const bool sees = may_see && facts.sees_pictures.value_or(true) && turn.is_for(Audience::owner);
  const auto work = [&] { show_pictures(messages, options_.read_picture, sees); };
  co_await web::offload(files_, work);
}

web::Task<> Loop::commit(std::string message) {
  const auto commit_all = [this, &message] { repository_.commit_all(message); };
  std::string failure;
  try {
    co_await web::offload(files_, commit_all);
  } catch (const std::exception& error) {
    // The files are stored without the commit, and the next turn commits them.
    failure = error.what();
  }
  if (!failure.empty()) web::log::warning("workspace_commit_failed", {{"reason", failure}});
}

web::Task<> Loop::measure_window(const models::ChatAnswer& answer, std::int64_t counted) {
  if (answer.model != measured_model_ && options_.model_facts) {
    measured_model_ = answer.model;
    scale_ = TokenScale();
    auto model = answer.model;
    const auto facts = co_await options_.model_facts(std::move(model));
    context_tokens_ = facts.context_tokens;
  }
  if (!answer.usage.estimated) scale_.learn(counted, answer.usage.input);
}

std::int64_t Loop::window() const {
  const auto most = static_cast<std::int64_t>(options_.max_window_bytes) / bytes_a_token;
  if (!context_tokens_) return std::clamp(scale_.counted(options_.window_tokens), std::int64_t{1}, most);
  const auto context = *context_tokens_;
  const auto answer = std::min(context / part_for_answer, most_for_answer);
  const auto room = scale_.counted(context - answer) - prompt_tokens_;
  const auto share = scale_.counted(context / 100 * percent_for_conversation);
  return std::clamp(std::min(share, room), std::min(least_window_tokens, most), most);
}

ModelClient::OnPlace Loop::place_reporter(const Turn& turn) {
  return [&turn](const models::FairQueue::Place& place) {
    if (turn.observer) turn.observer(WaitsForModel{.place = place});
  };
}

web::Task<> Loop::compact(Deadline deadline, const Turn& turn) {
  auto& conversation = *turn.conversation;
  for (int pieces = 0; pieces < max_compactions; ++pieces) {
    struct Older {
      std::vector<models::Message> messages;
      std::string summary;
    };
    const auto look = [this, &conversation]() -> Older {
      const auto tokens = conversation.tokens();
      const auto most = window();
      if (tokens < most / 5 * 4) return {};
      // At most half of a window at once, which the model can read.
      const auto kept = std::max(most / 5 * 2, tokens - std::min(tokens, most / 2));
      return {conversation.before_newest(kept), conversation.summary()};
    };
    const auto older = co_await web::offload(files_, look);
    const auto time = time_until(deadline);
    if (older.messages.empty() || time.count() <= 0) co_return;
    auto request = compaction_request(older.summary, older.messages);
    request.model = options_.conduct.helper_model.value_or("");
    ModelClient::OnText unheard;
    auto on_place = place_reporter(turn);
    const auto answer =
        co_await model_.ask(std::move(request), time, std::move(unheard), std::move(on_place), turn.trace.context());
    auto compacted =
        answer && answer->model != builtin_model
            ? parse_compaction(answer->message.content, std::min(max_summary_bytes, static_cast<std::size_t>(window())))
            : std::nullopt;
    if (!compacted) {
      web::log::warning("conversation_not_compacted", {{"reason", answer ? "no summary" : answer.error().message}});
      co_return;
    }
    const auto replace = [this, &compacted, &older, &conversation, &turn] {
      const bool has_memory = !turn.peer || turn.peer->has_memory();
      for (auto& fact : compacted->facts) {
        if (!has_memory) break;
        // conflict: the memory is full; the fact is in the history all the same.
        [[maybe_unused]] const auto kept = memory_of(turn).remember(std::move(fact));
      }
      conversation.compact(older.messages.size(), std::move(compacted->summary));
    };
    co_await web::offload(files_, replace);
    web::log::info("conversation_compacted", {{"messages", std::int64_t(older.messages.size())}});
  }
}

web::Task<web::Result<models::ChatAnswer>> Loop::ask(Deadline deadline, bool is_last, Turn& turn) {
  const auto on_text = [&turn](std::string_view piece, const std::string& model) {
    std::string text(piece);
    if (turn.round.empty() && !turn.text.empty()) text.insert(0, "\n\n");
    turn.round += piece;
    turn.text += text;
    if (turn.observer) turn.observer(TextPiece{.text = std::move(text), .model = model});
  };
  // If the model's context is too short, retries with less of the conversation; if it refuses pictures, without them.
  bool may_see = true;
  for (std::int64_t divisor = 1;;) {
    const auto time = time_until(deadline);
    if (time.count() <= 0) co_return too_late();
    models::ChatRequest request;
    if (!is_last) request.tools = toolbox_of(turn).definitions();
    auto tools = request.tools;
    request.messages = co_await context(turn, divisor, is_last && has_tools(turn), std::move(tools));
    const bool has_seen = has_pictures(request.messages);
    turn.counted = has_seen ? 0 : context_tokens(request);
    if (has_seen) co_await add_pictures(request.messages, turn, may_see);
    request.temperature = options_.conduct.temperature;
    request.top_p = options_.conduct.top_p;
    request.max_tokens = options_.conduct.max_tokens;
    request.model = turn.prompt.model;
    const auto effort =
        turn.prompt.effort.empty() ? options_.conduct.reasoning_effort.value_or("") : turn.prompt.effort;
    if (!effort.empty()) request.options["reasoning_effort"] = effort;
    auto on_place = place_reporter(turn);
    auto answer = co_await model_.ask(std::move(request), time, on_text, std::move(on_place), turn.trace.context());
    const bool may_be_refusal =
        !answer && (answer.error().kind == web::Kind::invalid || answer.error().kind == web::Kind::bad_gateway);
    if (may_be_refusal && has_seen && std::exchange(may_see, false) &&
        answer.error().code != models::openai::context_length_exceeded)
      continue;
    if (answer || answer.error().code != models::openai::context_length_exceeded) co_return answer;
    if (context_tokens_) scale_.learn_refusal(turn.counted, *context_tokens_);
    divisor *= 2;
    if (window() / divisor < least_window_tokens || !turn.conversation) co_return answer;
  }
}

bool Loop::is_last_round(std::size_t round, const Reply& reply, Deadline deadline, const Turn& turn) const {
  if (!has_tools(turn)) return true;
  const auto max_rounds = turn.peer ? std::min(options_.max_rounds, options_.max_peer_rounds) : options_.max_rounds;
  return round >= max_rounds || reply.usage.total() >= options_.max_tokens ||
         (round > 1 && time_until(deadline) < options_.turn_time / 10);
}

web::Task<Reply> Loop::stop_by_guard(GuardStop stop, Reply reply, Turn& turn) {
  web::log::warning("turn_stopped_by_guard", {{"code", std::string(stop.code)}, {"reason", stop.reason}});
  const auto why = "(Stopped: " + stop.reason + " Tell me to go on, and I will.)";
  std::vector<models::Message> said{{.role = models::Role::assistant, .content = why}};
  co_await store(turn, std::move(said));
  auto piece = (turn.text.empty() ? "" : "\n\n") + why;
  turn.text += piece;
  if (turn.observer) {
    turn.observer(TextPiece{.text = std::move(piece), .model = reply.model});
    turn.observer(GuardStopped{.code = std::string(stop.code)});
  }
  reply.text = turn.text;
  const auto& channel = turn.prompt.channel;
  const bool is_read = turn.is_for(Audience::owner) && (channel.empty() || channel == "console" || channel == "api");
  if (!is_read && options_.notify) {
    auto notice = "I have stopped working on \"" + web::headline(turn.prompt.text, subject_bytes) + "\" (" + channel +
                  "): " + stop.reason;
    if (turn.is_for(Audience::owner)) notice += " Write to me in that conversation if I may go on.";
    co_await options_.notify(std::move(notice));
  }
  co_return reply;
}

web::Task<web::Result<Reply>> Loop::converse(Deadline deadline, Turn& turn) {
  Reply reply;
  for (std::size_t round = 1;; ++round) {
    const bool last = is_last_round(round, reply, deadline, turn);
    auto answer = co_await ask(deadline, last, turn);
    if (!answer) co_return answer.error();
    add(reply.usage, answer->usage);
    spend_rate_.add(answer->usage.total());
    reply.model = answer->model;
    co_await measure_window(*answer, turn.counted);
    auto& message = answer->message;
    if (message.tool_calls.empty()) {
      if (web::trim(message.content, web::white_space).empty()) {
        co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The model gave an empty answer."};
      }
      reply.text = turn.text;
      std::vector<models::Message> said{std::move(message)};
      turn.round.clear();
      co_await store(turn, std::move(said));
      co_return reply;
    }
    if (last)
      co_return web::Error{.kind = web::Kind::bad_gateway,
                           .message = "The agent gave up: the model called tools " + std::to_string(round) +
                                      " times without an answer."};
    // Calls and results are stored together: models reject calls without results.
    std::vector<models::Message> said{message};
    // A call of an answer that was cut off may be incomplete.
    const bool is_cut_off = answer->finish == models::Finish::length;
    auto results = is_cut_off ? cut_off_results(message.tool_calls) : std::vector<models::Message>();
    if (options_.allow_delegation) options_.allow_delegation(options_.max_tokens - reply.usage.total(), deadline);
    if (!is_cut_off) results = co_await run_tools(message.tool_calls, deadline, turn);
    std::move(results.begin(), results.end(), std::back_inserter(said));
    if (options_.delegated_usage) {
      const auto delegated = options_.delegated_usage();
      add(reply.usage, delegated);
      spend_rate_.add(delegated.total());
    }
    turn.round.clear();
    co_await store(turn, std::move(said));
    auto stop = turn.guard.end_round();
    if (stop && !turn.prompt.is_unguarded) co_return co_await stop_by_guard(std::move(*stop), std::move(reply), turn);
  }
}

web::Task<web::Result<Reply>> Loop::turn(Prompt prompt, TurnObserver observer, spans::TraceContext given) {
  const auto deadline = std::chrono::steady_clock::now() + options_.turn_time;
  const auto lock = co_await turns_.lock(deadline);
  if (!lock) co_return lock.error();
  model_.wait_as(prompt.wait_class);
  model_.belong_to(prompt.message);
  TurnTrace trace(std::move(given), prompt.text);
  Turn turn{.prompt = std::move(prompt),
            .conversation = {},
            .pictures = {},
            .peer = {},
            .observer = std::move(observer),
            .trace = std::move(trace),
            .guard = TurnGuard(options_.guard, spend_rate_)};
  const auto open_turn = [this, &turn] { open(turn); };
  co_await web::offload(files_, open_turn);
  const auto& message = turn.prompt.text;
  const bool is_owner = turn.is_for(Audience::owner);
  std::vector<models::Message> said{
      {.role = models::Role::user, .content = message, .parts = picture_parts(message, turn.pictures)}};
  co_await store(turn, std::move(said));
  if (has_tools(turn)) {
    co_await toolbox_of(turn).refresh();
    co_await compact(deadline, turn);
  }
  if (options_.clock) turn.time = co_await options_.clock();

  web::Result<Reply> reply = too_late();
  std::exception_ptr thrown;
  try {
    reply = co_await converse(deadline, turn);
  } catch (...) {
    thrown = std::current_exception();
    reply = web::internal("The turn was stopped.");
  }
  // What follows is done for a cancelled turn, too.
  if (thrown) co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
  if (!reply) {
    const auto& round = turn.round;
    const auto why = reply.error().message + ")";
    std::vector<models::Message> note{
        {.role = models::Role::assistant,
         .content = round.empty() ? "(No answer: " + why : round + "\n\n(Broken off: " + why}};
    co_await store(turn, std::move(note));
  }
  if (reply && turn.prompt.wants_title && options_.make_title)
    options_.make_title(
        {turn.prompt.conversation, message, reply->text, reply->model, options_.conduct.helper_model.value_or("")});
  if (is_owner) co_await commit(commit_message(message));
  turn.trace.end(reply ? std::string_view() : std::string_view(reply.error().message));
  if (reporter_) co_await reporter_->send(turn.trace);
  if (thrown) std::rethrow_exception(thrown);
  co_return reply;
}

}  // namespace agent_process
