#include "appliance/identity/personal_data/archive.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace personal_data {

namespace {

constexpr std::size_t block = 512, longest_name = 100, piece_bytes = 256 * 1024;
constexpr std::uint64_t largest_size = 0'777'7777'7777;  // eleven octal digits

std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + block - 1) / block * block, '\0');
  return bytes;
}

// One block of the ustar format.
std::string ustar_header(std::string_view name, std::uint64_t size, std::chrono::sys_seconds modified, char type) {
  std::string header(block, '\0');
  const auto put = [&](std::size_t at, std::string_view text) { text.copy(header.data() + at, text.size()); };
  const auto put_octal = [&](std::size_t at, int digits, std::uint64_t number) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%0*llo", digits, static_cast<unsigned long long>(number));
    put(at, text.data());
  };
  put(0, name.substr(0, longest_name));
  put_octal(100, 7, 0'600);
  put_octal(108, 7, 0);
  put_octal(116, 7, 0);
  put_octal(124, 11, std::min(size, largest_size));
  put_octal(136, 11, static_cast<std::uint64_t>(std::max<std::int64_t>(0, modified.time_since_epoch().count())));
  put(148, "        ");  // the checksum counts as blanks
  header[156] = type;
  put(257, std::string_view("ustar\0"
                            "00",
                            8));
  unsigned sum = 0;
  for (const unsigned char c : header) sum += c;
  put_octal(148, 6, sum);
  header[154] = '\0';
  return header;
}

// "30 path=notes/plan.md\n": the number is the length of the whole record.
std::string pax_record(std::string_view key, std::string_view value) {
  const auto rest = 1 + key.size() + 1 + value.size() + 1;
  auto length = rest;
  while (std::to_string(length).size() + rest != length) length = std::to_string(length).size() + rest;
  return std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

}  // namespace

std::string tar_header(std::string_view path, std::uint64_t size, std::chrono::sys_seconds modified) {
  const bool is_plain = std::ranges::all_of(path, [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
  std::string extended;
  if (path.size() > longest_name || !is_plain) extended += pax_record("path", path);
  if (size > largest_size) extended += pax_record("size", std::to_string(size));
  auto header = ustar_header(path, size, modified, '0');
  if (extended.empty()) return header;
  auto before = ustar_header("././@PaxHeader", extended.size(), modified, 'x');
  return before + padded(std::move(extended)) + header;
}

// Blocks; not thread-safe.
class Archive::Gzip {
 public:
  Gzip() {
    constexpr int window_and_gzip = MAX_WBITS + 16, memory = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_and_gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::runtime_error("zlib cannot start");
  }
  ~Gzip() { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::string take(std::string_view bytes) { return run(bytes, Z_NO_FLUSH); }
  std::string finish() { return run({}, Z_FINISH); }

 private:
  std::string run(std::string_view bytes, int flush) {
    std::string out;
    std::array<char, 64 * 1024> buffer;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write to it
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      if (deflate(&stream_, flush) == Z_STREAM_ERROR) throw std::runtime_error("zlib cannot compress");
      out.append(buffer.data(), buffer.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return out;
  }

  z_stream stream_{};
};

Archive::Archive(std::string folder, Sink sink, boost::asio::thread_pool& blocking)
    : folder_(std::move(folder)), sink_(std::move(sink)), blocking_(blocking), gzip_(std::make_unique<Gzip>()) {}

Archive::~Archive() = default;

web::Task<> Archive::send(std::string bytes) {
  const auto compress = [&] { return gzip_->take(bytes); };
  auto compressed = co_await web::offload(blocking_, compress);
  if (!compressed.empty()) co_await sink_(std::move(compressed));
}

web::Task<> Archive::add(std::string path, std::string content) {
  const auto now = std::chrono::floor<std::chrono::seconds>(store::now());
  auto entry = tar_header(folder_ + "/" + path, content.size(), now);
  entry += padded(std::move(content));
  co_await send(std::move(entry));
}

web::Task<> Archive::add_file(std::string path, std::uint64_t size, store::Time modified, Read read) {
  auto header = tar_header(folder_ + "/" + path, size, std::chrono::floor<std::chrono::seconds>(modified));
  co_await send(std::move(header));
  for (std::uint64_t done = 0; done < size;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, piece_bytes));
    const auto take = [&] {
      auto piece = read(done, wanted);
      piece.resize(wanted, '\0');
      if (done + wanted == size) piece = padded(std::move(piece));
      return gzip_->take(piece);
    };
    auto compressed = co_await web::offload(blocking_, take);
    if (!compressed.empty()) co_await sink_(std::move(compressed));
    done += wanted;
  }
}

web::Task<> Archive::finish() {
  std::string end(2 * block, '\0');
  co_await send(std::move(end));
  const auto close = [&] { return gzip_->finish(); };
  auto last = co_await web::offload(blocking_, close);
  co_await sink_(std::move(last));
}

}  // namespace personal_data
