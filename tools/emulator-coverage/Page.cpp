// Writes docs/generated/emulator-coverage.md. Tables for the counts, and for the names lists by unit and source, because
// a table with some five thousand instructions would be unreadable.
#include "tools/emulator-coverage/Coverage.h"

#include <functional>

namespace fly::coverage {

namespace {

const char introduction[] = R"(# Instructions that the emulator executes, and how they are checked

This page is generated: `scripts/run_tests.py` runs the tests, joins their records with LLVM's instruction table, and
fails if the result differs from this file. `scripts/run_tests.py --update-coverage` rewrites it.

The instructions are those of LLVM 22. Every opcode of LLVM's table is encoded, and it counts for an architecture if
that architecture's decoder returns it and its assembler accepts it (compiler/isa/OpcodeList.h). An instruction counts
once, under the name that its encodings (VOP2, VOP3, DPP, SDWA, VOPD, ...) and generations share. Image instructions are
not listed at all. Everything else that is left out is named at the end of each architecture.

*Checked* means that a test compares the instruction's results with a source other than this emulator:

| source | the results are compared with |
|---|---|
| pseudocode | AMD's pseudocode of the instruction, interpreted, on random and special operands |
| manual | the instruction's formula in AMD's manual of CDNA5, in our own words; only where the emulator follows another text |
| host | the same C expression, computed by the host's compiler |
| mpfr | exactly rounded results of MPFR or of the host's FPU |
| float64 | a matrix product in double precision, within the error bound of the accumulation |
| facts | maps and tables in tests/facts that were measured or published |
| model | a published model of the instruction in software, in our own words; only where the emulator follows another text |
| program | the expected results of a whole program, which become wrong when the instruction is broken |

For *host* and *program* an instruction counts only if the test fails when the instruction computes the complement of
its result (or, for stores, branches, barriers and waits, when it is skipped). *Single source* means that the
instruction was implemented from a document and is compared with expectations from the same document, or with nothing.
*Without effect* means hints, sleeps, prefetches and cache controls. Their documents name no result, so there is none to
compare; a test holds that they leave registers, LDS and memory alone. *Matched* counts the instructions of which a
public source says that its description was compared with hardware; each architecture names who did
(tests/facts/coverage_notes.json). Nothing on this page was compared with hardware by this project.
)";

constexpr const char *sourceOrder[] = {"pseudocode", "manual", "host",    "mpfr",    "float64",
                                       "facts",      "model",  "program", "document"};

std::string sourcesText(const std::set<std::string> &sources) {
  std::string text;
  auto add = [&](const std::string &s) { text += (text.empty() ? "" : ", ") + s; };
  for (const char *s : sourceOrder)
    if (sources.count(s) && s != std::string("document"))
      add(s);
  for (const std::string &s : sources)
    if (std::find(std::begin(sourceOrder), std::end(sourceOrder), s) == std::end(sourceOrder))
      add(s);
  return text;
}

/// The bullets of some notes for an architecture, and the names they mean.
llvm::Expected<std::string> notesText(const std::vector<Note> &notes, const Coverage &coverage,
                                      std::set<std::string> &meant) {
  std::string text;
  for (const Note &note : notes) {
    if (std::find(note.architectures.begin(), note.architectures.end(), coverage.architecture) ==
        note.architectures.end())
      continue;
    auto names = meantBy(note, coverage);
    if (!names)
      return names.takeError();
    meant.insert(names->begin(), names->end());
    std::string sentence = note.who.empty() ? note.what : "[" + note.who + "](" + note.link + "): " + note.what;
    sentence += " (" + std::to_string(names->size()) + "):";
    std::string line = "-";
    std::vector<std::string> words;
    for (size_t at = 0; at <= sentence.size();) {
      size_t end = std::min(sentence.find(' ', at), sentence.size());
      words.push_back(sentence.substr(at, end - at));
      at = end + 1;
    }
    for (size_t k = 0; k < note.patterns.size(); ++k)
      words.push_back("`" + note.patterns[k] + "`" + (k + 1 < note.patterns.size() ? "," : ""));
    for (const std::string &word : words) {
      if (line.size() + 1 + word.size() > 118) {
        text += line + "\n";
        line = " ";
      }
      line += " " + word;
    }
    text += line + "\n";
  }
  return text;
}

struct Counts {
  unsigned all = 0, executed = 0, checked = 0, single = 0, withoutEffect = 0;
  void add(const Instruction &i) {
    ++all;
    if (!i.executed)
      return;
    ++executed;
    if (i.withoutEffect)
      ++withoutEffect;
    else if (i.checked())
      ++checked;
    else
      ++single;
  }
  std::string row(const std::string &title) const {
    std::string text = "| " + title;
    for (unsigned n : {all, executed, checked, single, withoutEffect, all - executed})
      text += " | " + std::to_string(n);
    return text + " |\n";
  }
};
const char columns[] = " | instructions | executed | checked | single source | without effect | not executed |\n"
                       "|---|---:|---:|---:|---:|---:|---:|\n";

/// "- title (3): A, B, C", wrapped.
std::string list(const std::string &title, const std::vector<std::string> &names) {
  std::string text, line = "- " + title + " (" + std::to_string(names.size()) + "):";
  for (size_t k = 0; k < names.size(); ++k) {
    std::string word = " " + names[k] + (k + 1 < names.size() ? "," : "");
    if (line.size() + word.size() > 118) {
      text += line + "\n";
      line = " ";
    }
    line += word;
  }
  return text + line + "\n";
}

std::string unitText(const std::vector<const Instruction *> &instructions) {
  std::map<std::string, std::vector<std::string>> checked;
  std::vector<std::string> single, withoutEffect, missing;
  for (const Instruction *i : instructions)
    if (!i->executed)
      missing.push_back(i->name);
    else if (i->withoutEffect)
      withoutEffect.push_back(i->name);
    else if (i->checked())
      checked[sourcesText(i->sources)].push_back(i->name);
    else
      single.push_back(i->name);
  std::string text;
  for (auto &[sources, names] : checked)
    text += list(sources, names);
  if (!single.empty())
    text += list("**single source**", single);
  if (!withoutEffect.empty())
    text += list("without effect", withoutEffect);
  if (!missing.empty())
    text += list("**not executed**", missing);
  return text;
}

} // namespace

