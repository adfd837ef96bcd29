// Encoders for the tests of web/protocol/body_decoder.h.
#pragma once

#include <brotli/encode.h>
#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace web::tests {

// The window bits that select a format in deflateInit2.
enum class Zipped { zlib = 15, bare = -15, gzip = 15 + 16 };

inline std::string zipped(std::string_view bytes, Zipped format, int level = Z_DEFAULT_COMPRESSION) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, int(format), 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::logic_error("the room for what was compressed is too small");
  return out;
}

inline std::string brotlied(std::string_view bytes, int quality = 5) {
  std::string out(BrotliEncoderMaxCompressedSize(bytes.size()) + 64, '\0');
  std::size_t size = out.size();
  const bool is_done = BrotliEncoderCompress(quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, bytes.size(),
                                             reinterpret_cast<const std::uint8_t*>(bytes.data()), &size,
                                             reinterpret_cast<std::uint8_t*>(out.data())) != BROTLI_FALSE;
  if (!is_done) throw std::logic_error("brotli compresses nothing");
  out.resize(size);
  return out;
}

}  // namespace web::tests
