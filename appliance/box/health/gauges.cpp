#include "appliance/box/health/gauges.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "store/postgres/activity.h"
#include "web/log.h"

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

// In seconds since the epoch. Field 22 of /proc/self/stat counts ticks since boot.
double started_at() {
  std::ifstream input("/proc/self/stat");
  std::string text{std::istreambuf_iterator<char>(input), {}};
  std::istringstream fields(text.substr(text.rfind(')') + 1));  // the process name before it may contain spaces
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  double ticks = 0;
  fields >> ticks;
  timespec running{};
  clock_gettime(CLOCK_BOOTTIME, &running);
  const double uptime = static_cast<double>(running.tv_sec) + static_cast<double>(running.tv_nsec) / 1e9;
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return now.count() - uptime + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

// Of a store in PostgreSQL.
void add_database_gauges(web::Metrics& metrics) {
  const auto& now = store::postgres::activity();
  if (!now.is_used) return;
  const auto gauge = [&](const char* name, const char* help, const auto& number) {
    metrics.gauge(name, help, [&number] { return static_cast<double>(number.load()); });
  };
  gauge("agentbox_store_database_up", "1 while the store's database answers", now.is_answering);
  gauge("agentbox_store_connections", "Open connections to the store's database", now.open);
  gauge("agentbox_store_connections_in_use", "Connections that read now", now.in_use);
  gauge("agentbox_store_connects_total", "Connections opened", now.connects);
  gauge("agentbox_store_round_trips_total", "Round trips to the store's database", now.round_trips);
  gauge("agentbox_store_time_outs_total", "Round trips that were given up", now.time_outs);
  gauge("agentbox_store_repeated_batches_total", "Groups of changes that were checked again", now.repeated_groups);
  gauge("agentbox_store_looked_up_outcomes_total", "Groups of changes whose commit was cut off and looked up",
        now.looked_up_outcomes);
}

void add_gauges(web::Metrics& metrics, const store::Store& store) {
  add_database_gauges(metrics);
  using Stats = store::EngineStats;
  const auto gauge = [&](const char* name, const char* help, auto Stats::*member) {
    metrics.gauge(name, help, [&store, member] { return static_cast<double>(store.stats().*member); });
  };
  gauge("agentbox_store_commits_total", "Changes handed to the committer", &Stats::commits);
  gauge("agentbox_store_batches_total", "Appends to the write-ahead log, one fsync each", &Stats::groups);
  gauge("agentbox_store_conflicts_total", "Changes refused by a precondition", &Stats::conflicts);
  gauge("agentbox_store_queue_length", "Changes waiting for the committer", &Stats::queued);
  gauge("agentbox_store_last_batch_size", "Changes in the last append", &Stats::last_group);
  gauge("agentbox_store_sync_seconds_total", "Time spent in append and fsync", &Stats::append_seconds);
  gauge("agentbox_store_memtable_bytes", "Memory of RocksDB's memtables", &Stats::memtable_bytes);
  gauge("agentbox_store_cache_bytes", "Memory of RocksDB's block cache", &Stats::cache_bytes);
  gauge("agentbox_store_live_sst_bytes", "Size of RocksDB's live files", &Stats::file_bytes);
  metrics.gauge("agentbox_store_read_only", "1 after a write error, until the store has recovered",
                [&store] { return store.read_only_reason() ? 1.0 : 0.0; });
  metrics.gauge("agentbox_log_lines_dropped_total", "Log lines that stderr did not take quickly enough",
                [] { return static_cast<double>(web::log::dropped()); });
  metrics.gauge("process_start_time_seconds", "When this process was started, since the epoch",
                [started = started_at()] { return started; });
  metrics.gauge("process_resident_memory_bytes", "Resident memory of this process", resident_bytes);
  metrics.gauge("process_open_fds", "Open file descriptors of this process", open_files);
  metrics.gauge("process_cpu_seconds_total", "Processor time of this process", cpu_seconds);
}

}  // namespace health
