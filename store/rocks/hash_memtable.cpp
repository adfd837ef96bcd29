#include "store/rocks/hash_memtable.h"

#include <algorithm>
#include <atomic>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

namespace store {
namespace {

namespace rocks = rocksdb;

constexpr std::size_t tag_bytes = 8;

// RocksDB's internal key: the bytes of the key and a tag, which is higher for newer versions.
struct Name {
  std::string_view key;
  std::uint64_t tag;

  static Name of(const rocks::Slice& internal) {
    const auto size = internal.size() - tag_bytes;
    const auto* tag = reinterpret_cast<const unsigned char*>(internal.data()) + size;
    return {{internal.data(), size}, boost::endian::load_little_u64(tag)};
  }
};

// One write of a key, in memory of the table's allocator. The entry behind it is RocksDB's: its internal key with the
// length before it, then the value.
struct Version {
  std::atomic<Version*> older{nullptr};

  char* entry() { return reinterpret_cast<char*>(this + 1); }
  Name name() { return Name::of(rocks::GetLengthPrefixedSlice(entry())); }
};

// A key that was written, likewise. Its name is that of its first version, which stays.
struct Key {
  Key(Version* first, Key* after) : newest(first), next(after) {}
  std::atomic<Version*> newest;
  Key* const next;  // of the same bucket

  std::string_view text() const { return newest.load(std::memory_order_acquire)->name().key; }
};

class HashMemtable final : public rocks::MemTableRep {
 public:
  explicit HashMemtable(rocks::Allocator* allocator) : MemTableRep(allocator), buckets_(bucket_count) {}

  rocks::KeyHandle Allocate(const std::size_t bytes, char** entry) override {
    auto* version = new (aligned(sizeof(Version) + bytes)) Version();
    *entry = version->entry();
    return version;
  }

  // The version is published last, by one store: a reader that sees it sees all of it.
  void Insert(rocks::KeyHandle handle) override {
    auto* version = static_cast<Version*>(handle);
    const auto name = version->name();
    auto& bucket = bucket_of(name.key);
    auto* first = bucket.load(std::memory_order_relaxed);
    if (auto* key = find(first, name.key)) return insert(key->newest, version, name.tag);
    bucket.store(new (aligned(sizeof(Key))) Key(version, first), std::memory_order_release);
  }

  bool Contains(const char* entry) const override {
    const auto name = Name::of(rocks::GetLengthPrefixedSlice(entry));
    auto* version = newest_until(name);
    return version && version->name().tag == name.tag;
  }

  std::size_t ApproximateMemoryUsage() override { return buckets_.size() * sizeof buckets_.front(); }

  // The newest version of a key that is not newer than the name says; null: there is none.
  Version* newest_until(const Name& name) const {
    auto* key = find(bucket_of(name.key).load(std::memory_order_acquire), name.key);
    auto* version = key ? key->newest.load(std::memory_order_acquire) : nullptr;
    while (version && version->name().tag > name.tag) version = version->older.load(std::memory_order_acquire);
    return version;
  }

  Iterator* GetIterator(rocks::Arena*) override;
  Iterator* GetDynamicPrefixIterator(rocks::Arena*) override;

 private:
  class OfOneKey;
  class Sorted;

  static constexpr std::size_t bucket_count = 8192;
  using Bucket = std::atomic<Key*>;

  static Key* find(Key* key, std::string_view text) {
    while (key && key->text() != text) key = key->next;
    return key;
  }
  static void insert(std::atomic<Version*>& newest, Version* version, std::uint64_t tag) {
    auto* place = &newest;
    auto* older = place->load(std::memory_order_relaxed);
    while (older && older->name().tag > tag) {
      place = &older->older;
      older = place->load(std::memory_order_relaxed);
    }
    version->older.store(older, std::memory_order_relaxed);
    place->store(version, std::memory_order_release);
  }

  Bucket& bucket_of(std::string_view text) { return buckets_[std::hash<std::string_view>()(text) % bucket_count]; }
  const Bucket& bucket_of(std::string_view text) const {
    return buckets_[std::hash<std::string_view>()(text) % bucket_count];
  }

  // Not the allocator's own aligned allocation, which RocksDB's library does not export.
  void* aligned(std::size_t bytes) {
    constexpr auto alignment = alignof(Version);
    static_assert(alignof(Key) == alignment);
    char* memory = nullptr;
    std::size_t room = bytes + alignment - 1;
    MemTableRep::Allocate(room, &memory);
    void* start = memory;
    return std::align(alignment, bytes, start, room);
  }

  // As they are now, in order.
  std::vector<const Key*> keys() const {
    std::vector<const Key*> keys;
    for (const auto& bucket : buckets_)
      for (const auto* key = bucket.load(std::memory_order_acquire); key; key = key->next) keys.push_back(key);
    std::ranges::sort(keys, {}, &Key::text);
    return keys;
  }

  std::vector<Bucket> buckets_;

