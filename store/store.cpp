#include "store/store.h"

#include <algorithm>
#include <charconv>

#include "store/boxes.h"
#include "store/census.h"
#include "store/default_engine.h"
#include "store/reseal.h"

namespace store {
namespace {

constexpr auto schema_key = "schema";

Write meta(std::string key, std::string value) {
  return {.kind = Write::Kind::put, .family = 0, .key = std::move(key), .value = std::move(value)};
}

// A key in readable form: bytes that do not print as \xHH.
std::string printable(std::string_view key) {
  constexpr auto hex = "0123456789abcdef";
  std::string text;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && c != '\\')
      text.push_back(c);
    else
      text.append("\\x").append(1, hex[byte >> 4]).append(1, hex[byte & 15]);
  }
  return text;
}

}  // namespace

struct Store::Impl {
  explicit Impl(Options given)
      : options(std::move(given)),
        tables(options.tables),
        sealer(options.master_key),
        engine((options.engine ? *options.engine : default_engine())
                   .open({.folder = options.folder,
                          .families = tables.families(),
                          .read_only = options.read_only,
                          .kept_log_bytes = options.kept_log_bytes,
                          .on_trouble = options.on_trouble,
                          .sharing = options.sharing})),
        rows(*engine, sealer, tables) {}

  void check_master_key() {
    refuse_half_sealed(*engine);
    if (const auto sealed = engine->get(Scope::system(), 0, master_key_check)) {
      try {
        sealer.open(*sealed, 0, master_key_check, "value");
      } catch (const Corrupt&) {
        throw Unavailable("the master key does not belong to the store in " + options.folder.string() +
                          ": use the master.key or AGENTBOX_MASTER_KEY it was made with");
      }
    }
  }

  // Writes what a new store keeps about itself, at once.
  void initialize() {
    if (options.read_only) return;
    Batch batch;
    const auto add = [&batch](const char* key, std::string value) {
      batch.preconditions.push_back({.kind = Precondition::Kind::absent, .family = 0, .key = key});
      batch.writes.push_back(meta(key, std::move(value)));
    };
    if (!engine->get(Scope::system(), 0, master_key_check))
      add(master_key_check, sealer.seal(master_key_check_text, 0, master_key_check, "value"));
    if (!engine->get(Scope::system(), 0, schema_key)) add(schema_key, std::to_string(newest_schema()));
    if (batch.writes.empty() || engine->commit_blocking(std::move(batch)).ok()) return;
    check_master_key();  // another box was first
  }

  std::uint32_t newest_schema() const { return options.migrations.empty() ? 1 : options.migrations.back().to; }

  void migrate(const System& system) {
    const auto newest = newest_schema();
    const auto stored = engine->get(Scope::system(), 0, schema_key);
    if (!stored) return;  // read-only, and cut off before initialize()
    std::uint32_t version = 0;
    const auto [end, error] = std::from_chars(stored->data(), stored->data() + stored->size(), version);
    if (error != std::errc() || end != stored->data() + stored->size())
      throw Corrupt("the store's schema version is damaged");
    if (version > newest)
      throw Unavailable("the store in " + options.folder.string() + " has schema " + *stored +
                        ", which is newer than this agentbox knows (" + std::to_string(newest) +
                        "): start the newer agentbox, or restore a backup made by this one");
    if (version < newest && options.read_only)
      throw Unavailable("the store in " + options.folder.string() +
                        " has an older schema: start agentbox once to bring it up");
    if (version < newest && std::ranges::count_if(engine->boxes().list(), &Box::is_live) > 1)
      throw Unavailable("The store has an older schema, and other boxes use it: stop them first.");
    for (const auto& step : options.migrations) {
      if (step.to <= version) continue;
      if (step.run) step.run(system);
      Batch done;
      done.writes.push_back(meta(schema_key, std::to_string(step.to)));
      engine->commit_blocking(std::move(done));
    }
  }

