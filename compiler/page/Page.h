//===- Page.h - A build as one HTML page ------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One file that any browser opens, without network: the network, the time line,
// the SRAM, the roofline, tables of layers and accuracy, and what the compiler
// had to say (docs/page.md). page.html is its frame, page.css its style, and
// the script is made of the .js files here, all of which the program carries.
//
//   writeFile("page.html", pageHtml({build}), diags);
//   writeFile("both.html", pageHtml({before, after}), diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PAGE_PAGE_H
#define YARROW_COMPILER_PAGE_PAGE_H

#include "compiler/page/PageData.h"
#include "support/ReportDocument.h"

#include <span>

namespace yarrow {

/// \p builds is one, or two that are compared.
std::string pageHtml(std::span<const PageBuild> builds);

/// A command's page: \p report as the command writes it now.
PageBuild pageBuildOf(std::string label, ReportDocument report,
                      std::optional<PagePicture> picture,
                      DiagnosticEngine &diags,
                      std::vector<LayerFacts> facts = {});

/// The build that \p path has: an executable, which is run once with zeros, or
/// a report. With a report comes the picture of the executable that it names,
/// if that is there. Nullopt after errors.
std::optional<PageBuild> readPageBuild(const std::string &path,
                                       DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PAGE_PAGE_H
