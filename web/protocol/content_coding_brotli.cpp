#include <brotli/decode.h>

#include <array>
#include <new>

#include "web/protocol/content_coding.h"

namespace web {
namespace {

class Brotli : public ContentCoding {
 public:
  Brotli() {
    if (!decoder_) throw std::bad_alloc();
  }

  Decoding write(std::string_view bytes, const Sink& sink) override {
    auto* in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t in_left = bytes.size();
    std::array<char, 16 * 1024> piece;
    while (!is_complete_) {
      auto* out = reinterpret_cast<std::uint8_t*>(piece.data());
      std::size_t room = piece.size();
      const auto result = ::BrotliDecoderDecompressStream(decoder_.get(), &in_left, &in, &room, &out, nullptr);
      if (result == BROTLI_DECODER_RESULT_ERROR) return failure();
      is_complete_ = result == BROTLI_DECODER_RESULT_SUCCESS;
      if (room < piece.size()) {
        const auto decoding = sink({piece.data(), piece.size() - room});
        if (decoding != Decoding::ok) return decoding;
      }
      if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) break;
    }
    return Decoding::ok;
  }
  bool is_complete() const override { return is_complete_; }

 private:
  Decoding failure() const {
    const auto code = ::BrotliDecoderGetErrorCode(decoder_.get());
    const bool is_of_memory =
        code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    if (is_of_memory) throw std::bad_alloc();
    return Decoding::broken;
  }

  std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> decoder_{
      ::BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), &BrotliDecoderDestroyInstance};
  bool is_complete_ = false;
};

}  // namespace

std::unique_ptr<ContentCoding> brotli_coding() { return std::make_unique<Brotli>(); }

}  // namespace web
