// Callers that wait for the store's writer.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "store/engine.h"

namespace store {

// One caller with its batch. Completed exactly once: a coroutine on its own io_context, a thread by waking it.
struct Waiting {
  Waiting(Batch b, Durability d, Lsn a) : batch(std::move(b)), durability(d), after(a) {}
  virtual ~Waiting() = default;
  virtual void complete() = 0;
  virtual boost::asio::io_context* context() const { return nullptr; }  // null: complete() may be called on any thread

  Batch batch;
  Durability durability;
  Lsn after;  // completed no sooner than this is on disk
  CommitResult result;
  std::exception_ptr failure;
};

using Group = std::vector<std::unique_ptr<Waiting>>;

// Completes all of them, with one post for each io_context.
void resume(Group);

}  // namespace store
