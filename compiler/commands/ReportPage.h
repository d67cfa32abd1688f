// `flyc report --html`: the page of everything that was reported, and the files that it is made of.
#pragma once

#include "compiler/compilation/ArchBuild.h"
#include "compiler/isa/CodeObject.h"
#include "compiler/page/Model.h"

namespace fly::driver {

struct PageRequest {
  std::vector<std::string> paths;    ///< what is reported
  std::vector<std::string> profiles; ///< of launches
  std::string html;                  ///< write a page there; `-`: standard output
};

class ReportPage {
public:
  explicit ReportPage(const PageRequest &request) : request(request) {}

  /// An object from a file; sources are looked for beside `path`, and where flyc runs. The status.
  int addObject(Session &session, const isa::CodeObject &object, const std::string &name, const std::string &kernel,
                const std::string &path);
  /// What the session has compiled. The status.
  int addCompiled(Session &session, const isa::CodeObject &object, const std::string &kernel,
                  const std::vector<InstancePage> &pages);
  /// Adds the profiles, and writes the file; the status. Nothing is written if anything is wrong.
  int write(Session &session);

private:
  int add(Session &session, const isa::CodeObject &object, const std::string &name, const std::string &kernel,
          const std::map<std::string, page::Compiled> &compiled, const page::Model::SourceText &source);
  int attach(Session &session, const std::string &path);

  const PageRequest &request;
  page::Model model;
};

} // namespace fly::driver
