// Backups of the running box's store.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace maintenance {

class Backups {
 public:
  // `data`: the box's data folder. `threads` run the copying. `key_fingerprint`: of the master key that the store is
  // open under. The store and `threads` must outlive this.
  Backups(store::Store& store, std::filesystem::path data, boost::asio::thread_pool& threads,
          std::string key_fingerprint)
      : store_(store), data_(std::move(data)), threads_(threads), key_fingerprint_(std::move(key_fingerprint)) {}

  // Whether a backup to `to` can start: invalid unless it is an absolute path outside of the data folder, conflict
  // unless `key_fingerprint`, if given, is this store's.
  web::Result<void> check(const std::filesystem::path& to, const std::optional<std::string>& key_fingerprint) const;
  // After check(). Copies the store, incrementally if `to` holds a backup. Returns why the copy failed, or nothing.
  // conflict while another backup is in progress: two in one folder would remove each other's files.
  web::Task<web::Result<std::optional<std::string>>> make(std::filesystem::path to);

 private:
  store::Store& store_;
  const std::filesystem::path data_;
  boost::asio::thread_pool& threads_;
  const std::string key_fingerprint_;
  std::atomic<bool> is_in_progress_{false};
};

}  // namespace maintenance
