// A call of the model gateway in a handler: its answer is awaited as a whole or piece by piece, and it ends
// when the handler's client disconnects: an answer that is streamed is cancelled; one that comes whole is awaited and
// settled, but no other model is tried.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/models/model_gateway.h"

namespace models {

// Used on one io thread. The call goes on until it is settled, even if the handle is destroyed before.
class CallHandle {
 public:
  // Starts the call on the awaiting coroutine's io_context. The gateway must outlive the call.
  static web::Task<CallHandle> start(ModelGateway&, ModelCall, bool streamed);
  CallHandle(CallHandle&&) = default;
  CallHandle& operator=(CallHandle&&) = delete;
  ~CallHandle();  // cancels a call that has not ended

  // Waits for the end of the call. abandoned: the client disconnected before.
  web::Task<web::Result<ChatAnswer>> answer();
  // Waits for the first piece or the end of the call. False: it ended without a piece; see answer().
  web::Task<bool> begins();
  // The same for at most `limit`. Not set: there is nothing yet.
  web::Task<std::optional<bool>> begins_within(std::chrono::milliseconds limit);
  // Waits for pieces and returns them. Empty: the call has ended, and answer() does not wait.
  web::Task<std::vector<AnswerPiece>> next();
  // The same for at most `limit`. Not set: there is nothing yet.
  web::Task<std::optional<std::vector<AnswerPiece>>> next_within(std::chrono::milliseconds limit);
  // A comment of server-sent events while there is nothing to send: the place in the queue before the model
  // (": queued 2, about 20 s"), or that the answer has not begun.
  std::string comment() const;
  // In the queue before the model. Not set: the call does not wait there.
  const std::optional<FairQueue::Place>& place() const;
  // The model of the current or last attempt.
  const std::string& serving() const;

 private:
  struct State;
  explicit CallHandle(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static web::Task<> run(std::shared_ptr<State>, ModelGateway&, ModelCall);
  std::shared_ptr<State> state_;
};

}  // namespace models
