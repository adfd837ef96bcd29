#include "store/rocks/database.h"

#include <algorithm>

#include "store/rocks/rocks_files.h"

namespace store {

namespace {

namespace rocks = rocksdb;

[[noreturn]] void cannot_open(const std::filesystem::path& folder, const rocks::Status& status) {
  const auto text = status.ToString();
  const auto where = "the store in " + folder.string();
  if (status.IsCorruption())
    throw Unavailable(where + " is damaged (" + text + "). Keep a copy of the folder, then restore the newest backup " +
                      "with `agentbox restore` into an empty one");
  if (status.IsNoSpace()) throw Unavailable(where + " cannot be opened: the disk is full");
  throw Unavailable(where + " cannot be opened: " + text);
}

}  // namespace

Database::Database(const EngineOptions& wanted, const SharedMemory& memory, std::shared_ptr<FailStop> fail_stop)
    : folder_(wanted.folder, wanted.read_only ? StoreFolder::Access::read_only : StoreFolder::Access::write),
      where_(wanted.folder.string()),
      read_only_(wanted.read_only),
      memory_(memory),
      fail_stop_(std::move(fail_stop)) {
  auto options = database_options(read_only_, memory_, fail_stop_);
  if (wanted.kept_log_bytes > 0) options.WAL_size_limit_MB = std::max<std::uint64_t>(wanted.kept_log_bytes >> 20, 1);
  const auto files = std::make_shared<StoreFiles>(folder_.is_new());
  if (!read_only_) {
    files_ = rocks::NewCompositeEnv(files);
    options.env = files_.get();
  }
  if (folder_.is_new()) folder_.begin_creation();
  if (const auto status = open(options, descriptors(wanted, options), wanted.families); !status.ok()) {
    close();
    cannot_open(wanted.folder, status);
  }
  try {
    if (folder_.is_new()) {
      folder_.finish_creation();
      files->sync_from_now_on();
    }
    if (!read_only_) folder_.finish_restoring();
  } catch (...) {
    close();  // the destructor does not run, and RocksDB aborts when families have handles at its end
    throw;
  }
}

Database::~Database() {
  memory_.pressure->hurry();
  if (!read_only_ && !fail_stop_->reason()) db_->Flush(rocks::FlushOptions(), handles_);
  close();
}

std::map<std::string, std::uint32_t> Database::family_numbers() const {
  std::map<std::string, std::uint32_t> numbers;
  for (auto* handle : handles_) numbers.emplace(handle->GetName(), handle->GetID());
  return numbers;
}

void Database::close() {
  if (!db_) return;
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
  db_->Close();
}

Database::Descriptors Database::descriptors(const EngineOptions& wanted, const rocks::DBOptions& options) const {
  std::vector<std::string> existing;
  if (!folder_.is_new())
    if (const auto status = rocks::DB::ListColumnFamilies(options, where_, &existing); !status.ok())
      cannot_open(wanted.folder, status);
  if (folder_.is_new()) existing.push_back(rocks::kDefaultColumnFamilyName);
  Descriptors found;
  for (const auto& family : wanted.families) {
    const bool is_there = std::ranges::find(existing, family.name) != existing.end();
    if (read_only_ && !is_there)
      throw Unavailable("the store in " + where_ + " is older and has no records of kind " + family.name +
                        " yet: start agentbox once to bring it up");
    auto& list = is_there ? found.existing : found.missing;
    list.emplace_back(family.name, family_options(family.access, memory_));
  }
  for (const auto& name : existing)
    if (std::ranges::find(wanted.families, name, &FamilySpec::name) == wanted.families.end())
      found.existing.emplace_back(name, family_options(Access::general, memory_));
  return found;
}

// RocksDB would create missing families while it opens, but one by one, and write its file of all options after each:
// for seventy families that is most of the time that a new store takes.
rocks::Status Database::open(const rocks::DBOptions& options, const Descriptors& families,
                             const std::vector<FamilySpec>& wanted) {
  rocks::DB* opened = nullptr;
  auto status = read_only_ ? rocks::DB::OpenForReadOnly(options, where_, families.existing, &handles_, &opened)
                           : rocks::DB::Open(options, where_, families.existing, &handles_, &opened);
  if (!status.ok()) return status;
  db_.reset(opened);
  if (!families.missing.empty()) {
    std::vector<rocks::ColumnFamilyHandle*> created;
    status = db_->CreateColumnFamilies(families.missing, &created);
    handles_.insert(handles_.end(), created.begin(), created.end());
    if (!status.ok()) return status;
  }
  for (std::size_t family = 0; family < wanted.size(); ++family) {
    const auto named = std::find_if(handles_.begin() + std::ptrdiff_t(family), handles_.end(),
                                    [&](auto* handle) { return handle->GetName() == wanted[family].name; });
    std::iter_swap(handles_.begin() + std::ptrdiff_t(family), named);
  }
  return status;
}

}  // namespace store
