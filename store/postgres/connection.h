// One connection to the server, for one thread at a time. Every wait ends at a deadline.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/libpq.h"
#include "store/postgres/server_url.h"

namespace store::postgres {

using Clock = std::chrono::steady_clock;

// The connection is of no use any more, and what was being done may have been done. A sentence without secrets.
struct Lost : std::runtime_error {
  Lost(const std::string& why, bool timed_out) : std::runtime_error(why), is_time_out(timed_out) {}
  const bool is_time_out;
};
// The server refused a statement. The connection can be used.
struct Refused : std::runtime_error {
  Refused(const std::string& why, std::string state) : std::runtime_error(why), sqlstate(std::move(state)) {}
  const std::string sqlstate;
};

// Parameters of a statement, in binary form. Bytes must outlive them, except those of arrays.
class Parameters {
 public:
  Parameters() = default;
  Parameters(Parameters&&) = default;
  Parameters& operator=(Parameters&&) = default;
  Parameters& bytes(std::string_view value);  // of bytea and text
  Parameters& none();
  Parameters& number(std::int64_t);                         // of bigint
  Parameters& array(const std::vector<std::string_view>&);  // of bytea[]
  Parameters& array(const std::vector<std::int64_t>&);      // of bigint[]

 private:
  friend class Connection;
  std::string& own();
  struct Value {
    const char* data;
    int length;
  };
  std::vector<Value> values_;
  std::deque<std::string> owned_;
};

// With a name: prepared once for each connection.
struct Statement {
  std::string name, sql;
};
struct Call {
  const Statement* statement;
  Parameters parameters{};
};

// Rows, in binary form. Views are valid while it lives.
class Result {
 public:
  explicit Result(PGresult* result) : result_(result) {}
  int rows() const;
  bool is_null(int row, int column) const;
  std::string_view bytes(int row, int column) const;
  std::int64_t number(int row, int column) const;  // of bigint and integer
  bool truth(int row, int column) const;

 private:
  struct Clear {
    void operator()(PGresult*) const;
  };
  std::unique_ptr<PGresult, Clear> result_;
};

class Connection {
 public:
  // Throws Lost, also where the server refuses the connection, and Unavailable for a server that is too old.
  Connection(const Server&, std::chrono::milliseconds statement_timeout, Clock::time_point deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // All of them in one round trip; those behind one that is refused are not executed. Throws Lost, and Refused.
  std::vector<Result> run(std::span<const Call>, Clock::time_point deadline);
  Result run(const Call& call, Clock::time_point deadline) { return std::move(run({&call, 1}, deadline).front()); }

  bool is_lost() const { return is_lost_; }
  int server_version() const;

 private:
  void connect(Clock::time_point deadline);
  void send(const Statement&, const Parameters&);
  PGresult* next(Clock::time_point deadline);
  void wait(bool for_writing, Clock::time_point deadline);
  [[noreturn]] void lose(const std::string& why, bool is_time_out = false);
  std::string reason() const;

  PGconn* connection_ = nullptr;
  std::set<std::string, std::less<>> prepared_;
  bool is_lost_ = false;
};

}  // namespace store::postgres
