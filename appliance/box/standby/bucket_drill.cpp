#include "appliance/box/standby/bucket_drill.h"

#include <thread>

#include "appliance/box/standby/bucket_restore.h"
#include "appliance/box/standby/timeline.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/disk_reserve.h"

namespace standby {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t drill_samples = 1'000;

// Returns what was wrong.
std::string restore_and_compare(const agentbox::Platform& platform, store::Store& store, BucketCopy& copy,
                                store::Census& census) {
  const agentbox::DataFolder scratch(folder_of(platform.folder) / ("bucket-" + crypto::random_hex(8)));
  struct Remover {
    const fs::path& path;
    ~Remover() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } const remover{scratch.path()};
  try {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(platform.folder.store()))
      if (std::error_code gone; entry.is_regular_file(gone)) bytes += entry.file_size();
    const agentbox::DiskReserve disk(platform.folder.path(), platform.settings.disk_reserve);
    if (const auto room = disk.admit(bytes); !room) return room.error().message;
    fs::create_directories(scratch.path());
    fs::permissions(scratch.path(), fs::perms::owner_all);
    restore_bucket(copy.objects(), BucketSealer(platform.master_key), scratch, {.until = {}, .only_store = true});
    store.refresh(census);
    return maintenance::sentence(maintenance::check_restored(platform, scratch.path(), &census));
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::optional<maintenance::RestoreDrill::Drilled> try_bucket(const agentbox::Platform& platform, store::Store& store,
                                                             BucketCopy& copy) {
  const auto begun = std::chrono::steady_clock::now();
  auto census = store.census(drill_samples);
  if (!copy.wait_until_stored()) return std::nullopt;
  std::string problem;
  // On a thread of its own: one that is nice stays so.
  std::thread([&] {
    maintenance::yield_to_others();
    problem = restore_and_compare(platform, store, copy, census);
  }).join();
  if (copy.ends()) return std::nullopt;
  return maintenance::RestoreDrill::Drilled{
      .source = maintenance::from_bucket,
      .name = copy.objects().shown(),
      .records = maintenance::records_in(census),
      .compared = static_cast<std::int64_t>(census.samples.size()),
      .took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun),
      .problem = std::move(problem)};
}

}  // namespace standby
