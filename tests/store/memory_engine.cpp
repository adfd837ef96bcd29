#include "tests/store/memory_engine.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace store_test {
namespace {

namespace fs = std::filesystem;

using store::CounterFields;
using store::Write;

constexpr auto backup_file = "memory_engine";

bool is_counted(const Write& write) { return write.kind == Write::Kind::add || write.kind == Write::Kind::raise; }

void count(CounterFields& fields, const Write& write) {
  if (write.kind == Write::Kind::add)
    fields.add(write.fields);
  else
    fields.raise(write.fields);
}

std::optional<std::string> value_of(const MemoryEngine::Values& values, std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

CounterFields fields_of(const MemoryEngine::Values& values, std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() ? CounterFields() : store::decode_counter(found->second);
}

// A line with the size, then the bytes.
void put(std::ostream& out, const std::string& text) { out << text.size() << '\n' << text; }
bool take(std::istream& in, std::string& text) {
  std::size_t size = 0;
  if (!(in >> size)) return false;
  in.ignore();
  text.resize(size);
  return static_cast<bool>(in.read(text.data(), static_cast<std::streamsize>(size)));
}

std::vector<std::string> names_of(const std::vector<store::FamilySpec>& families) {
  std::vector<std::string> names;
  for (const auto& family : families) names.push_back(family.name);
  return names;
}

}  // namespace

struct MemoryEngine::Copy final : store::Snapshot {
  explicit Copy(Families all) : families(std::move(all)) {}
  const Families families;
};

MemoryEngine::MemoryEngine(const store::EngineOptions& options)
    : names_(names_of(options.families)),
      scopes_(options.families),
      is_read_only_(options.read_only),
      data_(data_in(options.folder, names_)) {}

std::shared_ptr<MemoryEngine::Data> MemoryEngine::data_in(const fs::path& folder,
                                                          const std::vector<std::string>& names) {
  static std::mutex mutex;
  static std::map<fs::path, std::weak_ptr<Data>> open;
  const std::lock_guard lock(mutex);
  auto& known = open[folder];
  if (auto data = known.lock()) return data;
  const auto data = std::make_shared<Data>();
  data->families.resize(names.size());
  std::ifstream in(folder / backup_file, std::ios::binary);
  for (std::string name, key, value; take(in, name) && take(in, key) && take(in, value);) {
    const auto family = std::ranges::find(names, name);
    if (family != names.end()) data->families[static_cast<std::size_t>(family - names.begin())][key] = value;
  }
  known = data;
  return data;
}

auto MemoryEngine::reading(const store::Snapshot* snapshot, const auto& read) const {
  if (snapshot) return read(static_cast<const Copy*>(snapshot)->families);
  const std::lock_guard lock(data_->mutex);
  return read(data_->families);
}

std::optional<std::string> MemoryEngine::get(store::Scope scope, store::Family family, std::string_view key,
                                             const store::Snapshot* snapshot) const {
  auto value = reading(snapshot, [&](const Families& families) { return value_of(families.at(family), key); });
  return value && scopes_.reach(scope, family, key, *value) ? value : std::nullopt;
}

std::vector<std::optional<std::string>> MemoryEngine::multi_get(store::Scope scope, store::Family family,
                                                                std::span<const std::string> keys,
                                                                const store::Snapshot* snapshot) const {
  std::vector<std::optional<std::string>> found;
  for (const auto& key : keys) found.push_back(get(scope, family, key, snapshot));
  return found;
}

std::unique_ptr<store::Snapshot> MemoryEngine::snapshot() const {
  return reading(nullptr, [](const Families& families) { return std::make_unique<Copy>(families); });
}

void MemoryEngine::scan(store::Scope scope, store::Family family, const store::Range& range,
                        const std::function<bool(std::string_view, std::string_view)>& visit,
                        const store::Snapshot* snapshot) const {
  // A copy: `visit` may call the engine.
  const auto values = reading(snapshot, [&](const Families& families) {
    const auto& all = families.at(family);
    const auto first = all.lower_bound(range.first);
    const auto last = range.last.empty() ? all.end() : all.lower_bound(range.last);
    return range.last.empty() || range.first < range.last ? Values(first, last) : Values();
  });
  if (range.reverse) {
    for (auto at = values.rbegin(); at != values.rend(); ++at)
      if (scopes_.reach(scope, family, at->first, at->second) && !visit(at->first, at->second)) return;
  } else {
    for (const auto& [key, value] : values)
      if (scopes_.reach(scope, family, key, value) && !visit(key, value)) return;
  }
}

CounterFields MemoryEngine::counter(store::Scope scope, store::Family family, std::string_view key,
                                    const store::Snapshot* snapshot) const {
  const auto bytes = get(scope, family, key, snapshot);
  return bytes ? store::decode_counter(*bytes) : CounterFields();
}

std::uint64_t MemoryEngine::version(store::Family, std::string_view) const {
  const std::lock_guard lock(data_->mutex);
  return data_->version;
}

store::Task<std::int64_t> MemoryEngine::next_number(store::Family family, std::string key) {
  co_return next_number_blocking(family, key);
}

std::int64_t MemoryEngine::next_number_blocking(store::Family family, const std::string& key) {
  if (const auto reason = read_only_reason()) throw store::Unavailable(*reason);
  const std::lock_guard lock(data_->mutex);
  apply({.kind = Write::Kind::add, .family = family, .key = key, .fields = {1}});
  ++data_->version;
  return fields_of(data_->families.at(family), key)[0];
}

store::Task<store::CommitResult> MemoryEngine::commit(store::Batch batch, store::Durability durability) {
  co_return commit_blocking(std::move(batch), durability);
}

store::CommitResult MemoryEngine::commit_blocking(store::Batch batch, store::Durability) {
  if (const auto reason = read_only_reason()) throw store::Unavailable(*reason);
  scopes_.check(batch);
  const std::lock_guard lock(data_->mutex);
  for (std::size_t at = 0; at < batch.preconditions.size(); ++at) {
    if (holds(batch.preconditions[at], batch)) continue;
    ++stats_.conflicts;
    return {.failed = at};
  }
  for (const auto& write : batch.writes) apply(write);
  if (!batch.writes.empty()) {
    ++data_->version;
    ++stats_.commits;
    ++stats_.groups;
    stats_.last_group = 1;
  }
  return {};
}

bool MemoryEngine::holds(const store::Precondition& wanted, const store::Batch& batch) const {
  using Kind = store::Precondition::Kind;
  if (wanted.kind == Kind::held) return true;
  const auto& values = data_->families.at(wanted.family);
  if (wanted.kind == Kind::absent) return !values.contains(wanted.key);
  if (wanted.kind == Kind::equals)
    return wanted.version == data_->version || value_of(values, wanted.key) == wanted.value;
  auto fields = fields_of(values, wanted.key);
  for (const auto& write : batch.writes)
    if (is_counted(write) && write.family == wanted.family && write.key == wanted.key) count(fields, write);
  return fields[wanted.field] <= wanted.bound;
}

void MemoryEngine::apply(const Write& write) {
  auto& values = data_->families.at(write.family);
  if (is_counted(write)) {
    auto fields = fields_of(values, write.key);
    count(fields, write);
    values[write.key] = store::encode(fields);
  } else if (write.kind == Write::Kind::put) {
    values[write.key] = write.value;
  } else {
    values.erase(write.key);
  }
}

std::optional<std::string> MemoryEngine::read_only_reason() const {
  if (is_read_only_) return "The store was opened for reading only.";
  return {};
}

void MemoryEngine::backup(const fs::path& to) const {
  fs::create_directories(to);
  std::ofstream out(to / backup_file, std::ios::binary);
  const std::lock_guard lock(data_->mutex);
  for (std::size_t family = 0; family < data_->families.size(); ++family)
    for (const auto& [key, value] : data_->families[family]) {
      put(out, names_[family]);
      put(out, key);
      put(out, value);
    }
}

store::EngineStats MemoryEngine::stats() const {
  const std::lock_guard lock(data_->mutex);
  return stats_;
}

namespace {

void restore(const fs::path& from, const fs::path& folder) {
  if (fs::exists(folder) && !fs::is_empty(folder)) throw store::Unavailable(folder.string() + " is not empty");
  if (!fs::exists(from / backup_file)) throw store::Unavailable("there is no backup in " + from.string());
  fs::create_directories(folder);
  fs::copy_file(from / backup_file, folder / backup_file);
}

}  // namespace

const store::EngineKind memory_engine{.open = [](store::EngineOptions options) -> std::unique_ptr<store::Engine> {
                                        return std::make_unique<MemoryEngine>(options);
                                      },
                                      .restore = restore};

}  // namespace store_test
