// The findings in sentences, section by section, for the text and the page: one string for each line or
// paragraph.
#pragma once

#include <string>
#include <vector>

#include "fit/decision.h"

namespace coterie {

std::string share_text(double share);  // "12.5 %"
// Percent without its sign, "+12.5" where it is signed; a dash for what is no number.
std::string points_text(double share, bool with_sign = false);
std::string loss_text(double loss);  // four digits, zeros at the end too, so that columns are even

std::vector<std::string> reading_lines(const Reading& reading);
std::vector<std::string> differ_lines(const FitFindings& findings);
std::vector<std::string> continuum_lines(const FitFindings& findings);
// What the columns of the leaderboard are, why the choice was made, and how it does on the test rows.
std::vector<std::string> leaderboard_notes(const FitFindings& findings);
std::vector<std::string> stability_lines(const FitFindings& findings);
std::vector<std::string> portrait_lines(const FitFindings& findings);
std::string calibration_note(const FitFindings& findings);
// "Use ...: its log loss is 3 % lower than that of one model ..." and "Are there groups? ...".
std::vector<std::string> two_sentences(const FitFindings& findings);

}  // namespace coterie
