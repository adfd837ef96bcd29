// The bar for durable writes: THREADS threads put values of BYTES bytes into a bare RocksDB with sync=true for SECONDS
// seconds. Prints {"puts_per_second": N}.
// usage: bare_rocksdb FOLDER THREADS BYTES SECONDS
#include <rocksdb/db.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bare_rocksdb FOLDER THREADS BYTES SECONDS\n");
    return 2;
  }
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  if (auto status = rocksdb::DB::Open(options, argv[1], &opened); !status.ok()) {
    std::fprintf(stderr, "bare_rocksdb: %s\n", status.ToString().c_str());
    return 1;
  }
  const std::unique_ptr<rocksdb::DB> db(opened);
  const int threads = std::atoi(argv[2]);
  const std::string value(static_cast<std::size_t>(std::atoi(argv[3])), 'v');
  const auto length = std::chrono::duration<double>(std::atof(argv[4]));

  std::atomic<std::uint64_t> puts{0};
  std::atomic<bool> failed{false};
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::jthread> workers;
  for (int worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      rocksdb::WriteOptions write;
      write.sync = true;
      for (int round = 0; std::chrono::steady_clock::now() - start < length; ++round) {
        const auto key = "user-" + std::to_string(worker) + "-" + std::to_string(round % 16);
        if (!db->Put(write, key, value).ok()) failed = true;
        puts.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  workers.clear();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("{\"puts_per_second\": %.0f}\n", static_cast<double>(puts) / took.count());
  return failed ? 1 : 0;
}
