// A turn that runs beside its caller, who receives its events as they happen and stops it by going away.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "appliance/agent/loop.h"

namespace agent_process {

// Used on one io thread.
class TurnStream {
 public:
  // Starts the turn on the awaiting coroutine's io_context. The loop must outlive the turn.
  static web::Task<TurnStream> start(Loop&, Prompt, spans::TraceContext);
  TurnStream(TurnStream&&) = default;
  TurnStream& operator=(TurnStream&&) = delete;
  ~TurnStream();  // stops a turn that has not ended

  // Waits for events. Empty: the turn has ended, or the client has disconnected; see reply().
  web::Task<std::vector<TurnEvent>> next();
  // The turn's outcome. Kind::abandoned: the turn has not ended.
  web::Result<Reply> reply() const;

 private:
  struct State;
  explicit TurnStream(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace agent_process
