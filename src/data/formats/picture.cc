#include "data/formats/picture.h"

#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

#include <csetjmp>
#include <cstdio>  // before jpeglib.h, which uses FILE
#include <cstdlib>

#include "coterie/error.h"

namespace coterie {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // of a picture

void require_size(std::size_t width, std::size_t height, std::size_t channels, const std::string& file) {
  if (width == 0 || height == 0) throw Error(file + ": has no pixels");
  if (width > kMostBytes / channels || height > kMostBytes / (width * channels))
    throw Error(file + ": is too large a picture: " + std::to_string(width) + " x " + std::to_string(height));
}

Picture decode_png(const std::string& bytes, const std::string& file) {
  struct Image : png_image {
    Image() : png_image{} { version = PNG_IMAGE_VERSION; }
    ~Image() { png_image_free(this); }
  } image;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0)
    throw Error(file + ": is a damaged PNG picture");
  const bool colour = (image.format & PNG_FORMAT_FLAG_COLOR) != 0;
  image.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  Picture picture{image.width, image.height, colour ? 3u : 1u, {}};
  require_size(picture.width, picture.height, picture.channels, file);
  // At its best deflate makes a byte of 1032, and a byte holds eight pixels of a palette.
  if (picture.width * picture.height / 8 / 1032 > bytes.size())
    throw Error(file + ": claims to be larger than it can be");
  picture.pixels.resize(picture.width * picture.height * picture.channels);
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&image, &white, picture.pixels.data(), 0, nullptr) == 0)
    throw Error(file + ": is a damaged PNG picture");
  return picture;
}

// libjpeg tells of an error by a jump: functions that it may leave so hold nothing that wants destruction.
struct JpegTrouble : jpeg_error_mgr {
  std::jmp_buf back;
};
[[noreturn]] void jump_back(j_common_ptr jpeg) {
  std::longjmp(static_cast<JpegTrouble*>(jpeg->err)->back, 1);
}
// Warnings count, since pixels are made up where data is missing; but not those of bytes between two
// segments.
void count_warnings(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA) ++jpeg->err->num_warnings;
}
void quiet(jpeg_error_mgr& trouble) {
  jpeg_std_error(&trouble);
  trouble.error_exit = jump_back;
  trouble.emit_message = count_warnings;
}

class JpegReader {
 public:
  JpegReader() {
    quiet(trouble_);
    jpeg_.err = &trouble_;
    jpeg_create_decompress(&jpeg_);
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  bool read_header(const std::string& bytes) {
    if (setjmp(trouble_.back) != 0) return false;
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg_, TRUE);
    return true;
  }
  std::size_t width() const { return jpeg_.image_width; }
  std::size_t height() const { return jpeg_.image_height; }
  bool grey() const { return jpeg_.num_components == 1; }
  bool colour() const { return jpeg_.num_components == 3; }
  bool read_pixels(std::uint8_t* pixels) {
    if (setjmp(trouble_.back) != 0) return false;
    jpeg_.out_color_space = grey() ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg_);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      JSAMPROW row = pixels + std::size_t{jpeg_.output_scanline} * jpeg_.output_width *
                                  static_cast<std::size_t>(jpeg_.output_components);
      jpeg_read_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_decompress(&jpeg_);
    return jpeg_.err->num_warnings == 0;
  }

 private:
  jpeg_decompress_struct jpeg_{};
  JpegTrouble trouble_{};
};

Picture decode_jpeg(const std::string& bytes, const std::string& file) {
  JpegReader reader;
  if (!reader.read_header(bytes)) throw Error(file + ": is a damaged JPEG picture");
  if (!reader.grey() && !reader.colour())
    throw Error(file + ": has other colours than grey, or red, green and blue; convert it");
  Picture picture{reader.width(), reader.height(), reader.grey() ? 1u : 3u, {}};
  require_size(picture.width, picture.height, picture.channels, file);
  // An honest file has a bit for each 64 pixels at the least.
  if (picture.width * picture.height / 512 > bytes.size())
    throw Error(file + ": claims to be larger than it can be");
  picture.pixels.resize(picture.width * picture.height * picture.channels);
  if (!reader.read_pixels(picture.pixels.data())) throw Error(file + ": is a damaged JPEG picture");
  return picture;
}

class JpegWriter {
 public:
  JpegWriter() {
    quiet(trouble_);
    jpeg_.err = &trouble_;
    jpeg_create_compress(&jpeg_);
  }
  ~JpegWriter() {
    jpeg_destroy_compress(&jpeg_);
    std::free(bytes_);
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  bool write(const Picture& picture, int quality) {
    if (setjmp(trouble_.back) != 0) return false;
    jpeg_mem_dest(&jpeg_, &bytes_, &size_);
    jpeg_.image_width = static_cast<JDIMENSION>(picture.width);
    jpeg_.image_height = static_cast<JDIMENSION>(picture.height);
    jpeg_.input_components = static_cast<int>(picture.channels);
    jpeg_.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg_);
    jpeg_set_quality(&jpeg_, quality, TRUE);
    jpeg_start_compress(&jpeg_, TRUE);
    while (jpeg_.next_scanline < jpeg_.image_height) {
      JSAMPROW row =
          const_cast<std::uint8_t*>(&picture.pixels[jpeg_.next_scanline * picture.width * picture.channels]);
      jpeg_write_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_compress(&jpeg_);
    return true;
  }
  std::string bytes() const { return {reinterpret_cast<const char*>(bytes_), size_}; }

 private:
  jpeg_compress_struct jpeg_{};
  JpegTrouble trouble_{};
  unsigned char* bytes_ = nullptr;
  unsigned long size_ = 0;
};

}  // namespace

Picture decode_picture(const std::string& bytes, const std::string& file) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return decode_png(bytes, file);
  if (bytes.starts_with("\xff\xd8\xff")) return decode_jpeg(bytes, file);
  throw Error(file + ": is no PNG or JPEG picture");
}

std::string encode_png(const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  const int done =
      png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels.data(), 0, nullptr);
  png_image_free(&image);
  check(done != 0, "libpng cannot write a picture");
  bytes.resize(size);
  return bytes;
}

std::string encode_jpeg(const Picture& picture, int quality) {
  JpegWriter writer;
  check(writer.write(picture, quality), "libjpeg cannot write a picture");
  return writer.bytes();
}

}  // namespace coterie
