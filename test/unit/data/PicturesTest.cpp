//===- PicturesTest.cpp - Decoders, sizes and values of pictures ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/Orientation.h"
#include "compiler/data/pictures/PictureSamples.h"
#include "compiler/data/pictures/ReadPicture.h"
#include "support/diagnostics/Files.h"
#include "test/TemporaryFile.h"
#include "test/unit/data/PictureWriter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

using namespace yarrow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

using Bytes = std::vector<uint8_t>;

std::optional<Picture> decode(const std::string &bytes,
                              DiagnosticEngine &diags) {
  return decodePicture(std::as_bytes(std::span(bytes)), "a picture", diags);
}

/// The code of the one error.
DiagId errorOf(const std::string &bytes) {
  DiagnosticEngine diags;
  EXPECT_FALSE(decode(bytes, diags));
  EXPECT_EQ(diags.numErrors(), 1u);
  return diags.all().at(0).id;
}

Picture decoded(const std::string &bytes) {
  DiagnosticEngine diags;
  std::optional<Picture> picture = decode(bytes, diags);
  EXPECT_TRUE(picture) << (diags.all().empty() ? "" : diags.all()[0].str());
  return picture.value_or(Picture());
}

TEST(Pictures, PngKeepsEveryPixel) {
  Bytes pixels = {255, 0, 0, 0, 255, 0, 1, 2, 3, 250, 251, 252};
  Picture picture = decoded(pngOf(2, 2, PNG_FORMAT_RGB, pixels));
  EXPECT_EQ(picture.width, 2);
  EXPECT_EQ(picture.height, 2);
  EXPECT_EQ(picture.pixels, pixels);
  EXPECT_FALSE(picture.isGray);
}

TEST(Pictures, GrayBecomesThreeChannels) {
  Picture png = decoded(pngOf(2, 1, PNG_FORMAT_GRAY, {7, 200}));
  EXPECT_TRUE(png.isGray);
  EXPECT_THAT(png.pixels, ElementsAre(7, 7, 7, 200, 200, 200));
  Picture jpeg = decoded(jpegOf(8, 8, 1, Bytes(64, 90)));
  EXPECT_TRUE(jpeg.isGray);
  EXPECT_EQ(jpeg.pixels, Bytes(3 * 64, 90));
}

TEST(Pictures, AlphaMayOnlyBeOpaque) {
  Picture opaque =
      decoded(pngOf(2, 1, PNG_FORMAT_RGBA, {1, 2, 3, 255, 4, 5, 6, 255}));
  EXPECT_THAT(opaque.pixels, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(errorOf(pngOf(2, 1, PNG_FORMAT_RGBA, {1, 2, 3, 255, 4, 5, 6, 254})),
            diag::PictureForm);
}

TEST(Pictures, JpegIsNearlyAsItWas) {
  Picture picture = decoded(jpegOf(16, 8, 3, Bytes(16 * 8 * 3, 130)));
  EXPECT_EQ(picture.width, 16);
  EXPECT_EQ(picture.height, 8);
  for (uint8_t value : picture.pixels)
    EXPECT_NEAR(value, 130, 1);
}

TEST(Pictures, ColoursForPrintAreRefused) {
  EXPECT_EQ(errorOf(jpegOf(8, 8, 4, Bytes(8 * 8 * 4, 10))), diag::PictureForm);
}

TEST(Pictures, OtherFilesAreRefused) {
  EXPECT_EQ(errorOf(""), diag::PictureUnknown);
  EXPECT_EQ(errorOf("GIF89a and more"), diag::PictureUnknown);
  EXPECT_EQ(errorOf("<html>not found</html>"), diag::PictureUnknown);
}

/// At every length: made-up pixels are no picture.
TEST(Pictures, CutFilesAreDamaged) {
  Bytes pixels(16 * 16 * 3);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = uint8_t(i * 37);
  std::string png = pngOf(16, 16, PNG_FORMAT_RGB, pixels),
              jpeg = jpegOf(16, 16, 3, pixels);
  for (std::size_t size = 8; size < png.size(); size += 5)
    EXPECT_EQ(errorOf(png.substr(0, size)), diag::PictureDamaged) << size;
  // The last two bytes are a marker that says no more than that.
  for (std::size_t size = 3; size < jpeg.size() - 2; size += 5)
    EXPECT_EQ(errorOf(jpeg.substr(0, size)), diag::PictureDamaged) << size;
}

/// Sizes that a few bytes declare take no memory.
TEST(Pictures, BombsAreRefused) {
  std::string png = pngOf(2, 2, PNG_FORMAT_GRAY, Bytes(4, 0));
  constexpr std::size_t kWidthAt = 16, kChecksumAt = 29;
  auto withWidth = [&](uint32_t width) {
    std::string bomb = png;
    for (int i = 0; i < 4; ++i)
      bomb[kWidthAt + std::size_t(i)] = char(width >> (24 - 8 * i));
    uint32_t sum = 0xFFFFFFFF;
    for (std::size_t at = 12; at < kChecksumAt; ++at) {
      sum ^= static_cast<unsigned char>(bomb[at]);
      for (int bit = 0; bit < 8; ++bit)
        sum = (sum >> 1) ^ (sum & 1 ? 0xEDB88320 : 0);
    }
    for (int i = 0; i < 4; ++i)
      bomb[kChecksumAt + std::size_t(i)] = char(~sum >> (24 - 8 * i));
    return bomb;
  };
  EXPECT_EQ(decoded(withWidth(2)).width, 2);
  EXPECT_EQ(errorOf(withWidth(900000)), diag::PictureDamaged);
  EXPECT_EQ(errorOf(withWidth(0x7FFFFFFF)), diag::PictureDamaged);
  std::string jpeg = jpegOf(8, 8, 1, Bytes(64, 0));
  std::size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, jpeg.npos);
  for (std::size_t i = 0; i < 4; ++i)
    jpeg[frame + 5 + i] = char(0xF0);
  EXPECT_EQ(errorOf(jpeg), diag::PictureForm);
}