  // RocksDB destroys an iterator that was made with an arena, and leaves its memory to the arena, which the library
  // does not export either: the memory is kept here until the memtable goes.
  struct Room;
  std::mutex mutex_;  // protects the rooms
  std::forward_list<Room> rooms_;
};

// The versions of the key that was sought, for look-ups.
class HashMemtable::OfOneKey final : public Iterator {
 public:
  explicit OfOneKey(const HashMemtable& table) : table_(table) {}
  // Made in thread-local memory. Some versions of RocksDB delete it, others do not.
  static void operator delete(void*) {}

  bool Valid() const override { return version_ != nullptr; }
  const char* key() const override { return version_->entry(); }
  void Next() override { version_ = version_->older.load(std::memory_order_acquire); }
  void Seek(const rocks::Slice& internal, const char*) override { version_ = table_.newest_until(Name::of(internal)); }
  // Without a key there is nothing to find.
  void Prev() override { version_ = nullptr; }
  void SeekForPrev(const rocks::Slice&, const char*) override { version_ = nullptr; }
  void SeekToFirst() override { version_ = nullptr; }
  void SeekToLast() override { version_ = nullptr; }

 private:
  const HashMemtable& table_;
  Version* version_ = nullptr;
};

// All versions of all keys, for scans and flushes: in the order of the keys, those of each from newest to oldest. Keys
// that are first written meanwhile are missing: the scan's snapshot excludes them.
class HashMemtable::Sorted final : public Iterator {
 public:
  explicit Sorted(const HashMemtable& table) : keys_(table.keys()), at_(keys_.size()) {}

  bool Valid() const override { return version_ != nullptr; }
  const char* key() const override { return version_->entry(); }
  void Next() override {
    version_ = older(version_);
    if (!version_) begin(at_ + 1);
  }
  void Prev() override {
    Version* newer = nullptr;
    for (auto* one = newest(at_); one && one != version_; one = older(one)) newer = one;
    version_ = newer;
    if (!version_) end_before(at_);
  }
  void Seek(const rocks::Slice& internal, const char*) override {
    const auto name = Name::of(internal);
    begin(first_from(name.key));
    if (!is_of(name.key)) return;
    while (version_ && version_->name().tag > name.tag) version_ = older(version_);
    if (!version_) begin(at_ + 1);
  }
  void SeekForPrev(const rocks::Slice& internal, const char*) override {
    const auto name = Name::of(internal);
    begin(first_from(name.key));
    auto* next = is_of(name.key) ? version_ : nullptr;
    version_ = nullptr;
    for (; next && next->name().tag >= name.tag; next = older(next)) version_ = next;
    if (!version_) end_before(at_);
  }
  void SeekToFirst() override { begin(0); }
  void SeekToLast() override { end_before(keys_.size()); }

 private:
  static Version* older(Version* version) { return version->older.load(std::memory_order_acquire); }
  Version* newest(std::size_t at) const {
    return at < keys_.size() ? keys_[at]->newest.load(std::memory_order_acquire) : nullptr;
  }
  std::size_t first_from(std::string_view text) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(keys_, text, {}, &Key::text) - keys_.begin());
  }
  bool is_of(std::string_view text) const { return version_ && version_->name().key == text; }
  void begin(std::size_t at) {
    at_ = at;
    version_ = newest(at);
  }
  // At the oldest version of the key before this one.
  void end_before(std::size_t at) {
    at_ = at > 0 ? at - 1 : keys_.size();
    version_ = nullptr;
    for (auto* one = newest(at_); one; one = older(one)) version_ = one;
  }

  const std::vector<const Key*> keys_;
  std::size_t at_;              // the key that version_ is of
  Version* version_ = nullptr;  // null: behind the last one, or before the first
};

struct HashMemtable::Room {
  alignas(Sorted) std::byte bytes[sizeof(Sorted)];
};

rocks::MemTableRep::Iterator* HashMemtable::GetIterator(rocks::Arena* arena) {
  if (!arena) return new Sorted(*this);
  const std::lock_guard lock(mutex_);
  return new (rooms_.emplace_front().bytes) Sorted(*this);
}

rocks::MemTableRep::Iterator* HashMemtable::GetDynamicPrefixIterator(rocks::Arena*) {
  alignas(OfOneKey) thread_local std::byte place[sizeof(OfOneKey)];
  return new (place) OfOneKey(*this);
}

class HashMemtableFactory final : public rocks::MemTableRepFactory {
 public:
  const char* Name() const override { return "agentbox.key_table"; }  // kept in RocksDB's OPTIONS files
  using MemTableRepFactory::CreateMemTableRep;
  rocks::MemTableRep* CreateMemTableRep(const rocks::MemTableRep::KeyComparator&, rocks::Allocator* allocator,
                                        const rocks::SliceTransform*, rocks::Logger*) override {
    return new HashMemtable(allocator);  // in the order of bytes, as all families are
  }
};

}  // namespace

std::shared_ptr<rocks::MemTableRepFactory> hash_memtable_factory() { return std::make_shared<HashMemtableFactory>(); }

}  // namespace store