llvm::Expected<std::string> page(const std::vector<Coverage> &all, const Notes &notes) {
  std::string text = introduction;
  text +=
      "\n| architecture | instructions | executed | checked | single source | without effect | not executed | matched |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|\n";
  std::map<std::string, std::string> ends; // by architecture: the sections of the notes
  for (const Coverage &coverage : all) {
    Counts counts;
    for (const Instruction &i : coverage.instructions)
      if (!i.leftOut)
        counts.add(i);
    std::set<std::string> matched, open;
    auto by = notesText(notes.matched, coverage, matched), questions = notesText(notes.open, coverage, open);
    if (!by)
      return by.takeError();
    if (!questions)
      return questions.takeError();
    std::string &end = ends[coverage.architecture];
    if (!by->empty())
      end += "\n### " + coverage.architecture + ": matched to hardware by whom\n\n" + *by;
    if (!questions->empty())
      end += "\n### " + coverage.architecture + ": where sources contradict each other\n\n" + *questions;
    std::string row = counts.row("[" + coverage.architecture + "](#" + coverage.architecture + ")");
    text += row.substr(0, row.size() - 1) + " " + std::to_string(matched.size()) + " |\n";
  }
  for (const Coverage &coverage : all) {
    text += "\n## " + coverage.architecture + "\n\n| unit" + columns;
    std::string lists;
    for (const std::string &unit : unitNames()) {
      Counts counts;
      std::vector<const Instruction *> of;
      for (const Instruction &i : coverage.instructions)
        if (!i.leftOut && i.unit == unit) {
          counts.add(i);
          of.push_back(&i);
        }
      if (of.empty())
        continue;
      text += counts.row(unit);
      lists += "\n### " + coverage.architecture + ": " + unit + "\n\n" + unitText(of);
    }
    std::map<std::string, std::vector<std::string>> left;
    for (const Instruction &i : coverage.instructions)
      if (i.leftOut)
        left[i.unit].push_back(i.name);
    text += lists + ends[coverage.architecture] + "\n### " + coverage.architecture + ": left out\n\n";
    for (auto &[why, names] : left)
      text += list(why, names);
    if (!coverage.unbuilt.empty())
      text += list("**could not be encoded**", coverage.unbuilt);
  }
  return text;
}

} // namespace fly::coverage
