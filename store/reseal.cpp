#include "store/reseal.h"

#include <boost/json.hpp>
#include <memory>
#include <vector>

#include "store/default_engine.h"
#include "store/seal.h"
#include "store/table_register.h"

namespace store {

namespace {

namespace json = boost::json;

constexpr Family meta_family = 0;
constexpr auto marker_key = "master_key_rotation";
constexpr std::size_t max_rows_at_once = 500;

Write put(Family family, std::string_view key, std::string value) {
  return {.kind = Write::Kind::put, .family = family, .key = std::string(key), .value = std::move(value)};
}
Write erase(Family family, std::string_view key) {
  return {.kind = Write::Kind::erase, .family = family, .key = std::string(key)};
}

bool is_sealed(std::string_view text) { return text.starts_with("s1:") || text.starts_with("s2:"); }

// A text of a record that is sealed, or looks as if it were, and its path (codec.h, Field).
struct Candidate {
  std::string path, text;
};

void collect(const json::value& value, const std::string& path, std::vector<Candidate>& found) {
  if (const auto* text = value.if_string()) {
    if (is_sealed(*text)) found.push_back({path, std::string(*text)});
  } else if (const auto* list = value.if_array()) {
    for (std::size_t index = 0; index < list->size(); ++index)
      collect((*list)[index], path + "[" + std::to_string(index) + "]", found);
  } else if (const auto* object = value.if_object()) {
    for (const auto& [name, member] : *object)
      collect(member, path.empty() ? std::string(name) : path + "." + std::string(name), found);
  }
}

class Resealing {
 public:
  Resealing(const std::string& old_key, const std::string& new_key) : old_(old_key), fresh_(new_key) {}

  // The record with its fields sealed under the new key; nothing if it has none under the old one.
  std::optional<std::string> of(const TableInfo& table, std::string_view key, std::string_view bytes) {
    boost::system::error_code unreadable;
    const auto record = json::parse(bytes, unreadable);
    if (unreadable) throw Corrupt("a record of " + table.name.family + " cannot be read");
    std::vector<Candidate> candidates;
    collect(record, {}, candidates);
    std::string changed(bytes);
    bool is_changed = false;
    for (const auto& [path, text] : candidates) {
      const auto clear = opened(text, table.name.number, key, path);
      if (!clear) continue;
      // Sealed text has no characters that JSON escapes, and a nonce of its own.
      const auto at = changed.find('"' + text + '"');
      if (at == std::string::npos) throw Corrupt("a record of " + table.name.family + " cannot be read");
      changed.replace(at + 1, text.size(), fresh_.seal(*clear, table.name.number, key, path));
      is_changed = true;
      ++count_;
    }
    table.entries({&fresh_, table.name.number, key}, changed);  // throws Corrupt unless all of them open
    return is_changed ? std::optional(std::move(changed)) : std::nullopt;
  }

  bool opens_check(const std::string& sealed) const {
    return opened(sealed, 0, master_key_check, "value").has_value() || is_fresh(sealed, 0, master_key_check, "value");
  }
  std::string new_check() const { return fresh_.seal(master_key_check_text, 0, master_key_check, "value"); }
  std::size_t count() const { return count_; }

 private:
  bool is_fresh(const std::string& text, std::uint8_t table, std::string_view key, const std::string& path) const {
    try {
      fresh_.open(text, table, key, path);
      return true;
    } catch (const Corrupt&) {
      return false;
    }
  }
  // Nothing if the old key does not open it: it is sealed under the new one, or not sealed at all.
  std::optional<std::string> opened(const std::string& text, std::uint8_t table, std::string_view key,
                                    const std::string& path) const {
    try {
      return old_.open(text, table, key, path);
    } catch (const Corrupt&) {
      return std::nullopt;
    }
  }

  const Sealer old_, fresh_;
  std::size_t count_ = 0;
};

void reseal_table(Engine& engine, Family family, const TableInfo& table, Resealing& resealing) {
  std::string next;
  for (bool is_end = false; !is_end;) {
    Batch batch;
    is_end = true;
    const auto visit = [&](std::string_view key, std::string_view bytes) {
      if (batch.writes.size() == max_rows_at_once) {
        next = key;
        is_end = false;
        return false;
      }
      if (auto changed = resealing.of(table, key, bytes)) batch.writes.push_back(put(family, key, std::move(*changed)));
      return true;
    };
    engine.scan(Scope::system(), family, {.first = next}, visit);
    if (!batch.writes.empty()) engine.commit_blocking(std::move(batch));
  }
}

}  // namespace

std::size_t reseal(const Options& options, const std::string& new_key) {
  const TableRegister tables(options.tables);
  const auto families = tables.families();
  const auto engine = (options.engine ? *options.engine : default_engine())
                          .open({.folder = options.folder, .families = families, .on_trouble = options.on_trouble});
  Resealing resealing(options.master_key, new_key);
  const auto check = engine->get(Scope::system(), meta_family, master_key_check);
  if (!check || !resealing.opens_check(*check))
    throw Unavailable("the master key does not belong to the store in " + options.folder.string());

  engine->commit_blocking({{}, {put(meta_family, marker_key, "1")}});
  const auto own_families = families.size() - tables.tables().size();
  for (std::size_t index = 0; index < tables.tables().size(); ++index)
    reseal_table(*engine, static_cast<Family>(own_families + index), tables.tables()[index], resealing);
  engine->commit_blocking(
      {{}, {put(meta_family, master_key_check, resealing.new_check()), erase(meta_family, marker_key)}});
  return resealing.count();
}

void refuse_half_sealed(const Engine& engine) {
  if (engine.get(Scope::system(), meta_family, marker_key))
    throw Unavailable("the change of the store's master key was cut off: run `agentbox admin rotate-master-key` again");
}

}  // namespace store
