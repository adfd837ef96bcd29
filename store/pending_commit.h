// Commits that wait for the store's writer.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "store/engine.h"

namespace store {

// One caller's batch and its result.
struct Submission {
  Submission(Batch b, Durability d) : batch(std::move(b)), durability(d) {}

  Batch batch;
  Durability durability;
  CommitResult result;
  std::exception_ptr failure;
};

// One that waits for the committer's thread. Completed exactly once: a coroutine on its own io_context, a thread by
// waking it.
struct PendingCommit : Submission {
  using Submission::Submission;
  virtual ~PendingCommit() = default;
  virtual void complete() = 0;
  virtual boost::asio::io_context* context() const { return nullptr; }  // null: complete() may be called on any thread
};

using Group = std::vector<std::unique_ptr<PendingCommit>>;

// Completes all of them, with one post for each io_context.
void resume(Group);

}  // namespace store
