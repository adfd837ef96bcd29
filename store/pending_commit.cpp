#include "store/pending_commit.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace store {

void resume(Group group) {
  using Context = boost::asio::io_context;
  struct Resumption {
    Context* context;
    Group ready;
    std::size_t next = 0;
    // An exception that a coroutine lets escape leaves io_context::run, as from any handler; the rest are posted again.
    void operator()() {
      try {
        while (next < ready.size()) ready[next++]->complete();
      } catch (...) {
        if (next < ready.size()) boost::asio::post(*context, std::move(*this));
        throw;
      }
    }
  };
  std::vector<Resumption> by_context;
  for (auto& pending : group) {
    auto* context = pending->context();
    if (!context) {
      pending->complete();
      continue;
    }
    auto found = std::find_if(by_context.begin(), by_context.end(),
                              [context](const Resumption& other) { return other.context == context; });
    if (found == by_context.end()) found = by_context.insert(found, Resumption{context, {}});
    found->ready.push_back(std::move(pending));
  }
  for (auto& resumption : by_context) {
    auto& context = *resumption.context;
    boost::asio::post(context, std::move(resumption));
  }
}

}  // namespace store