  const Options options;
  const TableRegister tables;
  const Sealer sealer;
  const std::unique_ptr<Engine> engine;
  Rows rows;
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

std::unique_ptr<Store> Store::open(Options options) {
  std::unique_ptr<Store> store(new Store(std::make_unique<Impl>(std::move(options))));
  store->impl_->check_master_key();
  store->impl_->initialize();
  store->impl_->migrate(store->system());
  return store;
}

System Store::system() const { return System(impl_->rows); }
std::optional<std::string> Store::read_only_reason() const { return impl_->engine->read_only_reason(); }
void Store::backup(const std::filesystem::path& to) const { impl_->engine->backup(to); }
void Store::restore(const std::filesystem::path& from, const std::filesystem::path& folder) {
  default_engine().restore(from, folder);
}

std::vector<Store::Finding> Store::verify() const {
  const auto& engine = *impl_->engine;
  const auto index = impl_->rows.index_family();
  std::vector<Finding> findings;
  const auto find = [&](std::string what, const std::string& where) {
    // Records and index entries of a table are in the same files.
    const auto same = [&](const Finding& other) { return other.what == what && other.where == where; };
    if (std::ranges::none_of(findings, same)) findings.push_back({std::move(what), where});
  };
  for (auto& damage : engine.verify_files()) find(std::move(damage.what), damage.where);
  const auto snapshot = engine.snapshot();
  const auto check = [&](const std::string& where, const auto& read) {
    try {
      read();
    } catch (const Corrupt& error) {
      find(error.what(), where);
    }
  };

  // Index entries by table; those of other tables belong to a newer binary.
  for (const auto& table : impl_->tables.tables()) {
    const auto family = impl_->rows.family(table.name);
    const auto& name = table.name.family;
    const auto place = [&](std::string_view key) { return Place{&impl_->sealer, table.name.number, key}; };
    check(name, [&] {
      const auto check_record = [&](std::string_view key, std::string_view bytes) {
        const auto where = name + " " + printable(key);
        check(where, [&] {
          for (const auto& entry : table.entries(place(key), bytes))
            if (engine.get(Scope::system(), index, entry, snapshot.get()) != key)
              find("A record has no entry in one of its indexes.", where);
        });
        return true;
      };
      engine.scan(Scope::system(), family, {}, check_record, snapshot.get());
    });
    check(name, [&] {
      const std::string prefix(1, static_cast<char>(table.name.number));
      const auto check_entry = [&](std::string_view entry, std::string_view key) {
        const auto where = name + " " + printable(key);
        const auto bytes = engine.get(Scope::system(), family, key, snapshot.get());
        if (!bytes) {
          find("An index entry names a record that is not there.", where);
          return true;
        }
        try {
          const auto entries = table.entries(place(key), *bytes);
          if (std::find(entries.begin(), entries.end(), entry) == entries.end())
            find("An index entry disagrees with its record.", where);
        } catch (const Corrupt&) {  // reported with its record
        }
        return true;
      };
      engine.scan(Scope::system(), index, {.first = prefix, .last = keys::after_prefix(prefix)}, check_entry,
                  snapshot.get());
    });
  }
  check("counters", [&] {
    const auto check_counter = [&](std::string_view key, std::string_view bytes) {
      check("counters " + printable(key), [&] { decode_counter(bytes); });
      return true;
    };
    engine.scan(Scope::system(), impl_->rows.counter_family(), {}, check_counter, snapshot.get());
  });
  return findings;
}

Census Store::census(std::size_t samples) const {
  return take_census(*impl_->engine, impl_->tables.families(), impl_->rows.counter_family() + 1, samples);
}
void Store::refresh(Census& census) const { leave_out_changes(*impl_->engine, census); }
std::vector<Store::Finding> Store::compare(const Census& census) const {
  std::vector<Finding> findings;
  for (auto& [what, where] : differences(*impl_->engine, impl_->tables.families(), census))
    findings.push_back({std::move(what), std::move(where)});
  return findings;
}

Replication* Store::replication() const { return impl_->engine->replication(); }
Boxes& Store::boxes() const { return impl_->engine->boxes(); }

EngineStats Store::stats() const { return impl_->engine->stats(); }
const TableRegister& Store::tables() const { return impl_->tables; }

}  // namespace store
