// A private certificate authority for a trial, and certificates that it signs.
#pragma once

#include <string>
#include <vector>

#include "fleet/network.h"

namespace coterie::net {

std::vector<std::string> make_certs(const CertsRequest& request);

// For tests of what a server refuses: a certificate whose days are over, or of another authority.
struct Validity {
  long from_seconds = 0;  // from now
  long days = 365;
};
void make_certificate(const std::string& folder, const std::string& name,
                      const std::vector<std::string>& hosts, const Validity& validity);
void make_authority(const std::string& folder, const Validity& validity);

}  // namespace coterie::net
