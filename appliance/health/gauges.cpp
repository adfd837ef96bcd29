#include "appliance/health/gauges.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace health {

namespace {

double resident_bytes() {
  std::ifstream input("/proc/self/statm");
  double all = 0, resident = 0;
  input >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double open_files() {
  std::error_code error;
  double count = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", error); !error && entry != end(entry);
       entry.increment(error))
    ++count;
  return count;
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

void add_gauges(web::Metrics& metrics, const store::Store& store) {
  using Stats = store::Store::Stats;
  const auto figure = [&](const char* name, const char* help, auto Stats::*member) {
    metrics.gauge(name, help, [&store, member] { return static_cast<double>(store.stats().*member); });
  };
  figure("agentbox_store_commits_total", "Changes handed to the committer", &Stats::commits);
  figure("agentbox_store_batches_total", "Appends to the write-ahead log, one fsync each", &Stats::batches);
  figure("agentbox_store_conflicts_total", "Changes refused by a precondition", &Stats::conflicts);
  figure("agentbox_store_queue_length", "Changes waiting for the committer", &Stats::queued);
  figure("agentbox_store_last_batch_size", "Changes in the last append", &Stats::last_batch);
  figure("agentbox_store_sync_seconds_total", "Time spent in append and fsync", &Stats::sync_seconds_total);
  figure("agentbox_store_memtable_bytes", "Memory of RocksDB's memtables", &Stats::memtable_bytes);
  figure("agentbox_store_cache_bytes", "Memory of RocksDB's block cache", &Stats::cache_bytes);
  figure("agentbox_store_live_sst_bytes", "Size of RocksDB's live files", &Stats::live_sst_bytes);
  metrics.gauge("agentbox_store_read_only", "1 after a write error, until the box is restarted",
                [&store] { return store.read_only_reason() ? 1.0 : 0.0; });
  metrics.gauge("process_resident_memory_bytes", "Resident memory of this process", resident_bytes);
  metrics.gauge("process_open_fds", "Open file descriptors of this process", open_files);
  metrics.gauge("process_cpu_seconds_total", "Processor time of this process", cpu_seconds);
}

}  // namespace health
