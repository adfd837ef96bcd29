#include "store/census.h"

#include <openssl/sha.h>

#include <algorithm>
#include <random>

namespace store {

namespace {

std::uint64_t count_keys(const Engine& engine, Family family, const Snapshot* at) {
  std::uint64_t count = 0;
  const auto visit = [&count](std::string_view, std::string_view) {
    ++count;
    return true;
  };
  engine.scan(Scope::system(), family, {}, visit, at);
  return count;
}

// Every record is as likely as any other to be among those that are kept, however many follow.
class Reservoir {
 public:
  Reservoir(std::vector<Census::Sample>& kept, std::size_t size) : kept_(kept), size_(size) {}

  void offer(Family family, std::string_view key, std::string_view value) {
    ++offered_;
    if (kept_.size() < size_) {
      kept_.push_back({family, std::string(key), sample_digest(value)});
      return;
    }
    const auto at = std::uniform_int_distribution<std::uint64_t>(0, offered_ - 1)(random_);
    if (at < size_) kept_[at] = {family, std::string(key), sample_digest(value)};
  }

 private:
  std::vector<Census::Sample>& kept_;
  const std::size_t size_;
  std::uint64_t offered_ = 0;
  std::mt19937_64 random_{std::random_device()()};
};

}  // namespace

std::string sample_digest(std::string_view value) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(value.data()), value.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

Census take_census(const Engine& engine, const std::vector<FamilySpec>& families, Family first_sampled,
                   std::size_t samples) {
  const auto snapshot = engine.snapshot();
  Census census{.position = engine.position(snapshot.get()), .changes = 0, .counts = {}, .samples = {}};
  Reservoir reservoir(census.samples, samples);
  for (Family family = 0; family < families.size(); ++family) {
    std::uint64_t count = 0;
    const auto visit = [&](std::string_view key, std::string_view value) {
      ++count;
      if (family >= first_sampled) reservoir.offer(family, key, value);
      return true;
    };
    engine.scan(Scope::system(), family, {}, visit, snapshot.get());
    census.counts.push_back(count);
  }
  return census;
}

void leave_out_changes(const Engine& engine, Census& census) {
  const auto has_changed = [&engine](const Census::Sample& sample) {
    const auto now = engine.get(Scope::system(), sample.family, sample.key);
    return !now || sample_digest(*now) != sample.digest;
  };
  std::erase_if(census.samples, has_changed);
  census.changes = engine.position() - census.position;
}

std::vector<Difference> differences(const Engine& copy, const std::vector<FamilySpec>& families, const Census& census) {
  std::vector<Difference> found;
  for (Family family = 0; family < census.counts.size(); ++family) {
    const auto counted = count_keys(copy, family, nullptr), expected = census.counts[family];
    if (std::max(counted, expected) - std::min(counted, expected) > census.changes)
      found.push_back({"It has " + std::to_string(counted) + " records, and the box had " + std::to_string(expected) +
                           ", of which at most " + std::to_string(census.changes) + " have changed meanwhile.",
                       families[family].name});
  }
  for (const auto& sample : census.samples) {
    const auto value = copy.get(Scope::system(), sample.family, sample.key);
    if (value && sample_digest(*value) == sample.digest) continue;
    found.push_back({value ? "A record is not as the box has it." : "A record of the box is missing.",
                     families[sample.family].name});
  }
  return found;
}

}  // namespace store
