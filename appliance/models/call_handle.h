// One call of the AI layer as a handler sees it: waited for whole or piece by piece, and cut off when the handler's
// client is gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/models/model_gateway.h"

namespace models {

// Lives on one io thread. The call itself goes on until it has been settled, also when this is gone before.
class CallHandle {
 public:
  // Starts the call on the awaiting coroutine's io_context. `ai` must outlive the call.
  static web::Task<CallHandle> start(ModelGateway& ai, Ask, bool streamed);
  CallHandle(CallHandle&&) = default;
  CallHandle& operator=(CallHandle&&) = delete;
  ~CallHandle();  // cuts off a call that has not ended

  // The answer once it is whole. When the client hangs up before, the call is cut off and an error comes back.
  web::Task<web::Result<ChatAnswer>> answer();
  // Until the first piece has come or the call has ended. False: it ended without a piece; answer() tells how.
  web::Task<bool> begins();
  // The pieces that have come since, at least one; none once there are none any more: then answer() does not wait.
  web::Task<std::vector<AnswerPiece>> next();
  // The model that is being asked, or was asked last.
  const std::string& serving() const;

 private:
  struct State;
  explicit CallHandle(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static web::Task<> run(std::shared_ptr<State>, ModelGateway&, Ask);
  std::shared_ptr<State> state_;
};

}  // namespace models