/// What EXIF says of an F of 2 x 3 pixels.
TEST(Pictures, CamerasAreHeldSideways) {
  Picture upright;
  upright.width = 2;
  upright.height = 3;
  for (uint8_t i = 0; i < 6; ++i)
    upright.pixels.insert(upright.pixels.end(), 3, i);
  auto shown = [&](int orientation) {
    Picture picture = turned(upright, orientation);
    std::string rows;
    for (int64_t y = 0; y < picture.height; ++y) {
      for (int64_t x = 0; x < picture.width; ++x)
        rows += std::to_string(
            picture.pixels[std::size_t((y * picture.width + x) * 3)]);
      rows += ' ';
    }
    return rows;
  };
  EXPECT_EQ(shown(1), "01 23 45 ");
  EXPECT_EQ(shown(2), "10 32 54 ");
  EXPECT_EQ(shown(3), "54 32 10 ");
  EXPECT_EQ(shown(4), "45 23 01 ");
  EXPECT_EQ(shown(5), "024 135 ");
  EXPECT_EQ(shown(6), "420 531 ");
  EXPECT_EQ(shown(7), "531 420 ");
  EXPECT_EQ(shown(8), "135 024 ");
  std::string exif("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01"
                   "\0\x06\0\0\0\0\0\0",
                   32);
  EXPECT_EQ(exifOrientation(std::as_bytes(std::span(exif))), 6);
  Picture held = decoded(jpegOf(16, 8, 1, Bytes(16 * 8, 0), exif));
  EXPECT_EQ(held.width, 8);
  EXPECT_EQ(held.height, 16);
  for (std::size_t size = 0; size < exif.size() - 5; ++size)
    EXPECT_EQ(exifOrientation(std::as_bytes(std::span(exif).first(size))) == 6,
              size >= 26)
        << size;
}

Bytes grayRow(const Bytes &values) {
  Bytes pixels;
  for (uint8_t value : values)
    pixels.insert(pixels.end(), 3, value);
  return pixels;
}

Bytes resizedRow(const Bytes &values, int64_t width) {
  Picture picture{int64_t(values.size()), 1, grayRow(values), true};
  Bytes result;
  Bytes pixels = resized(picture, width, 1, PictureFit::Stretch);
  for (std::size_t i = 0; i < pixels.size(); i += 3)
    result.push_back(pixels[i]);
  return result;
}

/// By hand: two to four pixels reads at -1/4, 1/4, 3/4 and 5/4.
TEST(Pictures, ResizesBetweenCentres) {
  EXPECT_THAT(resizedRow({0, 100}, 4), ElementsAre(0, 25, 75, 100));
  EXPECT_THAT(resizedRow({0, 10, 20, 30}, 2), ElementsAre(5, 25));
  EXPECT_THAT(resizedRow({0, 3}, 1), ElementsAre(2)) << "halves go up";
  EXPECT_THAT(resizedRow({9, 8, 7}, 3), ElementsAre(9, 8, 7));
}

TEST(Pictures, FitsIntoTheInput) {
  auto place = placementOf(400, 200, 100, 100, PictureFit::Stretch);
  EXPECT_EQ(place.from, (PixelRegion{0, 0, 400, 200}));
  EXPECT_EQ(place.to, (PixelRegion{0, 0, 100, 100}));
  place = placementOf(400, 200, 100, 100, PictureFit::Crop);
  EXPECT_EQ(place.from, (PixelRegion{100, 0, 200, 200}));
  EXPECT_EQ(place.to, (PixelRegion{0, 0, 100, 100}));
  place = placementOf(400, 200, 100, 100, PictureFit::Letterbox);
  EXPECT_EQ(place.from, (PixelRegion{0, 0, 400, 200}));
  EXPECT_EQ(place.to, (PixelRegion{0, 25, 100, 50}));
  place = placementOf(1, 5000, 10, 10, PictureFit::Letterbox);
  EXPECT_EQ(place.to, (PixelRegion{4, 0, 1, 10}));
  Picture white{4, 2, Bytes(4 * 2 * 3, 255), false};
  Bytes boxed = resized(white, 4, 4, PictureFit::Letterbox);
  EXPECT_EQ(boxed[0], 0);
  EXPECT_EQ(boxed[4 * 3], 255);
}

