// A call of the model gateway in a handler: its answer is awaited as a whole or piece by piece, and it is cancelled
// when the handler's client disconnects.
#pragma once

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

  // Waits for the end of the call. abandoned: the client disconnected before, which cancels the call.
  web::Task<web::Result<ChatAnswer>> answer();
  // Waits for the first piece or the end of the call. False: it ended without a piece; see answer().
  web::Task<bool> begins();
  // Waits for pieces and returns them. Empty: the call has ended, and answer() does not wait.
  web::Task<std::vector<AnswerPiece>> next();
  // The model of the current or last attempt.
  const std::string& serving() const;

 private:
  struct State;
  explicit CallHandle(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static web::Task<> run(std::shared_ptr<State>, ModelGateway&, ModelCall);
  std::shared_ptr<State> state_;
};

}  // namespace models
