// The names in watched folders. inotify reports that a file was moved to a name, but not whether the name existed
// before.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace explorer {

class KnownNames {
 public:
  // `most`: limit for all folders together; beyond it a folder's names become unknown.
  explicit KnownNames(std::size_t most) : most_(most) {}

  // Folders are identified by numbers chosen by the caller. False when the folder is known already.
  bool begin(int folder) { return folders_.try_emplace(folder).second; }
  void add(int folder, std::string_view name) {
    Names& names = folders_[folder];
    if (count_ < most_) {
      count_ += names.hashes.insert(hash_of(name)).second ? 1 : 0;
    } else {
      names.are_all = names.are_all && names.hashes.contains(hash_of(name));
    }
  }
  void remove(int folder, std::string_view name) { count_ -= folders_[folder].hashes.erase(hash_of(name)); }
  void forget(int folder) {
    const auto found = folders_.find(folder);
    if (found == folders_.end()) return;
    count_ -= found->second.hashes.size();
    folders_.erase(found);
  }

  void forget_all() {
    folders_.clear();
    count_ = 0;
  }

  // True only if the folder certainly has no such name (except for hash collisions, once in 2^64).
  bool lacks(int folder, std::string_view name) const {
    const auto found = folders_.find(folder);
    if (found == folders_.end()) return true;
    return found->second.are_all && !found->second.hashes.contains(hash_of(name));
  }

 private:
  struct Names {
    std::unordered_set<std::size_t> hashes;
    bool are_all = true;
  };
  static std::size_t hash_of(std::string_view name) { return std::hash<std::string_view>()(name); }

  const std::size_t most_;
  std::size_t count_ = 0;
  std::unordered_map<int, Names> folders_;
};

}  // namespace explorer
