#include "appliance/models/call_handle.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "web/log.h"
#include "web/routes/disconnect.h"

namespace models {

namespace asio = boost::asio;

namespace {

web::Error client_disconnected() { return {.kind = web::Kind::abandoned, .message = "The client disconnected"}; }

}  // namespace

struct CallHandle::State final : Listener {
  explicit State(web::Executor executor) : changed(executor, std::chrono::steady_clock::time_point::max()) {}

  void text(std::string_view piece) override {
    // Pieces are merged for a slow reader.
    constexpr std::size_t max_pieces = 256;
    if (pieces.size() >= max_pieces && pieces.back().is_text()) {
      pieces.back().text += piece;
    } else {
      pieces.push_back({.text = std::string(piece)});
    }
    changed.cancel();
  }
  void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) override {
    pieces.push_back(
        {.call = index, .id = std::string(id), .name = std::string(name), .arguments = std::string(arguments)});
    changed.cancel();
  }
  void other(const AnswerPiece& piece) override {
    pieces.push_back(piece);
    changed.cancel();
  }
  void abandon() {
    if (result || control.is_abandoned) return;
    control.is_abandoned = true;
    if (control.ends_with_caller) {
      control.cancel.emit(asio::cancellation_type::terminal);
    } else {
      web::log::info("model_call_unattended", {{"model", control.serving}, {"reason", "the client disconnected"}});
    }
  }
  web::Timer changed;                     // cancelled when a member below changes
  std::optional<FairQueue::Place> place;  // in the queue before the model, while it waits there; changes silently
  std::vector<AnswerPiece> pieces;
  std::optional<web::Result<ChatAnswer>> result;
  std::exception_ptr failure;  // an exception of the store; the call ended without a result
  bool ended = false;
  CallControl control;
};

web::Task<> CallHandle::run(std::shared_ptr<State> state, ModelGateway& gateway, ModelCall call) {
  try {
    state->result.emplace(co_await gateway.complete(std::move(call), state->control));
  } catch (...) {
    state->failure = std::current_exception();
  }
  state->ended = true;
  state->changed.cancel();
}

web::Task<CallHandle> CallHandle::start(ModelGateway& gateway, ModelCall call, bool streamed) {
  const auto executor = co_await asio::this_coro::executor;
  auto state = std::make_shared<State>(executor);
  if (streamed) state->control.listener = state.get();
  state->control.on_place = [known = state.get()](const std::optional<FairQueue::Place>& place) {
    known->place = place;
  };
  asio::co_spawn(executor, run(state, gateway, std::move(call)), asio::detached);
  co_return CallHandle(std::move(state));
}

const std::string& CallHandle::serving() const { return state_->control.serving; }

CallHandle::~CallHandle() {
  if (state_) state_->abandon();
}

web::Task<web::Result<ChatAnswer>> CallHandle::answer() {
  const auto state = state_;
  while (!state->ended)
    if (!co_await web::wait_unless_disconnected(state->changed)) {
      state->abandon();
      co_return client_disconnected();
    }
  if (state->failure) std::rethrow_exception(state->failure);
  co_return *state->result;
}

web::Task<bool> CallHandle::begins() {
  const auto state = state_;
  while (!state->ended && state->pieces.empty())
    if (!co_await web::wait_unless_disconnected(state->changed)) {
      state->abandon();
      state->result.emplace(client_disconnected());
      state->ended = true;
    }
  co_return !state->pieces.empty();
}

web::Task<std::optional<bool>> CallHandle::begins_within(std::chrono::milliseconds limit) {
  const auto state = state_;
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!state->ended && state->pieces.empty() && std::chrono::steady_clock::now() < end) {
    state->changed.expires_at(end);
    const bool is_connected = co_await web::wait_unless_disconnected(state->changed);
    state->changed.expires_at(std::chrono::steady_clock::time_point::max());
    if (is_connected) continue;
    state->abandon();
    state->result.emplace(client_disconnected());
    state->ended = true;
  }
  if (!state->ended && state->pieces.empty()) co_return std::nullopt;
  co_return !state->pieces.empty();
}

std::string CallHandle::comment() const {
  const auto& place = state_->place;
  return place ? ": " + to_comment(*place) + "\n\n" : ": waiting\n\n";
}

const std::optional<FairQueue::Place>& CallHandle::place() const { return state_->place; }

web::Task<std::optional<std::vector<AnswerPiece>>> CallHandle::next_within(std::chrono::milliseconds limit) {
  const auto begun = co_await begins_within(limit);
  if (!begun) co_return std::nullopt;
  co_return std::exchange(state_->pieces, {});
}

web::Task<std::vector<AnswerPiece>> CallHandle::next() {
  co_await begins();
  co_return std::exchange(state_->pieces, {});
}

}  // namespace models
