// Makes the store read-only after the first error of a write, for good: RocksDB 7.8 may lose data when it goes on after
// a failed flush or compaction.
#pragma once

#include <rocksdb/listener.h>

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
  // A read found damage: further writes would build upon lost data.
  void stop_damaged(const std::string& cause);
  // The sentence that says why the store is read-only; nothing while it is not.
  std::optional<std::string> reason() const;

 private:
  void stop_because(const std::string& reason);

  const Trouble on_trouble_;
  mutable std::mutex mutex_;  // protects reason_
  std::optional<std::string> reason_;
};

}  // namespace store
