// Whose keys a read or a batch may reach. Every engine checks it, whatever the key: a mistake in code that builds keys
// then reads nothing and writes nothing, in place of another owner's records.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace store {

class Scope {
 public:
  // Everything.
  static Scope system() { return Scope(std::nullopt); }
  // The records and counters of one owner, and the index entries of those records.
  static Scope tenant(std::int64_t owner) { return Scope(owner); }

  const std::optional<std::int64_t>& owner() const { return owner_; }
  bool is_system() const { return !owner_; }

 private:
  explicit Scope(std::optional<std::int64_t> owner) : owner_(owner) {}
  std::optional<std::int64_t> owner_;
};

// Thrown by commits that write outside of their scope: a defect of the caller. Nothing was written.
struct OutOfScope : std::logic_error {
  OutOfScope() : std::logic_error("store: a batch reaches beyond its scope") {}
};

struct Batch;
struct FamilySpec;

// Decides by keys alone what lies in a scope, for the families of one engine.
class ScopeRules {
 public:
  explicit ScopeRules(const std::vector<FamilySpec>&);

  // Whether the key with this value lies in the scope. An index entry's value is the key of its record.
  bool reach(Scope scope, std::uint32_t family, std::string_view key, std::string_view value) const {
    return scope.is_system() || reach_owned(*scope.owner(), family, key, value);
  }
  // Throws OutOfScope. A precondition that a unique value is free may be about other owners' values.
  void check(const Batch&) const;

 private:
  enum class Keys : std::uint8_t { box, owned, index };
  bool reach_owned(std::int64_t owner, std::uint32_t family, std::string_view key, std::string_view value) const;

  std::vector<Keys> families_;            // by Family
  std::array<bool, 256> owned_tables_{};  // by the number in index entries
};

}  // namespace store