TEST(Pictures, NumbersMayBeFractions) {
  EXPECT_THAT(*pictureNumbers("1/4"), ElementsAre(0.25));
  EXPECT_THAT(*pictureNumbers(" 1 , 2.5,-3 "), ElementsAre(1, 2.5, -3));
  for (const char *wrong : {"", "1,2", "1/0", "x", "1,2,3,4", "1;", "1e300"})
    EXPECT_FALSE(pictureNumbers(wrong)) << wrong;
}

class PictureFolder : public ::testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder.path()); }
  void TearDown() override { std::filesystem::remove_all(folder.path()); }

  void write(const std::string &name, const std::string &bytes) {
    std::ofstream(folder.path() + "/" + name, std::ios::binary) << bytes;
  }
  std::vector<float> read(const std::vector<int64_t> &shape,
                          const PictureOptions &options) {
    auto array = readPictureSamples(folder.path(), shape, options, diags);
    return array ? array->toFloats() : std::vector<float>();
  }

  yarrow::testing::TemporaryFile folder;
  DiagnosticEngine diags;
};

TEST_F(PictureFolder, ValuesInTheNetworksOrder) {
  write("b.png", pngOf(2, 1, PNG_FORMAT_RGB, {1, 2, 3, 4, 5, 6}));
  write("a.PNG", pngOf(2, 1, PNG_FORMAT_RGB, {10, 20, 30, 40, 50, 60}));
  write("notes.txt", "not a picture");
  PictureOptions options;
  EXPECT_THAT(read({1, 3, 1, 2}, options),
              ElementsAre(10, 40, 20, 50, 30, 60, 1, 4, 2, 5, 3, 6));
  options.channels = PictureChannels::Bgr;
  options.mean = {30, 20, 10};
  options.scale = {1, 0.5, 0.25};
  EXPECT_THAT(
      read({1, 1, 2, 3}, options),
      ElementsAre(0, 0, 0, 30, 15, 7.5f, -27, -9, -2.25f, -24, -7.5f, -1.5f));
  EXPECT_TRUE(diags.all().empty());
}

TEST_F(PictureFolder, GrayForOneChannel) {
  write("a.png", pngOf(1, 1, PNG_FORMAT_RGB, {255, 0, 0}));
  PictureOptions options;
  EXPECT_TRUE(read({1, 1, 1, 1}, options).empty());
  EXPECT_EQ(diags.all().at(0).id, diag::PictureForm);
  EXPECT_THAT(diags.all()[0].hintText, HasSubstr("gray"));
  options.channels = PictureChannels::Gray;
  options.layout = PictureLayout::Nchw;
  EXPECT_THAT(read({1, 1, 1, 1}, options), ElementsAre(76));
}

TEST_F(PictureFolder, GrayPicturesAreReported) {
  write("a.png", pngOf(1, 1, PNG_FORMAT_GRAY, {9}));
  write("b.png", pngOf(1, 1, PNG_FORMAT_RGB, {1, 2, 3}));
  EXPECT_THAT(read({1, 3, 1, 1}, {}), ElementsAre(9, 9, 9, 1, 2, 3));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::PicturesGray);
  EXPECT_THAT(diags.all()[0].message, HasSubstr("1 of 2"));
}

TEST_F(PictureFolder, AFolderWithoutPictures) {
  write("x.npy", "");
  EXPECT_TRUE(read({1, 3, 4, 4}, {}).empty());
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::PicturesMissing);
}

/// All that are wrong are told, in the order of their names.
TEST_F(PictureFolder, EveryDamageIsReported) {
  write("b.jpg", "\xff\xd8\xff");
  write("a.jpg", "GIF8");
  write("c.png", pngOf(1, 1, PNG_FORMAT_RGB, {1, 2, 3}));
  EXPECT_TRUE(read({1, 3, 4, 4}, {}).empty());
  ASSERT_EQ(diags.all().size(), 2u);
  EXPECT_EQ(diags.all()[0].id, diag::PictureUnknown);
  EXPECT_EQ(diags.all()[1].id, diag::PictureDamaged);
}

TEST_F(PictureFolder, TheLayoutMayBeOpen) {
  write("a.png", pngOf(3, 3, PNG_FORMAT_RGB, Bytes(27, 1)));
  EXPECT_TRUE(read({1, 3, 3, 3}, {}).empty());
  EXPECT_THAT(diags.all().at(0).hintText, HasSubstr("layout"));
  PictureOptions options;
  options.layout = PictureLayout::Nhwc;
  EXPECT_EQ(read({1, 3, 3, 3}, options).size(), 27u);
  EXPECT_TRUE(read({1, 3, 4, 5}, options).empty());
}

} // namespace
