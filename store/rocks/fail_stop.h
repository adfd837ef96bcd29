// Makes the store read-only after the first error of a write: RocksDB 7.8 may lose data when it goes on after a failed
// flush or compaction. It is written to again only once it was opened anew and checked (rocks_engine.h).
#pragma once

#include <rocksdb/listener.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "store/engine.h"

namespace store {

class FailStop final : public rocksdb::EventListener {
 public:
  explicit FailStop(Trouble on_trouble) : on_trouble_(std::move(on_trouble)) {}

  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* status) override { stop(status->ToString()); }
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status, bool* auto_recovery) override {
    *auto_recovery = false;
  }

  // A write failed. Only the first cause counts.
  void stop(const std::string& cause);
  // A read found damage, or a check did: further writes would build upon lost data. For good.
  void stop_damaged(const std::string& cause);
  // The sentence that says why the store is read-only; nothing while it is not.
  std::optional<std::string> reason() const;

  // The number of failed writes so far, if they are all that is wrong; nothing while the store is writable or damaged.
  std::optional<std::uint64_t> failures() const;
  // The store is writable again, unless more writes have failed than these. Returns whether it is.
  bool recover(std::uint64_t failures);

 private:
  void report(const std::string& reason) const;

  const Trouble on_trouble_;
  mutable std::mutex mutex_;  // protects what follows
  std::optional<std::string> reason_;
  bool is_damaged_ = false;
  std::uint64_t failures_ = 0;
};

}  // namespace store
